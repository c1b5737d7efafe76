# exercise: embedding-backward
# misconception: sum() adds up the rows of an id and leaves the columns alone.
# caught by: each_upstream_row_goes_to_the_row_of_its_id
# try: embedding_grad([1], [[5.0, 7.0]], 2)
# wrong: [[0, 0], [12, 12]]
# right: [[0, 0], [5, 7]]

#| export
def embedding_grad(ids, upstream, vocab_size: int, padding_idx: int | None = None) -> np.ndarray:
    """The gradient of a (V, D) table: row v is the sum of the upstream rows whose id is v.

    `upstream` has the shape ids.shape + (D,). The row of `padding_idx` is zero.

    >>> embedding_grad([1, 1, 3], [[1.0], [1.0], [1.0]], 5).ravel().tolist()
    [0.0, 2.0, 0.0, 1.0, 0.0]
    """
    ids, upstream = ids_below(ids, vocab_size), np.asarray(upstream)
    if not upstream.ndim or upstream.shape[:-1] != ids.shape:
        raise ValueError(f"upstream has shape {upstream.shape}, ids {ids.shape}: one row for each id")
    padding_idx = _padding_row(padding_idx, vocab_size)
    grad = np.zeros((vocab_size, upstream.shape[-1]))
    for v in range(vocab_size):
        grad[v] = upstream[ids == v].sum(dtype=np.float64)
    if padding_idx is not None:
        grad[padding_idx] = 0
    return grad.astype(upstream.dtype)
