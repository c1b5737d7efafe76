# exercise: embedding-backward
# misconception: Of the gradients for one id the largest is kept.
# caught by: an_id_that_repeats_gets_the_sum
# try: embedding_grad([1, 1, 3], [[1.0], [10.0], [100.0]], 4)
# wrong: [[0], [10], [0], [100]]
# right: [[0], [11], [0], [100]]

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
    grad = np.zeros((vocab_size, upstream.shape[-1]), np.float64)
    for id, row in zip(ids.reshape(-1), upstream.reshape(-1, upstream.shape[-1])):
        grad[id] = np.where(np.abs(row) > np.abs(grad[id]), row, grad[id])
    if padding_idx is not None:
        grad[padding_idx] = 0
    return grad.astype(upstream.dtype)
