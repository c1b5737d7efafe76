"""EmbeddingLayer: tokens, sqrt(D), positions; parameters, gradients, errors."""
import copy
import math
import pickle

import numpy as np
import pytest
from helpers_gradcheck import steady
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.embeddings import (
    Embedding,
    EmbeddingLayer,
    LearnedPositionalEmbedding,
    PositionalEncoding,
)
from tinytorch.core.tensor import RowSparse, Tensor, TokenIdError, no_grad

param, parametrize = pytest.param, pytest.mark.parametrize
pytestmark = pytest.mark.usefixtures("both_forms")
WAYS = ["learned", "sinusoidal", None]
TOKENS = np.arange(28, dtype=np.float32).reshape(7, 4) / 10 + 1  # (7, 4)
ROWS = (np.arange(24, dtype=np.float32).reshape(6, 4) + 1) * 10  # (6, 4)


def layer_of(way, **options):
    """A layer with known numbers: TOKENS, and ROWS where positions are learned."""
    layer = EmbeddingLayer(7, 4, 6, way, **options)
    layer.token_embedding.weight.data[...] = TOKENS
    if way == "learned":
        layer.pos_encoding.position_embedding.weight.data[...] = ROWS
    return layer


def sinusoid(position, width=4):
    angles = [position / 10000 ** (2 * (column // 2) / width) for column in range(width)]
    return [math.cos(a) if column % 2 else math.sin(a) for column, a in enumerate(angles)]


def rows_of(way, start, length):
    if way == "learned":
        return ROWS[start:start + length]
    return np.array([sinusoid(start + t) if way else [0] * 4 for t in range(length)]).reshape(length, 4)


# ------------------------------------------------------------------------------------------------- values
@parametrize("way", WAYS, ids=str)
@parametrize("scale", [False, True], ids=["plain", "scaled"])
@parametrize("start", [0, 3])
@parametrize("ids", [[[6, 0, 2], [3, 3, 1]], [5, 1, 1], [[4]], np.array([[2, 6]], np.uint8),
                     Tensor([[0, 1, 2]])],
             ids=["(2, 3)", "(3,)", "(1, 1)", "uint8", "Tensor"])
def test_the_sum(way, scale, start, ids):
    numbers = np.asarray(ids).astype(int)
    right = TOKENS[numbers] * (2 if scale else 1) + rows_of(way, start, numbers.shape[-1])
    for out in (layer_of(way, scale_embeddings=scale)(ids, start_pos=start),
                layer_of(way, scale_embeddings=scale).forward(ids, start)):
        assert isinstance(out, Tensor)
        assert out.shape == numbers.shape + (4,)
        assert out.dtype == np.float32
        assert_allclose(out.data, right, rtol=1e-6)


@parametrize("way, scale, right", [
    param("sinusoidal", True, [0.2, 1.2, 0.2, 1.2], id="B41: scaled"),
    param("sinusoidal", False, [0.1, 1.1, 0.1, 1.1], id="B41: not asked for"),
    param(None, True, [0.2, 0.2, 0.2, 0.2], id="B41: scaled without positions"),
    param(None, False, [0.1, 0.1, 0.1, 0.1], id="B41: neither")])
def test_scale(way, scale, right):
    layer = EmbeddingLayer(3, 4, 8, way, scale_embeddings=scale)
    layer.token_embedding.weight.data[...] = 0.1
    out = layer([1])
    assert_allclose(out.data[0], right, rtol=1e-6)
    assert out.dtype == np.float32


def test_scale_of_an_odd_width():
    layer = EmbeddingLayer(3, 5, 8, None, scale_embeddings=True)
    layer.token_embedding.weight.data[...] = 2
    out = layer([[1, 2]])
    assert out.dtype == np.float32  # sqrt(D) is no float64 scalar that promotes
    assert_allclose(out.data, np.full((1, 2, 5), 2 * math.sqrt(5)), rtol=1e-6)


def test_the_parts():
    learned, fixed, none = (EmbeddingLayer(7, 4, 6, way) for way in WAYS)
    assert isinstance(learned.token_embedding, Embedding)
    assert isinstance(learned.pos_encoding, LearnedPositionalEmbedding)
    assert isinstance(fixed.pos_encoding, PositionalEncoding)
    assert none.pos_encoding is None
    assert learned.token_embedding.weight.shape == (7, 4)
    assert learned.pos_encoding.position_embedding.weight.shape == fixed.pos_encoding.pe.shape == (6, 4)
    assert EmbeddingLayer(7, 4).pos_encoding.position_embedding.weight.shape == (512, 4)


@parametrize("way, count", list(zip(WAYS, [2, 1, 1], strict=True)), ids=str)
def test_parameters(way, count):
    layer = layer_of(way)
    assert len(layer.parameters) == len(layer.parameters()) == count
    assert layer.parameters[0] is layer.token_embedding.weight  # tokens first
    if way == "learned":
        assert layer.parameters[1] is layer.pos_encoding.position_embedding.weight


def test_state():
    assert list(layer_of("learned").state_dict()) == [
        "token_embedding.weight", "pos_encoding.position_embedding.weight"]
    for way in ("sinusoidal", None):
        assert list(layer_of(way).state_dict()) == ["token_embedding.weight"]
    other = EmbeddingLayer(7, 4, 6)
    other.load_state_dict(layer_of("learned").state_dict())
    assert_array_equal(other([[1, 2]]).data, layer_of("learned")([[1, 2]]).data)


def test_seeds():
    np.random.seed(4)
    one = EmbeddingLayer(7, 4, 6)([[1, 2]]).data
    np.random.seed(4)
    assert_array_equal(EmbeddingLayer(7, 4, 6)([[1, 2]]).data, one)
    made = [EmbeddingLayer(7, 4, 6, rng=np.random.default_rng(2)) for _ in range(2)]
    for a, b in zip(made[0].parameters, made[1].parameters, strict=True):
        assert_array_equal(a.data, b.data)


def test_order_matters_only_with_positions():
    for way in WAYS:
        one, two = layer_of(way)([0, 1]).data, layer_of(way)([1, 0]).data
        assert np.array_equal(one, two[::-1]) == (way is None)


# -------------------------------------------------------------------------------------------------- edges
@parametrize("way", WAYS, ids=str)
@parametrize("ids, shape", [([], (0, 4)), ([[]], (1, 0, 4)), (np.zeros((2, 0), int), (2, 0, 4)),
                            (np.zeros((0, 3), int), (0, 3, 4))], ids=["(0,)", "(1, 0)", "(2, 0)", "(0, 3)"])
def test_empty_input(way, ids, shape):
    layer = layer_of(way)
    out = layer(ids)
    assert out.shape == shape
    out.backward(np.zeros(shape))
    assert not np.asarray(layer.token_embedding.weight.grad).any()


@parametrize("way", WAYS, ids=str)
@parametrize("ids", [3, np.array(3), [[[1]]], np.zeros((1, 2, 3, 1), int)], ids=["int", "0-d", "3-D", "4-D"])
def test_only_one_or_two_axes(way, ids):
    with pytest.raises(ValueError):
        layer_of(way)(ids)


@parametrize("way", WAYS, ids=str)
@parametrize("ids, bad", [([[0, 1], [7, 2]], "7"), ([-1], "-1"), ([2**64], str(2**64))], ids=str)
def test_ids_outside(way, ids, bad):
    with pytest.raises(TokenIdError, match="out of range") as error:
        layer_of(way)(ids)
    assert bad in str(error.value)
    assert "[0, 7)" in str(error.value)


@parametrize("way", WAYS, ids=str)
@parametrize("ids", [[1.5], [True], ["1"], None, [[1], [1, 2]]], ids=str)
def test_what_is_no_id(way, ids):
    with pytest.raises((TypeError, ValueError)):
        layer_of(way)(ids)


@parametrize("way", ["learned", "sinusoidal"])
@parametrize("length, start", [(7, 0), (1, 6), (3, 4)], ids=str)
def test_sequences_that_are_too_long(way, length, start):
    with pytest.raises(ValueError, match="last 6"):
        layer_of(way)(np.zeros((2, length), int), start_pos=start)
    assert layer_of(None)(np.zeros((2, length), int), start_pos=start).shape == (2, length, 4)


@parametrize("way", ["learned", "sinusoidal"])
def test_the_last_ids_fit(way):
    long = [[1, 2, 3, 4, 5, 6, 0, 1]]
    assert layer_of(way)(np.asarray(long)[:, -6:]).shape == (1, 6, 4)


@parametrize("way", WAYS, ids=str)
@parametrize("start", [-1, 1.5, "1"], ids=str)
def test_start_that_is_refused(way, start):
    with pytest.raises((TypeError, ValueError)):
        layer_of(way)([1], start_pos=start)


@parametrize("way", ["Learned", "sin", "", "none", True, 0, "rotary"], ids=str)
def test_unknown_positions(way):
    with pytest.raises(ValueError, match="pos_encoding"):
        EmbeddingLayer(7, 4, pos_encoding=way)


@parametrize("sizes", [(-7, 4, 6), (7, -4, 6), (7, 4, -6), (7, 4, 0), (7.0, 4, 6)], ids=str)
def test_sizes_that_are_refused(sizes):
    with pytest.raises((TypeError, ValueError)):
        EmbeddingLayer(*sizes)


@parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["deepcopy", "pickle"])
@parametrize("way", WAYS, ids=str)
def test_copies(again, way):
    layer = layer_of(way)
    twin = again(layer)
    assert_array_equal(twin([[1, 5]]).data, layer([[1, 5]]).data)
    twin.token_embedding.weight.data[:] = 0
    assert layer([[1]]).data.any()
    assert len(twin.parameters) == len(layer.parameters)


def test_a_row_of_the_learned_kind_alone():
    """The output is a fresh array whichever parts are there."""
    for way in WAYS:
        layer = layer_of(way)
        layer([[1, 2]]).data[...] = 99
        assert_array_equal(layer.token_embedding.weight.data, TOKENS)


def test_repr():
    for way in WAYS:
        assert "EmbeddingLayer" in repr(layer_of(way))


# ---------------------------------------------------------------------------------------------- gradients
@parametrize("way", WAYS, ids=str)
@parametrize("scale", [False, True], ids=["plain", "scaled"])
@parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_gradients_flow_through_every_path(way, scale, sparse):
    layer = layer_of(way, scale_embeddings=scale, sparse=sparse, padding_idx=0)
    ids = np.array([[1, 1, 0], [3, 1, 6]])
    up = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    layer(ids, start_pos=2).backward(up)
    right = np.zeros((7, 4))
    np.add.at(right, ids, up * (2 if scale else 1))
    right[0] = 0
    assert isinstance(layer.token_embedding.weight.grad, RowSparse) == sparse
    assert_allclose(np.asarray(layer.token_embedding.weight.grad), right, rtol=1e-5, atol=1e-6)
    if way == "learned":
        grad = np.asarray(layer.pos_encoding.position_embedding.weight.grad)
        assert_allclose(grad[2:5], up.sum(axis=0), rtol=1e-5, atol=1e-6)
        assert not grad[:2].any()
        assert not grad[5:].any()


@parametrize("scale", [False, True], ids=["plain", "scaled"])
@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: np.dtype(d).name)
def test_tables_of_another_type(dtype, scale):
    """The result has the tables' type, and a large batch does not saturate the positions' gradient."""
    layer = layer_of("learned", scale_embeddings=scale)
    layer.token_embedding.weight = Tensor(TOKENS, requires_grad=True, dtype=dtype)
    layer.pos_encoding.position_embedding.weight = Tensor(ROWS, requires_grad=True, dtype=dtype)
    out = layer(np.ones((4096, 2), int))
    assert out.dtype == dtype
    out.backward(np.ones(out.shape))
    for table, right in zip(layer.parameters, (8192 * (2 if scale else 1), 4096), strict=True):
        assert table.grad.dtype == dtype
        assert table.grad.data.max() == right


def test_the_positions_gradient_is_exact():
    """2**24 and then ones: a running float32 sum over the batch never leaves 2**24."""
    layer, up = layer_of("learned"), np.ones((9, 1, TOKENS.shape[1]), np.float32)
    up[0] = 2**24
    layer(np.ones((9, 1), int)).backward(up)
    for table in layer.parameters:
        assert table.grad.data.max() == 2**24 + 8


def test_tables_of_two_types():
    layer = layer_of("learned")
    layer.token_embedding.weight = Tensor(TOKENS, requires_grad=True, dtype=np.float64)
    out = layer([[1, 2]])
    assert out.dtype == np.float64
    out.sum().backward()
    assert [table.grad.dtype for table in layer.parameters] == [np.float64, np.float32]


@parametrize("way", ["learned", "sinusoidal"])
def test_a_frozen_table(way):
    layer = layer_of(way)
    layer.token_embedding = Embedding.from_pretrained(TOKENS)
    out = layer([[1, 2]])
    assert out.requires_grad == (way == "learned")
    if way == "learned":
        out.sum().backward()
        assert layer.pos_encoding.position_embedding.weight.grad.data[:, 0].tolist() == [1, 1, 0, 0, 0, 0]
        layer.pos_encoding.position_embedding = Embedding.from_pretrained(ROWS)
        assert not layer([[1, 2]]).requires_grad
    assert layer.token_embedding.weight.grad is None
    assert_allclose(layer([[1, 2]]).data[0], TOKENS[[1, 2]] + rows_of(way, 0, 2), rtol=1e-6)


@parametrize("way", ["learned", "sinusoidal"])
def test_a_batch_buffer_that_is_filled_again(way):
    layer, ids = layer_of(way), np.array([[1, 1, 3]])
    loss = layer(ids).sum()
    ids[:] = 0
    loss.backward()
    assert layer.token_embedding.weight.grad.data[:, 0].tolist() == [0, 2, 0, 1, 0, 0, 0]


def test_dropout_of_the_positions_counts_here_too():
    layer = layer_of("sinusoidal")
    layer.pos_encoding = PositionalEncoding(4, 6, dropout=0.5)
    ids = np.ones((200, 6), int)
    zeros = (layer(ids).data == 0).mean()
    assert 0.45 < zeros < 0.55
    layer.eval()
    assert (layer(ids).data != 0).all()


def test_two_batches_accumulate():
    layer = layer_of("learned")
    for _ in range(2):
        layer([[1, 1]]).sum().backward()
    assert layer.token_embedding.weight.grad.data[:, 0].tolist() == [0, 4, 0, 0, 0, 0, 0]
    assert layer.pos_encoding.position_embedding.weight.grad.data[:, 0].tolist() == [2, 2, 0, 0, 0, 0]


def test_no_grad():
    with no_grad():
        assert layer_of("learned")([[1, 2]]).grad_fn is None


def test_padding_and_sparse_reach_the_table():
    layer = EmbeddingLayer(7, 4, padding_idx=-1, sparse=True)
    assert layer.token_embedding.padding_idx == 6
    assert not layer.token_embedding.weight.data[6].any()
    assert layer.token_embedding.sparse


@given(hnp.arrays(np.int64, st.tuples(st.integers(1, 4), st.just(3)), elements=st.integers(-1, 7)),
       st.integers(0, 4), st.sampled_from(WAYS))
@steady
def test_any_ids(ids, start, way):
    layer = layer_of(way)
    if ids.min() < 0 or ids.max() > 6 or way and start + 3 > 6:
        with pytest.raises(ValueError):
            layer(ids, start_pos=start)
    else:
        assert_allclose(layer(ids, start_pos=start).data, TOKENS[ids] + rows_of(way, start, 3), rtol=1e-6)
