"""The table against torch.nn.Embedding: values, gradients, a few steps of training."""
import importlib.util

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.embeddings import Embedding, EmbeddingLayer, embedding_grad
from tinytorch.core.optimizers import SGD, Adam, SparseAdam
from tinytorch.core.tensor import cross_entropy

parametrize = pytest.mark.parametrize
pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="the torch extra is not installed")]
RNG = np.random.default_rng(0)
WEIGHTS = RNG.normal(size=(11, 4))
IDS = {"repeats": [[1, 1, 3], [10, 1, 0]], "scalar": 2, "one": [4], "empty": [[], []],
       "all padding": [3, 3, 3], "3-D": RNG.integers(0, 11, (2, 3, 5)).tolist(),
       "many": (RNG.zipf(1.2, 900) % 11).reshape(3, 300).tolist()}


@pytest.fixture(scope="module")
def torch():
    import torch
    torch.set_num_threads(1)
    return torch


@parametrize("ids", IDS.values(), ids=IDS.keys())
@parametrize("padding", [None, 3, -1], ids=lambda p: f"padding {p}")
@parametrize("sparse", [False, True], ids=["dense", "sparse"])
@parametrize("dtype", [np.float32, np.float64], ids=lambda d: d.__name__)
def test_lookup_and_gradient(torch, ids, padding, sparse, dtype):
    weights = WEIGHTS.astype(dtype)
    ours = Embedding.from_pretrained(weights, freeze=False, padding_idx=padding, sparse=sparse)
    theirs = torch.nn.Embedding.from_pretrained(torch.tensor(weights), freeze=False, padding_idx=padding,
                                                sparse=sparse)
    out = ours(ids)
    at_least_1d = torch.tensor(ids, dtype=torch.int64).reshape(np.shape(ids) or 1)  # 2.13 fails without axes
    right = theirs(at_least_1d).reshape(out.shape)
    assert_array_equal(out.data, right.detach().numpy())
    upstream = np.random.default_rng(1).normal(size=out.shape).astype(dtype)
    out.backward(upstream)
    right.backward(torch.tensor(upstream))
    grad = theirs.weight.grad.to_dense().numpy() if sparse else theirs.weight.grad.numpy()
    tolerance = {"rtol": 1e-4, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-12}
    assert_allclose(np.asarray(ours.weight.grad), grad, **tolerance)
    assert_allclose(embedding_grad(ids, upstream, 11, padding), grad, **tolerance)


@parametrize("vocab, padding", [(5, -1), (5, -5), (5, 0), (5, None)], ids=str)
def test_padding_rows(torch, vocab, padding):
    ours, theirs = Embedding(vocab, 3, padding_idx=padding), torch.nn.Embedding(vocab, 3, padding_idx=padding)
    assert ours.padding_idx == theirs.padding_idx
    assert_array_equal(ours.weight.data.any(axis=1), theirs.weight.detach().numpy().any(axis=1))


@parametrize("bad", [-1, 11, 12, -2**40, 2**40])
def test_both_refuse(torch, bad):
    with pytest.raises(IndexError):
        torch.nn.Embedding(11, 4)(torch.tensor([0, bad]))
    with pytest.raises(IndexError):
        Embedding(11, 4)([0, bad])


def test_a_whole_layer(torch):
    layer = EmbeddingLayer(11, 4, 8, scale_embeddings=True, padding_idx=0)
    tokens, positions = (torch.tensor(p.data, requires_grad=True) for p in layer.parameters)
    ids = np.array([[1, 5, 0], [5, 5, 10]])
    out = layer(ids, start_pos=2)
    right = torch.nn.functional.embedding(torch.tensor(ids), tokens, padding_idx=0) * 2 + positions[2:5]
    assert_allclose(out.data, right.detach().numpy(), rtol=1e-6)
    upstream = np.random.default_rng(2).normal(size=out.shape).astype(np.float32)
    out.backward(upstream)
    right.backward(torch.tensor(upstream))
    for ours, theirs in zip(layer.parameters, (tokens, positions), strict=True):
        assert_allclose(np.asarray(ours.grad), theirs.grad.numpy(), rtol=1e-5, atol=1e-6)


@parametrize("ours, theirs, sparse, options", [
    (SGD, "SGD", False, {"lr": 0.5}), (SGD, "SGD", True, {"lr": 0.5}),
    (SGD, "SGD", False, {"lr": 0.5, "momentum": 0.9}),
    (Adam, "Adam", False, {"lr": 0.1}), (SparseAdam, "SparseAdam", True, {"lr": 0.1})],
    ids=["SGD", "SGD sparse", "momentum", "Adam", "SparseAdam"])
def test_a_bigram_model_in_training(torch, ours, theirs, sparse, options):
    rng = np.random.default_rng(3)
    start = rng.normal(size=(6, 6)).astype(np.float32)
    layer = Embedding.from_pretrained(start, freeze=False, sparse=sparse)
    other = torch.nn.Embedding.from_pretrained(torch.tensor(start), freeze=False, sparse=sparse)
    mine = ours(layer.parameters(), **options)
    their = getattr(torch.optim, theirs)(other.parameters(), **options)
    for _ in range(12):
        ids, targets = rng.integers(0, 5, 9), rng.integers(0, 6, 9)  # row 5 is never touched
        loss = cross_entropy(layer(ids), targets)
        right = torch.nn.functional.cross_entropy(other(torch.tensor(ids)), torch.tensor(targets))
        assert loss.item() == pytest.approx(right.item(), rel=1e-5)
        for optimizer, value in ((mine, loss), (their, right)):
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
    assert_allclose(layer.weight.data, other.weight.detach().numpy(), rtol=1e-4, atol=1e-5)
    assert_array_equal(layer.weight.data[5], start[5])
