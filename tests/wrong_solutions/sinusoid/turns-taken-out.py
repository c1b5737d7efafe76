# exercise: sinusoid
# misconception: A full turn is 6.2832, so full turns can be taken out of the angle.
# caught by: far_positions_are_as_exact_as_near_ones
# try: create_sinusoidal_embeddings(10000, 1).data[[1, 9999]]
# wrong: [[0.841471], [0.6539491]]
# right: [[0.841471], [0.6360869]]

#| export
def create_sinusoidal_embeddings(max_seq_len: int, embedding_dim: int) -> Tensor:
    """The (P, D) table of sinusoids: sin in even columns, cos in odd ones (Vaswani et al. 2017, section 3.5).

    Angles are computed in float64 and rounded to float32 last.

    >>> create_sinusoidal_embeddings(2, 4).data[1, :2].astype(float).round(6).tolist()
    [0.841471, 0.540302]
    """
    max_seq_len = _size("max_seq_len", max_seq_len, 1)
    embedding_dim = _size("embedding_dim", embedding_dim, 1)
    positions = np.arange(max_seq_len, dtype=np.float64)[:, None]
    rates = 10000.0 ** (-np.arange(0, embedding_dim, 2) / embedding_dim)
    angles = (positions * rates) % 6.2832
    table = np.empty((max_seq_len, embedding_dim), np.float32)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, :embedding_dim // 2])
    return Tensor(table)
