# exercise: learned-positions
# misconception: Layers of the same size can share a table.
# caught by: the_positions_are_an_embedding_of_their_own
# try: a, b = LearnedPositionalEmbedding(3, 2), LearnedPositionalEmbedding(3, 2)
# try: a.position_embedding is b.position_embedding
# wrong: True
# right: False

#| export
class LearnedPositionalEmbedding(Layer):
    """Adds a learned row for each position to (T, D) or (B, T, D).

    >>> LearnedPositionalEmbedding(8, 4)(np.zeros((3, 2, 4))).shape
    (3, 2, 4)
    """

    _tables = {}

    def __init__(self, max_seq_length: int, embedding_dim: int, *, rng=None):
        self.max_seq_length = _size("max_seq_length", max_seq_length, 1)
        self.embedding_dim = _size("embedding_dim", embedding_dim, 1)
        key = self.max_seq_length, self.embedding_dim
        if key not in self._tables or rng is not None:
            self._tables[key] = Embedding(*key, init_type="normal", rng=rng)
        self.position_embedding = self._tables[key]

    def forward(self, x, start_pos: int = 0) -> Tensor:
        """x + the rows start_pos ... start_pos+T-1. ValueError for a wrong rank, width or length."""
        x, start_pos = _as_sequence(x), _size("start_pos", start_pos)
        if (x.ndim not in (2, 3) or x.shape[-1] != self.embedding_dim
                or start_pos + x.shape[-2] > self.max_seq_length):
            raise sequence_error(x, start_pos, self.max_seq_length, self.embedding_dim)
        return x + self.position_embedding(np.arange(start_pos, start_pos + x.shape[-2]))

    def extra_repr(self) -> str:
        return f"{self.max_seq_length}, {self.embedding_dim}"
