"""Many steps beside torch.optim, on the same gradients."""
import importlib.util

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tinytorch.core.optimizers import SGD, Adam, SparseAdam, clip_grad_norm
from tinytorch.core.tensor import RowSparse, Tensor

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None,
                                reason="the extra `torch` is not installed")


@pytest.fixture(scope="module")
def torch():
    import torch
    torch.set_num_threads(1)
    return torch


V, D = 7, 3


def both(torch, make, make_torch, steps, dtype, sparse):
    """Run both for some steps from one table on the same gradients; return the two tables."""
    rng = np.random.default_rng(5)
    start = rng.normal(size=(V, D)).astype(dtype)
    ours, theirs = Tensor(start, requires_grad=True, dtype=dtype), torch.nn.Parameter(torch.tensor(start))
    optimizer, other = make([ours]), make_torch([theirs])
    for _ in range(steps):
        rows = rng.integers(0, V, 4)  # rows repeat
        values = rng.normal(size=(4, D)).astype(dtype)
        grad, coo = RowSparse(rows, values, (V, D)), torch.sparse_coo_tensor(rows[None], values, (V, D))
        ours.grad = grad if sparse else Tensor(grad.to_dense(), dtype=dtype)
        theirs.grad = coo if sparse else coo.to_dense()
        optimizer.step()
        other.step()
    return ours.data, theirs.detach().numpy()


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 2e-5), (np.float64, 1e-11)])
@pytest.mark.parametrize("name, options, sparse", [
    ("SGD", {"lr": 0.1}, False),
    ("SGD", {"lr": 0.1}, True),
    ("SGD", {"lr": 0.1, "momentum": 0.9}, False),
    ("SGD", {"lr": 0.1, "weight_decay": 0.2}, False),
    ("SGD", {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.2}, False),
    ("Adam", {"lr": 0.05}, False),
    ("Adam", {"lr": 0.05, "betas": (0.5, 0.75), "eps": 0.01}, False),
    ("Adam", {"lr": 0.05, "weight_decay": 0.2}, False),
    ("SparseAdam", {"lr": 0.05}, True),
    ("SparseAdam", {"lr": 0.05, "betas": (0.5, 0.75), "eps": 0.01}, True),
], ids=lambda value: str(value).replace(" ", ""))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_thirty_steps(torch, name, options, sparse, dtype, tolerance):
    kinds = {"SGD": SGD, "Adam": Adam, "SparseAdam": SparseAdam}
    ours, theirs = both(torch, lambda params: kinds[name](params, **options),
                        lambda params: getattr(torch.optim, name)(params, **options), 30, dtype, sparse)
    assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("limit", [0.5, 100.0])
def test_clipping(torch, limit):
    rng = np.random.default_rng(6)
    grads = [rng.normal(size=shape) for shape in [(4, 3), (5,), (2, 2, 2)]]
    ours = [Tensor(np.zeros(g.shape), requires_grad=True, dtype=np.float64) for g in grads]
    theirs = [torch.nn.Parameter(torch.zeros(g.shape, dtype=torch.float64)) for g in grads]
    for w, p, g in zip(ours, theirs, grads):
        w.grad, p.grad = Tensor(g, dtype=np.float64), torch.tensor(g)
    norm = clip_grad_norm(ours, limit)
    assert_allclose(norm, torch.nn.utils.clip_grad_norm_(theirs, limit).item(), rtol=1e-12)
    for w, p in zip(ours, theirs):
        assert_allclose(w.grad.data, p.grad.numpy(), rtol=1e-5)  # torch divides by norm + 1e-6


def test_b19_values_are_torchs(torch):
    """The two numbers that the case gives, from torch itself."""
    for sparse, expected in ((False, [0, -0.167006, -0.0744136]), (True, [0, -0.1, -0.0744136])):
        table = torch.nn.Parameter(torch.zeros(3, 1))
        optimizer = (torch.optim.SparseAdam if sparse else torch.optim.Adam)([table], lr=0.1)
        for row in (1, 2):
            grad = torch.zeros(3, 1)
            grad[row] = 1
            table.grad = grad.to_sparse(1) if sparse else grad
            optimizer.step()
        assert_allclose(table.detach().numpy().ravel(), expected, atol=1e-6)
