# exercise: embedding-init
# misconception: Numbers beyond three standard deviations are mistakes, so they are cut.
# caught by: gpt2_numbers_have_the_right_spread
# report: large numbers are cut
# try: np.random.seed(0)
# try: bool(np.abs(Embedding(500, 60, init_type='gpt2').weight.data).max() > 0.0601)
# wrong: False
# right: True

#| export
class Embedding(Layer):
    """A table with one row of width D for each of V tokens.

    `padding_idx`: that row starts at zero and gets no gradient. `sparse=True`: the gradient is a RowSparse.
    `init_type`: 'uniform', 'normal', 'xavier' or 'gpt2'; the numbers come from `rng`, a numpy Generator, or
    from numpy's global state.
    ValueError for negative sizes and unknown names, TypeError for sizes that are no integers.

    >>> layer = Embedding(3, 2, padding_idx=0)
    >>> layer([[0, 2], [1, 1]]).shape
    (2, 2, 2)
    """

    def __init__(self, vocab_size: int, embedding_dim: int, padding_idx: int | None = None,
                 init_type: str = "uniform", *, sparse: bool = False, dtype=np.float32, rng=None):
        shape = _size("vocab_size", vocab_size), _size("embedding_dim", embedding_dim)
        self.padding_idx = _padding_row(padding_idx, shape[0])
        self.init_type, self.sparse = init_type, sparse
        rng = np.random if rng is None else rng
        if not hasattr(rng, "normal"):
            raise TypeError(f"rng is a numpy Generator; got {rng!r}: write np.random.default_rng({rng!r})")
        V, D = max(shape[0], 1), max(shape[1], 1)                   # an empty table divides by nothing
        b = 1 / math.sqrt(D)
        if init_type == "uniform":
            table = rng.uniform(-b, b, shape)
        elif init_type == "normal":
            table = rng.normal(0, b, shape)
        elif init_type == "xavier":
            table = rng.uniform(-math.sqrt(6 / (V + D)), math.sqrt(6 / (V + D)), shape)
        elif init_type == "gpt2":
            table = np.clip(rng.normal(0, 0.02, shape), -0.06, 0.06)
        else:
            raise ValueError(f"Unknown init_type: {init_type}")
        if self.padding_idx is not None:
            table[self.padding_idx] = 0
        self.weight = Tensor(table, requires_grad=True, dtype=dtype)

    def forward(self, ids, out: np.ndarray | None = None) -> Tensor:
        """The rows of `ids`: shape ids.shape + (D,), a copy, never a view of the table.

        `ids`: an int, list, range, Tensor or array of integers in [0, V); TokenIdError outside.
        `out`: an array of the result's shape and type to write into.
        """
        ids = as_ids(ids, len(self.weight.data)).copy()     # a batch buffer may be filled again before backward
        if out is not None:
            out = _check_out(out, (*ids.shape, self.embedding_dim), self.weight.data)
        unsigned = ids.view(np.uint64)                              # a negative id becomes a very large one
        if ids.size and unsigned.item(unsigned.argmax()) >= self.vocab_size:
            raise TokenIdError.first(ids, self.vocab_size)
        return EmbeddingBackward.apply(self.weight, ids=ids, padding_idx=self.padding_idx, sparse=self.sparse,
                                       out=out)

    @property
    def vocab_size(self) -> int:
        return self.weight.data.shape[0]

    @property
    def embedding_dim(self) -> int:
        return self.weight.data.shape[1]

    @classmethod
    def from_pretrained(cls, table, freeze: bool = True, padding_idx: int | None = None,
                        sparse: bool = False) -> Embedding:
        """A layer around a copy of `table` (V, D). Float arrays keep their type, all else becomes float32.

        `freeze=True`: the table asks for no gradient. The padding row stays as given.
        """
        typed, table = hasattr(table, "dtype"), np.asarray(table)  # numbers in lists have no type to keep
        if table.ndim != 2:
            raise ValueError(f"a table has two axes (V, D); got shape {table.shape}")
        layer = cls(0, table.shape[1], sparse=sparse)
        layer.padding_idx = _padding_row(padding_idx, len(table))
        dtype = table.dtype if typed and table.dtype.kind == "f" else np.float32
        layer.weight = Tensor(table, requires_grad=not freeze, dtype=dtype)
        return layer

    def get_memory_usage(self) -> dict[str, float | int]:
        """Memory of the table: MB are 2**20 bytes, kB 2**10."""
        data, (rows, width) = self.weight.data, self.weight.data.shape
        return {"total_memory_mb": data.nbytes / 2**20, "memory_per_token_kb": width * data.itemsize / 2**10,
                "total_parameters": data.size, "vocab_size": rows, "embedding_dim": width}

    def extra_repr(self) -> str:
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.vocab_size}, {self.embedding_dim}{padding}{', sparse=True' if self.sparse else ''}"
