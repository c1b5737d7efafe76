"""The table's gradient: by hand, by central differences, and exact where running sums are not."""
import numpy as np
import pytest
from helpers_gradcheck import check_gradients, functions_of, nodes_of, steady
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core import embeddings
from tinytorch.core.embeddings import (
    Embedding,
    EmbeddingBackward,
    EmbeddingLayer,
    LearnedPositionalEmbedding,
    PositionalEncoding,
    TokensAndPositions,
    embedding_grad,
)
from tinytorch.core.tensor import RowSparse, Tensor, cross_entropy, no_grad, softmax

param, parametrize = pytest.param, pytest.mark.parametrize
pytestmark = pytest.mark.usefixtures("both_forms")
W5 = np.arange(15, dtype=np.float32).reshape(5, 3)
KINDS = parametrize("sparse", [False, True], ids=["dense", "sparse"])
FLOATS = parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
OPERATIONS = functions_of(embeddings)


def table(weights=W5, **options):
    return Embedding.from_pretrained(weights, freeze=False, **options)


def take(ids, **options):
    """The operation itself, as a function of the table."""
    return lambda weight: EmbeddingBackward.apply(weight, ids=np.array(ids, dtype=np.int64), **options)


def take_both(ids, start, **options):
    """Token rows and position rows in one operation."""
    ids = np.array(ids, dtype=np.int64)
    return lambda weight, table: TokensAndPositions.apply(weight, table, ids=ids, start=start, **options)


def column(layer):
    return np.asarray(layer.weight.grad)[:, 0].tolist()


# ------------------------------------------------------------------------------------------------- values
@KINDS
@parametrize("ids, padding, right", [
    param([[1, 1], [1, 3]], None, [0, 3, 0, 1, 0], id="B14: repeated ids"),
    param([0, 1, 0, 2], 0, [0, 1, 1, 0, 0], id="B13: padding among others"),
    param([4, 4, 4], 4, [0, 0, 0, 0, 0], id="B13: nothing but padding"),
    param([4, 0, 4], -1, [1, 0, 0, 0, 0], id="B13: negative padding"),
    param(2, None, [0, 0, 1, 0, 0], id="B08: scalar"),
    param([[[0], [4]], [[0], [0]]], None, [3, 0, 0, 0, 1], id="B14: 3-D"),
    param([[]], None, [0, 0, 0, 0, 0], id="B07: empty"),
    param(np.array([255, 1, 255], np.uint8) % 5, None, [2, 1, 0, 0, 0], id="B05: uint8"),
    param(np.array([3.0, 3.0]), None, [0, 0, 0, 2, 0], id="B03: whole floats")])
def test_column_zero(ids, padding, right, sparse):
    layer = table(padding_idx=padding, sparse=sparse)
    out = layer(ids)
    out.backward(np.ones(out.shape))
    assert column(layer) == right
    assert np.asarray(layer.weight.grad).shape == (5, 3)
    assert isinstance(layer.weight.grad, RowSparse if sparse else Tensor)
    assert not out.grad_fn.inputs[0].grad_fn
    assert_array_equal(embedding_grad(np.asarray(ids, int), np.ones(out.shape), 5, padding)[:, 2], right)


@KINDS
def test_769_pads(sparse):
    """B13."""
    layer = Embedding(10, 8, padding_idx=0, sparse=sparse)
    layer(np.zeros(769, int)).sum().backward()
    assert not np.asarray(layer.weight.grad).any()


@KINDS
def test_backward_twice(sparse):
    """B15: a second call adds; clearing starts anew."""
    layer = Embedding(10, 3, sparse=sparse)
    out = layer([7, 1, 3]).sum()
    out.backward()
    out.backward()
    assert column(layer) == [0, 2, 0, 2, 0, 0, 0, 2, 0, 0]
    layer.weight.zero_grad()
    assert layer.weight.grad is None
    layer([7, 1, 3]).sum().backward()
    assert column(layer) == [0, 1, 0, 1, 0, 0, 0, 1, 0, 0]
    layer([3, 3, 0]).sum().backward()
    assert column(layer) == [1, 1, 0, 3, 0, 0, 0, 1, 0, 0]


@KINDS
def test_looked_up_twice_in_one_graph(sparse):
    layer = table(sparse=sparse)
    (layer([1, 2]) * 10.0 + layer([2, 4])).sum().backward()
    assert column(layer) == [0, 10, 11, 0, 1]
    assert isinstance(layer.weight.grad, RowSparse if sparse else Tensor)


def test_dense_and_sparse_on_one_table():
    dense = table()
    other = table(sparse=True)
    other.weight = dense.weight
    (dense([1, 2]) + other([2, 2])).sum().backward()
    assert column(dense) == [0, 1, 3, 0, 0]
    (other([0])).sum().backward()
    assert column(dense) == [1, 1, 3, 0, 0]
    dense.weight.zero_grad()
    other([0, 3]).sum().backward()
    dense([3]).sum().backward()
    assert column(dense) == [1, 0, 0, 2, 0]


@KINDS
def test_the_upstream_is_not_assumed_to_be_ones(sparse):
    layer = table(sparse=sparse)
    up = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0], [100.0, 200.0, 300.0]])
    layer([4, 0, 4]).backward(up)
    assert_array_equal(np.asarray(layer.weight.grad)[[0, 4]], [[10, 20, 30], [101, 202, 303]])
    assert not np.asarray(layer.weight.grad)[1:4].any()


@KINDS
@parametrize("layout", [np.asfortranarray, lambda u: u[::-1][::-1], lambda u: np.repeat(u, 2, 2)[:, :, ::2],
                        lambda u: np.broadcast_to(u[:1, :1], u.shape), lambda u: u.astype(">f4"), Tensor],
             ids=["fortran", "reversed twice", "every other", "stride 0", "big-endian", "Tensor"])
def test_layouts_of_the_upstream(layout, sparse):
    layer = table(sparse=sparse)
    ids = np.array([[1, 1, 0, 4], [3, 1, 0, 0]])
    up = layout(np.random.default_rng(0).normal(size=(2, 4, 3)).astype(np.float32))
    layer(ids).backward(up)
    right = np.zeros((5, 3))
    np.add.at(right, ids, np.asarray(up))
    assert_allclose(np.asarray(layer.weight.grad), right, rtol=1e-5, atol=1e-6)


@KINDS
def test_through_a_broadcast(sparse):
    """sum() hands down an upstream of stride 0: nothing may be lost."""
    layer = table(np.zeros((3, 1), np.float32), sparse=sparse)
    layer([2]).sum().backward()
    assert column(layer) == [0, 0, 1]
    layer.weight.zero_grad()
    layer(2).sum().backward()
    assert column(layer) == [0, 0, 1]


@KINDS
def test_a_batch_buffer_that_is_filled_again(sparse):
    """The graph keeps the ids it was built with."""
    for buffer in (np.array([1, 1, 3]), np.array([1, 1, 3], np.uint8), Tensor([1, 1, 3])):
        layer = table(sparse=sparse)
        loss = layer(buffer).sum()
        np.asarray(buffer)[:] = 0
        loss.backward()
        assert column(layer) == [0, 2, 0, 1, 0]


@KINDS
def test_the_gradient_is_no_part_of_the_upstream(sparse):
    layer, up = table(sparse=sparse), np.ones((2, 3), np.float32)
    layer([1, 2]).backward(up)
    up[:] = 99
    assert column(layer) == [0, 1, 1, 0, 0]


@KINDS
def test_values_do_not_change(sparse):
    layer = table(sparse=sparse)
    layer([1, 2, 1]).sum().backward()
    assert_array_equal(layer.weight.data, W5)


def test_a_sparse_gradient_is_merged():
    """Layers hand out every row once, and no row that was not in the batch."""
    layer = table(padding_idx=0, sparse=True)
    layer([[3, 1, 3], [0, 3, 0]]).sum().backward()
    grad = layer.weight.grad
    assert sorted(grad.rows.tolist()) == [1, 3]
    assert grad.values.shape == (2, 3)
    assert grad.shape == (5, 3)
    assert grad.rows.dtype.kind == "i"


def test_a_dense_gradient_is_complete():
    layer = table()
    layer([1]).sum().backward()
    assert layer.weight.grad.shape == (5, 3)


@KINDS
def test_frozen_tables_take_none(sparse):
    layer = Embedding.from_pretrained(W5, sparse=sparse)
    x = Tensor(np.ones((2, 3)), requires_grad=True)
    (layer([1, 1]) * x).sum().backward()
    assert layer.weight.grad is None
    assert_array_equal(x.grad.data, W5[[1, 1]])
    free = table(sparse=sparse)
    with no_grad():
        out = free([1])
    assert not out.requires_grad


# ----------------------------------------------------------------------------------------- embedding_grad
def test_embedding_grad_by_hand():
    grad = embedding_grad([[1, 1], [1, 3]], np.ones((2, 2, 3)), 5)
    assert isinstance(grad, np.ndarray)
    assert grad.shape == (5, 3)
    assert grad[:, 0].tolist() == [0, 3, 0, 1, 0]
    assert embedding_grad([1, 0], np.array([[1.0, 2.0], [3.0, 4.0]]), 3, padding_idx=0).tolist() == [
        [0, 0], [1, 2], [0, 0]]
    assert embedding_grad([2, 0], np.ones((2, 1)), 3, padding_idx=-1).ravel().tolist() == [1, 0, 0]


@FLOATS
def test_embedding_grad_keeps_the_type(dtype):
    assert embedding_grad([0, 0], np.ones((2, 3), dtype), 4).dtype == dtype


def test_embedding_grad_of_nothing():
    assert embedding_grad([], np.zeros((0, 3)), 4).tolist() == [[0, 0, 0]] * 4
    assert embedding_grad(np.zeros((2, 0), int), np.zeros((2, 0, 3)), 4).shape == (4, 3)
    assert embedding_grad(2, np.ones(3), 4)[2].tolist() == [1, 1, 1]
    assert embedding_grad([0], np.ones((1, 0)), 4).shape == (4, 0)


@parametrize("ids, shape", [([0, 4], (2, 3)), ([-1], (1, 3)), ([0, 1], (3, 3)), ([0, 1], ()), (1, ()),
                            ([[0, 1]], (2, 3)), ([0.5], (1, 3)), ([True], (1, 3))], ids=str)
def test_embedding_grad_refuses(ids, shape):
    with pytest.raises((TypeError, ValueError)):
        embedding_grad(ids, np.ones(shape), 4)


@given(st.integers(1, 6), st.integers(0, 4), st.data())
@steady
def test_any_ids(size, width, data):
    ids = np.array(data.draw(st.lists(st.integers(0, size - 1), max_size=70)), dtype=np.int64)
    padding = data.draw(st.none() | st.integers(-size, size - 1))
    up = np.arange(ids.size * width, dtype=np.float64).reshape(ids.size, width)
    right = np.zeros((size, width))
    for row, value in zip(ids, up, strict=True):
        right[row] += value
    if padding is not None:
        right[padding] = 0
    assert_array_equal(embedding_grad(ids, up, size, padding), right)
    for sparse in (False, True):
        layer = table(np.zeros((size, width)), padding_idx=padding, sparse=sparse)
        layer(ids).backward(up)
        assert_array_equal(np.asarray(layer.weight.grad), right)


# ------------------------------------------------------------------------------------- differences, float64
# One entry for an operation of core.embeddings: an operation without one fails.
TABLES = [np.random.default_rng(seed).normal(size=(5, 3)) for seed in (0, 1)]
WAYS = {
    "EmbeddingBackward": [
        param(take(ids, sparse=sparse), TABLES[:1], id=f"{ids} {'sparse' if sparse else 'dense'}")
        for ids in ([1, 1, 3], [[4, 0], [4, 4]], 2, [], [[[1]], [[1]]]) for sparse in (False, True)],
    "TokensAndPositions": [
        param(take_both(ids, start, sparse=sparse), TABLES,
              id=f"{ids} from {start} {'sparse' if sparse else 'dense'}")
        for ids in ([1, 1, 3], [[4, 0], [4, 4]], [[1], [1], [2]], [], [[]]) for start in (0, 2)
        for sparse in (False, True)],
}


@parametrize("operation", OPERATIONS, ids=lambda cls: cls.__name__)
def test_every_operation_has_an_entry(operation):
    assert operation.__name__ in WAYS, f"add {operation.__name__} to WAYS"


def test_every_entry_is_an_operation():
    assert {cls.__name__ for cls in OPERATIONS} == set(WAYS)


@parametrize("name, way, tables", [param(name, *case.values, id=f"{name}: {case.id}")
                                   for name, cases in WAYS.items() for case in cases])
def test_gradient(name, way, tables):
    out = check_gradients(way, *tables)
    assert name in {type(node).__name__ for node in nodes_of(out)}


@KINDS
def test_padding_cuts_its_row_out(sparse):
    """The differences of the padding row are not zero: its gradient is, by definition."""
    weights = np.random.default_rng(0).normal(size=(5, 3))
    layer = table(weights, padding_idx=3, sparse=sparse)
    up = np.random.default_rng(1).normal(size=(4, 3))
    layer([3, 1, 3, 0]).backward(up)
    right = np.zeros((5, 3))
    right[1], right[0] = up[1], up[3]
    assert_array_equal(np.asarray(layer.weight.grad), right)


def with_weights(layer, *weights):
    """Put Tensors in the place of the layer's tables."""
    layer.token_embedding.weight = weights[0]
    if len(weights) > 1:
        layer.pos_encoding.position_embedding.weight = weights[1]
    return layer


@KINDS
@parametrize("scale", [False, True], ids=["plain", "scaled"])
def test_whole_layer_with_learned_positions(sparse, scale):
    ids = [[1, 1, 0], [3, 1, 3]]

    def network(tokens, positions, head):
        layer = EmbeddingLayer(4, 3, 5, scale_embeddings=scale, sparse=sparse)
        with_weights(layer, tokens, positions)
        x = layer(ids, start_pos=1)  # (2, 3, 3)
        mixed = softmax(x @ x.transpose()) @ x
        return cross_entropy((mixed @ head).reshape(6, 2), [0, 1, 1, 0, 0, 1])

    rng = np.random.default_rng(2)
    check_gradients(network, rng.normal(size=(4, 3)), rng.normal(size=(5, 3)), rng.normal(size=(3, 2)))


@KINDS
def test_whole_layer_with_the_sinusoid(sparse):
    def network(tokens):
        return with_weights(EmbeddingLayer(4, 5, 6, "sinusoidal", sparse=sparse), tokens)([3, 0, 3]).tanh()

    check_gradients(network, np.random.default_rng(3).normal(size=(4, 5)))


def test_positions_alone():
    layer = PositionalEncoding(3, 7)
    check_gradients(lambda x: layer(x, start_pos=2).tanh(), np.random.default_rng(4).normal(size=(2, 4, 3)))

    def learned(x, rows):
        positions = LearnedPositionalEmbedding(7, 3)
        positions.position_embedding.weight = rows
        return positions(x, start_pos=2).tanh()

    rng = np.random.default_rng(5)
    check_gradients(learned, rng.normal(size=(2, 4, 3)), rng.normal(size=(7, 3)))


def test_the_output_layer_shares_the_table():
    """Two ways into one table, rows and product: their gradients add up, sparse beside dense."""
    for sparse in (False, True):
        def network(weight, sparse=sparse):
            layer = Embedding(4, 3, sparse=sparse)
            layer.weight = weight
            return layer([2, 2, 1]) @ weight.transpose()

        check_gradients(network, np.random.default_rng(6).normal(size=(4, 3)))


# -------------------------------------------------------------------------------------------- exact sums
@KINDS
@FLOATS
@parametrize("repeats", [33, 2049, 4096])
def test_repeats_do_not_saturate(sparse, dtype, repeats):
    """A running float16 sum of ones stops at 2048."""
    layer = table(np.zeros((3, 2), dtype), sparse=sparse)
    out = layer(np.ones(repeats, int))
    out.backward(np.ones((repeats, 2)))
    grad = np.asarray(layer.weight.grad)
    assert grad.dtype == dtype
    assert_array_equal(grad, np.array([[0, 0], [repeats] * 2, [0, 0]], dtype))


def by_loop(ids, up, size, dtype):
    """One row after the other, in this type."""
    out = np.zeros((size, up.shape[1]), dtype)
    for row, value in zip(ids, up, strict=True):
        out[row] += value
    return out


def check_sum(layer, ids, up):
    """Dense: right to the last digit. Row-sparse: no worse than a loop in the table's own float32."""
    exact = by_loop(ids, up, layer.vocab_size, np.float64)
    layer(ids).backward(up)
    grad = np.asarray(layer.weight.grad)
    assert grad.dtype == np.float32
    if layer.sparse:
        loop = np.abs(by_loop(ids, up, layer.vocab_size, np.float32) - exact)
        last_digit = np.spacing(np.float32(np.abs(exact).max()))
        assert np.abs(grad - exact).max() <= max(loop.max(), last_digit)
    else:
        assert_array_equal(grad, exact.astype(np.float32))


@KINDS
@parametrize("repeats", [7, 20, 40, 300, 3000])
def test_small_numbers_beside_a_large_one(sparse, repeats):
    """2**24 and then ones: a running float32 sum never leaves 2**24."""
    up = np.ones((repeats + 1, 2), np.float32)
    up[0] = 2**24
    check_sum(table(np.zeros((3, 2), np.float32), sparse=sparse), np.full(repeats + 1, 2), up)


@KINDS
def test_float32_sums(sparse):
    rng = np.random.default_rng(7)
    ids, up = rng.integers(0, 4, 5000) ** 2 % 7, rng.normal(size=(5000, 3)).astype(np.float32)
    check_sum(table(np.zeros((7, 3), np.float32), sparse=sparse), ids, up)
