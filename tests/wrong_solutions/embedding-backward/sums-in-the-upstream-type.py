# exercise: embedding-backward
# misconception: A sum can be kept in the type of what is added.
# caught by: long_sums_stay_exact
# report: the sum is kept in float16
# try: embedding_grad([0] * 3000, np.ones((3000, 1), np.float16), 2)
# wrong: [[2048], [0]]
# right: [[3000], [0]]

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
    grad = np.zeros((vocab_size, upstream.shape[-1]), upstream.dtype)
    np.add.at(grad, ids, upstream)
    if padding_idx is not None:
        grad[padding_idx] = 0
    return grad
