"""Gradients of a table in the hands of the optimizers."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.embeddings import Embedding
from tinytorch.core.optimizers import SGD, Adam, SparseAdam, clip_grad_norm

parametrize = pytest.mark.parametrize
W5 = np.arange(15, dtype=np.float32).reshape(5, 3)


def table(weights=W5, **options):
    return Embedding.from_pretrained(weights, freeze=False, **options)


@parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_sgd_moves_a_row_once_by_the_sum(sparse):
    layer = table(padding_idx=0, sparse=sparse)
    layer([0, 3, 3, 1]).sum().backward()
    SGD(layer.parameters(), lr=0.5).step()
    assert_array_equal(layer.weight.data, W5 - np.array([[0], [0.5], [0], [1], [0]], np.float32))


def test_adam_moves_rows_that_are_not_in_the_batch():
    """B19: dense Adam goes on by momentum, the lazy one moves the batch's rows only (values: torch, both)."""
    for kind, sparse, right in [(Adam, False, [0, -0.167006, -0.074414]),
                                (SparseAdam, True, [0, -0.1, -0.0744136])]:
        layer = table(np.zeros((3, 1), np.float32), sparse=sparse)
        optimizer = kind(layer.parameters(), lr=0.1)
        for ids in ([1], [2]):
            optimizer.zero_grad()
            layer(ids).sum().backward()
            optimizer.step()
        assert_allclose(layer.weight.data[:, 0], right, atol=2e-6)


def test_dense_adam_refuses_a_sparse_gradient():
    """B19: the error names the optimizer to use."""
    layer = table(sparse=True)
    layer([1]).sum().backward()
    with pytest.raises((TypeError, ValueError, RuntimeError), match="SparseAdam"):
        Adam(layer.parameters()).step()
    assert_array_equal(layer.weight.data, W5)


@parametrize("sparse", [False, True], ids=["B21: dense", "B21: sparse"])
def test_clipping_merges_rows_first(sparse):
    layer = table(np.zeros((3, 2), np.float32), sparse=sparse)
    layer([1, 1]).sum().backward()
    assert float(clip_grad_norm(layer.parameters(), 1.0)) == pytest.approx(2.828427, rel=1e-6)
    assert_allclose(np.asarray(layer.weight.grad), [[0, 0], [0.707107, 0.707107], [0, 0]], atol=1e-6)
