# exercise: learned-positions
# how: position ids of the shape (B, T)

#| export
class LearnedPositionalEmbedding(Layer):
    """Adds a learned row for each position to (T, D) or (B, T, D).

    >>> LearnedPositionalEmbedding(8, 4)(np.zeros((3, 2, 4))).shape
    (3, 2, 4)
    """

    def __init__(self, max_seq_length: int, embedding_dim: int, *, rng=None):
        self.max_seq_length = _size("max_seq_length", max_seq_length, 1)
        self.embedding_dim = _size("embedding_dim", embedding_dim, 1)
        self.position_embedding = Embedding(self.max_seq_length, self.embedding_dim, init_type="normal",
                                            rng=rng)

    def forward(self, x, start_pos: int = 0) -> Tensor:
        """x + the rows start_pos ... start_pos+T-1. ValueError for a wrong rank, width or length."""
        x, start_pos = _as_sequence(x), _size("start_pos", start_pos)
        if x.ndim not in (2, 3) or x.shape[-1] != self.embedding_dim:
            raise ValueError(f"no such shape: {x.shape}")
        places = np.broadcast_to(np.arange(x.shape[-2]) + start_pos, x.shape[:-1])
        return self.position_embedding(places) + x

    def extra_repr(self) -> str:
        return f"{self.max_seq_length}, {self.embedding_dim}"
