# exercise: embedding-backward
# misconception: The gradient of a table starts and stays at zero.
# caught by: each_upstream_row_goes_to_the_row_of_its_id
# report: all zeros
# try: embedding_grad([2, 0, 3], [[1.0, 5.0], [3.0, 7.0], [2.0, 4.0]], 4)
# wrong: [[0, 0], [0, 0], [0, 0], [0, 0]]
# right: [[3, 7], [0, 0], [1, 5], [2, 4]]

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
    if padding_idx is not None:
        grad[padding_idx] = 0
    return grad.astype(upstream.dtype)
