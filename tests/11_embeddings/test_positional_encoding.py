"""The fixed sinusoid: its numbers, its accuracy far out, what it adds to what, and what it refuses."""
import math

import mpmath
import numpy as np
import pytest
from helpers_gradcheck import steady
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core.embeddings import Embedding, PositionalEncoding, create_sinusoidal_embeddings
from tinytorch.core.tensor import Tensor, no_grad

param, parametrize = pytest.param, pytest.mark.parametrize
FLOATS = [np.float16, np.float32, np.float64]


def formula(position, width):
    """Vaswani et al. 2017, one number at a time, in Python's floats."""
    row = []
    for column in range(width):
        angle = position / 10000 ** (2 * (column // 2) / width)
        row.append(math.cos(angle) if column % 2 else math.sin(angle))
    return row


def exact(position, column, width):
    """The same with 40 digits."""
    with mpmath.workdps(40):
        angle = position / mpmath.power(10000, mpmath.mpf(2 * (column // 2)) / width)
        return float(mpmath.cos(angle) if column % 2 else mpmath.sin(angle))


def name(dtype):
    return np.dtype(dtype).name


# ------------------------------------------------------------------------------------------------- values
@parametrize("width, row", [
    param(5, [0.841471, 0.540302, 0.025116, 0.999685, 0.000631], id="B32: odd width"),
    param(4, [0.841471, 0.540302, 0.01, 0.99995], id="B34: four"),
    param(6, [0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998], id="B36: interleaved"),
    param(1, [0.841471], id="one"), param(2, [0.841471, 0.540302], id="two"),
    param(3, [0.841471, 0.540302, 0.002154], id="three")])
def test_row_one(width, row):
    for pe in (PositionalEncoding(width, 2).pe, create_sinusoidal_embeddings(2, width)):
        assert isinstance(pe, Tensor)
        assert pe.shape == (2, width)
        assert pe.dtype == np.float32
        assert_allclose(pe.data[1], row, atol=6e-7)
        assert_array_equal(pe.data[0], [column % 2 for column in range(width)])


@parametrize("width", [1, 2, 3, 7, 8, 33])
@parametrize("length", [1, 2, 63, 64, 65, 130])
def test_the_formula(width, length):
    right = np.array([formula(position, width) for position in range(length)])
    for pe in (PositionalEncoding(width, length).pe, create_sinusoidal_embeddings(length, width)):
        assert pe.shape == (length, width)
        assert_allclose(pe.data, right, rtol=0, atol=6e-8)


def test_the_columns():
    """Early columns turn fastest; the slowest turns at 10000^(-(D-2)/D)."""
    pe = create_sinusoidal_embeddings(200, 16).data.astype(np.float64)
    turns = (np.diff(np.sign(pe[:, 1::2]), axis=0) != 0).sum(axis=0)
    assert (np.diff(turns) <= 0).all()
    assert turns[0] > 50
    assert_allclose(np.arcsin(pe[1, 14]), 10000 ** (-14 / 16), rtol=1e-6)
    assert_allclose(pe[:, 0::2] ** 2 + pe[:, 1::2] ** 2, 1, atol=3e-7)


# ----------------------------------------------------------------------------------------------- accuracy
@parametrize("width", [4, 7, 64])
def test_far_positions(width):
    """B38: float32 angles are wrong by 0.05 at position 1,000,000; the table is right to 6e-8."""
    length = 1_000_001 if width < 64 else 100_001
    rng = np.random.default_rng(width)
    for pe in (PositionalEncoding(width, length).pe.data, create_sinusoidal_embeddings(length, width).data):
        positions = [length - 1, length - 2, 2**16, 2**16 + 1, *rng.integers(0, length, 40).tolist()]
        for position in positions:
            for column in {0, 1, 2, 3, width - 1, int(rng.integers(width))}:
                assert abs(pe[position, column] - exact(position, column, width)) < 6e-8, (position, column)


@parametrize("dtype, tolerance", [(np.float16, 2.5e-4), (np.float32, 6e-8), (np.float64, 6e-8)], ids=str)
def test_low_precision_rounds_last(dtype, tolerance):
    """B38: positions rounded to float16 first would err by up to 2."""
    layer = PositionalEncoding(512, 5000)
    out = layer(Tensor(np.zeros((5000, 512)), dtype=dtype))
    assert out.dtype == dtype
    rng = np.random.default_rng(0)
    for position, column in zip([4999, 4098, 2049, 257, *rng.integers(5000, size=60)],
                                [0, 1, 2, 3, *rng.integers(512, size=60)], strict=True):
        right = exact(int(position), int(column), 512)
        assert abs(float(out.data[position, column]) - right) <= tolerance


# ------------------------------------------------------------------------------------------------ forward
def test_batch_and_sequence_axes():
    """B34: every item of the batch gets the same codes, every position its own."""
    layer = PositionalEncoding(4, 8)
    for x in (np.zeros((3, 2, 4)), np.zeros((3, 2, 4), np.float32), Tensor(np.zeros((3, 2, 4)))):
        out = layer(x)
        assert isinstance(out, Tensor)
        assert out.shape == (3, 2, 4)
        for item in out.data:
            assert_allclose(item, [[0, 1, 0, 1], [0.841471, 0.540302, 0.01, 0.99995]], atol=6e-7)
    assert_array_equal(layer(np.zeros((2, 4))).data, out.data[0])


@parametrize("shape", [(5, 3), (1, 3), (2, 5, 3), (7, 1, 3), (1, 6, 3)], ids=str)
@parametrize("start", [0, 2])
def test_the_sum(shape, start):
    layer = PositionalEncoding(3, 8)
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    right = x + np.array([formula(start + t, 3) for t in range(shape[-2])])
    assert_allclose(layer(x, start_pos=start).data, right, atol=2e-7)
    assert_allclose(layer.forward(Tensor(x), start).data, right, atol=2e-7)


def test_one_position_at_a_time():
    """Generation: the new token alone, with its own position."""
    layer = PositionalEncoding(6, 9)
    x = np.random.default_rng(1).normal(size=(2, 9, 6)).astype(np.float32)
    whole = layer(x).data
    for t in range(9):
        assert_array_equal(layer(x[:, t:t + 1], start_pos=t).data, whole[:, t:t + 1])


@parametrize("dtype", FLOATS, ids=name)
@parametrize("wrap", [np.asarray, lambda x: Tensor(x, dtype=x.dtype)], ids=["ndarray", "Tensor"])
def test_type_of_the_result(dtype, wrap):
    """B39: the type of x."""
    out = PositionalEncoding(4, 8)(wrap(np.ones((1, 2, 4), dtype)))
    assert out.dtype == dtype
    assert_allclose(out.data[0, 1].astype(float), [1.841471, 1.540302, 1.01, 1.99995], atol=1e-3)


@parametrize("dtype", [np.int64, np.int8, np.uint8, np.bool_, np.uint64], ids=lambda d: f"B39: {name(d)}")
@parametrize("wrap", [np.asarray, Tensor], ids=["ndarray", "Tensor"])
def test_integers_become_float32(dtype, wrap):
    out = PositionalEncoding(4, 8)(wrap(np.ones((2, 4), dtype)))
    assert out.dtype == np.float32
    assert_allclose(out.data[1], [1.841471, 1.540302, 1.01, 1.99995], atol=1e-6)


@parametrize("layout", [np.asfortranarray, lambda x: x[:, ::-1], lambda x: x.astype(">f4"),
                        lambda x: np.broadcast_to(x[:1], x.shape)],
             ids=["fortran", "reversed", "big-endian", "stride 0"])
def test_layouts(layout):
    x = layout(np.random.default_rng(2).normal(size=(2, 5, 4)).astype(np.float32))
    x.flags.writeable = False
    out = PositionalEncoding(4, 8)(x)
    assert out.dtype == np.float32
    assert_allclose(out.data, x + np.array([formula(t, 4) for t in range(5)]), atol=3e-7)


@parametrize("shape", [(0, 4), (2, 0, 4), (0, 3, 4), (0, 0, 4)], ids=lambda s: f"B40: {s}")
@parametrize("start", [0, 3])
def test_empty_input(shape, start):
    out = PositionalEncoding(4, 8)(np.zeros(shape), start_pos=start)
    assert out.shape == shape


@parametrize("shape, start", [((8, 4), 0), ((3, 8, 4), 0), ((3, 4), 5), ((1, 1, 4), 7)], ids=str)
def test_up_to_the_last_position(shape, start):
    """B40: 8 of 8 positions work."""
    out = PositionalEncoding(4, 8)(np.zeros(shape), start_pos=start)
    assert_allclose(out.data[..., -1, :].reshape(-1, 4)[0], formula(7, 4), atol=1e-7)


# ------------------------------------------------------------------------------------------------ refused
@parametrize("shape, start, named", [
    ((9, 4), 0, ("9", "8")), ((2, 9, 4), 0, ("9", "8")), ((3, 4), 6, ("8",)), ((1, 1, 4), 8, ("8",)),
    ((2, 100, 4), 0, ("100", "8")), ((1, 4), 10**6, ("8",)), ((1, 4), 2**70, ("8",))],
    ids=lambda x: f"B40: {x}")
def test_past_the_table(shape, start, named):
    layer = PositionalEncoding(4, 8)
    with pytest.raises(ValueError) as error:
        layer(np.zeros(shape), start_pos=start)
    for part in named:
        assert part in str(error.value)
    assert "last 8" in str(error.value)  # the remedy


@parametrize("shape", [(4,), (), (2, 3, 5, 4), (1, 1, 1, 1, 4)], ids=str)
def test_wrong_rank(shape):
    with pytest.raises(ValueError) as error:
        PositionalEncoding(4, 8)(np.zeros(shape))
    assert str(len(shape)) in str(error.value) or str(shape) in str(error.value)


@parametrize("width", [3, 5, 1, 0, 8])
def test_wrong_width(width):
    for shape in ((2, width), (2, 3, width)):  # width 1 would broadcast
        with pytest.raises(ValueError) as error:
            PositionalEncoding(4, 8)(np.zeros(shape))
        assert str(width) in str(error.value)
        assert "4" in str(error.value)


@parametrize("start", [-1, -8, 1.5, 1.0, "1", None, [1], np.nan, np.float64(2)], ids=str)
def test_start_that_is_refused(start):
    with pytest.raises((ValueError, TypeError)):
        PositionalEncoding(4, 8)(np.zeros((2, 4)), start_pos=start)


@parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64], ids=name)
def test_start_of_any_integer_type(kind):
    out = PositionalEncoding(4, 200)(np.zeros((1, 4)), start_pos=kind(120))
    assert_allclose(out.data[0], formula(120, 4), atol=1e-7)
    with pytest.raises(ValueError):
        PositionalEncoding(4, 130)(np.zeros((20, 4)), start_pos=kind(120))  # 140 is -116 in int8


@parametrize("x", [None, "text", [["a"]], object()], ids=["None", "str", "list of str", "object"])
def test_x_that_is_no_array(x):
    with pytest.raises((ValueError, TypeError)):
        PositionalEncoding(4, 8)(x)


@parametrize("sizes, error", [((0, 8), ValueError), ((4, 0), ValueError), ((-4, 8), ValueError),
                              ((4, -8), ValueError), ((4.0, 8), TypeError), ((4, 8.5), TypeError),
                              (("4", 8), TypeError), ((None, 8), TypeError)], ids=str)
def test_sizes_that_are_refused(sizes, error):
    with pytest.raises(error):
        PositionalEncoding(*sizes)
    with pytest.raises(error):
        create_sinusoidal_embeddings(*sizes)


# ------------------------------------------------------------------------------------- nothing is learned
def test_nothing_is_trained_or_saved():
    """B46."""
    layer = PositionalEncoding(4, 8)
    assert list(layer.parameters) == list(layer.parameters()) == []
    assert layer.state_dict() == {}
    assert not layer.pe.requires_grad
    x = Tensor(np.ones((3, 2, 4)), requires_grad=True)
    layer(x).sum().backward()
    assert layer.pe.grad is None
    assert_array_equal(x.grad.data, np.ones((3, 2, 4)))


def test_the_table_is_out_of_reach():
    """Editing a result, or a table somebody asked for, must not move the positions."""
    layer = PositionalEncoding(4, 8)
    before = layer.pe.data.copy()
    layer(np.zeros((2, 4))).data[:] = 99
    layer(np.zeros((8, 4), np.float32)).data[:] = 99
    create_sinusoidal_embeddings(8, 4).data[:] = 99
    assert_array_equal(layer.pe.data, before)
    assert_array_equal(PositionalEncoding(4, 8).pe.data, before)


def test_input_stays_as_it_was():
    x = np.zeros((2, 4), np.float32)
    PositionalEncoding(4, 8)(x)
    assert not x.any()


def test_every_table_is_the_same():
    np.random.seed(0)
    one = PositionalEncoding(6, 20).pe.data
    np.random.seed(1)
    assert_array_equal(PositionalEncoding(6, 30).pe.data[:20], one)


def test_no_grad():
    with no_grad():
        assert not PositionalEncoding(4, 8)(Tensor(np.zeros((2, 4)), requires_grad=True)).requires_grad


def test_default_length():
    assert PositionalEncoding(3).pe.shape == (5000, 3)


def test_repr():
    assert "PositionalEncoding" in repr(PositionalEncoding(4, 8))
    assert "4" in repr(PositionalEncoding(4, 8))
    assert "8" in repr(PositionalEncoding(4, 8))


# ------------------------------------------------------------------------------------------------ dropout
def test_dropout_by_hand():
    """Inverted, on the sum: about half the numbers are 0, the others are doubled."""
    x = np.full((50, 40, 6), 3.0, np.float32)
    plain = PositionalEncoding(6, 40)(x).data
    layer = PositionalEncoding(6, 40, dropout=0.5)
    out = layer(x).data
    kept = out != 0
    assert 0.48 < kept.mean() < 0.52
    assert_allclose(out[kept], 2 * plain[kept], rtol=1e-6)
    assert out.dtype == np.float32
    assert 0.3 < kept[:, 0, 0].mean() < 0.7  # every item has its own


def test_dropout_comes_from_numpys_global_state():
    layer, x = PositionalEncoding(6, 40, dropout=0.3), np.ones((2, 40, 6))
    np.random.seed(5)
    one, two = layer(x).data, layer(x).data
    np.random.seed(5)
    assert_array_equal(layer(x).data, one)
    assert not np.array_equal(one, two)


def test_dropout_in_evaluation():
    layer, x = PositionalEncoding(6, 40, dropout=0.9), np.ones((2, 40, 6), np.float32)
    assert layer.training
    layer.eval()
    right = PositionalEncoding(6, 40)(x).data
    assert_array_equal(layer(x).data, right)
    layer.train()
    assert not np.array_equal(layer(x).data, right)


def test_no_dropout_draws_no_numbers():
    before = np.random.get_state()[2]
    PositionalEncoding(6, 40)(np.ones((2, 40, 6)))
    assert np.random.get_state()[2] == before


def test_the_gradient_passes_where_numbers_were_kept():
    layer = PositionalEncoding(6, 40, dropout=0.25)
    x = Tensor(np.full((3, 40, 6), 5.0), requires_grad=True)
    out = layer(x)
    out.sum().backward()
    assert_allclose(x.grad.data, np.where(out.data == 0, 0, 1 / 0.75), rtol=1e-6)


@parametrize("p", [-0.1, 1.0, 1.5, math.nan, math.inf], ids=str)
def test_dropout_outside_its_range(p):
    with pytest.raises(ValueError, match="dropout is a probability"):
        PositionalEncoding(4, 8, dropout=p)


@parametrize("p", ["0.5", None, [0.5], 0.5j, Tensor(0.5)], ids=str)
def test_dropout_that_is_no_number(p):
    with pytest.raises(TypeError, match="dropout is a probability"):
        PositionalEncoding(4, 8, dropout=p)


@parametrize("p", [np.float16(0.5), np.float32(0.5), np.float64(0.5)], ids=lambda p: p.dtype.name)
def test_dropout_from_an_array(p):
    assert repr(PositionalEncoding(4, 8, dropout=p)) == "PositionalEncoding(4, max_seq_length=8, dropout=0.5)"


# ------------------------------------------------------------------------------------------------ any size
@given(st.integers(1, 12), st.integers(1, 20), st.data())
@steady
def test_any_sizes(width, rows, data):
    start = data.draw(st.integers(0, rows))
    length = data.draw(st.integers(0, rows + 2))
    batch = data.draw(st.sampled_from([(), (0,), (1,), (3,)]))
    layer, x = PositionalEncoding(width, rows), np.ones((*batch, length, width))
    if start + length > rows:
        with pytest.raises(ValueError):
            layer(x, start_pos=start)
    else:
        right = np.array([formula(start + t, width) for t in range(length)]).reshape(length, width)
        assert_allclose(layer(x, start_pos=start).data, x + right, atol=2e-7)


def test_lookup_of_a_sinusoid_is_a_table_like_any_other():
    table = Embedding.from_pretrained(create_sinusoidal_embeddings(8, 4))
    assert_array_equal(table(range(2, 5)).data, PositionalEncoding(4, 8)(np.zeros((3, 4)), start_pos=2).data)
