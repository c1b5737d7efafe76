# exercise: learned-positions
# misconception: No axis of x may be longer than the table of positions.
# caught by: each_token_gets_the_row_of_its_place
# report: more texts than positions
# try: LearnedPositionalEmbedding(3, 2)(np.zeros((4, 1, 2))).shape
# wrong: raises ValueError
# right: (4, 1, 2)

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
        if (x.ndim not in (2, 3) or x.shape[-1] != self.embedding_dim
                or start_pos + max(x.shape[:-1]) > self.max_seq_length):
            raise sequence_error(x, start_pos, self.max_seq_length, self.embedding_dim)
        return x + self.position_embedding(np.arange(start_pos, start_pos + x.shape[-2]))

    def extra_repr(self) -> str:
        return f"{self.max_seq_length}, {self.embedding_dim}"
