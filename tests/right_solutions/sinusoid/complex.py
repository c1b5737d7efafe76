# exercise: sinusoid
# how: real and imaginary part of a turning arrow

#| export
def create_sinusoidal_embeddings(max_seq_len: int, embedding_dim: int) -> Tensor:
    """The (P, D) table of sinusoids: sin in even columns, cos in odd ones (Vaswani et al. 2017, section 3.5).

    Angles are computed in float64 and rounded to float32 last.

    >>> create_sinusoidal_embeddings(2, 4).data[1, :2].astype(float).round(6).tolist()
    [0.841471, 0.540302]
    """
    max_seq_len = _size("max_seq_len", max_seq_len, 1)
    embedding_dim = _size("embedding_dim", embedding_dim, 1)
    D, pairs = embedding_dim, (embedding_dim + 1) // 2
    arrows = np.exp(1j * np.outer(np.arange(max_seq_len), 10000 ** (-2 * np.arange(pairs) / D)))
    return Tensor(np.stack([arrows.imag, arrows.real], axis=-1).reshape(max_seq_len, -1)[:, :D])
