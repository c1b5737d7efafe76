"""Each fast form against its plain form: at the edges of its trick, for any input, through the layers."""
import subprocess
import sys
import threading

import mpmath
import numpy as np
import pytest
from helpers_gradcheck import steady
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core import embeddings, fast
from tinytorch.core.embeddings import Embedding, EmbeddingLayer
from tinytorch.core.fast import is_plain, plain, sinusoid_table, sum_rows, take_plus
from tinytorch.core.optimizers import SGD, SparseAdam

parametrize = pytest.mark.parametrize
needs_fast = pytest.mark.skipif(is_plain(), reason="TINYTORCH_PLAIN is set: there is nothing to compare")


def both(function, *args):
    """The fast and the plain result."""
    with plain():
        right = function(*args)
    return function(*args), right


def same_sums(ids, upstream, size):
    (rows, values), (right_rows, right) = both(sum_rows, ids, upstream, size)
    order = np.argsort(rows)
    assert rows.dtype == right_rows.dtype == np.int64
    assert values.dtype == right.dtype == upstream.dtype
    assert_array_equal(rows[order], right_rows)
    error = np.finfo(upstream.dtype).eps * 64 * max(1, np.abs(right).max(initial=0))
    assert_allclose(values[order], right, rtol=0, atol=error)


# ------------------------------------------------------------------------------------------------- switch
def test_plain_can_be_nested_and_ends_with_an_error():
    outside = is_plain()
    with plain():
        with pytest.raises(KeyError), plain():
            raise KeyError
        assert is_plain()
    assert is_plain() == outside


@pytest.mark.slow
@parametrize("value, expected", [("1", "True"), ("0", "False"), ("", "False"), (None, "False")])
def test_the_environment_decides(value, expected, monkeypatch):
    monkeypatch.delenv("TINYTORCH_PLAIN", raising=False)
    if value is not None:
        monkeypatch.setenv("TINYTORCH_PLAIN", value)
    code = "from tinytorch.core.fast import is_plain; print(is_plain())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected


def test_only_the_package_is_handed_over():
    assert fast.of_package(vars(embeddings))
    assert not fast.of_package({"__file__": "/home/student/tinytorch/core/embeddings.py"})
    assert not fast.of_package({"__name__": "__main__"})


# ----------------------------------------------------------------------------------------------- sum_rows
@needs_fast
@parametrize("distinct", [0, 1, 2, 255, 256, 257, 65_535, 65_536, 65_537])
@parametrize("again", [0, 3])
def test_distinct_ids(distinct, again):
    """Around the powers of two, where an integer of id and position gets one more bit."""
    rng = np.random.default_rng(distinct)
    ids = rng.permutation(np.r_[np.arange(distinct), np.arange(distinct)[:again]])
    same_sums(ids, rng.normal(size=(ids.size, 2)), max(1, distinct))


@needs_fast
@parametrize("size", [2**16, 2**31, 2**32 + 1, 2**62, 2**63 - 1])
@parametrize("count", [1, 2, 3, 255, 256, 257, 4097])
def test_ids_near_the_end_of_a_huge_table(size, count):
    """32 bits, 64 bits, and too many bits for one integer; no scratch of the table's size can be had here."""
    rng = np.random.default_rng(count)
    ids = size - 1 - rng.integers(0, min(size, 2 * count), count)
    same_sums(ids, rng.normal(size=(count, 3)), size)


@needs_fast
def test_one_id_a_million_times():
    same_sums(np.zeros(1_000_000, int), np.random.default_rng(0).random((1_000_000, 2), dtype=np.float32), 1)


@needs_fast
@given(st.integers(1, 2**31), st.integers(0, 300), st.integers(1, 40), st.integers(0, 2**32),
       st.sampled_from([np.float16, np.float32, np.float64]), st.sampled_from([1, 64, 1 << 18]))
@steady
def test_any_ids(size, count, distinct, seed, dtype, cache):
    """With a small cache the steps are done in several blocks."""
    rng = np.random.default_rng(seed)
    some = rng.integers(0, size, distinct)
    ids = some[np.minimum(rng.geometric(0.2, count), distinct) - 1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "CACHE", cache)
        same_sums(ids, rng.normal(size=(count, 3)).astype(dtype), size)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_million_repeats_in_float32_are_as_exact_as_in_torch():
    """Uniform numbers in [0, 1): ours is right to 3e-8, torch's running float32 sum to 1e-5."""
    upstream = np.random.default_rng(3).random((1_000_000, 4), dtype=np.float32)
    ids, right = np.full(1_000_000, 6), upstream.sum(axis=0, dtype=np.float64)
    rows, values = sum_rows(ids, upstream, 9)
    mine = np.abs(values[0] / right - 1).max()
    assert rows.tolist() == [6]
    assert mine < 6e-8  # float32 itself rounds to 6e-8
    torch = pytest.importorskip("torch")
    weight = torch.zeros(9, 4, requires_grad=True)
    torch.nn.functional.embedding(torch.tensor(ids), weight, sparse=True).backward(torch.tensor(upstream))
    theirs = np.abs(weight.grad.coalesce().values().numpy()[0] / right - 1).max()
    assert mine <= theirs


# ------------------------------------------------------------------------------------------ sinusoid_table
@parametrize("width", [7, 512])
def test_sinusoids_against_forty_digits(width):
    """Up to position 1,000,000, the worst of 400 entries; half a unit of float32 below 1 is 3e-8."""
    rng, worst = np.random.default_rng(width), 0
    with mpmath.workdps(40):
        for position in [0, 1, 63, 64, 65_535, 999_999, 1_000_000, *rng.integers(0, 1_000_000, 33).tolist()]:
            row = sinusoid_table(1, width, start=position)[0]
            for column in rng.integers(0, width, 10).tolist():
                angle = position / mpmath.power(10000, mpmath.mpf(2 * (column // 2)) / width)
                exact = mpmath.cos(angle) if column % 2 else mpmath.sin(angle)
                worst = max(worst, abs(float(mpmath.mpf(float(row[column])) - exact)))
    assert worst <= 6e-8


@needs_fast
@given(st.integers(0, 1_000_000), st.integers(0, 200), st.integers(1, 30))
@steady
def test_any_sinusoids(start, length, width):
    table, right = both(sinusoid_table, length, width, start)
    assert table.dtype == right.dtype
    assert_allclose(table, right, rtol=0, atol=6e-8)


# ---------------------------------------------------------------------------------------------- take_plus
@needs_fast
@given(st.integers(1, 9), st.integers(0, 5), st.integers(0, 70), st.sampled_from([0, 1, 3, 64]),
       st.sampled_from([1, 256, 1 << 18]), st.sampled_from([np.float32, np.float64]))
@steady
def test_any_batch(size, batch, length, width, cache, dtype):
    """With a small cache every way of cutting the batch occurs."""
    rng = np.random.default_rng(batch)
    table, extra = (rng.normal(size=(n, width)).astype(dtype) for n in (size, length))
    for shape in ((batch, length), (length,)):
        ids = rng.integers(0, size, shape)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fast, "CACHE", cache)
            assert_array_equal(take_plus(table, ids, extra), table[ids] + extra)


# ----------------------------------------------------------------------------------- tokens and positions
OPTIONS = {
    "learned": {}, "sinusoidal": {"pos_encoding": "sinusoidal"}, "none": {"pos_encoding": None},
    "scaled": {"scale_embeddings": True}, "padding": {"padding_idx": 3}, "sparse": {"sparse": True},
    "sparse padding": {"sparse": True, "padding_idx": -1},
}


@needs_fast
@parametrize("options", OPTIONS.values(), ids=OPTIONS)
@parametrize("shape, start", [((9,), 0), ((9,), 3), ((4, 7), 0), ((4, 7), 5), ((0,), 0), ((3, 0), 2)],
             ids=str)
def test_one_pass_gives_the_numbers_of_two(options, shape, start):
    """Values, and the gradients of both tables, to the last bit (sums of repeated ids: to rounding)."""
    rng = np.random.default_rng(4)
    layer = EmbeddingLayer(11, 6, max_seq_len=12, rng=rng, **options)
    ids, upstream = rng.integers(0, 11, shape), rng.normal(size=(*shape, 6)).astype(np.float32)

    def run():
        for p in layer.parameters:
            p.zero_grad()
        out = layer(ids, start_pos=start)
        out.backward(upstream)
        return out.data, [np.asarray(p.grad) for p in layer.parameters], type(layer.parameters[0].grad)

    (out, grads, kind), (right, right_grads, right_kind) = both(run)
    assert out.dtype == right.dtype
    assert kind is right_kind
    assert_array_equal(out, right)
    for grad, expected in zip(grads, right_grads, strict=True):
        assert grad.dtype == expected.dtype
        assert_allclose(grad, expected, rtol=0, atol=1e-6)


@needs_fast
def test_the_usual_case_is_one_operation():
    layer = EmbeddingLayer(11, 6)
    operations = [type(out.grad_fn).__name__ for out in both(layer, [[1, 2]])]
    assert operations == ["TokensAndPositions", "Add"]


@needs_fast
@parametrize("ids, start", [([0, 11], 0), ([-1], 0), ([[1, 2], [2, 99]], 0), ([1] * 13, 0), ([1, 2], 11),
                            ([1], -1), ([1], 0.5), (3, 0), ([[[1]]], 0), ([1.5], 0), (["a"], 0), ([2**63], 0),
                            ([0, 11], 12)])
@parametrize("options", [{}, {"pos_encoding": "sinusoidal"}], ids=["learned", "sinusoidal"])
def test_the_same_errors(ids, start, options):
    layer = EmbeddingLayer(11, 6, max_seq_len=12, **options)

    def error():
        with pytest.raises((ValueError, TypeError)) as raised:
            layer(ids, start_pos=start)
        return type(raised.value), str(raised.value)

    mine, right = both(error)
    assert mine == right


def test_one_pass_keeps_its_own_ids():
    """A batch buffer may be filled again before backward."""
    layer, ids = EmbeddingLayer(11, 6, sparse=True), np.array([[1, 2]])
    out = layer(ids)
    ids[:] = 7
    out.sum().backward()
    assert sorted(layer.token_embedding.weight.grad.rows.tolist()) == [1, 2]


def test_a_frozen_table_gets_no_gradient():
    layer = EmbeddingLayer(11, 6)
    layer.pos_encoding.position_embedding.weight.requires_grad = False
    layer([1, 2]).sum().backward()
    assert layer.pos_encoding.position_embedding.weight.grad is None
    assert layer.token_embedding.weight.grad is not None


@needs_fast
@parametrize("width", [6, 5])
def test_a_table_of_another_type_or_width(width):
    """Float64 tokens beside float32 positions give float64; other widths give the plain form's error."""
    layer = EmbeddingLayer(11, 6)
    layer.token_embedding = Embedding(11, width, dtype=np.float64)

    def result():
        try:
            return layer([1, 2]).dtype
        except ValueError as error:
            return str(error)

    mine, right = both(result)
    assert mine == right


# ------------------------------------------------------------------------------------------------ threads
def train(seed, Optimizer):
    rng = np.random.default_rng(seed)
    layer = Embedding(500, 8, sparse=True, rng=rng)
    optimizer = Optimizer(layer.parameters, lr=0.1)
    for _ in range(30):
        ids = rng.zipf(1.3, (16, 16)) % 500
        optimizer.zero_grad()
        (layer(ids) * rng.normal(size=(16, 16, 8))).sum().backward()
        optimizer.step()
    return layer.weight.data


def test_two_threads_get_the_numbers_of_one():
    jobs = [(seed, Optimizer) for seed in (1, 2) for Optimizer in (SGD, SparseAdam)]
    alone, together = [train(*job) for job in jobs], [None] * len(jobs)
    barrier = threading.Barrier(len(jobs))

    def work(i):
        barrier.wait()
        together[i] = train(*jobs[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, together, strict=True):
        assert_array_equal(one, other)
