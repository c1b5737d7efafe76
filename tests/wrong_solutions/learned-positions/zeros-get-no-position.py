# exercise: learned-positions
# misconception: A row of zeros is padding and gets no position.
# caught by: each_token_gets_the_row_of_its_place
# report: rows of zeros get no position
# try: layer = LearnedPositionalEmbedding(2, 1)
# try: layer.position_embedding.weight.data[:] = [[10], [20]]
# try: layer(np.array([[[5.0], [0]]])).data
# wrong: [[[15], [0]]]
# right: [[[15], [20]]]

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
                or start_pos + x.shape[-2] > self.max_seq_length):
            raise sequence_error(x, start_pos, self.max_seq_length, self.embedding_dim)
        some = Tensor((x.data != 0).any(axis=-1, keepdims=True) * 1.0)
        return x + self.position_embedding(np.arange(start_pos, start_pos + x.shape[-2])) * some

    def extra_repr(self) -> str:
        return f"{self.max_seq_length}, {self.embedding_dim}"
