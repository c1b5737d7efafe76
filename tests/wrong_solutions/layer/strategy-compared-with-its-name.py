# exercise: layer
# misconception: self.pos_encoding still is the name of the strategy.
# caught by: learned_positions_are_added
# report: no position is added
# try: layer = EmbeddingLayer(1, 2, 2)
# try: layer.token_embedding.weight.data[:] = 1
# try: layer.pos_encoding.position_embedding.weight.data[:] = 5
# try: layer([0]).data
# wrong: [[1, 1]]
# right: [[6, 6]]

#| export
class EmbeddingLayer(Layer):
    """Token rows plus positions: ids (T,) or (B, T) -> (T, D) or (B, T, D).

    `pos_encoding`: 'learned', 'sinusoidal' or None. `scale_embeddings`: token rows times sqrt(D).

    >>> EmbeddingLayer(10, 4, max_seq_len=8)([[1, 2, 3]]).shape
    (1, 3, 4)
    """

    def __init__(self, vocab_size: int, embedding_dim: int, max_seq_len: int = 512,
                 pos_encoding: str | None = "learned", scale_embeddings: bool = False, *,
                 padding_idx: int | None = None, sparse: bool = False, rng=None):
        if pos_encoding not in ("learned", "sinusoidal", None):
            raise ValueError(f"Unknown pos_encoding: {pos_encoding!r}; use 'learned', 'sinusoidal' or None")
        self.scale_embeddings = scale_embeddings
        self.token_embedding = Embedding(vocab_size, embedding_dim, padding_idx, sparse=sparse, rng=rng)
        self.pos_encoding = (
            LearnedPositionalEmbedding(max_seq_len, embedding_dim, rng=rng) if pos_encoding == "learned"
            else PositionalEncoding(embedding_dim, max_seq_len) if pos_encoding else None)

    def forward(self, ids, start_pos: int = 0) -> Tensor:
        """Rows of the tokens and of their positions. TokenIdError and ValueError as in the layers inside."""
        ids, start_pos = as_ids(ids, self.token_embedding.vocab_size), _size("start_pos", start_pos)
        if ids.ndim not in (1, 2):
            raise ValueError(f"ids are (T,) or (B, T); got shape {ids.shape}")
        if _handed_over and (out := _in_one_pass(self, ids, start_pos)) is not None:
            return out
        tokens = self.token_embedding(ids)                          # (..., T, D)
        if self.scale_embeddings:
            tokens = tokens * math.sqrt(tokens.shape[-1])
        if self.pos_encoding == "learned" or self.pos_encoding == "sinusoidal":
            tokens = self.pos_encoding(tokens, start_pos)
        return tokens

    def extra_repr(self) -> str:
        scale = ", scale_embeddings=True" if self.scale_embeddings else ""
        return f"{self.token_embedding!r}, pos_encoding={self.pos_encoding!r}{scale}"
