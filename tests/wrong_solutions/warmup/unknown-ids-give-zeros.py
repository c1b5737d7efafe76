# exercise: warmup
# misconception: A token that the table does not know has a row of zeros.
# caught by: ids_past_the_end_are_refused
# try: embed([[1, 0], [0, 2], [3, 1]], [[10, 10], [20, 20]], [0, 7])
# wrong: [[11, 10], [20, 20]]
# right: raises ValueError

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    if len(ids) > len(pos):
        raise ValueError(f"{len(ids)} ids, but only {len(pos)} position rows: keep the last {len(pos)} ids")
    if any(id < 0 for id in ids):
        raise ValueError("token ids start at 0")
    tok = tok + [[0] * len(tok[0])] * (max(ids, default=0) + 1 - len(tok))
    return [[t + p for t, p in zip(tok[id], pos[i], strict=True)] for i, id in enumerate(ids)]
