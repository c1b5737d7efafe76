"""What `tito bench` calls: the package's calls, each with the one it is compared with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np

from tinytorch.core import fast
from tinytorch.core.optimizers import SGD, SparseAdam
from tinytorch.core.tensor import Tensor
from tinytorch.tito.bench_timing import Row
from tinytorch.tito.terminal import reference

embeddings = reference("embeddings")
TORCH = "PyTorch"


def zipf(rng: np.random.Generator, size: int, shape) -> np.ndarray:
    """Ids as words occur in text: the k-th most frequent of `size` ids with probability ~ 1/k."""
    chances = np.cumsum(1 / np.arange(1, size + 1))
    return rng.permutation(size)[np.searchsorted(chances, rng.random(shape) * chances[-1])]


def layer_of(weight: np.ndarray, **options):
    """An Embedding around this very array."""
    layer = embeddings.Embedding(0, weight.shape[1], **options)
    layer.weight = Tensor._of(weight)
    layer.weight.requires_grad = True
    return layer


def torch_layer(torch, weight: np.ndarray, **options):
    """torch.nn.Embedding around the same array: neither side gets the better memory."""
    return torch.nn.Embedding.from_pretrained(torch.from_numpy(weight), freeze=False, **options)


def everything(torch, quick: bool) -> Iterator[Row]:
    rng = np.random.default_rng(6)
    yield from lookups(torch, rng, quick)
    yield from into_a_buffer(rng, quick)
    yield from gradients(torch, rng, quick)
    yield from steps(torch, rng, quick)
    yield from positions(torch, rng, quick)
    yield from others(torch, rng, quick)


def lookups(torch, rng, quick) -> Iterator[Row]:
    table = rng.standard_normal((1000 if quick else 50_000, 64), dtype=np.float32)
    for n in (16, 128):
        yield lookup(torch, table, rng.integers(0, len(table), n), f"layer(ids), {n} ids", 0.6)
    for V, D in ((1000, 64),) if quick else ((1000, 64), (50_000, 128), (1_000_000, 128)):
        table = rng.standard_normal((V, D), dtype=np.float32)
        ids = rng.integers(0, V, (32, 256))
        yield lookup(torch, table, ids, f"layer(ids), (32, 256) ids, {V:,} x {D}", 1.0)


def lookup(torch, table, ids, name, aim) -> Row:
    layer, theirs = layer_of(table), None
    if torch:
        there, torch_ids = torch_layer(torch, table), torch.from_numpy(ids)
        theirs = lambda: there(torch_ids)  # noqa: E731
    return Row(name, lambda: layer(ids), TORCH, theirs, aim)


def into_a_buffer(rng, quick) -> Iterator[Row]:
    V, shape, D = (1000, (2, 64), 768) if quick else (50_257, (32, 2048), 768)
    layer = layer_of(rng.standard_normal((V, D), dtype=np.float32))
    ids, out = rng.integers(0, V, shape), np.zeros((*shape, D), np.float32)
    same, target = np.ones_like(out), np.zeros_like(out)
    yield Row(f"forward(ids, out=), {shape} x {D}", lambda: layer.forward(ids, out=out),
              "copy of as many bytes", lambda: np.copyto(target, same), 1.6)


def gradients(torch, rng, quick) -> Iterator[Row]:
    sizes = ((256, 50_000, 128, None), (8192, 50_000, 128, (0.5, 0.75)), (65_536, 50_257, 256, (0.65, 0.65)))
    if quick:
        sizes = ((256, 1000, 16, None),)
    for n, V, D, aims in sizes:
        for k, kind in enumerate(("uniform", "Zipf")):
            ids = rng.integers(0, V, n) if kind == "uniform" else zipf(rng, V, n)
            upstream = rng.standard_normal((n, D), dtype=np.float32)
            name = f"out.backward(g), row-sparse, {n:,} {kind} ids, {V:,} x {D}"
            yield backward(torch, ids, upstream, V, True, name, aims and aims[k])
    some = slice(0, 4096)
    name = f"out.backward(g), dense (the exercise), {len(ids[some]):,} Zipf ids, {V:,} x {D}"
    yield backward(torch, ids[some], upstream[some], V, False, name, None)
    yield Row(f"sum_rows, {n:,} Zipf ids", lambda: fast.sum_rows(ids, upstream, V), "its plain form",
              in_plain(fast.sum_rows, ids, upstream, V))


def in_plain(function, *arguments):
    def call():
        with fast.plain():
            return function(*arguments)
    return call


def backward(torch, ids, upstream, V, sparse, name, aim) -> Row:
    table, theirs = np.zeros((V, upstream.shape[1]), np.float32), None
    layer = layer_of(table, sparse=sparse)
    out = layer(ids)

    def mine():
        layer.weight.grad = None
        out.backward(upstream)

    if torch:
        there, torch_upstream = torch_layer(torch, table, sparse=sparse), torch.from_numpy(upstream)
        torch_out = there(torch.from_numpy(ids))

        def theirs():
            there.weight.grad = None
            torch_out.backward(torch_upstream, retain_graph=True)
            return there.weight.grad.coalesce() if sparse else None

    return Row(name, mine, TORCH, theirs, aim)


def steps(torch, rng, quick) -> Iterator[Row]:
    n, D = (256, 16) if quick else (4096, 128)
    for name, aim, largest in (("SGD", 0.8, 1_000_000), ("SparseAdam", 0.6, 200_000)):
        for V in (1000,) if quick else (50_000, largest):
            yield from step(torch, name, zipf(rng, V, n), np.zeros((V, D), np.float32), aim)
    few, many = (1000, 10_000) if quick else (10_000, 1_000_000)
    ids, upstream = zipf(rng, few, n), np.ones((n, D), np.float32)
    near, far = (training(SGD, layer_of(np.zeros((V, D), np.float32), sparse=True), ids * (V // few), upstream)[1]
                 for V in (few, many))
    yield Row(f"training step, SGD, {n:,} Zipf ids, {many:,} x {D}", far, f"the same at {few:,} x {D}", near,
              1.25)


def training(Optimizer, layer, ids, upstream):
    """The optimizer, with a gradient to step with, and one whole step as a user writes it."""
    optimizer = Optimizer([layer.weight], lr=0.01)

    def whole():
        optimizer.zero_grad()
        layer(ids).backward(upstream)
        optimizer.step()

    whole()
    return optimizer, whole


def step(torch, name, ids, table, aim) -> Iterator[Row]:
    upstream, theirs, their_whole = np.ones((ids.size, table.shape[1]), np.float32), None, None
    mine, whole = training({"SGD": SGD, "SparseAdam": SparseAdam}[name], layer_of(table, sparse=True), ids, upstream)
    if torch:
        theirs, their_whole = training(getattr(torch.optim, name), torch_layer(torch, table.copy(), sparse=True),
                                       torch.from_numpy(ids), torch.from_numpy(upstream))
    size = f"{ids.size:,} Zipf ids, {len(table):,} x {table.shape[1]}"
    yield Row(f"optimizer.step(), {name}, {size}", mine.step, TORCH, theirs and theirs.step, aim)
    yield Row(f"training step, {name}, {size}", whole, TORCH, their_whole)


def positions(torch, rng, quick) -> Iterator[Row]:
    V, B, T, D = (1000, 2, 64, 64) if quick else (50_257, 8, 1024, 768)
    layer = embeddings.EmbeddingLayer(V, D, max_seq_len=T, rng=rng)
    ids, theirs = rng.integers(0, V, (B, T)), None
    if torch:
        tokens, places = (torch_layer(torch, p.data) for p in layer.parameters)
        torch_ids, where = torch.from_numpy(ids), torch.arange(T)
        theirs = lambda: tokens(torch_ids) + places(where)  # noqa: E731
    name = f"EmbeddingLayer, ({B}, {T}) x {D}"
    yield Row(name, lambda: layer(ids), TORCH, theirs, 0.8)
    yield Row(name, lambda: layer(ids), "its plain form", in_plain(layer, ids))


def others(torch, rng, quick) -> Iterator[Row]:
    P, D = (200, 64) if quick else (5000, 512)
    name = f"sinusoid_table({P}, {D}), right to 6e-8"
    yield Row(name, lambda: fast.sinusoid_table(P, D), f"{TORCH}, the usual float32 code",
              torch and (lambda: usual_sinusoid(torch, P, D)), 0.4)
    yield Row(name, lambda: fast.sinusoid_table(P, D), "its plain form", in_plain(fast.sinusoid_table, P, D))
    yield Row("import tinytorch.core.embeddings", starting("tinytorch.core.embeddings"), "import torch",
              starting("torch") if torch and not quick else None, 0.12, process=True)
    V, n, D = (1000, 512, 64) if quick else (50_257, 65_536, 256)
    table, ids = rng.standard_normal((V, D), dtype=np.float32), rng.integers(0, V, n)
    scale = np.abs(table).max(axis=1, keepdims=True) / 127
    small = np.round(table / scale).astype(np.int8)
    share = (small.nbytes + scale.nbytes) / table.nbytes
    yield Row(f"int8 table and a scale a row ({share:.2f} of the memory), {n:,} ids",
              lambda: int8_rows(small, scale, ids), "float32 take",
              lambda: table.take(ids, 0, mode="clip"), 1.2)


def int8_rows(small, scale, ids, block=256) -> np.ndarray:
    """The rows as float32, in blocks that fit the cache."""
    out = np.empty((ids.size, small.shape[1]), np.float32)
    for i in range(0, ids.size, block):
        some = ids[i:i + block]
        np.multiply(small.take(some, 0, mode="clip"), scale.take(some, 0, mode="clip"), out=out[i:i + block])
    return out


def usual_sinusoid(torch, P, D):
    """As in most tutorials: every angle in float32."""
    table, where = torch.zeros(P, D), torch.arange(P, dtype=torch.float32)[:, None]
    rates = torch.exp(torch.arange(0, D, 2, dtype=torch.float32) * (-np.log(10000.0) / D))
    table[:, 0::2], table[:, 1::2] = torch.sin(where * rates), torch.cos(where * rates)
    return table


def starting(module):
    """A new Python that imports the module and nothing else."""
    return lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


def flat(measure, seconds, quick) -> dict[str, list[tuple[int, float]]]:
    """What must not grow: microseconds against a size."""
    rng, n, D = np.random.default_rng(7), *((256, 16) if quick else (4096, 128))
    ids, sizes = zipf(rng, 1000, n), (1000, 10_000) if quick else (10_000, 100_000, 1_000_000)
    upstream = np.ones((n, D), np.float32)
    stepping, looking, going_back = [], [], []
    for V in sizes:
        table, spread = np.zeros((V, D), np.float32), ids * (V // 1000)  # the same counts, rows far apart
        layer, one = layer_of(table), training(SGD, layer_of(table, sparse=True), spread, upstream)[1]
        stepping.append((V, measure(Row("", one, ""), seconds).mine / n * 1e3))
        table += 1  # real pages: those of np.zeros are one shared page until they are written
        looking.append((V, measure(Row("", bound(layer, spread), ""), seconds).mine / n * 1e3))
    for length in (10, 100) if quick else (100, 1000, 10_000):
        going_back.append((length, measure(Row("", chain(length).backward, ""), seconds).mine / length * 1e3))
    return {"training step, SGD, a token, over V": stepping, "layer(ids), a token, over V": looking,
            "backward(), an operation, over the length of the graph": going_back}


def chain(length: int) -> Tensor:
    x = y = Tensor([1.0], requires_grad=True)
    for _ in range(length):
        y = y + x
    return y


def student(module, quick: bool) -> Iterator[Row]:
    """The functions a student writes, beside the package's; what is not written yet is left out."""
    rng, V, D = np.random.default_rng(8), 2000, 64
    n = 64 if quick else 1024
    ids, upstream = zipf(rng, V, (4, n)), rng.standard_normal((4, n, D), dtype=np.float32)
    calls = {
        f"Embedding(ids), (4, {n}) ids, {V:,} x {D}": lambda m: bound(m.Embedding(V, D), ids),
        f"embedding_grad, 4 x {n} Zipf ids": lambda m: lambda: m.embedding_grad(ids, upstream, V),
        "create_sinusoidal_embeddings(1000, 128)":
            lambda m: lambda: m.create_sinusoidal_embeddings(1000, 128),
        f"PositionalEncoding, (4, {n}) x {D}": lambda m: bound(m.PositionalEncoding(D), upstream),
        f"EmbeddingLayer, (4, {n}) x {D}": lambda m: bound(m.EmbeddingLayer(V, D, n), ids),
    }
    for name, make in calls.items():
        try:
            yours = make(module)
            yours()
        except Exception as error:
            print(f"{name}: {type(error).__name__}, left out")
            continue
        yield Row(name, yours, "the package", make(embeddings))


def bound(layer, x):
    return lambda: layer(x)
