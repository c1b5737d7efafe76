# exercise: embedding-backward
# misconception: The gradient ends at the largest id of the batch.
# caught by: each_upstream_row_goes_to_the_row_of_its_id
# try: embedding_grad([1, 0], [[5.0], [7.0]], 3)
# wrong: [[7], [5]]
# right: [[7], [5], [0]]

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
    lines = upstream.reshape(-1, upstream.shape[-1])
    grad = np.stack([np.bincount(ids.ravel(), lines[:, d]) for d in range(lines.shape[1])], axis=1)
    if padding_idx is not None and padding_idx < len(grad):
        grad[padding_idx] = 0
    return grad
