"""tinytorch.text.embeddings: the course page's names for the same layers."""
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core import embeddings as core
from tinytorch.core.tensor import Tensor, TokenIdError
from tinytorch.text import embeddings as text
from tinytorch.text.embeddings import (
    Embedding,
    EmbeddingLayer,
    PositionalEncoding,
    create_sinusoidal_embeddings,
)

parametrize = pytest.mark.parametrize


# ------------------------------------------------------------------------------------------------- values
def test_the_table_starts_as_xavier():
    layer = Embedding(vocab_size=3000, embed_dim=20)
    bound = math.sqrt(6 / 3020)
    assert layer.weight.shape == (3000, 20)
    assert 0.99 * bound < np.abs(layer.weight.data).max() <= bound * (1 + 1e-7)
    assert layer.weight.data.std() == pytest.approx(bound / math.sqrt(3), rel=0.01)
    assert layer.weight.requires_grad


def test_positions_are_learned_here():
    """The course page calls the learned table PositionalEncoding; length comes first."""
    layer = PositionalEncoding(max_seq_len=2000, embed_dim=8)
    assert isinstance(layer, core.LearnedPositionalEmbedding)
    weight = layer.position_embedding.weight
    assert weight.shape == (2000, 8)
    assert weight.dtype == np.float32
    assert weight.requires_grad
    bound = math.sqrt(2 / 8)
    assert 0.99 * bound < np.abs(weight.data).max() <= bound * (1 + 1e-7)
    assert weight.data.std() == pytest.approx(bound / math.sqrt(3), rel=0.02)
    assert weight.data.mean() == pytest.approx(0, abs=0.01)
    assert layer.parameters()[0] is weight
    assert len(layer.parameters) == 1
    out = layer(np.zeros((3, 5, 8), np.float32))
    assert_array_equal(out.data, np.broadcast_to(weight.data[:5], (3, 5, 8)))


def test_the_sinusoid_has_the_same_values():
    table = create_sinusoidal_embeddings(max_seq_len=7, embed_dim=5)
    assert_array_equal(table.data, core.create_sinusoidal_embeddings(7, 5).data)
    assert_allclose(create_sinusoidal_embeddings(2, 4).data[1], [0.841471, 0.540302, 0.01, 0.99995], atol=6e-7)
    with pytest.raises(ValueError, match="embedding_dim"):
        create_sinusoidal_embeddings(4, 0)


@parametrize("way, kind, count", [
    ("learned", PositionalEncoding, 2), ("sinusoidal", core.PositionalEncoding, 1), (None, type(None), 1)],
    ids=["learned", "sinusoidal", "None"])
def test_the_whole_layer(way, kind, count):
    layer = EmbeddingLayer(vocab_size=500, embed_dim=6, max_seq_len=9, pos_encoding=way)
    assert isinstance(layer, core.EmbeddingLayer)
    assert isinstance(layer.token_embedding, Embedding)
    assert isinstance(layer.pos_encoding, kind)
    assert np.abs(layer.token_embedding.weight.data).max() <= math.sqrt(6 / 506) * (1 + 1e-7)
    assert len(layer.parameters()) == count
    assert layer.parameters()[0] is layer.token_embedding.weight
    ids = np.array([[1, 2, 2], [499, 0, 1]])
    out = layer(ids)
    assert isinstance(out, Tensor)
    rows = layer.token_embedding.weight.data[ids]
    added = {"learned": lambda: layer.pos_encoding.position_embedding.weight.data[:3],
             "sinusoidal": lambda: core.create_sinusoidal_embeddings(3, 6).data, None: lambda: 0}[way]()
    assert_allclose(out.data, rows + added, atol=2e-7)
    out.sum().backward()
    assert layer.token_embedding.weight.grad.data[:3, 0].tolist() == [1, 2, 2]


def test_scale():
    layer = EmbeddingLayer(5, 4, 8, "sinusoidal", True)
    layer.token_embedding.weight.data[...] = 0.1
    assert_allclose(layer([3]).data, [[0.2, 1.2, 0.2, 1.2]], rtol=1e-6)


def test_defaults():
    layer = EmbeddingLayer(5, 4)
    assert layer.pos_encoding.position_embedding.weight.shape == (512, 4)
    assert isinstance(layer.pos_encoding, PositionalEncoding)
    layer.token_embedding.weight.data[...] = 0.5
    assert_allclose(layer([3]).data, 0.5 + layer.pos_encoding.position_embedding.weight.data[:1], rtol=1e-6)


@parametrize("layer", [Embedding(5, 4), PositionalEncoding(8, 4), EmbeddingLayer(5, 4),
                       EmbeddingLayer(5, 4, 8, None)],
             ids=["Embedding", "PositionalEncoding", "EmbeddingLayer", "EmbeddingLayer without positions"])
def test_two_names_for_the_width(layer):
    assert layer.embed_dim == layer.embedding_dim == 4


# -------------------------------------------------------------------------------------------------- edges
def test_the_same_errors():
    for bad in ([5], [-1]):
        with pytest.raises(TokenIdError):
            Embedding(5, 4)(bad)
        with pytest.raises(TokenIdError):
            EmbeddingLayer(5, 4)(bad)
    with pytest.raises(ValueError, match="last 8"):
        PositionalEncoding(8, 4)(np.zeros((9, 4)))
    with pytest.raises(ValueError, match="pos_encoding"):
        EmbeddingLayer(5, 4, pos_encoding="rotary")


@parametrize("make", [lambda: Embedding(-5, 4), lambda: Embedding(5, -4), lambda: PositionalEncoding(0, 4),
                      lambda: PositionalEncoding(8, 0), lambda: PositionalEncoding(8, -4),
                      lambda: EmbeddingLayer(5, 4, 0)],
             ids=["V < 0", "D < 0", "P = 0", "D = 0", "width < 0", "max_seq_len"])
def test_sizes_that_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_seeds():
    for make in (lambda: Embedding(5, 4), lambda: PositionalEncoding(8, 4), lambda: EmbeddingLayer(5, 4)):
        np.random.seed(9)
        one = [p.data for p in make().parameters]
        np.random.seed(9)
        for a, b in zip(one, make().parameters, strict=True):
            assert_array_equal(a, b.data)


def test_pretrained_tables():
    layer = Embedding.from_pretrained(np.ones((3, 2)), padding_idx=0)
    assert isinstance(layer, Embedding)
    assert layer.embed_dim == 2
    assert_array_equal(layer([0]).data, [[1, 1]])


def test_state_has_the_same_names():
    ours, theirs = EmbeddingLayer(5, 4, 8), core.EmbeddingLayer(5, 4, 8)
    theirs.load_state_dict(ours.state_dict())
    assert_array_equal(ours([[1, 2]]).data, theirs([[1, 2]]).data)


def test_no_second_implementation():
    """The layers come from core; this module only spells."""
    assert issubclass(Embedding, core.Embedding)
    for kind in (Embedding, PositionalEncoding, EmbeddingLayer):
        assert kind.forward.__module__ == "tinytorch.core.embeddings"
    assert "PositionalEncoding means two things" in text.__doc__


def test_repr():
    assert repr(Embedding(5, 4)) == "Embedding(5, 4)"
    assert "PositionalEncoding" in repr(PositionalEncoding(8, 4))
