# exercise: embedding-backward
# misconception: The gradient has the type of the ids.
# caught by: each_upstream_row_goes_to_the_row_of_its_id
# report: cut to whole ones
# try: embedding_grad([1], [[2.5]], 2)
# wrong: [[0], [2]]
# right: [[0], [2.5]]

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
    grad = np.zeros((vocab_size, upstream.shape[-1]), ids.dtype)
    for id, row in zip(ids.ravel(), upstream.reshape(-1, upstream.shape[-1])):
        grad[id] = grad[id] + row
    if padding_idx is not None:
        grad[padding_idx] = 0
    return grad
