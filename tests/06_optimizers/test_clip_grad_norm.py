"""clip_grad_norm: one length over all gradients, rows merged first, nothing changed on an error."""
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.optimizers import clip_grad_norm
from tinytorch.core.tensor import RowSparse, Tensor


def with_grad(grad, dtype=np.float32):
    grad = np.asarray(grad, dtype)
    w = Tensor(np.zeros(grad.shape), requires_grad=True, dtype=dtype)
    w.grad = Tensor(grad, dtype=dtype)
    return w


def with_rows(rows, values, size, dtype=np.float32):
    values = np.asarray(values, dtype)
    w = Tensor(np.zeros((size, values.shape[1])), requires_grad=True, dtype=dtype)
    w.grad = RowSparse(rows, values, w.shape)
    return w


def test_three_four_five():
    w = with_grad([3, 4])
    assert clip_grad_norm([w], 1.0) == 5.0
    assert_allclose(w.grad.data, [0.6, 0.8], rtol=1e-6)


def test_the_length_is_over_all_parameters():
    a, b = with_grad([[3, 0]]), with_rows([1], [[0, 4]], 3)
    assert clip_grad_norm([a, b], 2.5) == 5.0
    assert_allclose(a.grad.data, [[1.5, 0]])
    assert_allclose(np.asarray(b.grad), [[0, 0], [0, 2], [0, 0]])


@pytest.mark.parametrize("rows, values, norm, clipped", [
    pytest.param([1, 1], [[1, 1], [1, 1]], 2.828427, [[0, 0], [0.707107, 0.707107], [0, 0]],
                 id="B21-merged-first"),
    pytest.param([1, 1], [[1, 0], [-1, 0]], 0, [[0, 0]] * 3, id="B21-rows-that-cancel"),
    pytest.param([2, 0, 2], [[1, 0], [2, 0], [1, 1]], 3, [[2 / 3, 0], [0, 0], [2 / 3, 1 / 3]],
                 id="B21-two-rows"),
    pytest.param([], np.zeros((0, 2)), 0, [[0, 0]] * 3, id="no-rows"),
])
def test_rows_are_merged_first(rows, values, norm, clipped):
    sparse = with_rows(rows, values, 3)
    dense = with_grad(sparse.grad.to_dense())
    assert_allclose(clip_grad_norm([sparse], 1), norm, atol=1e-6)
    assert_allclose(clip_grad_norm([dense], 1), norm, atol=1e-6)
    assert isinstance(sparse.grad, RowSparse)
    assert_allclose(np.asarray(sparse.grad), clipped, atol=1e-6)
    assert_allclose(dense.grad.data, clipped, atol=1e-6)


def test_a_short_gradient_stays_as_it_is():
    w, table = with_grad([0.3, 0.4]), with_rows([0], [[0.1, 0.1]], 2)
    before = w.grad.data.copy(), np.asarray(table.grad).copy()
    norm = clip_grad_norm([w, table], 1)
    assert_allclose(norm, math.sqrt(0.27), rtol=1e-6)
    assert_array_equal(w.grad.data, before[0])
    assert_array_equal(np.asarray(table.grad), before[1])


def test_infinity_only_measures():
    for limit in (math.inf, np.inf, float("inf"), np.float32("inf")):
        w = with_grad([30, 40])
        assert clip_grad_norm([w], limit) == 50.0
        assert w.grad.data.tolist() == [30, 40]


def test_the_returned_norm_is_a_python_float():
    assert type(clip_grad_norm([with_grad([3, 4])], np.float32(1))) is float


def test_no_gradient_counts_nothing():
    none = Tensor([1.0], requires_grad=True)
    w = with_grad([3, 4])
    assert clip_grad_norm([none, w], 1) == 5.0 and none.grad is None
    assert clip_grad_norm([none], 1) == 0.0


def test_a_parameter_listed_twice_counts_once():
    w = with_grad([3, 4])
    assert clip_grad_norm([w, w], 1) == 5.0
    assert_allclose(w.grad.data, [0.6, 0.8], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_type_stays(dtype):
    w, table = with_grad([3, 4], dtype), with_rows([1], [[3, 4]], 2, dtype)
    clip_grad_norm([w, table], 1)
    assert w.grad.dtype == dtype and table.grad.dtype == dtype


@pytest.mark.parametrize("shape", [(), (0,), (2, 3, 4)])
def test_every_shape(shape):
    w = with_grad(np.ones(shape))
    size = math.prod(shape)
    assert_allclose(clip_grad_norm([w], 0.5), math.sqrt(size))
    assert w.grad.shape == shape


def test_large_numbers_are_summed_in_float64():
    assert_allclose(clip_grad_norm([with_grad([3e30, 4e30])], 1), 5e30, rtol=1e-6)  # squares pass float32
    assert_allclose(clip_grad_norm([with_grad([3e4, 4e4], np.float16)], 1), 5e4, rtol=1e-3)
    many = with_grad(np.full(1_000_000, 0.1))
    assert_allclose(clip_grad_norm([many], 1), 100, rtol=1e-6)


@pytest.mark.parametrize("result", [lambda x: x.sum(), lambda x: x.mean(), lambda x: (x + 1).sum(),
                                    lambda x: x.transpose().sum(), lambda x: x.reshape(6).sum(),
                                    lambda x: x[1].sum(), lambda x: x.max(), lambda x: (x * x).sum()])
def test_gradients_that_backward_made_can_be_clipped(result):
    x = Tensor(np.arange(1.0, 7).reshape(2, 3), requires_grad=True)
    result(x).backward()
    before = x.grad.data.copy()
    norm = clip_grad_norm([x], 1e-3)
    assert_allclose(norm, np.linalg.norm(before), rtol=1e-6)
    assert_allclose(x.grad.data, before * 1e-3 / norm, rtol=1e-5)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("make", [lambda bad: with_grad([1, bad]), lambda bad: with_rows([1], [[2, bad]], 3)],
                         ids=["dense", "row-sparse"])
def test_a_gradient_that_is_not_finite_is_an_error_and_nothing_changes(bad, make):
    first, second = with_grad([30, 40]), make(bad)
    before = np.asarray(second.grad).copy()
    with pytest.raises(ValueError, match=r"params\[1\] has norm (nan|inf)"):
        clip_grad_norm([first, second], 1)
    assert first.grad.data.tolist() == [30, 40]
    assert_array_equal(np.asarray(second.grad), before)


@pytest.mark.parametrize("limit, error", [
    (0, ValueError), (0.0, ValueError), (-1, ValueError), (math.nan, ValueError), (-math.inf, ValueError),
    ("1", TypeError), (None, TypeError), (True, TypeError), (Tensor([1.0]), TypeError),
    (np.ones(2), TypeError),
], ids=repr)
def test_max_norm_refused(limit, error):
    w = with_grad([3, 4])
    with pytest.raises(error, match="max_norm"):
        clip_grad_norm([w], limit)
    assert w.grad.data.tolist() == [3, 4]


@pytest.mark.parametrize("params, error", [
    ([], ValueError), (with_grad([1]), TypeError), ([np.ones(2)], TypeError), (None, TypeError),
], ids=["empty", "a-tensor", "an-array", "none"])
def test_params_refused(params, error):
    with pytest.raises(error, match="params"):
        clip_grad_norm(params, 1)


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-8, 8), st.floats(-8, 8)), max_size=9),
       st.floats(0.01, 20))
def test_sparse_and_dense_agree(entries, limit):
    rows = [row for row, *_ in entries]
    values = np.array([pair for _, *pair in entries], np.float64).reshape(-1, 2)
    sparse = with_rows(rows, values, 5, np.float64)
    dense = with_grad(sparse.grad.to_dense(), np.float64)
    assert_allclose(clip_grad_norm([sparse], limit), clip_grad_norm([dense], limit), rtol=1e-9, atol=1e-12)
    assert_allclose(np.asarray(sparse.grad), dense.grad.data, rtol=1e-9, atol=1e-12)
    assert np.linalg.norm(dense.grad.data) <= limit * (1 + 1e-9)
