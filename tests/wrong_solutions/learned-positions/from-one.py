# exercise: learned-positions
# misconception: The first token stands at position 1.
# caught by: each_token_gets_the_row_of_its_place
# report: count from 1
# try: layer = LearnedPositionalEmbedding(2, 1)
# try: layer.position_embedding.weight.data[:] = [[5], [7]]
# try: layer(np.zeros((1, 1))).data
# wrong: [[7]]
# right: [[5]]

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
        return x + self.position_embedding(np.arange(1, x.shape[-2] + 1) + start_pos)

    def extra_repr(self) -> str:
        return f"{self.max_seq_length}, {self.embedding_dim}"
