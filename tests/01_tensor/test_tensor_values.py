"""Tensor: what it holds, what its operations return, and what it refuses."""
import copy
import operator
import pickle
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core import functions, ids, tensor
from tinytorch.core.tensor import Tensor, no_grad

parametrize = pytest.mark.parametrize

A = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], dtype=np.float32)  # (2, 3)
B = np.array([2.0, 0.5, -4.0], dtype=np.float32)  # (3,)


# ------------------------------------------------------------------------------------------ values
@parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv],
             ids=lambda op: op.__name__)
@parametrize("right", [A[::-1].copy(), B, B[:1], np.float32(3), A[:, :1]],
             ids=["same", "row", "one", "scalar", "column"])
def test_arithmetic(op, right):
    out = op(Tensor(A), Tensor(right))
    assert_array_equal(out.data, op(A, right))
    assert out.dtype == np.float32


@parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow],
             ids=lambda op: op.__name__)
@parametrize("other", [2, 2.5, np.float64(2.5), np.int64(2), np.float32(2.5), np.array(2.5),
                       np.array([2.0, 1.0, 3.0]), [2.0, 1.0, 3.0]],
             ids=["int", "float", "np.float64", "np.int64", "np.float32", "0-d", "array", "list"])
def test_reflected_operators_give_a_tensor_of_our_dtype(op, other):
    x = np.abs(A)
    for out, right in [(op(Tensor(x), other), op(x.astype(np.float64), other)),
                       (op(other, Tensor(x)), op(np.asarray(other), x.astype(np.float64)))]:
        assert isinstance(out, Tensor)
        assert out.dtype == np.float32
        assert_allclose(out.data, right, rtol=1e-6)


def test_ndarray_on_the_left_of_a_matrix_product():
    out = A @ Tensor(A.T)
    assert isinstance(out, Tensor)
    assert out.dtype == np.float32
    assert_allclose(out.data, [[14, -12], [-12, 18.5]])


def test_negation_and_power():
    assert_array_equal((-Tensor(A)).data, -A)
    assert_array_equal((Tensor(A) ** 2).data, A * A)
    assert_array_equal((Tensor([-2.0, 3.0]) ** 3).data, [-8, 27])
    assert_allclose((Tensor([4.0, 9.0]) ** -0.5).data, [0.5, 1 / 3], rtol=1e-6)


@parametrize("left, right", [((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)),
                                         ((6, 1, 2, 3), (5, 3, 4)), ((3,), (3, 4)), ((2, 3), (3,)),
                                         ((3,), (3,)), ((5, 2, 3), (3,))], ids=str)
def test_matrix_product(left, right):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=left), rng.normal(size=right)
    out = Tensor(a, dtype=np.float64) @ Tensor(b, dtype=np.float64)
    assert out.shape == np.matmul(a, b).shape
    assert_allclose(out.data, np.matmul(a, b), rtol=1e-12)


@parametrize("name, right", [("exp", np.exp), ("tanh", np.tanh), ("sqrt", np.sqrt), ("log", np.log),
                                         ("relu", lambda x: np.maximum(x, 0))])
def test_elementwise(name, right):
    x = np.array([[0.25, 1.0, 4.0], [2.0, 0.5, 9.0]], dtype=np.float32)
    out = getattr(Tensor(x), name)()
    assert_allclose(out.data, right(x), rtol=1e-6)
    assert out.dtype == np.float32


def test_relu_of_negative_numbers_is_zero():
    assert_array_equal(Tensor([-1.0, 0.0, 2.0]).relu().data, [0, 0, 2])


def test_relu_where_it_is_off_is_zero_whatever_stands_there():
    """Infinity times 0 is NaN: forward, and for an infinite gradient from above. NaN stays, as in torch."""
    x = Tensor([-np.inf, -1.0, np.inf, np.nan], requires_grad=True)
    out = x.relu()
    assert_array_equal(out.data, [0, 0, np.inf, np.nan])
    out.backward([1.0, np.inf, 2.0, 3.0])
    assert_array_equal(x.grad.data, [0, 0, 2, 3])


@parametrize("name", ["sum", "mean", "max"])
@parametrize("axis", [None, 0, 1, 2, -1, -3, (0, 2), (1, -1), (0, 1, 2)], ids=str)
@parametrize("keepdims", [False, True])
def test_reductions(name, axis, keepdims):
    x = np.random.default_rng(2).normal(size=(2, 3, 4))
    out = getattr(Tensor(x, dtype=np.float64), name)(axis=axis, keepdims=keepdims)
    right = getattr(np, name)(x, axis=axis, keepdims=keepdims)
    assert out.shape == right.shape
    assert_allclose(out.data, right, rtol=1e-12)


def test_reductions_take_the_axis_by_position():
    assert_array_equal(Tensor(A).sum(0).data, A.sum(0))
    assert_array_equal(Tensor(A).max(1, True).data, A.max(1, keepdims=True))


def test_reshape():
    assert Tensor(A).reshape(3, 2).shape == (3, 2)
    assert Tensor(A).reshape((3, -1)).shape == (3, 2)
    assert Tensor(A).reshape(-1).shape == (6,)
    assert_array_equal(Tensor(A).reshape(3, 2).data, A.reshape(3, 2))
    assert Tensor(7.0).reshape(1, 1).shape == (1, 1)


def test_transpose_swaps_two_axes():
    x = np.arange(24.0).reshape(2, 3, 4)
    assert_array_equal(Tensor(x).transpose().data, x.swapaxes(1, 2))
    assert_array_equal(Tensor(x).transpose(0, 1).data, x.swapaxes(0, 1))
    assert_array_equal(Tensor(x).transpose(0, -1).data, x.swapaxes(0, 2))
    assert_array_equal(Tensor(x).transpose(dim0=0).data, x.swapaxes(0, -1))


@parametrize("index", [0, -1, slice(1, 3), (1, 2), (slice(None), 1), (Ellipsis, 0), None,
                       (0, None), [2, 0, 2], np.array([[0, 3], [3, 1]]),
                       (np.array([0, 2]), np.array([1, 1])), np.array([True, False, True, True]),
                       slice(None, None, -1)], ids=str)
def test_indexing(index):
    x = np.arange(20.0).reshape(4, 5)
    out = Tensor(x)[index]
    assert isinstance(out, Tensor)
    assert_array_equal(out.data, x[index])


def test_a_tensor_of_ids_is_an_index():
    x = np.arange(20.0).reshape(4, 5)
    assert_array_equal(Tensor(x)[Tensor([3, 0, 3])].data, x[[3, 0, 3]])


# --------------------------------------------------------------------------------------- as a container
def test_attributes():
    x = Tensor(A)
    assert (x.shape, x.ndim, x.size, x.dtype) == ((2, 3), 2, 6, np.dtype(np.float32))
    assert (x.grad, x.grad_fn, x._grad_fn, x.requires_grad) == (None, None, None, False)
    assert len(x) == 2
    assert float(Tensor(2.5)) == 2.5
    assert Tensor([[2.5]]).item() == 2.5
    assert isinstance(Tensor(2.5).item(), float)
    assert Tensor(16_777_217).item() == 16_777_217
    assert_array_equal(x.numpy(), A)
    assert isinstance(x.numpy(), np.ndarray)


def test_data_is_always_an_array():
    for out in [Tensor(1.5), Tensor(A).sum(), Tensor(A)[0, 1], Tensor(2.0) * 3, -Tensor(2.0),
                Tensor(4.0).sqrt(), Tensor(B) @ Tensor(B)]:
        assert type(out.data) is np.ndarray
        assert out.data.shape == () == out.shape


def test_a_result_is_a_plain_tensor_for_a_subclass_too():
    class Named(Tensor):
        def __init__(self, data, name):
            super().__init__(data, requires_grad=True)
            self.name = name

    x = Named([1.0, 2.0], "x")
    out = x * 2
    out.sum().backward()
    for made in (out, 2 * x, -x, x[0], x.detach(), x.grad):
        assert type(made) is Tensor


@parametrize("module", [functions, ids], ids=lambda module: module.__name__)
def test_tensor_offers_the_names_of_the_modules_below(module):
    assert set(module.__all__) <= set(tensor.__all__)
    for name in module.__all__:
        assert getattr(tensor, name) is getattr(module, name)


def test_numpy_reads_a_tensor():
    assert_array_equal(np.asarray(Tensor(A)), A)
    assert np.asarray(Tensor(A)).dtype == np.float32
    assert np.asarray(Tensor(A), dtype=np.float64).dtype == np.float64
    assert_array_equal(np.array(Tensor([1, 2])), [1, 2])


class Foreign:
    """An array of another library, whose `__array__` knows no `copy`."""

    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None):
        return self.data


@pytest.mark.filterwarnings("error")
def test_arrays_of_other_libraries():
    source = Foreign(np.array([[1.0, 2.0]], np.float32))
    x = Tensor(source)
    source.data[:] = 9
    assert x.data.tolist() == [[1, 2]]


def test_float64_numbers_are_copied_once():
    source = np.zeros(10**6)
    tracemalloc.start()
    try:
        Tensor(source)
        assert tracemalloc.get_traced_memory()[1] < 1.1 * 4 * source.size
    finally:
        tracemalloc.stop()


def test_rows_can_be_walked():
    assert [row.data.tolist() for row in Tensor(A)] == A.tolist()


def test_one_number_has_no_rows_to_walk():
    with pytest.raises(TypeError, match="no length"):
        list(Tensor(1.0))


def test_a_tensor_copies_its_data():
    x = A.copy()
    t = Tensor(x)
    x[0, 0] = 99
    assert t.data[0, 0] == 1
    t.data[0, 1] = 77
    assert x[0, 1] == -2


@parametrize("data", [
    np.asfortranarray(A), A[:, ::-1], A.astype(">f4"), np.broadcast_to(B, (4, 3)), np.array([[1.5]]).T,
    np.ma.array([[1.0, 2.0]]), np.float16([1, 2])],
    ids=["fortran", "reversed", "big-endian", "stride-0", "1x1", "masked", "half"])
def test_odd_arrays_become_plain_ones(data):
    t = Tensor(data)
    assert type(t.data) is np.ndarray
    assert t.dtype == np.float32
    assert t.dtype.isnative
    assert t.data.flags.writeable
    assert t.data.flags.c_contiguous                # take() copies all of any other array
    assert_array_equal(t.data, np.asarray(data))
    assert_array_equal((t * 2).data, np.asarray(data, np.float32) * 2)


@parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne],
             ids=lambda op: op.__name__)
@parametrize("other", [1.0, B, Tensor(B)], ids=["number", "array", "Tensor"])
def test_comparisons_give_a_bool_array(compare, other):
    out = compare(Tensor(A), other)
    assert type(out) is np.ndarray
    assert out.dtype == bool
    assert_array_equal(out, compare(A, np.asarray(other)))


@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
@parametrize("number", [0.1, np.float64(0.1)], ids=["Python", "numpy"])
def test_a_compared_number_takes_the_type_of_the_tensor(dtype, number):
    x = Tensor([0.1], dtype=dtype)
    assert (x == number).all()
    assert (x <= number).all()
    assert not (x != number).any()
    assert not (x > number).any()


def test_repr_shows_numbers_shape_or_gradient():
    assert "Tensor" in repr(Tensor([1.5, 2.25]))
    assert "2.25" in repr(Tensor([1.5, 2.25]))
    assert "requires_grad" in repr(Tensor([1.0], requires_grad=True))
    assert "requires_grad" not in repr(Tensor([1.0]))
    assert len(repr(Tensor(np.zeros((1000, 1000))))) < 2000
    assert isinstance(repr(Tensor(np.zeros((0, 3)))), str)


@parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))],
             ids=["deepcopy", "pickle"])
def test_copies_keep_ties_and_share_no_numbers(again):
    shared, other = Tensor(A, requires_grad=True), Tensor([1, 2])
    new = again({"table": shared, "head": shared, "ids": other})
    assert new["table"] is new["head"]
    assert new["table"] is not shared
    assert new["table"].requires_grad
    assert new["ids"].dtype == other.dtype
    assert_array_equal(new["table"].data, A)
    new["table"].data[0, 0] = 99
    assert shared.data[0, 0] == 1
    (new["head"] * 2).sum().backward()  # the copy is a working leaf
    assert_array_equal(new["table"].grad.data, np.full((2, 3), 2))
    assert shared.grad is None


# --------------------------------------------------------------------------------------------- dtypes
FLOATS = [np.float16, np.float32, np.float64]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@parametrize("dtype", FLOATS, ids=lambda d: d.__name__)
def test_float_data_become_float32_unless_told(dtype):
    x = np.array([1.5, 2.0], dtype=dtype)
    assert Tensor(x).dtype == np.float32
    assert Tensor(dtype(1.5)).dtype == np.float32
    assert Tensor([1.5]).dtype == np.float32
    assert Tensor(x, dtype=dtype).dtype == dtype
    assert Tensor([1, 2], dtype=dtype).dtype == dtype


@parametrize("dtype", INTEGERS + [np.bool_], ids=lambda d: d.__name__)
def test_integers_and_bools_keep_their_type(dtype):
    assert Tensor(np.array([1, 0], dtype=dtype)).dtype == dtype
    assert Tensor(np.array([1, 0], dtype=dtype)).data.tolist() == [1, 0]


def test_a_large_id_stays_exact():
    assert Tensor([16_777_217]).data.tolist() == [16_777_217]
    assert Tensor([2**63 - 1]).data.tolist() == [2**63 - 1]
    assert Tensor(np.uint64(2**64 - 1)).item() == 2**64 - 1


@parametrize("data", [[1, 2], 3, True, np.arange(3, dtype=np.uint8), np.array([True])], ids=str)
def test_integers_take_no_gradient(data):
    with pytest.raises(ValueError, match=r"1\.0"):
        Tensor(data, requires_grad=True)


def test_integers_with_a_float_dtype_take_one():
    assert Tensor([1, 2], requires_grad=True, dtype=np.float32).requires_grad


OPERATIONS = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
              "div": lambda x, y: x / y, "pow": lambda x, y: x ** y, "matmul": lambda x, y: x @ y}


@parametrize("op", OPERATIONS.values(), ids=OPERATIONS.keys())
@parametrize("left", FLOATS, ids=lambda d: d.__name__)
@parametrize("right", FLOATS, ids=lambda d: d.__name__)
def test_two_tensors_meet_in_the_wider_type(op, left, right):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True, dtype=left)
    y = Tensor([[0.5, 1.0], [1.5, 2.0]], requires_grad=True, dtype=right)
    out = op(x, y)
    assert out.dtype == np.result_type(left, right)
    out.backward(np.ones((2, 2)))
    assert x.grad.dtype == left  # a gradient has the type of what it belongs to
    assert y.grad.dtype == right


@parametrize("dtype", FLOATS, ids=lambda d: d.__name__)
@parametrize("number", [2, 2.0, True, np.float64(2), np.float32(2), np.float16(2), np.int64(2),
                        np.uint8(2), np.longdouble(2), np.array(2.0), np.array([2.0, 2.0])],
             ids=lambda n: type(n).__name__ + str(np.ndim(n)))
@parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow],
             ids=lambda op: op.__name__)
def test_numbers_never_promote(dtype, number, op):
    x = Tensor([1.0, 4.0], dtype=dtype)
    assert op(x, number).dtype == dtype
    assert op(number, x).dtype == dtype
    assert isinstance(op(number, x), Tensor)
    assert_allclose(op(number, x).data, op(np.float64(number), np.array([1.0, 4.0])), rtol=1e-3)


@parametrize("name", ["exp", "log", "tanh", "relu", "sqrt", "sum", "mean", "max", "__neg__",
                      "transpose"])
@parametrize("dtype", FLOATS, ids=lambda d: d.__name__)
def test_one_operand_keeps_its_type(name, dtype):
    x = Tensor([[1.0, 2.0], [3.0, 0.5]], requires_grad=True, dtype=dtype)
    out = getattr(x, name)()
    assert out.dtype == dtype
    out.backward(np.ones(out.shape))
    assert x.grad.dtype == dtype


def test_integer_tensors():
    ids = Tensor([3, 1, 2])
    assert (ids + 1).data.tolist() == [4, 2, 3]
    assert (ids + 1).dtype == ids.dtype
    assert (ids * Tensor([2, 2, 2])).dtype == ids.dtype
    assert ids.sum().item() == 6
    assert ids.max().dtype == ids.dtype
    assert (ids * 0.5).dtype == np.float32
    assert (ids * Tensor([0.5, 0.5, 0.5])).dtype == np.float32
    assert (ids * Tensor([0.5, 0.5, 0.5], dtype=np.float64)).dtype == np.float64
    assert (ids / 2).data.tolist() == [1.5, 0.5, 1.0]
    assert (ids / 2).dtype == np.float32
    assert ids.mean().dtype == np.float32
    assert not (ids * 0.5).requires_grad


@parametrize("name", ["exp", "log", "tanh", "sqrt"])
@parametrize("dtype", INTEGERS, ids=lambda d: d.__name__)
def test_small_integers_are_computed_in_float32(name, dtype):
    """numpy computes exp of int8 in float16: three digits."""
    x = np.array([1, 2, 3], dtype=dtype)
    out = getattr(Tensor(x), name)()
    assert out.dtype == np.float32
    assert_allclose(out.data, getattr(np, name)(x.astype(np.float64)), rtol=1e-6)


def test_an_integer_beside_a_weight_leaves_it_its_gradient():
    w = Tensor([1.0, 2.0], requires_grad=True)
    (Tensor([3, 4]) * w).sum().backward()
    assert w.grad.data.tolist() == [3, 4]


def test_sums_of_half_precision_are_not_saturated():
    """4096 ones in float16: a running float16 sum stops at 2048."""
    assert Tensor(np.ones(4096), dtype=np.float16).sum().item() == 4096
    assert Tensor(np.ones((4096, 3)), dtype=np.float16).sum(axis=0).data.tolist() == [4096] * 3
    assert Tensor(np.ones((4096, 3)), dtype=np.float16).mean(axis=0).data.tolist() == [1] * 3


def test_sums_of_many_rows_do_not_drift():
    """A million rows of 0.1 in float32: a running float32 sum gives 100,958."""
    x = Tensor(np.full((1_000_000, 2), 0.1))
    bias = Tensor([0.0, 0.0], requires_grad=True)
    (x * bias).sum().backward()                     # the gradient of a broadcast input is such a sum too
    for total in (x.sum(axis=0), x.mean(axis=0) * 1e6, bias.grad):
        assert total.dtype == np.float32
        assert_allclose(total.data, 100_000, rtol=1e-6)


# --------------------------------------------------------------------------------------------- errors
@parametrize("act", [
    lambda: Tensor(A) + Tensor(np.zeros(4)), lambda: Tensor(A) @ Tensor(A), lambda: Tensor(A).reshape(4, 2),
    lambda: Tensor([[1.0], [1.0, 2.0]]), lambda: Tensor(np.zeros((0, 3))).max()],
    ids=["broadcast", "matmul", "reshape", "ragged", "max of nothing"])
def test_shapes_that_do_not_fit(act):
    with pytest.raises(ValueError):
        act()


@parametrize("data", ["text", ["a", "b"], None, {"a": 1}, object(), {1, 2}],
             ids=["str", "strs", "None", "dict", "object", "set"])
def test_data_that_are_no_numbers(data):
    with pytest.raises((TypeError, ValueError)):
        Tensor(data)


@parametrize("index", [4, -5, (0, 9)], ids=str)
def test_an_index_outside(index):
    with pytest.raises(IndexError):
        Tensor(np.zeros((4, 5)))[index]


def test_only_one_element_is_a_number():
    with pytest.raises((TypeError, ValueError)):
        float(Tensor(A))
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        Tensor(A).item()
    with pytest.raises(TypeError):
        len(Tensor(1.0))


def test_no_grad_keeps_values():
    with no_grad():
        out = Tensor(A, requires_grad=True) * 2
    assert_array_equal(out.data, A * 2)
