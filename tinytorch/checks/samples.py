"""Data for checks: numbers that give mistakes away, and right answers that owe nothing to the code."""
from __future__ import annotations

import numpy as np


def whole(rng, *shape):
    """Whole numbers with random signs, no two of the same size and none 0: a swapped or doubled row shows."""
    count = int(np.prod(shape))
    return (rng.permutation(np.arange(1, count + 1)) * rng.choice([-1.0, 1.0], count)).reshape(shape)


def distinct_ids(rng, low, high, count):
    """`count` different ids in [low, high), not in order, none of them equal to its own place."""
    while True:
        ids = rng.permutation(np.arange(low, high))[:count]
        if (ids != np.arange(count)).all() and (np.diff(ids) < 0).any():
            return ids


def summed_by_id(ids, upstream, rows):
    """The gradient of a table, in a loop: each upstream row is added to the row of its id."""
    grad = np.zeros((rows, upstream.shape[-1]))
    for i, row in zip(np.ravel(ids), upstream.reshape(-1, upstream.shape[-1]), strict=True):
        grad[i] += row
    return grad


def pair(column):
    """The power's numerator in the formula: 0, 0, 2, 2, 4, 4, ..."""
    return column // 2 * 2


def waves(length, width, start=0, base=10000.0, exponent=pair, first=np.sin, then=np.cos):
    """The sinusoids of `length` positions, column by column; the options are for known mistakes."""
    positions = np.arange(start, start + length, dtype=np.float64)
    columns = [(first, then)[c % 2](positions / base ** (exponent(c) / width)) for c in range(width)]
    return np.stack(columns, axis=1)


def short(array) -> str:
    """Ids or numbers as a list, without the .0 of whole numbers."""
    return str(np.asarray(array).tolist()).replace(".0,", ",").replace(".0]", "]")
