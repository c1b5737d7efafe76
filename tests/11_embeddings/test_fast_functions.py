"""core.fast: the sums of rows and the sinusoid, against the plain way."""
import mpmath
import numpy as np
import pytest
from helpers_gradcheck import steady
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tinytorch.core import fast
from tinytorch.core.fast import CACHE, sinusoid_table, sum_rows, take_plus

parametrize = pytest.mark.parametrize
pytestmark = pytest.mark.usefixtures("both_forms")


def plain(ids, upstream, size):
    out = np.zeros((size, upstream.shape[-1]))
    np.add.at(out, ids, upstream)
    return out


def check_sums(ids, upstream, size, **tolerance):
    """Every distinct id once, with its sum; returns the rows."""
    rows, values = sum_rows(ids, upstream, size)
    assert rows.ndim == 1
    assert rows.dtype.kind == "i"
    assert sorted(rows.tolist()) == sorted(set(np.asarray(ids).ravel().tolist()))
    assert values.shape == (len(rows), upstream.shape[-1])
    assert values.dtype == upstream.dtype
    dense = np.zeros((size, upstream.shape[-1]), upstream.dtype)
    dense[rows] = values
    assert_allclose(dense, plain(ids, upstream, size), **(tolerance or {"rtol": 1e-12, "atol": 1e-12}))
    return rows


# ------------------------------------------------------------------------------------------------ sum_rows
@parametrize("upstream", [np.broadcast_to(np.float32(1), (20_000, 64)), np.ones((20_000, 64), np.float32, "F"),
                          np.ones((20_000, 128), np.float32)[:, ::2]], ids=["stride-0", "fortran", "every second"])
def test_upstream_in_any_order_of_memory_is_copied_once(monkeypatch, upstream):
    """take() copies all of an array that is not contiguous: 28 s, not 0.2 s, for 65,536 Zipf ids of width 128."""
    inner, orders = fast._add_repeats, []

    def spy(values, upstream, *rest):
        orders.append(upstream.flags.c_contiguous)
        inner(values, upstream, *rest)

    monkeypatch.setattr(fast, "_add_repeats", spy)
    check_sums(np.random.default_rng(0).zipf(1.2, 20_000) % 5000, upstream, 5000)
    assert all(orders)
    assert len(orders) == (not fast.is_plain())


def test_sums_by_hand():
    rows, values = sum_rows(np.array([2, 0, 2]), np.array([[1.0, 1.0], [5.0, 5.0], [2.0, 2.0]]), 3)
    assert dict(zip(rows.tolist(), values.tolist(), strict=True)) == {0: [5, 5], 2: [3, 3]}


@parametrize("shape", [(7,), (2, 3), (2, 1, 4), (), (1,)], ids=str)
@parametrize("dtype", [np.float32, np.float64], ids=lambda d: d.__name__)
def test_shapes(shape, dtype):
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 5, shape)
    check_sums(ids, rng.normal(size=(*shape, 3)).astype(dtype), 5, rtol=1e-6, atol=1e-6)


@parametrize("ids", [
    *(np.zeros(n, int) for n in (1, 31, 32, 33, 34, 1024, 1025, 5000)), np.arange(200), np.arange(200)[::-1],
    np.repeat(np.arange(50), 33), np.tile(np.arange(50), 33), np.r_[np.zeros(2000, int), np.arange(200)],
    np.repeat([7, 199], [32, 33])],
    ids=["1", "31", "32", "33", "34", "1024", "1025", "5000", "distinct", "reversed", "33 in blocks",
         "33 in turns", "one hot", "32 and 33"])
def test_counts_around_every_border(ids):
    check_sums(ids, np.random.default_rng(1).normal(size=(ids.size, 3)), 200)


@parametrize("spread", ["uniform", "zipf", "sorted", "last rows"])
def test_large_batches(spread):
    rng = np.random.default_rng(2)
    size = 70_000  # more than 65,536 distinct ids do not fit in uint16
    ids = {"uniform": rng.integers(0, size, 200_000), "zipf": np.minimum(rng.zipf(1.3, 50_000), size) - 1,
           "sorted": np.sort(rng.integers(0, size, 20_000)),
           "last rows": size - 1 - rng.integers(0, 3, 999)}[spread]
    check_sums(ids, rng.normal(size=(ids.size, 2)), size, rtol=1e-9, atol=1e-9)


def test_nothing():
    for ids, up in [(np.zeros(0, int), np.zeros((0, 3), np.float32)),
                    (np.zeros((2, 0), int), np.zeros((2, 0, 3)))]:
        rows, values = sum_rows(ids, up, 5)
        assert rows.shape == (0,)
        assert values.shape == (0, 3)
        assert values.dtype == up.dtype


def test_no_width():
    rows, values = sum_rows(np.array([3, 1, 3]), np.zeros((3, 0)), 5)
    assert sorted(rows.tolist()) == [1, 3]
    assert values.shape == (2, 0)


def test_a_single_row_table():
    check_sums(np.zeros(40, int), np.ones((40, 2)), 1)


@parametrize("layout", [np.asfortranarray, lambda u: np.broadcast_to(u[:1], u.shape), lambda u: u[:, ::-1],
                        lambda u: np.repeat(u, 2, 0)[::2]],
             ids=["fortran", "stride 0", "reversed", "every other"])
@parametrize("count", [20, 90])
def test_layouts(layout, count):
    ids = np.random.default_rng(3).integers(0, 3, count)
    up = layout(np.random.default_rng(4).normal(size=(count, 4)))
    before, ids_before = up.copy(), ids.copy()
    ids.flags.writeable = False
    check_sums(ids, up, 3)
    assert_array_equal(up, before)
    assert_array_equal(ids, ids_before)


@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
@parametrize("repeats", [31, 33, 2049, 4096])
def test_repeats_do_not_saturate(dtype, repeats):
    rows, values = sum_rows(np.full(repeats, 2), np.ones((repeats, 3), dtype), 4)
    assert rows.tolist() == [2]
    assert values.dtype == dtype
    assert_array_equal(values, np.full((1, 3), repeats, dtype))


def test_values_share_nothing_with_the_upstream():
    up = np.ones((2, 3), np.float32)
    rows, values = sum_rows(np.array([1, 0]), up, 3)
    values[:] = 99
    assert (up == 1).all()


def test_the_same_twice():
    rng = np.random.default_rng(5)
    ids, up = rng.integers(0, 40, 3000), rng.normal(size=(3000, 3)).astype(np.float32)
    for one, two in zip(sum_rows(ids, up, 40), sum_rows(ids, up, 40), strict=True):
        assert_array_equal(one, two)


@given(st.integers(1, 12), st.integers(0, 3), st.data())
@steady
def test_any_ids(size, width, data):
    ids = np.array(data.draw(st.lists(st.integers(0, size - 1), max_size=120)), dtype=np.int64)
    up = np.arange(ids.size * width, dtype=np.float64).reshape(ids.size, width)
    check_sums(ids, up, size, rtol=0, atol=0)


# ------------------------------------------------------------------------------------------ sinusoid_table
def exact(position, column, width):
    with mpmath.workdps(40):
        angle = position / mpmath.power(10000, mpmath.mpf(2 * (column // 2)) / width)
        return float(mpmath.cos(angle) if column % 2 else mpmath.sin(angle))


def test_row_one_of_width_six():
    table = sinusoid_table(2, 6)
    assert table.dtype == np.float32
    assert_array_equal(table[0], [0, 1, 0, 1, 0, 1])
    assert_allclose(table[1], [0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998], atol=6e-7)


@parametrize("start", [0, 1, 63, 4999, 65_535, 999_800])
@parametrize("width", [1, 2, 5, 96])
def test_accuracy(start, width):
    table = sinusoid_table(201, width, start=start)
    assert table.shape == (201, width)
    rng = np.random.default_rng(start)
    for row in {0, 1, 62, 63, 64, 65, 127, 128, 200, *rng.integers(0, 201, 12).tolist()}:
        for column in {0, width - 1, int(rng.integers(width))}:
            assert abs(table[row, column] - exact(start + row, column, width)) < 6e-8, (row, column)


def test_every_start_gives_the_same_rows():
    whole = sinusoid_table(300, 7)
    for start in (0, 1, 17, 64, 130, 299):
        assert_allclose(sinusoid_table(300 - start, 7, start=start), whole[start:], rtol=0, atol=6e-8)


@parametrize("length", [0, 1, 63, 64, 65, 128, 129])
def test_lengths(length):
    assert sinusoid_table(length, 5).shape == (length, 5)
    assert_array_equal(sinusoid_table(length, 5), sinusoid_table(129, 5)[:length])


@given(st.integers(0, 999_990), st.integers(1, 10), st.integers(1, 40))
@steady
def test_any_position(start, length, width):
    table = sinusoid_table(length, width, start=start).astype(np.float64)
    columns = np.arange(width)
    angles = np.arange(start, start + length)[:, None] * 10000.0 ** (-(columns // 2 * 2) / width)
    assert_allclose(table, np.where(columns % 2, np.cos(angles), np.sin(angles)), rtol=0, atol=6e-8)


# ----------------------------------------------------------------------------------------------- take_plus
@parametrize("shape", [(2, 3), (3,), (1, 1), (0, 3), (2, 0), (0,), (70, 5), (3, 700), (1, 5000), (5000, 1),
                       (40, 129)], ids=str)
@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
def test_rows_plus_positions(shape, dtype):
    """Below and above the size that is worked on in blocks, in long and in short sequences."""
    rng = np.random.default_rng(6)
    table, extra = rng.normal(size=(9, 33)).astype(dtype), rng.normal(size=(shape[-1], 33)).astype(dtype)
    ids = rng.integers(0, 9, shape)
    before = table.copy(), ids.copy(), extra.copy()
    out = take_plus(table, ids, extra)
    assert out.dtype == dtype
    assert_array_equal(out, table[ids] + extra)
    for now, then in zip((table, ids, extra), before, strict=True):
        assert_array_equal(now, then)
    out[...] = 0
    assert_array_equal(table, before[0])


@parametrize("width", [1, 64, CACHE // 4 - 1, CACHE // 4, CACHE // 4 + 1, CACHE])
def test_blocks_of_wide_rows(width):
    table = np.arange(2, dtype=np.float32)[:, None] * np.ones(width, np.float32)
    extra = np.array([[10], [20], [30]], np.float32) * np.ones(width, np.float32)
    out = take_plus(table, np.array([[0, 1, 1], [1, 0, 1]]), extra)
    assert out[:, :, 0].tolist() == [[10, 21, 31], [11, 20, 31]]
    assert (out == out[:, :, :1]).all()
