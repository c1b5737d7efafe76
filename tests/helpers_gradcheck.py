"""Gradients against central differences in float64, over every entry of every input."""
import numpy as np
from hypothesis import settings

from tinytorch.core import tensor

STEP = 1e-5  # error of the difference: STEP**2 from the cut series, 1e-16 / STEP from rounding
steady = settings(deadline=None, derandomize=True, max_examples=60)


def functions_of(*modules):
    """Every operation (subclass of Function) that these modules define."""
    found = {value for module in modules for value in vars(module).values()
             if isinstance(value, type) and issubclass(value, tensor.Function)
             and value is not tensor.Function and value.__module__ == module.__name__}
    return sorted(found, key=lambda cls: cls.__name__)


def nodes_of(out):
    """Every operation in the graph behind `out`."""
    seen, todo = {}, [out]
    while todo:
        node = todo.pop().grad_fn
        if node is not None and id(node) not in seen:
            seen[id(node)] = node
            todo.extend(node.inputs)
    return list(seen.values())


def gradients_of(function, arrays, upstream=None):
    """Run `function` on Tensors of `arrays`, go backward; the dense gradients and the output."""
    inputs = [tensor.Tensor(a, requires_grad=True, dtype=np.float64) for a in arrays]
    out = function(*inputs)
    out.backward(np.ones(out.shape) if upstream is None else upstream)
    for x in inputs:
        assert isinstance(x.grad, tensor.RowSparse) or type(x.grad.data) is np.ndarray, "no array in .grad"
    return [np.asarray(x.grad) for x in inputs], out


def differences_of(function, arrays, upstream):
    """d(sum(function * upstream)) / d(entry), by central differences, for every entry."""
    def loss(values):
        return float((function(*[tensor.Tensor(v, dtype=np.float64) for v in values]).data * upstream).sum())

    grads = []
    for which, array in enumerate(arrays):
        grad = np.zeros(array.shape)
        for entry in np.ndindex(array.shape):
            up, down = [a.copy() for a in arrays], [a.copy() for a in arrays]
            up[which][entry] += STEP
            down[which][entry] -= STEP
            grad[entry] = (loss(up) - loss(down)) / (up[which][entry] - down[which][entry])
        grads.append(grad)
    return grads


def check_gradients(function, *arrays, tolerance=1e-6, seed=0):
    """Compare the two ways; the upstream is random, so that no entry can hide. Returns the output."""
    arrays = [np.array(a, dtype=np.float64) for a in arrays]
    shape = function(*[tensor.Tensor(a, dtype=np.float64) for a in arrays]).shape
    upstream = np.random.default_rng(seed).uniform(0.5, 1.5, shape)
    grads, out = gradients_of(function, arrays, upstream)
    rights = differences_of(function, arrays, upstream)
    for which, (grad, right) in enumerate(zip(grads, rights, strict=True)):
        assert grad.dtype == np.float64, f"gradient {which} is {grad.dtype}"
        assert grad.shape == right.shape, f"gradient {which} has shape {grad.shape}, not {right.shape}"
        np.testing.assert_allclose(grad, right, rtol=tolerance, atol=tolerance, err_msg=f"gradient {which}")
    return out
