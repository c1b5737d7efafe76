"""The engine: order, sums, leaves, the gradient argument, no_grad, and graphs that are large."""
import copy
import time

import numpy as np
import pytest
from helpers_gradcheck import nodes_of
from numpy.testing import assert_array_equal

from tinytorch.core.tensor import Tensor, no_grad

parametrize = pytest.mark.parametrize


def leaf(*values, dtype=None):
    return Tensor(np.array(values, dtype=np.float64), requires_grad=True, dtype=dtype)


# ---------------------------------------------------------------------------------------------- values
def test_a_value_used_twice_gets_the_sum():
    x = leaf(3.0)
    (x * x + x).sum().backward()
    assert x.grad.data.tolist() == [7]


def test_a_diamond():
    x = leaf(2.0, -1.0)
    y = x * 3
    (y * y + y * 5).sum().backward()  # d/dx = 2 * 9 x + 15
    assert x.grad.data.tolist() == [51, -3]


def test_a_long_way_and_a_short_way_meet():
    """The order has to be topological: the short way must not pass its gradient on early."""
    x = leaf(1.0)
    y = x * 2
    long = y
    for _ in range(5):
        long = long * 2
    (y * 10 + long).sum().backward()
    assert x.grad.data.tolist() == [2 * (10 + 32)]


def test_two_backward_calls_on_two_graphs_accumulate():
    x = leaf(1.0, 2.0)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    assert x.grad.data.tolist() == [5, 5]


def test_two_backward_calls_on_one_graph_accumulate():
    x = leaf(1.0, 2.0)
    out = ((x * x) * 2).sum()
    out.backward()
    out.backward()
    assert x.grad.data.tolist() == [8, 16]


def test_zero_grad_sets_none():
    x = leaf(1.0)
    (x * 2).sum().backward()
    x.zero_grad()
    assert x.grad is None
    (x * 2).sum().backward()
    assert x.grad.data.tolist() == [2]


def test_gradients_stay_on_leaves():
    x = leaf(1.0, 2.0)
    middle = x * 2
    out = middle.sum()
    out.backward()
    assert middle.grad is None
    assert out.grad is None
    assert isinstance(x.grad, Tensor)
    assert not x.grad.requires_grad
    assert x.grad.grad_fn is None


@parametrize("way", [lambda x: -x, lambda x: x * 2, lambda x: x + x, lambda x: x.exp(), lambda x: x.sum(),
                     lambda x: x.reshape(1), lambda x: x[None]],
             ids=["negative", "double", "twice", "exp", "sum", "reshape", "index"])
def test_the_gradient_of_a_number_is_an_array_of_no_axes(way):
    x = Tensor(2.0, requires_grad=True)
    for _ in range(2):
        way(x).sum().backward()
        assert type(x.grad.data) is np.ndarray
        assert x.grad.shape == ()
        assert np.asarray(x.grad).shape == ()


def test_a_leaf_by_itself():
    x = Tensor(2.0, requires_grad=True)
    x.backward()
    assert x.grad.data.tolist() == 1
    y = leaf(1.0, 2.0)
    y.backward(np.array([3.0, 4.0]))
    assert y.grad.data.tolist() == [3, 4]


def test_every_leaf_of_the_graph_gets_its_own_part():
    a, b, c = leaf(1.0, 2.0), leaf(3.0, 4.0), Tensor([5.0, 6.0])
    ((a * b) + c).sum().backward()
    assert a.grad.data.tolist() == [3, 4]
    assert b.grad.data.tolist() == [1, 2]
    assert c.grad is None


# ------------------------------------------------------------------------------------------- broadcasting
@parametrize("shape", [(), (1,), (4,), (1, 4), (3, 1), (1, 1, 1), (2, 1, 4), (2, 3, 1), (3, 4)], ids=str)
def test_broadcast_axes_are_summed(shape):
    x = Tensor(np.ones(shape), requires_grad=True)
    big = np.arange(24.0).reshape(2, 3, 4)
    (x * Tensor(big)).sum().backward()
    right = big
    while right.ndim > len(shape):
        right = right.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            right = right.sum(axis, keepdims=True)
    assert x.grad.shape == shape
    assert_array_equal(x.grad.data, right)


@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
def test_broadcast_sums_are_exact(dtype):
    """A bias beside 4096 rows: a running float16 sum would stop at 2048."""
    bias = Tensor(np.zeros(3), requires_grad=True, dtype=dtype)
    out = Tensor(np.zeros((4096, 3)), dtype=dtype) + bias
    out.backward(np.ones((4096, 3)))
    assert bias.grad.data.tolist() == [4096] * 3
    assert bias.grad.dtype == dtype


# ------------------------------------------------------------------------------------- the gradient argument
@parametrize("wrap", [np.array, Tensor], ids=["ndarray", "Tensor"])
def test_gradient_argument(wrap):
    x = leaf(1.0, 2.0)
    (x * 2).backward(wrap([10.0, 100.0]))
    assert x.grad.data.tolist() == [20, 200]


def test_gradient_is_cast_to_the_type_of_its_tensor():
    x = leaf(1.0, 2.0)
    (x * 2).backward(np.array([1.0, 2.0], dtype=np.float64))
    assert x.grad.dtype == np.float32
    x.zero_grad()
    (x * 2).backward(np.array([1, 2]))
    assert x.grad.dtype == np.float32
    assert x.grad.data.tolist() == [2, 4]


@parametrize("shape", [(), (1,), (3, 2), (2, 1), (1, 2, 3), (6,), (2, 4)], ids=str)
def test_gradient_of_another_shape(shape):
    x = Tensor(np.ones((2, 3)), requires_grad=True)
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        (x * 2).backward(np.ones(shape))
    assert x.grad is None


@parametrize("shape", [(1,), (1, 1), (2,)], ids=str)
def test_gradient_of_a_scalar_is_a_scalar(shape):
    with pytest.raises(ValueError):
        leaf(1.0, 2.0).sum().backward(np.ones(shape))


def test_without_a_gradient_only_one_element_can_start():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError):
        (x * 2).backward()
    assert x.grad is None
    (leaf(1.0) * 2).backward()  # one element, shape (1,)
    with pytest.raises(RuntimeError):
        (Tensor(np.zeros((0, 3)), requires_grad=True) * 2).backward()


def test_without_requires_grad_there_is_nothing_to_do():
    with pytest.raises(RuntimeError):
        (Tensor([1.0]) * 2).sum().backward()


# -------------------------------------------------------------------------------------------- aliasing
def test_the_upstream_array_stays_ours():
    """Later edits of the array that was handed in must not reach a stored gradient."""
    for make in (lambda x: x, lambda x: x + 0.0, lambda x: x.reshape(2, 1).reshape(2)):
        x, up = leaf(1.0, 2.0, dtype=np.float64), np.array([1.0, 2.0])
        make(x).backward(up)
        up[:] = 99
        assert x.grad.data.tolist() == [1, 2]


def test_two_leaves_share_no_gradient_array():
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (a + b).backward(np.array([1.0, 1.0], dtype=np.float32))
    a.grad.data[:] = 99
    assert b.grad.data.tolist() == [1, 1]
    b.grad.data *= 2  # clipping works in place
    assert a.grad.data.tolist() == [99, 99]


def test_accumulating_into_one_leaf_leaves_the_other_alone():
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (a + b).sum().backward()
    (a * 5).sum().backward()
    assert a.grad.data.tolist() == [6, 6]
    assert b.grad.data.tolist() == [1, 1]


def test_gradients_can_be_edited_in_place():
    """Broadcasting makes read-only views; a stored gradient must not be one."""
    x = Tensor(np.ones((2, 3)), requires_grad=True)
    x.sum().backward()
    x.grad.data[0, 0] = 5
    assert x.grad.data.tolist() == [[5, 1, 1], [1, 1, 1]]


def test_backward_leaves_values_alone():
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    out = (a * b).exp()
    before = [a.data.copy(), b.data.copy(), out.data.copy()]
    out.backward(np.ones(2))
    for now, then in zip([a.data, b.data, out.data], before, strict=True):
        assert_array_equal(now, then)


# ---------------------------------------------------------------------------------------- large graphs
def test_a_chain_of_100_000_additions():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.sum().backward()
    assert x.grad.data.tolist() == [1]
    assert y.data.tolist() == [100_001]


def test_a_wide_graph():
    x = leaf(1.0)
    total = x * 0.0
    for _ in range(5_000):
        total = total + x
    total.sum().backward()
    assert x.grad.data.tolist() == [5_000]


def test_doubling_30_times_costs_30_steps(monkeypatch):
    x = leaf(1.0)
    y = x
    for _ in range(30):
        y = y + y
    assert len(nodes_of(y)) == 30
    calls = []
    kind = type(y.grad_fn)
    plain = kind.backward

    def counted(self, up):
        calls.append(self)
        if len(calls) > 1000:  # a walk over paths would take 2**30 steps
            raise RecursionError("one node, one step")
        return plain(self, up)

    monkeypatch.setattr(kind, "backward", counted)
    y.sum().backward()
    assert len(calls) == 30
    assert x.grad.data.tolist() == [2**30]


def test_backward_is_linear_in_the_graph():
    def seconds(steps):
        y = leaf(1.0)
        for _ in range(steps):
            y = y * 1.0
        out = y.sum()
        start = time.perf_counter()
        out.backward()
        return time.perf_counter() - start

    short = min(seconds(500) for _ in range(5))
    long = min(seconds(5_000) for _ in range(3))
    assert long < 60 * short  # 10 times the work; a quadratic walk takes 100 times as long


# --------------------------------------------------------------------------------------------- no_grad
def test_no_grad_records_nothing():
    x = leaf(1.0)
    with no_grad():
        y = x * 2
        assert not y.requires_grad
        assert y.grad_fn is None
        with no_grad():
            assert not (x + 1).requires_grad
        assert not (x + 1).requires_grad  # the inner block must not switch it on again
    assert (x * 2).requires_grad
    assert x.requires_grad


def test_no_grad_ends_with_an_error_too():
    with pytest.raises(KeyError):
        with no_grad():
            raise KeyError("x")
    assert (leaf(1.0) * 2).requires_grad


def test_detach():
    x = leaf(1.0, 2.0)
    y = (x * 2).detach()
    assert not y.requires_grad
    assert y.grad_fn is None
    assert y.data.tolist() == [2, 4]
    (x * y).sum().backward()
    assert x.grad.data.tolist() == [2, 4]


def test_only_what_needs_a_gradient_is_recorded():
    out = Tensor([1.0]) * Tensor([2.0])
    assert out.grad_fn is None
    assert not out.requires_grad
    kept = leaf(1.0) * Tensor([2.0])
    assert kept.requires_grad
    assert kept._grad_fn is kept.grad_fn is not None


def test_a_copied_leaf_has_its_own_gradient():
    x = leaf(1.0, 2.0)
    (x * 2).sum().backward()
    twin = copy.deepcopy(x)
    (twin * 3).sum().backward()
    assert x.grad.data.tolist() == [2, 2]


@pytest.mark.parametrize("take", [lambda x, k: x[k], lambda x, k: x[k, :]], ids=["list", "tuple"])
def test_a_list_of_indices_may_change_before_backward(take):
    x = Tensor([[1.0, 2.0, 3.0]] * 3, requires_grad=True)
    key = [0, 1]
    out = take(x, key)
    key[0] = 2
    out.sum().backward()
    assert x.grad.data[:2].sum() == out.size
