"""Learned positions: the rows added, the gradient they collect, and what is refused."""
import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.embeddings import Embedding, LearnedPositionalEmbedding
from tinytorch.core.tensor import RowSparse, Tensor

parametrize = pytest.mark.parametrize
P8 = (np.arange(32, dtype=np.float32).reshape(8, 4) + 1) * 10  # (8, 4)


def positions(rows=P8):
    layer = LearnedPositionalEmbedding(*rows.shape)
    layer.position_embedding.weight.data[...] = rows
    return layer


# ------------------------------------------------------------------------------------------------- values
@parametrize("shape", [(3, 4), (8, 4), (1, 4), (2, 3, 4), (5, 1, 4), (1, 8, 4)], ids=str)
@parametrize("wrap", [np.asarray, Tensor], ids=["ndarray", "Tensor"])
def test_rows_are_added(shape, wrap):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    out = positions()(wrap(x))
    assert isinstance(out, Tensor)
    assert out.shape == shape
    assert out.dtype == np.float32
    assert_allclose(out.data, x + P8[:shape[-2]], rtol=1e-6)


def test_batch_and_sequence_axes():
    """B34: unequal sizes, so that swapped axes show."""
    out = positions()(np.zeros((3, 2, 4))).data
    assert_array_equal(out, np.broadcast_to(P8[:2], (3, 2, 4)))


@parametrize("start", [0, 1, 5])
def test_start(start):
    assert_array_equal(positions()(np.zeros((2, 3, 4)), start_pos=start).data[1], P8[start:start + 3])
    assert_array_equal(positions().forward(np.zeros((3, 4)), start).data, P8[start:start + 3])


def test_a_position_is_the_same_in_short_and_long_sequences():
    layer = LearnedPositionalEmbedding(20, 6)
    short, long = layer(np.zeros((5, 6))).data, layer(np.zeros((15, 6))).data
    assert_array_equal(short, long[:5])


def test_start_values():
    """init 'normal': N(0, 1/sqrt(D)), from rng or numpy's global state."""
    layer = LearnedPositionalEmbedding(2000, 64, rng=np.random.default_rng(0))
    table = layer.position_embedding
    assert isinstance(table, Embedding)
    assert table.weight.shape == (2000, 64)
    assert table.weight.data.std() == pytest.approx(0.125, rel=0.01)
    assert np.abs(table.weight.data).max() > 0.45  # a bell, no box
    again = LearnedPositionalEmbedding(2000, 64, rng=np.random.default_rng(0)).position_embedding
    assert_array_equal(again.weight.data, table.weight.data)
    np.random.seed(3)
    one = LearnedPositionalEmbedding(5, 4).position_embedding.weight.data
    np.random.seed(3)
    assert_array_equal(LearnedPositionalEmbedding(5, 4).position_embedding.weight.data, one)


def test_parameters():
    layer = positions()
    assert len(layer.parameters) == len(layer.parameters()) == 1
    assert layer.parameters[0] is layer.position_embedding.weight
    assert list(layer.state_dict()) == ["position_embedding.weight"]


# -------------------------------------------------------------------------------------------------- edges
@parametrize("shape", [(0, 4), (2, 0, 4), (0, 3, 4)], ids=lambda s: f"B40: {s}")
def test_empty_input(shape):
    layer = positions()
    out = layer(np.zeros(shape))
    assert out.shape == shape
    out.backward(np.zeros(shape))
    assert not np.asarray(layer.position_embedding.weight.grad).any()


@parametrize("dtype", [np.int64, np.uint8, np.bool_], ids=lambda d: f"B39: {np.dtype(d).name}")
def test_integers_become_float32(dtype):
    out = positions()(np.ones((2, 4), dtype))
    assert out.dtype == np.float32
    assert_array_equal(out.data, 1 + P8[:2])


def test_float64_stays():
    assert positions()(np.zeros((2, 4))).dtype == np.float64
    assert positions()(Tensor(np.zeros((2, 4)), dtype=np.float64)).dtype == np.float64


@parametrize("shape, start, named", [
    ((9, 4), 0, ("9", "8")), ((2, 9, 4), 0, ("9", "8")), ((3, 4), 6, ("8",)), ((1, 4), 8, ("8",))],
    ids=lambda x: f"B40: {x}")
def test_past_the_table(shape, start, named):
    with pytest.raises(ValueError) as error:
        positions()(np.zeros(shape), start_pos=start)
    for part in (*named, "last 8"):
        assert part in str(error.value)


@parametrize("shape", [(4,), (), (2, 3, 5, 4)], ids=str)
def test_wrong_rank(shape):
    with pytest.raises(ValueError):
        positions()(np.zeros(shape))


@parametrize("width", [1, 3, 5, 0, 8])
def test_wrong_width(width):
    with pytest.raises(ValueError) as error:
        positions()(np.zeros((2, 3, width)))
    assert str(width) in str(error.value)
    assert "4" in str(error.value)


@parametrize("start", [-1, 1.5, 1.0, "1", None], ids=str)
def test_start_that_is_refused(start):
    with pytest.raises((ValueError, TypeError)):
        positions()(np.zeros((2, 4)), start_pos=start)


@parametrize("sizes, error", [((0, 4), ValueError), ((8, 0), ValueError), ((-8, 4), ValueError),
                              ((8, -4), ValueError), ((8.0, 4), TypeError), ((8, "4"), TypeError)], ids=str)
def test_sizes_that_are_refused(sizes, error):
    with pytest.raises(error):
        LearnedPositionalEmbedding(*sizes)


def test_the_output_is_a_copy():
    layer = positions()
    layer(np.zeros((8, 4), np.float32)).data[:] = 99
    assert_array_equal(layer.position_embedding.weight.data, P8)


def test_a_copy_of_the_layer():
    layer = positions()
    twin = copy.deepcopy(layer)
    twin.position_embedding.weight.data[:] = 0
    assert_array_equal(layer(np.zeros((8, 4))).data, P8)


def test_repr():
    assert "LearnedPositionalEmbedding" in repr(positions())


# ---------------------------------------------------------------------------------------------- gradients
@parametrize("start", [0, 2])
def test_the_tables_gradient_sums_over_the_batch(start):
    layer = positions()
    up = np.random.default_rng(1).normal(size=(5, 3, 4)).astype(np.float32)
    x = Tensor(np.zeros((5, 3, 4)), requires_grad=True)
    layer(x, start_pos=start).backward(up)
    grad = np.asarray(layer.position_embedding.weight.grad)
    right = np.zeros((8, 4))
    right[start:start + 3] = up.sum(axis=0)
    assert grad.shape == (8, 4)
    assert_allclose(grad, right, rtol=1e-5, atol=1e-6)
    assert not grad[start + 3:].any()
    assert_array_equal(x.grad.data, up)


def test_two_backward_calls_add_up():
    layer = positions()
    for length in (2, 3):
        layer(np.zeros((4, length, 4))).sum().backward()
    assert np.asarray(layer.position_embedding.weight.grad)[:, 2].tolist() == [8, 8, 4, 0, 0, 0, 0, 0]
    assert not isinstance(layer.position_embedding.weight.grad, RowSparse)


def test_without_a_batch():
    layer = positions()
    layer(np.zeros((3, 4))).sum().backward()
    assert np.asarray(layer.position_embedding.weight.grad)[:, 0].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
