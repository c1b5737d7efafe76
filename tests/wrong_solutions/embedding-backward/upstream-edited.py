# exercise: embedding-backward
# misconception: The upstream is used once, so rows of padding may be set to zero in it.
# caught by: ids_and_upstream_stay_as_they_are
# try: g = np.array([[5.0], [6.0]])
# try: embedding_grad([0, 1], g, 2, padding_idx=0)
# try: g
# wrong: [[0], [6]]
# right: [[5], [6]]

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
    if padding_idx is not None:
        upstream[ids == padding_idx] = 0
    grad = np.zeros((vocab_size, upstream.shape[-1]), np.float64)
    np.add.at(grad, ids, upstream.astype(np.float64))
    return grad.astype(upstream.dtype)
