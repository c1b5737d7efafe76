"""The tensor against PyTorch: values and gradients of every operation."""
import importlib.util

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tinytorch.core.tensor import Tensor, cross_entropy, log_softmax, softmax

parametrize = pytest.mark.parametrize

pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="the torch extra is not installed")]


@pytest.fixture(scope="module")
def torch():
    import torch
    torch.set_num_threads(1)
    return torch


def inputs(*shapes, low=-2.0, ties=False):
    rng = np.random.default_rng(4)
    return [rng.integers(-2, 3, s).astype(float) if ties else rng.uniform(low, 2.0, s) for s in shapes]


WAYS = {
    "add": (lambda t, a, b: a + b, inputs((2, 3), (3,))),
    "sub": (lambda t, a, b: a - b, inputs((2, 1), (2, 3))),
    "mul": (lambda t, a, b: a * b, inputs((2, 3), (4, 1, 3))),
    "div": (lambda t, a, b: a / b, inputs((2, 3), (3,), low=0.5)),
    "pow": (lambda t, a, b: a ** b, inputs((2, 3), (3,), low=0.5)),
    "pow number": (lambda t, a: a ** 3, inputs((2, 3))),
    "pow of zero": (lambda t, a: a ** 2, inputs((4, 5), ties=True)),
    "matmul": (lambda t, a, b: a @ b, inputs((5, 2, 3), (3, 4))),
    "matmul vectors": (lambda t, a, b: a @ b, inputs((3,), (5, 3, 4))),
    "exp": (lambda t, a: a.exp(), inputs((2, 3))),
    "log": (lambda t, a: a.log(), inputs((2, 3), low=0.1)),
    "tanh": (lambda t, a: a.tanh(), inputs((2, 3))),
    "relu": (lambda t, a: a.relu(), inputs((4, 5), ties=True)),
    "sqrt": (lambda t, a: a.sqrt(), inputs((2, 3), low=0.1)),
    "sum": (lambda t, a: a.sum(**t.along(1)), inputs((2, 3, 4))),
    "mean": (lambda t, a: a.mean(**t.along((0, 2))), inputs((2, 3, 4))),
    "max, ties": (lambda t, a: t.max(a, 1), inputs((4, 5, 3), ties=True)),
    "max over two axes, ties": (lambda t, a: t.max(a, (0, 2)), inputs((4, 5, 3), ties=True)),
    "max of all, ties": (lambda t, a: t.max(a, None), inputs((4, 5), ties=True)),
    "reshape": (lambda t, a: a.reshape(3, 8) * a.reshape(-1, 8), inputs((2, 3, 4))),
    "transpose": (lambda t, a: a.transpose(-2, -1) @ a, inputs((2, 3, 4))),
    "index": (lambda t, a: a[[1, 1, 0]] * a[:, 1:2], inputs((3, 4))),
    "softmax": (lambda t, a: t.softmax(a, 1), inputs((2, 3, 4))),
    "log_softmax": (lambda t, a: t.log_softmax(a, 0), inputs((2, 3, 4))),
    "cross_entropy": (lambda t, a: t.cross_entropy(a, [2, 0, 2, 4]), inputs((4, 5))),
    "cross_entropy, large": (lambda t, a: t.cross_entropy(a * 5000.0, [2, 0, 2, 4]), inputs((4, 5))),
}


class Ours:
    softmax, log_softmax = staticmethod(softmax), staticmethod(log_softmax)
    cross_entropy = staticmethod(cross_entropy)

    @staticmethod
    def along(axis):
        return {"axis": axis}

    @staticmethod
    def max(x, axis):
        return x.max(axis=axis)


class Theirs:
    def __init__(self, torch):
        self.torch, self.softmax, self.log_softmax = torch, torch.softmax, torch.log_softmax

    def along(self, axis):
        return {"dim": axis}

    def max(self, x, axis):
        return self.torch.amax(x, dim=() if axis is None else axis)

    def cross_entropy(self, x, targets):
        return self.torch.nn.functional.cross_entropy(x, self.torch.tensor(targets))


@parametrize("way, arrays", WAYS.values(), ids=WAYS.keys())
@parametrize("dtype, tolerance", [(np.float64, 1e-10), (np.float32, 2e-5)], ids=["float64", "float32"])
def test_parity(torch, way, arrays, dtype, tolerance):
    ours = [Tensor(a, requires_grad=True, dtype=dtype) for a in arrays]
    theirs = [torch.tensor(a.astype(dtype), requires_grad=True) for a in arrays]
    out, right = way(Ours, *ours), way(Theirs(torch), *theirs)
    assert out.dtype == dtype
    assert_allclose(out.data, right.detach().numpy(), rtol=tolerance, atol=tolerance)
    upstream = np.random.default_rng(5).uniform(0.5, 1.5, out.shape).astype(dtype)
    out.backward(upstream)
    right.backward(torch.tensor(upstream))
    for x, y in zip(ours, theirs, strict=True):
        assert_allclose(x.grad.data, y.grad.numpy(), rtol=tolerance, atol=tolerance)
