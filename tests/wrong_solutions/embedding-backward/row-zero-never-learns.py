# exercise: embedding-backward
# misconception: Row 0 is padding unless another row is named.
# caught by: each_upstream_row_goes_to_the_row_of_its_id
# try: embedding_grad([0, 1], [[1.0], [10.0]], 2)
# wrong: [[0], [10]]
# right: [[1], [10]]

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
    grad[padding_idx or 0] = 0
    return grad.astype(upstream.dtype)
