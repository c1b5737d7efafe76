# exercise: embedding-backward
# how: the transposed product with one-hot rows, left in float64

#| export
def embedding_grad(ids, upstream, vocab_size: int, padding_idx: int | None = None) -> np.ndarray:
    """The gradient of a (V, D) table: row v is the sum of the upstream rows whose id is v.

    `upstream` has the shape ids.shape + (D,). The row of `padding_idx` is zero.

    >>> embedding_grad([1, 1, 3], [[1.0], [1.0], [1.0]], 5).ravel().tolist()
    [0.0, 2.0, 0.0, 1.0, 0.0]
    """
    ids, upstream = ids_below(ids, vocab_size), np.asarray(upstream)
    if upstream.shape[:-1] != ids.shape:
        raise ValueError(f"upstream has shape {upstream.shape}, ids {ids.shape}: one row for each id")
    padding_idx = _padding_row(padding_idx, vocab_size)
    hot = np.zeros((ids.size, vocab_size))
    hot[np.arange(ids.size), ids.ravel()] = 1
    if padding_idx is not None:
        hot[:, padding_idx] = 0
    return hot.T @ upstream.reshape(ids.size, upstream.shape[-1])
