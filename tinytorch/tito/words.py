"""Neighbours and analogies in a table of word vectors."""

from __future__ import annotations

import numpy as np


class Words:
    """Words and their vectors; likeness is the cosine, and a zero vector is like nothing.

    >>> Words(["a", "b", "c"], np.array([[1, 0], [4, 3], [0, 2]])).nearest("a", 2)
    [('b', 0.8), ('c', 0.0)]
    """

    def __init__(self, words: list[str], vectors: np.ndarray):
        vectors = vectors.astype(np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        self.words = words
        self.row = {word: i for i, word in enumerate(words)}
        self.unit = vectors / np.where(lengths == 0, 1, lengths)  # (V, D)

    def nearest(self, word: str, k: int) -> list[tuple[str, float]]:
        """The k words most like `word`, without itself."""
        return self.best(self.unit[self.row[word]], [word], k)

    def analogy(self, a: str, minus: str, plus: str, k: int) -> list[tuple[str, float]]:
        """The k words most like a - minus + plus (unit vectors), without the three themselves."""
        query = self.unit[self.row[a]] - self.unit[self.row[minus]] + self.unit[self.row[plus]]
        return self.best(query, [a, minus, plus], k)

    def best(self, query: np.ndarray, left_out: list[str], k: int) -> list[tuple[str, float]]:
        cosines = self.unit @ query / (np.linalg.norm(query) or 1)
        cosines[[self.row[word] for word in left_out]] = -np.inf
        order = np.argsort(-cosines, kind="stable")[: min(k, len(self.words) - len(set(left_out)))]
        return [(self.words[i], round(float(cosines[i]), 6)) for i in order]
