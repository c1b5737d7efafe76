# exercise: embedding-backward
# misconception: The ids were looked up already, so padding may be given a number of its own.
# caught by: ids_and_upstream_stay_as_they_are
# try: ids = np.array([0, 1])
# try: embedding_grad(ids, [[5.0], [6.0]], 2, padding_idx=0)
# try: ids
# wrong: [2, 1]
# right: [0, 1]

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
    grad = np.zeros((vocab_size + 1, upstream.shape[-1]), np.float64)
    if padding_idx is not None:
        ids[ids == padding_idx] = vocab_size
    np.add.at(grad, ids, upstream.astype(np.float64))
    return grad[:vocab_size].astype(upstream.dtype)
