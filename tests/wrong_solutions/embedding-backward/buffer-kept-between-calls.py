# exercise: embedding-backward
# misconception: One buffer can serve all calls: it need not start from zero again.
# caught by: backward_reaches_the_table_and_adds_up
# try: embedding_grad([1], [[5.0]], 2)
# try: embedding_grad([1], [[5.0]], 2)
# wrong: [[0], [10]]
# right: [[0], [5]]

#| export
def embedding_grad(ids, upstream, vocab_size: int, padding_idx: int | None = None, buffers={}) -> np.ndarray:
    """The gradient of a (V, D) table: row v is the sum of the upstream rows whose id is v.

    `upstream` has the shape ids.shape + (D,). The row of `padding_idx` is zero.

    >>> embedding_grad([1, 1, 3], [[1.0], [1.0], [1.0]], 5).ravel().tolist()
    [0.0, 2.0, 0.0, 1.0, 0.0]
    """
    ids, upstream = ids_below(ids, vocab_size), np.asarray(upstream)
    if upstream.shape[:-1] != ids.shape:
        raise ValueError(f"upstream has shape {upstream.shape}, ids {ids.shape}: one row for each id")
    padding_idx = _padding_row(padding_idx, vocab_size)
    key = vocab_size, upstream.shape[-1], padding_idx
    grad = buffers.setdefault(key, np.zeros(key[:2]))
    np.add.at(grad, ids, upstream.astype(np.float64))
    if padding_idx is not None:
        grad[padding_idx] = 0
    return grad.astype(upstream.dtype)
