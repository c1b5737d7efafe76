"""Memory of a lookup and a training step does not depend on V: tracemalloc counts, nothing is timed."""
import tracemalloc

import numpy as np
import pytest

from tinytorch.core.embeddings import Embedding, EmbeddingLayer
from tinytorch.core.fast import is_plain, plain, sum_rows
from tinytorch.core.optimizers import SGD, SparseAdam
from tinytorch.core.tensor import Tensor

parametrize = pytest.mark.parametrize
D = 128
SLACK = 16 * 1024  # Python's own objects, numpy's small scratch arrays


def peak(action):
    """Bytes that `action()` held at once, beyond what was there before; its second run counts."""
    action()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = action()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
        del result


def large(V, sparse=True):
    """A layer whose table the system has promised but not yet handed out: only touched rows cost memory."""
    layer = Embedding(0, D, sparse=sparse)
    layer.weight = Tensor._of(np.zeros((V, D), np.float32))
    layer.weight.requires_grad = True
    return layer


def test_making_a_table_holds_the_drawn_numbers_and_the_table():
    """8 bytes a number as numpy draws it, 4 in the table; and nothing beside one copy of a given table."""
    given = np.zeros((1000, D), np.float32)
    assert peak(lambda: Embedding(1000, D)) < 12 * given.size + SLACK
    assert peak(lambda: Embedding.from_pretrained(given)) < given.nbytes + SLACK


@parametrize("V", [1000, 1_000_000])
@parametrize("shape", [(512,), (8, 64)], ids=str)
def test_a_lookup_holds_its_output_and_the_ids(V, shape):
    layer, ids = large(V), np.random.default_rng(0).integers(0, V, shape)
    assert peak(lambda: layer(ids)) < ids.size * D * 4 + ids.nbytes + SLACK


def test_a_lookup_into_a_ready_buffer_holds_the_ids():
    layer, ids = large(1_000_000), np.random.default_rng(0).integers(0, 1_000_000, (8, 64))
    buffer = np.empty((8, 64, D), np.float32)
    assert peak(lambda: layer.forward(ids, out=buffer)) < ids.nbytes + SLACK


def step(layer, optimizer, ids, upstream):
    optimizer.zero_grad()
    layer(ids).backward(upstream)
    optimizer.step()


@parametrize("Optimizer", [SGD, SparseAdam], ids=lambda cls: cls.__name__)
def test_a_step_does_not_grow_with_the_table(Optimizer):
    """The same 1024 tokens, V = 1,000 and V = 1,000,000 (512 MB): the same memory, a few rows' worth."""
    ids = np.random.default_rng(1).zipf(1.3, 1024) % 1000
    upstream = np.ones((1024, D), np.float32)
    peaks = []
    for V in (1000, 1_000_000):
        layer = large(V)
        optimizer = Optimizer(layer.parameters, lr=0.01)
        peaks.append(peak(lambda: step(layer, optimizer, ids, upstream)))  # noqa: B023
    small, big = peaks
    assert big < small + SLACK
    assert big < 10 * upstream.nbytes


@pytest.mark.skipif(is_plain(), reason="the plain form is not about memory")
def test_ids_near_2_to_the_31_need_no_scratch_of_that_size():
    V = 2**31
    ids = np.array([V - 1, 5, V - 1, V - 2, 0, V - 1])
    rows, values = sum_rows(ids, np.arange(6.0)[:, None], V)
    assert dict(zip(rows.tolist(), values[:, 0].tolist(), strict=True)) == {0: 4, 5: 1, V - 2: 3, V - 1: 7}
    assert peak(lambda: sum_rows(ids, np.ones((6, 1)), V)) < SLACK


@pytest.mark.skipif(is_plain(), reason="the plain form is not about memory")
def test_tokens_and_positions_hold_one_output():
    """The unfused sum holds the token rows and the result at once."""
    layer = EmbeddingLayer(100, D, max_seq_len=512)
    ids = np.random.default_rng(2).integers(0, 100, (4, 512))
    output = ids.size * D * 4
    assert peak(lambda: layer(ids)) < output + 2 * ids.nbytes + SLACK
    with plain():
        assert peak(lambda: layer(ids)) > 1.9 * output
