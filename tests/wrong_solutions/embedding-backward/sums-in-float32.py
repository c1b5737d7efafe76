# exercise: embedding-backward
# misconception: float32 has digits enough for any sum.
# caught by: long_sums_stay_exact
# report: the sum is kept in float32
# try: embedding_grad([0, 0, 0], np.array([[2.0**24], [1], [1]], np.float32), 2)[0] - 2**24
# wrong: [0]
# right: [2]

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
    grad = np.zeros((vocab_size, upstream.shape[-1]), np.float32)
    np.add.at(grad, ids, upstream.astype(np.float32))
    if padding_idx is not None:
        grad[padding_idx] = 0
    return grad.astype(upstream.dtype)
