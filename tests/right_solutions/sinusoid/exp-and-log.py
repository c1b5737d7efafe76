# exercise: sinusoid
# how: exp and log for the power, a table that is turned at the end, float64

#| export
def create_sinusoidal_embeddings(max_seq_len: int, embedding_dim: int) -> Tensor:
    """The (P, D) table of sinusoids: sin in even columns, cos in odd ones (Vaswani et al. 2017, section 3.5).

    Angles are computed in float64 and rounded to float32 last.

    >>> create_sinusoidal_embeddings(2, 4).data[1, :2].astype(float).round(6).tolist()
    [0.841471, 0.540302]
    """
    max_seq_len = _size("max_seq_len", max_seq_len, 1)
    embedding_dim = _size("embedding_dim", embedding_dim, 1)
    turn = np.exp(-math.log(10000.0) * (np.arange(embedding_dim) // 2 * 2) / embedding_dim)
    angles = np.outer(turn, np.linspace(0, max_seq_len - 1, max_seq_len))
    table = np.where((np.arange(embedding_dim) % 2 == 0)[:, None], np.sin(angles), np.cos(angles))
    return Tensor(table.T, dtype=np.float64)
