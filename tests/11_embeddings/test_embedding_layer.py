"""Embedding: start values, lookup, ids that are refused, padding, options, memory. Case numbers are ids."""
import copy
import math
import pickle
import random

import numpy as np
import pytest
from helpers_gradcheck import steady
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from tinytorch.core.embeddings import Embedding, EmbeddingBackward, embed
from tinytorch.core.tensor import RowSparse, Tensor, TokenIdError, no_grad

param, parametrize = pytest.param, pytest.mark.parametrize
W5 = np.arange(15, dtype=np.float32).reshape(5, 3)
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def name(dtype):
    return np.dtype(dtype).str


def table(weights=W5, **options):
    """An Embedding that holds these rows; it is trainable unless told."""
    return Embedding.from_pretrained(weights, **{"freeze": False, **options})


E5 = table()


# ------------------------------------------------------------------------------------ the worked example
TOK, POS = [[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]]


def test_embed():
    assert embed(TOK, POS, [2, 2]) == [[3.5, 1.5], [3.0, 0.0]]
    assert embed(TOK, POS, [0]) == [[1.5, 0.5]]
    assert embed(TOK, POS, []) == []


@parametrize("ids", [[3, 0], [0, -1], [-3], [0, 1, 2], [2, 2, 2, 2]], ids=str)
def test_embed_refuses(ids):
    with pytest.raises(ValueError):
        embed(TOK, POS, ids)


def test_embed_without_rows():
    for ids in ([0], [-1]):
        with pytest.raises(ValueError):
            embed([], POS, ids)
    with pytest.raises(ValueError):
        embed(TOK, [], [0])
    assert embed([], [], []) == []


def test_embed_makes_new_rows():
    out = embed(TOK, POS, [0, 1])
    out[0][0] = 99
    assert TOK[0] == [1, 0]
    assert POS[0] == [0.5, 0.5]


# -------------------------------------------------------------------------------------------- start values
V, D = 50_000, 64


@parametrize("init, bound, std", [
    ("uniform", 0.125, 0.125 / math.sqrt(3)), ("normal", None, 0.125), ("gpt2", None, 0.02),
    ("xavier", math.sqrt(6 / (V + D)), math.sqrt(2 / (V + D)))],
    ids=["B29: uniform", "B29: normal", "B29: gpt2", "B29: xavier"])
def test_start_values(init, bound, std):
    w = Embedding(V, D, init_type=init, rng=np.random.default_rng(0)).weight
    assert w.shape == (V, D)
    assert w.dtype == np.float32
    assert w.requires_grad
    x = w.data.astype(np.float64)
    assert abs(x.mean()) < std / 200
    assert x.std() == pytest.approx(std, rel=0.01)
    if bound:
        assert 0.999 * bound < x.max() <= bound * (1 + 1e-7)
        assert 0.999 * bound < -x.min() <= bound * (1 + 1e-7)
    else:  # a bell: 4.55 % lie outside two standard deviations, some far outside
        assert (np.abs(x) > 2 * std).mean() == pytest.approx(0.0455, rel=0.03)
        assert np.abs(x).max() > 4 * std
    rows = x.std(axis=1)
    assert rows.min() > 0.5 * std  # every row is filled
    assert len(np.unique(x[:, 0])) > 0.9 * V


def test_the_default_is_uniform():
    one = Embedding(7, 4, rng=np.random.default_rng(1)).weight.data
    assert_array_equal(one, Embedding(7, 4, init_type="uniform", rng=np.random.default_rng(1)).weight.data)
    assert np.abs(one).max() <= 0.5


@parametrize("init", ["uniform", "normal", "xavier", "gpt2"])
@parametrize("shape", [(1, 1), (0, 3), (4, 0), (0, 0), (1, 7), (7, 1)], ids=str)
def test_small_tables(init, shape):
    layer = Embedding(*shape, init_type=init)
    assert layer.weight.shape == shape
    assert (layer.vocab_size, layer.embedding_dim) == shape
    assert np.isfinite(layer.weight.data).all()
    assert layer([]).shape == (0, shape[1])


@parametrize("init", ["Uniform", "", "zeros", None, 1], ids=str)
def test_unknown_start_values(init):
    with pytest.raises(ValueError, match="Unknown init_type: "):
        Embedding(5, 3, init_type=init)


@parametrize("init", ["uniform", "normal", "xavier", "gpt2"])
def test_seeds(init):
    """B29: the same seed, the same table; with rng numpy's global state is left alone."""
    np.random.seed(7)
    one = Embedding(5, 3, init_type=init).weight.data
    two = Embedding(5, 3, init_type=init).weight.data
    np.random.seed(7)
    assert_array_equal(Embedding(5, 3, init_type=init).weight.data, one)
    assert not np.array_equal(one, two)
    before = np.random.get_state()[1:3]
    mine = [Embedding(5, 3, init_type=init, rng=np.random.default_rng(3)).weight.data for _ in range(2)]
    after = np.random.get_state()[1:3]
    assert_array_equal(*mine)
    assert_array_equal(before[0], after[0])
    assert before[1] == after[1]


@parametrize("init", ["uniform", "normal"])
@parametrize("rng", [0, "seed", random, random.Random(0), np.random.default_rng, np.random.PCG64(0)],
             ids=["a seed", "text", "random", "Random", "default_rng", "PCG64"])
def test_what_draws_no_arrays_is_no_rng(rng, init):
    with pytest.raises(TypeError, match="rng is a numpy Generator"):
        Embedding(5, 3, init_type=init, rng=rng)


@parametrize("dtype", [np.float16, np.float32, np.float64], ids=name)
def test_dtype(dtype):
    layer = Embedding(5, 3, dtype=dtype, rng=np.random.default_rng(0))
    assert layer.weight.dtype == layer([1]).dtype == dtype
    wide = Embedding(5, 3, dtype=np.float64, rng=np.random.default_rng(0)).weight.data
    assert_array_equal(layer.weight.data, wide.astype(dtype))


@parametrize("dtype", [np.int64, bool, complex, "U3"], ids=str)
def test_a_table_is_made_of_floats(dtype):
    with pytest.raises((TypeError, ValueError)):
        Embedding(5, 3, dtype=dtype)


@parametrize("sizes, error", [
    ((-1, 3), ValueError), ((5, -1), ValueError), ((-1, -1), ValueError), ((5.0, 3), TypeError),
    ((5, 3.0), TypeError), (("5", 3), TypeError), ((5, "3"), TypeError), ((None, 3), TypeError),
    ((5, None), TypeError), (([5], 3), TypeError), ((5, np.float32(3)), TypeError),
    ((np.array([5, 6]), 3), TypeError)], ids=str)
def test_sizes_that_are_refused(sizes, error):
    with pytest.raises(error):
        Embedding(*sizes)


@parametrize("kind", INTEGERS, ids=name)
def test_sizes_of_any_integer_type(kind):
    layer = Embedding(kind(5), kind(3), padding_idx=kind(2))
    assert layer.weight.shape == (5, 3)
    assert (layer.vocab_size, layer.embedding_dim, layer.padding_idx) == (5, 3, 2)
    assert isinstance(layer.vocab_size, int)
    assert isinstance(layer.padding_idx, int)


def test_options_are_keywords():
    with pytest.raises(TypeError):
        Embedding(5, 3, None, "uniform", True)


@parametrize("act", [lambda: Embedding(5, 3, True), lambda: Embedding(5, 3, padding_idx=False),
                     lambda: Embedding.from_pretrained(W5, True, False), lambda: Embedding(True, 3)],
             ids=["True", "False", "pretrained", "size"])
def test_a_flag_is_no_integer(act):
    """True in the place of padding_idx would quietly mean row 1, False row 0."""
    with pytest.raises(TypeError, match="is an integer; got (True|False)"):
        act()


# ------------------------------------------------------------------------------------------------- lookup
@parametrize("ids", [
    param(2, id="B08: int"), param(np.array(2), id="B08: 0-d"),
    param((1, 2), id="B08: tuple"), param(range(2), id="B08: range"),
    param(np.int16(3), id="B08: numpy scalar"), param(range(4, -1, -2), id="B08: range down"),
    param([(0, 1), (4, 3)], id="B08: tuples in a list"), param([[[3]], [[0]]], id="B08: 3-D"),
    param(Tensor(2), id="B08: Tensor of no axes"), param(Tensor([[1, 4]]), id="B08: Tensor"),
    param([Tensor(2), Tensor(0)], id="B08: Tensors in a list"),
    param([np.array([1, 2]), [0, 4]], id="B08: arrays in a list"),
    param([4], id="B02: the last row"), param([[0, 4], [4, 1]], id="B02: 2-D"),
    param(np.array([1.0, 4.0]), id="B03: whole floats"), param(2.0, id="B03: a float"),
    param([-0.0, 4.0], id="B03: minus zero"), param(Tensor([3.0, 0.0]), id="B03: Tensor"),
    param(np.float16([4, 0]), id="B03: half")])
def test_lookup(ids):
    out = E5(ids)
    rows = np.asarray(ids if not isinstance(ids, list) else [np.asarray(i) for i in ids]).astype(int)
    assert isinstance(out, Tensor)
    assert out.shape == rows.shape + (3,)
    assert out.dtype == np.float32
    assert_array_equal(out.data, W5[rows])
    assert_array_equal(E5.forward(ids).data, W5[rows])


@parametrize("dtype", INTEGERS + [">i2", ">i4", ">i8", ">u8", "<u2"], ids=lambda d: f"B05: {name(d)}")
def test_every_integer_type(dtype):
    ids = np.array([1, 0]).astype(dtype)
    assert_array_equal(E5(ids).data, W5[[1, 0]])
    assert_array_equal(E5(ids[0]).data, W5[1])
    assert_array_equal(E5(Tensor(ids)).data, W5[[1, 0]])
    assert E5(ids).shape == (2, 3)


def test_uint8_of_255():
    """B05: 300 rows, id 255 as uint8; as int8 it would be -1."""
    wide = np.arange(600.0).reshape(300, 2)
    assert_array_equal(table(wide)(np.array([255, 128], np.uint8)).data, wide[[255, 128]])
    assert_array_equal(table(np.arange(80_000.0)[:, None])(np.array([65_535], np.uint16)).data, [[65_535]])


@parametrize("layout", [np.asfortranarray, lambda x: x[:, ::-1], lambda x: x.T,
                        lambda x: np.repeat(x, 2, 1)[:, ::2], lambda x: np.broadcast_to(x[0], (4, 3)),
                        lambda x: x[None, :, :, None]],
             ids=["fortran", "reversed", "transposed", "every other", "stride 0", "4-D"])
@parametrize("dtype", [np.int64, np.uint8, np.float64, ">i4"], ids=name)
def test_layouts_of_ids(layout, dtype):
    ids = layout(np.array([[4, 0, 1], [2, 2, 3]]).astype(dtype))
    before = ids.copy()
    ids.flags.writeable = False
    assert_array_equal(E5(ids).data, W5[ids.astype(int)])
    assert_array_equal(ids, before)


@parametrize("weights", [np.asfortranarray(W5), np.repeat(W5, 2, 0)[::2], W5[::-1], W5.astype(">f4"),
                         W5.T[:, :3]],
             ids=["fortran", "every other", "reversed", "big-endian", "transposed"])
def test_layouts_of_tables(weights):
    layer = table(weights)
    assert layer.weight.dtype.isnative
    out = layer([[2, 0], [1, 1]])
    assert out.dtype == np.float32
    assert out.dtype.isnative
    assert_array_equal(out.data, weights[[[2, 0], [1, 1]]])
    out.backward(np.ones((2, 2, 3)))
    assert_array_equal(layer.weight.grad.data[:3, 0], [1, 2, 1])


@parametrize("ids, shape", [
    (np.zeros((0, 3), int), (0, 3, 3)), ([], (0, 3)), ([[]], (1, 0, 3)), ((), (0, 3)), (range(0), (0, 3)),
    (np.zeros((2, 0), np.uint8), (2, 0, 3)), (np.zeros(0), (0, 3)), (np.zeros((0, 0), np.int32), (0, 0, 3)),
    (Tensor(np.zeros((4, 0))), (4, 0, 3)), ([[], []], (2, 0, 3)), (np.zeros((0,), np.uint64), (0, 3))],
    ids=lambda x: f"B07: {str(x)[:25]}")
@parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_empty_input(ids, shape, sparse):
    layer = table(sparse=sparse)
    out = layer(ids)
    assert out.shape == shape
    assert out.dtype == np.float32
    out.backward(np.ones(shape))
    assert np.asarray(layer.weight.grad).shape == (5, 3)
    assert not np.asarray(layer.weight.grad).any()
    out.sum()  # the mean of nothing is no number, its sum is 0


def test_an_empty_table_has_no_id():
    layer = Embedding(0, 3)
    for ids in (0, [0], -1, [[0, 0]]):
        with pytest.raises(TokenIdError, match=r"\[0, 0\)"):
            layer(ids)
    assert layer(np.zeros((2, 0), int)).shape == (2, 0, 3)


@parametrize("ids", [2, np.array(2), [2], [[2, 3]], range(2, 3), np.arange(5), np.array([2])], ids=str)
def test_the_output_is_a_copy(ids):
    layer = table()
    out = layer(ids)
    assert not np.shares_memory(out.data, layer.weight.data)
    out.data[...] = 99
    assert_array_equal(layer.weight.data, W5)
    layer.weight.data[...] = -1
    assert (out.data == 99).all()


def test_a_table_of_one_row():
    assert_array_equal(table([[7.0, 8.0]])([[0, 0]]).data, [[[7, 8], [7, 8]]])
    with pytest.raises(TokenIdError):
        table([[7.0, 8.0]])([1])


@given(hnp.arrays(st.sampled_from(INTEGERS), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
                  elements=st.integers(0, 6)))
@steady
def test_any_ids(ids):
    rows = np.random.default_rng(0).normal(size=(7, 2))
    out = table(rows)(ids)
    assert out.shape == ids.shape + (2,)
    assert_array_equal(out.data, rows[ids.astype(int)])


# ----------------------------------------------------------------------------------------------- refused
@parametrize("ids, bad, position", [
    param([-1], -1, (0,), id="B01: -1"), param([[0, 2], [1, -3]], -3, (1, 1), id="B01: 2-D"),
    param(-5, -5, (), id="B01: scalar"), param((4, -1), -1, (1,), id="B01: tuple"),
    param([-1.0], -1, (0,), id="B01: float"), param(Tensor([0, -2]), -2, (1,), id="B01: Tensor"),
    param(np.array([3, -1], np.int8), -1, (1,), id="B01: int8"),
    param(np.array([-128], np.int8), -128, (0,), id="B01: the smallest int8"),
    param(np.array([-2**63]), -2**63, (0,), id="B01: the smallest int64"),
    param(range(2, -2, -1), -1, (3,), id="B01: range"),
    param([[0, 4], [5, 1]], 5, (1, 0), id="B02: V"), param(5, 5, (), id="B02: scalar"),
    param(np.array(5), 5, (), id="B02: 0-d"), param([0, 1, 6], 6, (2,), id="B02: V + 1"),
    param([[[0], [9]], [[0], [-1]]], 9, (0, 1, 0), id="B02: the first of two"),
    param([5.0, 0.0], 5, (0,), id="B02: float"),
    param(np.array([255, 0], np.uint8), 255, (0,), id="B05: uint8"),
    param(np.array([2**64 - 1], np.uint64), 2**64 - 1, (0,), id="B05: the largest uint64"),
    param(np.array([[2, 2**63]], np.uint64), 2**63, (0, 1), id="B05: 2**63 as uint64"),
    param([2**64], 2**64, (0,), id="B05: 2**64"), param([1, -2**64], -2**64, (1,), id="B05: -2**64"),
    param(2**100, 2**100, (), id="B05: 2**100"), param([0, 1e30], int(1e30), (1,), id="B03: 1e30"),
    param([0, 2**32], 2**32, (1,), id="B05: 2**32 is not 0"),
    param([2**63 - 1], 2**63 - 1, (0,), id="B05: 2**63-1"),
    param(np.asfortranarray([[0, 7], [8, 1]]), 7, (0, 1), id="B02: fortran order"),
    param(np.array([[9, 0], [1, 2]])[::-1], 9, (1, 0), id="B02: reversed"),
    param(np.array([1, 6]).astype(">i4"), 6, (1,), id="B02: big-endian")])
@parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_ids_outside_the_table(ids, bad, position, sparse):
    layer = table(sparse=sparse)
    out = np.full(np.shape(ids) + (3,), 7, np.float32)
    for arguments in ({}, {"out": out}):
        with pytest.raises(TokenIdError) as error:
            layer(ids, **arguments)
        message = str(error.value)
        for part in ("out of range", str(bad), ", ".join(map(str, position)), "[0, 5)"):
            assert part in message
        assert isinstance(error.value, ValueError)
        assert isinstance(error.value, IndexError)
    assert_array_equal(layer.weight.data, W5)  # nothing changed
    assert (out == 7).all()
    assert layer.weight.grad is None


@parametrize("ids", [
    param(np.array([1.9]), id="B03: 1.9"), param(np.array([-0.5]), id="B03: -0.5"),
    param([0.0, 0.5], id="B03: list"), param(1.5, id="B03: a float"),
    param(np.float16([0.5]), id="B03: half"), param([np.nan], id="B03: nan"),
    param([1, np.inf], id="B03: inf"), param(-np.inf, id="B03: -inf"),
    param(Tensor([1.5]), id="B03: Tensor"), param(5 - 1e-9, id="B03: just under V"),
    param(True, id="bool"), param([True, False], id="bool list"),
    param(W5[:, 0] > 3, id="bool mask"), param(Tensor([True]), id="bool Tensor"),
    param(["1"], id="strings"), param("1", id="string"), param(b"\x01", id="bytes"),
    param(np.array(["1"]), id="string array"), param(None, id="None"), param([None], id="Nones"),
    param([1, None], id="None inside"), param({1, 2}, id="set"), param({1: 2}, id="dict"),
    param(frozenset([1]), id="frozenset"), param((i for i in range(2)), id="generator"),
    param(object(), id="object"), param([[1], [1, 2]], id="ragged"), param([[1, 2], 3], id="ragged 2"),
    param([np.array([1]), np.array([1, 2])], id="ragged arrays"), param(1j, id="complex"),
    param(np.array([1], "m8[s]"), id="time span"), param(slice(2), id="slice"),
    param(np.array([1, "a"], dtype=object), id="object array")])
def test_what_is_no_id(ids):
    layer = table()
    with pytest.raises((TypeError, ValueError)) as error:
        layer(ids)
    assert len(str(error.value)) > 20  # says what to do
    assert not isinstance(error.value, TokenIdError)
    assert_array_equal(layer.weight.data, W5)


def test_ids_that_start_at_one():
    """B30: words numbered 1..100 in a table of 100 rows."""
    with pytest.raises(ValueError, match="100"):
        Embedding(100, 8)([1, 50, 100])
    out = Embedding(101, 8, padding_idx=0)(np.arange(0, 101))
    assert out.shape == (101, 8)
    assert not out.data[0].any()
    assert out.data[1:].any(axis=1).all()


@given(st.lists(st.integers(-2**70, 2**70), min_size=1, max_size=6), st.integers(0, 9))
@steady
def test_any_id_is_right_or_refused(ids, size):
    rows = np.arange(size * 2.0).reshape(size, 2)
    layer = table(rows)
    if all(0 <= i < size for i in ids):
        assert_array_equal(layer(ids).data, rows[ids])
    else:
        with pytest.raises(TokenIdError, match="out of range"):
            layer(ids)


# ------------------------------------------------------------------------------------------------ padding
@parametrize("given_idx, stored", [(-1, 4), (-5, 0), (0, 0), (4, 4), (-2, 3)], ids=lambda k: f"B11: {k}")
@parametrize("init", ["uniform", "normal", "xavier", "gpt2"])
@parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_padding_row(given_idx, stored, init, sparse):
    layer = Embedding(5, 3, padding_idx=given_idx, init_type=init, sparse=sparse)
    assert layer.padding_idx == stored
    assert layer.weight.data.any(axis=1).tolist() == [row != stored for row in range(5)]
    layer(np.arange(5)).sum().backward()
    grad = np.asarray(layer.weight.grad)
    assert grad[:, 1].tolist() == [float(row != stored) for row in range(5)]


@parametrize("size, idx", [(5, 5), (5, -6), (5, 2**70), (0, 0), (0, -1), (1, 1)], ids=lambda k: f"B11: {k}")
def test_padding_outside_the_table(size, idx):
    with pytest.raises(ValueError, match="padding_idx"):
        Embedding(size, 3, padding_idx=idx)
    with pytest.raises(ValueError, match="padding_idx"):
        Embedding.from_pretrained(np.ones((size, 3)), padding_idx=idx)


@parametrize("idx", [1.5, 1.0, "0", [0]], ids=str)
def test_padding_that_is_no_integer(idx):
    with pytest.raises((TypeError, ValueError)):
        Embedding(5, 3, padding_idx=idx)


def test_no_padding_by_default():
    layer = Embedding(5, 3)
    assert layer.padding_idx is None
    assert layer.weight.data.any(axis=1).all()


# ------------------------------------------------------------------------------------------ from_pretrained
def test_pretrained_padding_row_stays_as_given():
    """B12: own weights are not zeroed, yet their padding row takes no gradient."""
    layer = Embedding.from_pretrained(np.ones((3, 2)), padding_idx=0)
    assert_array_equal(layer([0]).data, [[1, 1]])
    layer = Embedding.from_pretrained(np.ones((3, 2)), padding_idx=-3, freeze=False)
    assert layer.padding_idx == 0
    layer([0, 1, 0]).sum().backward()
    assert_array_equal(layer.weight.grad.data, [[0, 0], [1, 1], [0, 0]])


@parametrize("dtype, kept", [(np.float16, np.float16), (np.float32, np.float32), (np.float64, np.float64),
                             (np.int64, np.float32), (np.int8, np.float32), (np.uint8, np.float32),
                             (">f4", np.float32), (">f8", np.float64)], ids=name)
def test_pretrained_types(dtype, kept):
    layer = Embedding.from_pretrained(W5.astype(dtype))
    assert layer.weight.dtype == layer([1]).dtype == kept
    assert layer.weight.dtype.isnative
    assert_array_equal(layer.weight.data, W5)


def test_pretrained_is_a_copy():
    source = W5.copy()
    layer = Embedding.from_pretrained(source)
    source[0] = 99
    assert_array_equal(layer([0]).data, W5[:1])
    layer.weight.data[1] = 77
    assert_array_equal(source[1], W5[1])


def test_pretrained_takes_a_tensor_and_a_list():
    source = Tensor(W5)
    layer = Embedding.from_pretrained(source)
    layer.weight.data[:] = 0
    assert_array_equal(source.data, W5)
    for plain in (W5.tolist(), [[1.0, 2.0]], ((1, 2.5), (3, 4))):   # numbers in lists have no type to keep
        layer = Embedding.from_pretrained(plain)
        assert_array_equal(layer.weight.data, np.float32(plain))
        assert layer.weight.dtype == np.float32


def test_freeze():
    frozen = Embedding.from_pretrained(W5)
    assert not frozen.weight.requires_grad
    assert not frozen([1]).requires_grad
    assert frozen([1]).grad_fn is None
    free = Embedding.from_pretrained(W5, freeze=False, sparse=True)
    assert free.weight.requires_grad
    free([1]).sum().backward()
    assert isinstance(free.weight.grad, RowSparse)


@parametrize("shape", [(3,), (2, 3, 4), (), (1, 2, 3, 4)], ids=str)
def test_pretrained_is_two_dimensional(shape):
    with pytest.raises(ValueError) as error:
        Embedding.from_pretrained(np.zeros(shape))
    assert str(shape) in str(error.value)


def test_pretrained_sizes():
    layer = Embedding.from_pretrained(np.zeros((6, 4)))
    assert (layer.vocab_size, layer.embedding_dim) == (6, 4)
    assert Embedding.from_pretrained(np.zeros((0, 4)))([]).shape == (0, 4)
    with pytest.raises(TokenIdError):
        layer([6])


def test_pretrained_leaves_the_random_state_alone():
    before = np.random.get_state()[2]
    Embedding.from_pretrained(W5)
    assert np.random.get_state()[2] == before


@parametrize("weights", [[["a", "b"]], [[1.0], [1.0, 2.0]], None, "table", [[1j]]], ids=str)
def test_pretrained_of_no_numbers(weights):
    with pytest.raises((TypeError, ValueError)):
        Embedding.from_pretrained(weights)


# ------------------------------------------------------------------------------------------------ out=
@parametrize("ids", [2, [1, 0, 4], [[0, 1], [2, 3], [4, 4]], []], ids=str)
def test_out_is_filled(ids):
    rows = W5[np.asarray(ids, dtype=int)]
    out = np.full(rows.shape, 7, np.float32)
    with no_grad():
        result = E5(ids, out=out)
    assert_array_equal(out, rows)
    assert_array_equal(result.data, rows)
    assert result.data.size == 0 or np.shares_memory(result.data, out)


def test_out_in_a_graph():
    layer, out = table(), np.empty((3, 3), np.float32)
    layer([1, 1, 4], out=out).sum().backward()
    assert layer.weight.grad.data[:, 0].tolist() == [0, 2, 0, 0, 1]


def test_out_with_gaps():
    """Rows of a larger buffer, as a caller would slice them."""
    buffer = np.full((4, 6), 7, np.float32)
    E5([1, 3], out=buffer[::2, 1:4])
    assert_array_equal(buffer[::2, 1:4], W5[[1, 3]])
    assert (buffer[1::2] == 7).all()
    assert (buffer[:, 4:] == 7).all()


@parametrize("out", [np.empty((2, 4), np.float32), np.empty((3, 3), np.float32), np.empty(6, np.float32),
                     np.empty((1, 2, 3), np.float32), np.empty((2, 3), np.float64),
                     np.empty((2, 3), np.float16), np.empty((2, 3), np.int64), [[0.0] * 3] * 2, "out"],
             ids=lambda x: f"{type(x).__name__} {getattr(x, 'shape', '')} {getattr(x, 'dtype', '')}")
def test_out_that_does_not_fit(out):
    with pytest.raises((TypeError, ValueError)):
        E5([0, 1], out=out)


def test_out_that_can_not_be_written():
    layer, frozen = table(), np.zeros((2, 3), np.float32)
    frozen.flags.writeable = False
    for out in (layer.weight.data[1:3], frozen, np.broadcast_to(np.float32(0), (2, 3))):
        with pytest.raises(ValueError, match="can't be written"):
            layer([3, 4], out=out)
    assert_array_equal(layer.weight.data, W5)
    assert not frozen.any()


# ------------------------------------------------------------------------------------------- as a layer
def test_the_operation():
    out = E5([1, 2])
    assert isinstance(out.grad_fn, EmbeddingBackward)
    assert isinstance(out._grad_fn, EmbeddingBackward)
    assert out.requires_grad
    assert out.grad_fn.inputs[0] is E5.weight
    with no_grad():
        assert E5([1, 2]).grad_fn is None


def test_parameters():
    layer = Embedding(5, 3)
    assert len(layer.parameters) == len(layer.parameters()) == 1
    assert layer.parameters[0] is layer.parameters()[0] is layer.weight


def test_weight_can_be_replaced():
    layer = Embedding(5, 3)
    layer.weight = Tensor(np.ones((2, 4)), requires_grad=True)
    assert layer([1]).shape == (1, 4)
    assert layer.parameters[0] is layer.weight
    with pytest.raises(TokenIdError, match=r"\[0, 2\)"):
        layer([4])


def test_memory_usage():
    assert Embedding(10, 4).get_memory_usage() == {
        "total_memory_mb": 160 / 2**20, "memory_per_token_kb": 16 / 2**10, "total_parameters": 40,
        "vocab_size": 10, "embedding_dim": 4}
    gpt2 = Embedding.from_pretrained(np.zeros((1000, 768), np.float32)).get_memory_usage()
    assert gpt2["memory_per_token_kb"] == 3
    assert gpt2["total_memory_mb"] == pytest.approx(2.9296875)


@parametrize("dtype, size", [(np.float16, 2), (np.float32, 4), (np.float64, 8)], ids=str)
def test_memory_of_the_real_type(dtype, size):
    usage = Embedding(7, 5, dtype=dtype).get_memory_usage()
    assert usage["total_memory_mb"] == 35 * size / 2**20
    assert usage["memory_per_token_kb"] == 5 * size / 2**10
    assert Embedding.from_pretrained(np.zeros((7, 5), dtype)).get_memory_usage() == usage


def test_memory_of_no_rows():
    usage = Embedding(0, 4).get_memory_usage()
    assert (usage["total_memory_mb"], usage["total_parameters"]) == (0, 0)


def test_repr():
    assert repr(Embedding(3, 2, padding_idx=0)) == "Embedding(3, 2, padding_idx=0)"
    assert repr(Embedding(3, 2)) == "Embedding(3, 2)"
    assert "sparse" in repr(Embedding(3, 2, sparse=True))


def test_state():
    layer = table()
    state = layer.state_dict()
    assert list(state) == ["weight"]
    state["weight"][:] = 50
    assert_array_equal(layer.weight.data, W5)
    layer.load_state_dict(state)
    assert (layer([0]).data == 50).all()
    with pytest.raises(ValueError) as error:
        layer.load_state_dict({"weight": np.zeros((4, 3))})
    assert "(5, 3)" in str(error.value)
    assert "(4, 3)" in str(error.value)


@parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["deepcopy", "pickle"])
def test_copies(again):
    layer = table(padding_idx=1, sparse=True)
    twin = again(layer)
    twin.weight.data[:] = 0
    assert_array_equal(layer([2]).data, W5[[2]])
    twin([1, 2]).sum().backward()
    assert np.asarray(twin.weight.grad)[:, 0].tolist() == [0, 0, 1, 0, 0]
    assert layer.weight.grad is None
