# exercise: embedding-backward
# how: a loop over ids and rows

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
    total = np.zeros((vocab_size, upstream.shape[-1]))
    for id, row in zip(ids.reshape(-1), upstream.reshape(-1, upstream.shape[-1])):
        if padding_idx is None or id != padding_idx:
            total[id] = total[id] + row
    return total.astype(upstream.dtype)
