"""RowSparse: the gradient of a table as the rows that were touched."""
import copy
import pickle

import numpy as np
import pytest
from helpers_gradcheck import steady
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tinytorch.core.tensor import RowSparse, Tensor

parametrize = pytest.mark.parametrize


def dense(rows, values, shape):
    out = np.zeros(shape)
    np.add.at(out, np.asarray(rows, dtype=np.int64), values)
    return out


# ------------------------------------------------------------------------------------------------- values
def test_repeated_rows_add_up():
    g = RowSparse(np.array([3, 1, 3]), np.array([[1.0, 2.0], [5.0, 6.0], [10.0, 20.0]]), (4, 2))
    assert g.shape == (4, 2)
    assert_array_equal(g.to_dense(), [[0, 0], [5, 6], [0, 0], [11, 22]])
    assert_array_equal(np.asarray(g), g.to_dense())
    assert type(g.to_dense()) is np.ndarray


def test_coalesce_merges_rows():
    g = RowSparse(np.array([3, 1, 3]), np.array([[1.0, 2.0], [5.0, 6.0], [10.0, 20.0]]), (4, 2))
    merged = g.coalesce()
    assert dict(zip(merged.rows.tolist(), merged.values.tolist(), strict=True)) == {1: [5, 6], 3: [11, 22]}
    assert len(merged.rows) == 2
    assert merged.shape == (4, 2)
    assert_array_equal(merged.to_dense(), g.to_dense())
    again = merged.coalesce()
    assert sorted(again.rows.tolist()) == [1, 3]
    assert_array_equal(g.values, [[1, 2], [5, 6], [10, 20]])  # the original is untouched


def test_sparse_plus_sparse_stays_sparse():
    a = RowSparse([0, 2], [[1.0], [2.0]], (5, 1))
    b = RowSparse([2, 4], [[10.0], [20.0]], (5, 1))
    out = a + b
    assert isinstance(out, RowSparse)
    assert_array_equal(out.to_dense()[:, 0], [1, 0, 12, 0, 20])
    assert_array_equal(a.to_dense()[:, 0], [1, 0, 2, 0, 0])


def test_sparse_plus_dense_is_a_tensor_on_either_side():
    a, t = RowSparse([0, 2, 2], [[1.0], [2.0], [3.0]], (3, 1)), Tensor([[10.0], [20.0], [30.0]])
    for out in (a + t, t + a):
        assert isinstance(out, Tensor)
        assert out.data[:, 0].tolist() == [11, 20, 35]
    assert t.data[:, 0].tolist() == [10, 20, 30]


# -------------------------------------------------------------------------------------------------- edges
def test_no_rows():
    for rows in ([], np.zeros(0, np.int64)):
        g = RowSparse(rows, np.zeros((0, 3), np.float32), (5, 3))
        assert_array_equal(g.to_dense(), np.zeros((5, 3)))
        assert g.coalesce().rows.shape == (0,)
        assert g.coalesce().values.shape == (0, 3)
        assert_array_equal((g + g).to_dense(), np.zeros((5, 3)))


@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
def test_types_are_kept(dtype):
    g = RowSparse([1, 1], np.ones((2, 3), dtype), (2, 3))
    for array in (g.to_dense(), g.coalesce().values, (g + g).values, np.asarray(g), g):
        assert array.dtype == dtype
    assert np.asarray(g, dtype=np.float64).dtype == np.float64


@parametrize("make", [
    lambda: RowSparse([5], [[1.0]], (5, 1)), lambda: RowSparse([-1], [[1.0]], (5, 1)),
    lambda: RowSparse([0, 1], [[1.0]], (5, 1)), lambda: RowSparse([0], [[1.0, 2.0]], (5, 1)),
    lambda: RowSparse([[0]], [[1.0]], (5, 1)), lambda: RowSparse([0], [1.0], (5, 1)),
    lambda: RowSparse([0], [[1.0]], (5,))],
    ids=["past the end", "negative", "count", "width", "rows 2-D", "values 1-D", "shape"])
def test_parts_that_do_not_fit(make):
    with pytest.raises(ValueError):
        make()


@parametrize("shape", [None, 5, (), (5,), (5, 1, 1), (5.0, 1.0), ("5", "1")], ids=str)
def test_a_shape_is_two_whole_numbers(shape):
    with pytest.raises(ValueError, match="two whole numbers"):
        RowSparse([0], [[1.0]], shape)


def test_tables_of_different_shape_do_not_add():
    with pytest.raises(ValueError):
        RowSparse([0], [[1.0]], (5, 1)) + RowSparse([0], [[1.0]], (6, 1))
    with pytest.raises(ValueError):
        RowSparse([0], [[1.0, 1.0]], (5, 2)) + Tensor(np.zeros((4, 2)))


def test_numpy_gets_a_copy():
    g = RowSparse([1], [[1.0, 2.0]], (3, 2))
    np.asarray(g)[:] = 99
    g.to_dense()[:] = 99
    assert_array_equal(g.to_dense(), [[0, 0], [1, 2], [0, 0]])


def test_copies():
    g = RowSparse([1, 1], [[1.0, 2.0], [3.0, 4.0]], (3, 2))
    for twin in (copy.deepcopy(g), pickle.loads(pickle.dumps(g))):
        twin.values[:] = 0
        assert_array_equal(g.to_dense()[1], [4, 6])


def test_repr_is_short():
    assert "RowSparse" in repr(RowSparse([1], [[1.0, 2.0]], (30, 2)))
    assert len(repr(RowSparse(np.arange(1000), np.zeros((1000, 100)), (1000, 100)))) < 500


@parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
def test_4096_repeats(dtype):
    g = RowSparse(np.full(4096, 2), np.ones((4096, 3), dtype), (5, 3))
    assert g.to_dense()[2].tolist() == [4096] * 3
    assert (g + RowSparse([0], np.ones((1, 3), dtype), (5, 3))).to_dense()[2].tolist() == [4096] * 3


@given(st.data())
@steady
def test_any_rows(data):
    v, d = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 3))
    draw = st.lists(st.integers(0, v - 1), max_size=40)
    parts = []
    for rows in (data.draw(draw), data.draw(draw)):
        values = np.arange(len(rows) * d, dtype=np.float64).reshape(len(rows), d)
        parts.append((RowSparse(np.array(rows, dtype=np.int64), values, (v, d)), dense(rows, values, (v, d))))
    (a, right_a), (b, right_b) = parts
    assert_array_equal(a.to_dense(), right_a)
    merged = a.coalesce()
    assert len(set(merged.rows.tolist())) == len(merged.rows)
    assert_array_equal(merged.to_dense(), right_a)
    assert_array_equal((a + b).to_dense(), right_a + right_b)
    assert_array_equal((a + Tensor(right_b, dtype=np.float64)).data, right_a + right_b)
