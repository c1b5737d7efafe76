# exercise: embedding-backward
# misconception: Padding learns like any other token.
# caught by: the_padding_row_gets_nothing
# report: treated like the others
# try: embedding_grad([0, 1, 0], [[1.0], [10.0], [100.0]], 2, padding_idx=0)
# wrong: [[101], [10]]
# right: [[0], [10]]

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
    return grad.astype(upstream.dtype)
