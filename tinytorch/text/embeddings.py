"""The course page's spelling of the layers in tinytorch.core.embeddings.

PositionalEncoding means two things: the course page calls the learned table so, core the paper's sinusoid.
"""
from __future__ import annotations

import math

import numpy as np

from ..core import embeddings as core
from ..core.tensor import Tensor

__all__ = ["Embedding", "PositionalEncoding", "create_sinusoidal_embeddings", "EmbeddingLayer"]


class _EmbedDim:
    """The second spelling of the width."""

    @property
    def embed_dim(self) -> int:
        return self.embedding_dim


class Embedding(_EmbedDim, core.Embedding):
    """A (V, D) table that starts as U(+-sqrt(6/(V+D))); keyword options as in core.Embedding.

    >>> Embedding(10, 4)([1, 2]).shape
    (2, 4)
    """

    def __init__(self, vocab_size: int, embed_dim: int, **options):
        super().__init__(vocab_size, embed_dim, init_type="xavier", **options)


def create_sinusoidal_embeddings(max_seq_len: int, embed_dim: int) -> Tensor:
    """The (P, D) table of core.embeddings: sin in even columns, cos in odd ones.

    >>> create_sinusoidal_embeddings(max_seq_len=3, embed_dim=4).shape
    (3, 4)
    """
    return core.create_sinusoidal_embeddings(max_seq_len, embed_dim)


class PositionalEncoding(_EmbedDim, core.LearnedPositionalEmbedding):
    """Adds a learned row for each position; the (P, D) table starts as U(+-sqrt(2/D)).

    >>> PositionalEncoding(8, 4)(np.zeros((3, 2, 4))).shape
    (3, 2, 4)
    """

    def __init__(self, max_seq_len: int, embed_dim: int):
        super().__init__(max_seq_len, embed_dim)
        limit = math.sqrt(2 / embed_dim)
        table = self.position_embedding.weight.data
        table[...] = np.random.uniform(-limit, limit, table.shape)


class EmbeddingLayer(_EmbedDim, core.EmbeddingLayer):
    """Token rows plus positions: the learned ones above, the sinusoid, or none.

    >>> EmbeddingLayer(10, 4, max_seq_len=8)([[1, 2, 3]]).shape
    (1, 3, 4)
    """

    def __init__(self, vocab_size: int, embed_dim: int, max_seq_len: int = 512,
                 pos_encoding: str | None = "learned", scale_embeddings: bool = False):
        super().__init__(vocab_size, embed_dim, max_seq_len, pos_encoding, scale_embeddings)
        self.token_embedding = Embedding(vocab_size, embed_dim)
        if pos_encoding == "learned":
            self.pos_encoding = PositionalEncoding(max_seq_len, embed_dim)

    @property
    def embedding_dim(self) -> int:
        return self.token_embedding.embedding_dim
