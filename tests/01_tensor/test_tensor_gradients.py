"""Every operation of core.functions against central differences in float64, over every entry."""
import numpy as np
import pytest
from helpers_gradcheck import check_gradients, functions_of, gradients_of, nodes_of
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core import functions, tensor
from tinytorch.core.tensor import Tensor, cross_entropy, log_softmax, softmax

param, parametrize = pytest.param, pytest.mark.parametrize

OPERATIONS = functions_of(functions, tensor)
BROADCASTS = [((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((), (2, 3)), ((), ()),
              ((4, 1, 3), (2, 1)), ((2, 3), (1, 1)), ((0, 3), (3,))]
PRODUCTS = [((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)),
            ((2, 1, 2, 3), (5, 3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((5, 2, 3), (3,)),
            ((3,), (5, 3, 4)), ((2, 0), (0, 3)), ((1, 3), (3, 1))]


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    """Random numbers that keep 0.05 away from zero, where relu, log and / have a corner or a pole."""
    x = np.random.default_rng([seed, *shape]).uniform(low, high, shape)
    return np.where(np.abs(x) < 0.05, 0.5, x)


def pairs(op, **limits):
    return [param(op, [numbers(*left, seed=1, **limits), numbers(*right, seed=2, **limits)],
             id=f"{left} {right}") for left, right in BROADCASTS]


def single(op, **limits):
    return [param(op, [numbers(*shape, **limits)], id=str(shape)) for shape in [(), (5,), (2, 3), (0, 3)]]


def reductions(name):
    x = np.random.default_rng(3).permutation(24).reshape(2, 3, 4) / 4.0  # all different: no ties
    return [param(lambda t, a=axis, k=keep: getattr(t, name)(axis=a, keepdims=k), [x],
                         id=f"{axis} {keep}")
            for axis in (None, 0, 1, -1, (0, 2), (1, -1)) for keep in (False, True)]


def along_axes(function):
    return [param(lambda t, a=axis: function(t, axis=a), [numbers(2, 3, 4)], id=f"axis {axis}")
            for axis in (-1, 0, 1, 2)] + [
        param(function, [numbers(5)], id="1-D"), param(function, [numbers(3, 1)], id="one column")]


def indices():
    keys = [0, -1, slice(1, 3), (1, 2), (slice(None), 1), (Ellipsis, 0), None, slice(None, None, -2),
            [2, 0, 2, 2], np.array([[0, 3], [3, 3]]), (np.array([0, 0]), np.array([1, 1])),
            np.array([True, False, True, True]), (slice(None), [1, 1, 0]), np.zeros(0, int)]
    return [param(lambda t, k=key: t[k], [numbers(4, 5)], id=str(key).replace("\n", ""))
            for key in keys]


# One entry for an operation: the ways in which it is reached, with inputs. An operation without one fails.
WAYS = {
    "Add": pairs(lambda a, b: a + b),
    "Sub": pairs(lambda a, b: a - b),
    "Mul": pairs(lambda a, b: a * b),
    "Div": pairs(lambda a, b: a / b, low=0.3),
    "Neg": single(lambda a: -a),
    "Pow": pairs(lambda a, b: a ** b, low=0.3) + [
        param(lambda a: a ** 3, [numbers(2, 3)], id="negative base, whole exponent"),
        param(lambda a: a ** -1.5, [numbers(2, 3, low=0.3)], id="negative exponent"),
        param(lambda a: 2.5 ** a, [numbers(2, 3)], id="number to the power of a Tensor")],
    "MatMul": [param(lambda a, b: a @ b, [numbers(*left, seed=1), numbers(*right, seed=2)],
                id=f"{left} {right}")
               for left, right in PRODUCTS],
    "Exp": single(lambda a: a.exp()),
    "Log": single(lambda a: a.log(), low=0.3),
    "Tanh": single(lambda a: a.tanh()),
    "Relu": single(lambda a: a.relu()),
    "Sqrt": single(lambda a: a.sqrt(), low=0.3),
    "Sum": reductions("sum"),
    "Mean": reductions("mean"),
    "Max": reductions("max"),
    "Reshape": [param(lambda a: a.reshape(3, 8), [numbers(2, 3, 4)], id="3 8"),
                param(lambda a: a.reshape(-1), [numbers(2, 3, 4)], id="flat"),
                param(lambda a: a.transpose().reshape(6, -1), [numbers(2, 3, 4)], id="after transpose")],
    "Transpose": [param(lambda a: a.transpose(), [numbers(2, 3, 4)], id="last two"),
                  param(lambda a: a.transpose(0, 2), [numbers(2, 3, 4)], id="first and last"),
                  param(lambda a: a.transpose(-3, 1), [numbers(2, 3, 4)], id="negative")],
    "Index": indices(),
    "Softmax": along_axes(softmax),
    "LogSoftmax": along_axes(log_softmax),
    "CrossEntropy": [
        param(lambda a: cross_entropy(a, [2, 0, 2, 4]), [numbers(4, 5)], id="(4, 5)"),
        param(lambda a: cross_entropy(a * 3.0, Tensor([1])) * 2.0, [numbers(1, 3)], id="(1, 3) in a graph"),
        param(lambda a: cross_entropy(a, [0, 0, 0]), [numbers(3, 1)], id="one class")],
}


@parametrize("operation", OPERATIONS, ids=lambda cls: cls.__name__)
def test_every_operation_has_an_entry(operation):
    assert operation.__name__ in WAYS, f"add {operation.__name__} to WAYS"


def test_every_entry_is_an_operation():
    assert {cls.__name__ for cls in OPERATIONS} == set(WAYS)


@parametrize("name, way, arrays", [param(name, *case.values, id=f"{name}: {case.id}")
                       for name, cases in WAYS.items() for case in cases])
def test_gradient(name, way, arrays):
    out = check_gradients(way, *arrays)
    assert name in {type(node).__name__ for node in nodes_of(out)}, f"this way does not pass through {name}"


@parametrize("name, way, arrays", [param(name, *case.values, id=f"{name}: {case.id}")
                       for name, cases in WAYS.items() for case in cases if len(case.values[1]) == 2])
@parametrize("wanted", [0, 1], ids=["the first", "the second"])
def test_one_input_alone_gets_the_same_gradient(name, way, arrays, wanted):
    """And for the other, which asks for none, nothing is computed."""
    inputs = [Tensor(a, requires_grad=i == wanted, dtype=np.float64) for i, a in enumerate(arrays)]
    out = way(*inputs)
    up = numbers(*out.shape, seed=3)
    both, _ = gradients_of(way, arrays, up)
    out.backward(up)
    assert_array_equal(inputs[wanted].grad.data, both[wanted])
    assert inputs[1 - wanted].grad is None
    unwanted = out.grad_fn.backward(up)[1 - wanted]
    assert unwanted is None or unwanted is up, f"{name} works for nobody"


def test_a_network():
    def network(x, w, b, v):
        hidden = (x @ w + b).tanh()
        mixed = softmax(hidden @ hidden.transpose(), axis=-1) @ hidden
        size = (1.0 + (mixed * mixed).mean(axis=-1, keepdims=True)).sqrt()
        return cross_entropy((mixed / size) @ v, [1, 0, 3])

    check_gradients(network, numbers(3, 4), numbers(4, 5), numbers(5), numbers(5, 6))


# ------------------------------------------------------------------------------------------------ corners
@parametrize("x, axis, right", [
    ([1.0, 3.0, 3.0], None, [0, 0.5, 0.5]),
    ([[1.0, 1.0], [1.0, 1.0]], None, [[0.25, 0.25], [0.25, 0.25]]),
    ([[2.0, 2.0, 1.0], [0.0, 5.0, 4.0]], 1, [[0.5, 0.5, 0], [0, 1, 0]]),
    ([[2.0, 2.0], [2.0, 1.0]], 0, [[0.5, 1], [0.5, 0]]),
    ([[2.0, 2.0], [2.0, 1.0]], (0, 1), [[1 / 3, 1 / 3], [1 / 3, 0]]),
    ([0.0, -0.0], None, [0.5, 0.5])],
    ids=["two of three", "all", "one row", "one column", "three of four", "0 and -0"])
@parametrize("keepdims", [False, True])
def test_max_shares_ties_evenly(x, axis, right, keepdims):
    (grad,), _ = gradients_of(lambda t: t.max(axis=axis, keepdims=keepdims), [x])
    assert_allclose(grad, right, rtol=1e-12)


def test_max_of_an_infinity():
    (grad,), _ = gradients_of(lambda t: t.max(), [[-np.inf, 1.0, np.inf]])
    assert grad.tolist() == [0, 0, 1]


def test_relu_is_flat_at_zero_and_below():
    (grad,), _ = gradients_of(lambda t: t.relu(), [[-1.0, 0.0, -0.0, 2.0]])
    assert grad.tolist() == [0, 0, 0, 1]


def test_powers_of_zero():
    """As in torch: x ** 0 is flat, x ** 1 has slope 1, x ** 2 slope 0, at 0 too."""
    for exponent, right in [(0, 0), (1, 1), (2, 0), (3, 0)]:
        (grad,), _ = gradients_of(lambda t, e=exponent: t ** e, [[0.0]])
        assert grad.tolist() == [right], exponent
    (to_base, to_exponent), _ = gradients_of(lambda a, b: a ** b, [[0.0, 0.0], [2.0, 1.0]])
    assert to_base.tolist() == [0, 1]
    assert to_exponent.tolist() == [0, 0]


def test_a_number_as_exponent_asks_nothing_of_a_negative_base():
    with np.errstate(all="raise"):
        (grad,), _ = gradients_of(lambda t: t ** 3, [[-2.0]])
    assert_allclose(grad, [12.0])


def test_repeated_index_adds_up():
    (grad,), _ = gradients_of(lambda t: t[[1, 1, 3, 1]], [np.zeros((5, 2))])
    assert_array_equal(grad[:, 0], [0, 3, 0, 1, 0])


def test_chained_views():
    (grad,), _ = gradients_of(lambda t: t.transpose()[1:, [0, 0]].reshape(-1), [np.zeros((2, 3))])
    assert_array_equal(grad, [[0, 2, 2], [0, 0, 0]])


def test_an_index_array_that_changes_later():
    """The graph keeps the index it was built with."""
    key = np.array([0, 1])
    x = Tensor(np.zeros((4, 2)), requires_grad=True)
    out = x[key]
    key[:] = 3
    out.sum().backward()
    assert_array_equal(x.grad.data[:, 0], [1, 1, 0, 0])
