# exercise: embedding-backward
# misconception: The row of padding is taken out of the gradient.
# caught by: the_padding_row_gets_nothing
# try: embedding_grad([1, 0], [[5.0], [7.0]], 2, 0)
# wrong: [[5]]
# right: [[0], [5]]

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
    np.add.at(grad, ids, upstream.astype(np.float64))
    if padding_idx is not None:
        grad = np.delete(grad, padding_idx, axis=0)
    return grad.astype(upstream.dtype)
