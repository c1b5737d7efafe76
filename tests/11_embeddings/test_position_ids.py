"""Positions that start after the padding id and skip padding."""
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tinytorch.core.embeddings import LearnedPositionalEmbedding, position_ids
from tinytorch.core.tensor import Tensor

parametrize = pytest.mark.parametrize


@parametrize("ids, padding, right", [
    ([[0, 5, 6, 1], [0, 5, 1, 1]], 1, [[2, 3, 4, 1], [2, 3, 1, 1]]),
    ([[4, 5, 6], [4, 3, 3]], 3, [[4, 5, 6], [4, 3, 3]]),
    ([[1, 13, 54, 0, 0], [1, 55, 12, 24, 0]], 0, [[1, 2, 3, 0, 0], [1, 2, 3, 4, 0]]),
    ([[1, 1, 5, 6]], 1, [[1, 1, 2, 3]]),  # padding on the left
    ([[7, 0, 7]], 0, [[1, 0, 2]]), ([[0, 0]], 0, [[0, 0]]), ([5, 0], 0, [1, 0])], ids=lambda x: f"B42: {x}")
@parametrize("wrap", [list, np.array, Tensor, lambda x: np.array(x, np.uint8),
                      lambda x: np.array(x).astype(">i4")],
             ids=["list", "array", "Tensor", "uint8", "big-endian"])
def test_by_hand(ids, padding, right, wrap):
    out = position_ids(wrap(ids), padding)
    assert type(out) is np.ndarray
    assert out.dtype == np.int64
    assert_array_equal(out, right)


def test_the_table_it_needs():
    """Length + padding + 1 rows: 512 tokens and padding 1 need 514, padding 3 needs 516."""
    ids = np.full((2, 512), 9)
    for padding, rows in [(1, 514), (3, 516)]:
        positions = position_ids(ids, padding)
        assert positions.max() == rows - 1
        table = LearnedPositionalEmbedding(rows, 4).position_embedding
        assert table(positions).shape == (2, 512, 4)
        with pytest.raises(ValueError, match="out of range"):
            LearnedPositionalEmbedding(rows - 1, 4).position_embedding(positions)


@parametrize("shape", [(0,), (2, 0), (0, 3)], ids=str)
def test_empty_input(shape):
    assert position_ids(np.zeros(shape, int), 1).shape == shape


@parametrize("ids, padding", [(3, 0), ([[[1]]], 0), ([[1.5]], 0), ([[True]], 0), ([[1]], None), ([[1]], 1.5),
                              ([[1]], -1)], ids=str)
def test_refused(ids, padding):
    with pytest.raises((TypeError, ValueError)):
        position_ids(ids, padding)
