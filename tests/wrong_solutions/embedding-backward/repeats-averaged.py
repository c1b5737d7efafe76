# exercise: embedding-backward
# misconception: An id that repeats gets the mean of what arrives.
# caught by: an_id_that_repeats_gets_the_sum
# report: the mean of its rows
# try: embedding_grad([1, 1, 3], [[1.0], [10.0], [100.0]], 4)
# wrong: [[0], [5.5], [0], [100]]
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
    np.add.at(grad, ids, upstream.astype(np.float64))
    if padding_idx is not None:
        grad[padding_idx] = 0
    counts = np.maximum(np.bincount(ids.reshape(-1), minlength=vocab_size), 1)
    return (grad / counts[:, None]).astype(upstream.dtype)
