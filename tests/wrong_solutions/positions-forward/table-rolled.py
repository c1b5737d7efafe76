# exercise: positions-forward
# misconception: The table may be turned so that it begins at start_pos.
# caught by: a_text_may_begin_at_a_later_position
# try: layer = PositionalEncoding(2, 4)
# try: layer(np.zeros((1, 2)), 1)
# try: layer(np.zeros((1, 2)), 0).data
# wrong: [[0.841471, 0.5403023]]
# right: [[0, 1]]

#| export
class PositionalEncoding(Layer):
    """Adds fixed sinusoids to (T, D) or (B, T, D); nothing is learned, nothing is saved.

    `dropout`: the probability, in [0, 1), that a number of the sum is zeroed in training mode.

    >>> PositionalEncoding(4, max_seq_length=8)(np.zeros((1, 4))).data.tolist()
    [[0.0, 1.0, 0.0, 1.0]]
    """

    constants = ("pe",)

    def __init__(self, embedding_dim: int, max_seq_length: int = 5000, dropout: float = 0.0):
        self.embedding_dim = _size("embedding_dim", embedding_dim, 1)
        self.max_seq_length = _size("max_seq_length", max_seq_length, 1)
        number = isinstance(dropout, (int, float, np.integer, np.floating))
        if not number or not 0 <= dropout < 1:
            raise (ValueError if number else TypeError)(f"dropout is a probability in [0, 1); got {dropout!r}")
        self.dropout = float(dropout)
        self.pe = Tensor._of(sinusoid_table(self.max_seq_length, self.embedding_dim))

    def forward(self, x, start_pos: int = 0) -> Tensor:
        """x + pe[start_pos : start_pos+T], in the type of x. ValueError for a wrong rank, width or length."""
        x, start_pos = _as_sequence(x), _size("start_pos", start_pos)
        if (x.ndim not in (2, 3) or x.shape[-1] != self.embedding_dim
                or start_pos + x.shape[-2] > self.max_seq_length):
            raise sequence_error(x, start_pos, self.max_seq_length, self.embedding_dim)
        self.pe.data = np.roll(self.pe.data, -start_pos, axis=0)
        out = x + self.pe.data[:x.shape[-2]]
        return dropout(out, self.dropout, self.training)

    def visualize_encoding(self, seq_length: int = 100, dims_to_show: int = 10):
        """Print the first columns of the first positions; return a figure, or None without matplotlib."""
        table = self.pe.data[:_size("seq_length", seq_length, 1), :_size("dims_to_show", dims_to_show, 1)]
        print("position" + "".join(f"{f'col {i}':>8}" for i in range(table.shape[1])))
        for position, row in enumerate(table[:8]):
            print(f"{position:8}" + "".join(f"{value:8.3f}" for value in row))
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return None
        figure = Figure(figsize=(8, 3.5), layout="constrained")
        heat, waves = figure.subplots(1, 2)
        shown = heat.imshow(table, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
        heat.set(title="each position has its own row", xlabel="column", ylabel="position")
        figure.colorbar(shown, ax=heat, label="value")
        waves.plot(table[:, ::2], label=[f"column {i}" for i in range(0, table.shape[1], 2)])
        waves.set(title="columns to the right turn slower", xlabel="position", ylabel="value")
        waves.legend(fontsize="small", loc="lower left")
        return figure

    def extra_repr(self) -> str:
        drop = f", dropout={self.dropout}" * bool(self.dropout)
        return f"{self.embedding_dim}, max_seq_length={self.max_seq_length}{drop}"
