# exercise: learned-positions
# how: the rows as a slice of the Tensor, tests one by one

#| export
class LearnedPositionalEmbedding(Layer):
    """Adds a learned row for each position to (T, D) or (B, T, D).

    >>> LearnedPositionalEmbedding(8, 4)(np.zeros((3, 2, 4))).shape
    (3, 2, 4)
    """

    def __init__(self, max_seq_length: int, embedding_dim: int, *, rng=None):
        self.max_seq_length = _size("max_seq_length", max_seq_length, 1)
        self.embedding_dim = _size("embedding_dim", embedding_dim, 1)
        self.position_embedding = Embedding(max_seq_length, embedding_dim, None, "normal", rng=rng)

    def forward(self, x, start_pos: int = 0) -> Tensor:
        """x + the rows start_pos ... start_pos+T-1. ValueError for a wrong rank, width or length."""
        x, start_pos = _as_sequence(x), _size("start_pos", start_pos)
        if x.ndim < 2 or x.ndim > 3:
            raise ValueError("(T, D) or (B, T, D)")
        if x.shape[-1] != self.position_embedding.embedding_dim:
            raise ValueError("another width")
        end = start_pos + x.shape[-2]
        if end > self.position_embedding.vocab_size:
            raise IndexError("too long")
        return self.position_embedding.weight[start_pos:end] + x

    def extra_repr(self) -> str:
        return f"{self.max_seq_length}, {self.embedding_dim}"
