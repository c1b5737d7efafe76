# exercise: embedding-backward
# how: a weighted count for each column

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
    lines = upstream.reshape(ids.size, -1) if ids.size else upstream.reshape(0, upstream.shape[-1])
    columns = [np.bincount(ids.ravel(), weights=lines[:, column], minlength=vocab_size)
               for column in range(lines.shape[1])]
    total = np.stack(columns, axis=1) if columns else np.zeros((vocab_size, 0))
    return np.where(np.arange(vocab_size)[:, None] == (-1 if padding_idx is None else padding_idx), 0, total)
