"""softmax, log_softmax and cross_entropy: values, range, types, errors."""
import math

import numpy as np
import pytest
from helpers_gradcheck import gradients_of, steady
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.tensor import Tensor, cross_entropy, log_softmax, softmax

parametrize = pytest.mark.parametrize


# ------------------------------------------------------------------------------------------------- values
def test_softmax_by_hand():
    x = Tensor([[0.0, math.log(3.0)], [math.log(9.0), 0.0]], dtype=np.float64)
    assert_allclose(softmax(x).data, [[0.25, 0.75], [0.9, 0.1]], rtol=1e-12)
    assert_allclose(softmax(x, axis=0).data, [[0.1, 0.75], [0.9, 0.25]], rtol=1e-12)
    assert_allclose(log_softmax(x).data, np.log([[0.25, 0.75], [0.9, 0.1]]), rtol=1e-12)


@parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_probabilities_sum_to_one_along_the_axis(axis):
    x = np.random.default_rng(0).normal(size=(2, 3, 4))
    out = softmax(Tensor(x, dtype=np.float64), axis=axis)
    assert out.shape == x.shape
    assert_allclose(out.data.sum(axis), 1, rtol=1e-12)
    assert_allclose(out.data, np.exp(x) / np.exp(x).sum(axis, keepdims=True), rtol=1e-12)
    assert_allclose(log_softmax(Tensor(x, dtype=np.float64), axis=axis).data, np.log(out.data), rtol=1e-11)


def test_cross_entropy_by_hand():
    logits = Tensor(np.log([[0.25, 0.75, 1.0], [0.5, 0.25, 0.25]]), dtype=np.float64)
    # the first row's probabilities are 1/8, 3/8, 1/2
    right = -(math.log(3 / 8) + math.log(1 / 2)) / 2
    for targets in ([1, 0], np.array([1, 0]), Tensor([1, 0]), np.array([1, 0], np.uint8), (1, 0)):
        out = cross_entropy(logits, targets)
        assert out.shape == ()
        assert_allclose(out.item(), right, rtol=1e-12)


def test_cross_entropy_of_equal_logits_is_log_v():
    for v in (1, 2, 7, 85):
        assert_allclose(cross_entropy(Tensor(np.zeros((3, v)), dtype=np.float64), [v - 1, 0, v // 2]).item(),
                        math.log(v), rtol=1e-12, atol=1e-15)


# -------------------------------------------------------------------------------------------------- range
@parametrize("size", [1e4, 1e30, 1e38])
def test_large_logits(size):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        x = Tensor([[size, 0.0, -size], [-size, -size, -size]])
        assert_array_equal(softmax(x).data[0], [1, 0, 0])
        assert_allclose(softmax(x).data[1], [1 / 3] * 3, rtol=1e-6)
        assert cross_entropy(x, [0, 0]).item() == pytest.approx(math.log(3) / 2, rel=1e-6)
        assert log_softmax(x).data[0].tolist()[0] == 0


def test_logits_of_ten_thousand_in_both_types():
    for dtype in (np.float32, np.float64):
        x = Tensor([[1e4, 0.0], [-1e4, 1e4]], requires_grad=True, dtype=dtype)
        loss = cross_entropy(x, [1, 1])
        assert loss.item() == 5000.0
        assert loss.dtype == dtype
        loss.backward()
        assert x.grad.data.tolist() == [[0.5, -0.5], [0, 0]]


def test_float64_resolution_is_kept():
    """1e-9 beside 1 is lost in float32: the float64 result has to keep it."""
    logits = Tensor([[0.0, -20.0]], dtype=np.float64)
    assert_allclose(cross_entropy(logits, [0]).item(), math.log1p(math.exp(-20.0)), rtol=1e-7)


def test_log_softmax_where_softmax_is_zero():
    assert log_softmax(Tensor([0.0, -1000.0])).data.tolist() == [0, -1000]


def test_a_perfect_prediction_loses_zero():
    for logits in ([[1000.0, 0.0]], [[0.0, -np.inf]]):
        assert str(cross_entropy(Tensor(logits), [0]).item()) == "0.0"  # and not -0.0


@parametrize("shape", [(0,), (3, 0), (0, 3), (2, 0, 0)], ids=str)
def test_no_numbers(shape):
    for function in (softmax, log_softmax):
        x = Tensor(np.zeros(shape), requires_grad=True)
        out = function(x)
        out.sum().backward()
        assert out.shape == x.grad.shape == shape


def test_masked_positions():
    """Attention writes -inf where nothing may be read: probability 0 and no gradient."""
    (grad,), out = gradients_of(softmax, [[[0.0, -np.inf, 0.0]]], upstream=np.array([[1.0, 5.0, 3.0]]))
    assert out.data.tolist() == [[0.5, 0, 0.5]]
    assert grad.tolist() == [[-0.5, 0, 0.5]]


@given(hnp.arrays(np.float64, (4, 3), elements=st.floats(-50, 50)), st.floats(-1e3, 1e3))
@steady
def test_a_shift_changes_nothing(x, shift):
    plain, shifted = (softmax(Tensor(y, dtype=np.float64)).data for y in (x, x + shift))
    assert_allclose(shifted, plain, atol=1e-11)


# -------------------------------------------------------------------------------------------------- types
@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
def test_types_are_kept(dtype):
    x = Tensor([[1.0, 2.0, 3.0]], requires_grad=True, dtype=dtype)
    for out in (softmax(x), log_softmax(x), cross_entropy(x, [2])):
        assert out.dtype == dtype
        x.zero_grad()
        out.backward(np.ones(out.shape))
        assert x.grad.dtype == dtype


@parametrize("dtype", [np.uint8, np.uint64, np.int8, np.int64, np.bool_], ids=lambda d: d.__name__)
def test_integers_become_float32(dtype):
    """0 - 1 is 255 in uint8: the largest value must not be subtracted in the integers' own type."""
    x = Tensor(np.array([[0, 1, 1]], dtype=dtype))
    right = np.exp([0, 1, 1]) / np.exp([0, 1, 1]).sum()
    assert softmax(x).dtype == log_softmax(x).dtype == cross_entropy(x, [0]).dtype == np.float32
    assert_allclose(softmax(x).data, [right], rtol=1e-6)
    assert_allclose(log_softmax(x).data, [np.log(right)], rtol=1e-6)
    assert_allclose(cross_entropy(x, [0]).item(), -np.log(right[0]), rtol=1e-6)


def test_half_precision_of_a_wide_row():
    """70,000 classes: the sum of the exponentials, 70,000, is more than float16 can hold."""
    x = Tensor(np.zeros((2, 70_000)), dtype=np.float16)
    assert_allclose(log_softmax(x).data[:, 0], -math.log(70_000), rtol=1e-3)
    assert_allclose(cross_entropy(x, [3, 69_999]).item(), math.log(70_000), rtol=1e-3)


# -------------------------------------------------------------------------------------------------- errors
@parametrize("targets", [[0, 3], [0, -1], [2**40, 0], [-3, 0]], ids=str)
def test_a_target_outside(targets):
    bad = next(t for t in targets if not 0 <= t < 3)
    with pytest.raises((ValueError, IndexError), match=str(bad)):
        cross_entropy(Tensor(np.zeros((2, 3))), targets)


@parametrize("logits, targets", [((2, 3), [0]), ((2, 3), [0, 1, 2]), ((2, 3), [[0, 1]]), ((3,), [0]),
                                             ((3,), 0), ((2, 4, 3), [0, 1]), ((2, 3), 1)], ids=str)
def test_shapes_that_do_not_fit(logits, targets):
    with pytest.raises(ValueError):
        cross_entropy(Tensor(np.zeros(logits)), targets)


@parametrize("targets", [[0.5, 1.0], [True, False], ["0", "1"], None], ids=str)
def test_targets_that_are_no_ids(targets):
    with pytest.raises((TypeError, ValueError)):
        cross_entropy(Tensor(np.zeros((2, 3))), targets)


def test_targets_that_change_later():
    targets = np.array([0, 1])
    x = Tensor(np.zeros((2, 2)), requires_grad=True)
    loss = cross_entropy(x, targets)
    targets[:] = 1
    loss.backward()
    assert x.grad.data.tolist() == [[-0.25, 0.25], [0.25, -0.25]]
