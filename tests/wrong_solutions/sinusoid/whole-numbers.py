# exercise: sinusoid
# misconception: An array of whole numbers can hold waves.
# caught by: the_first_pair_turns_by_one_radian_a_position
# report: cut to whole ones
# try: create_sinusoidal_embeddings(2, 2).data
# wrong: [[0, 1], [0, 0]]
# right: [[0, 1], [0.841471, 0.5403023]]

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
    angles = positions * rates
    table = np.zeros((max_seq_len, embedding_dim), np.int64)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, :embedding_dim // 2])
    return Tensor(table.astype(np.float32))
