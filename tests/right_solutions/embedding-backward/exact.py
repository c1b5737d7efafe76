# exercise: embedding-backward
# how: defaultdict and fsum

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
    from collections import defaultdict
    arrived = defaultdict(list)
    for place in np.ndindex(*ids.shape):
        if ids[place] != padding_idx:
            arrived[int(ids[place])].append(upstream[place])
    def total(rows):
        return [math.fsum(column) for column in zip(*rows)] or [0.0] * upstream.shape[-1]
    return np.array([total(arrived[v]) for v in range(vocab_size)])
