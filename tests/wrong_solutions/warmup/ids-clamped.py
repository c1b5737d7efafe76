# exercise: warmup
# misconception: An id outside the table means the nearest row of the table.
# caught by: negative_ids_are_refused
# report: becomes 0
# try: embed([[1, 0], [0, 2], [3, 1]], [[10, 10], [20, 20]], [-1, 3])
# wrong: [[11, 10], [23, 21]]
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
    ids = [min(max(id, 0), len(tok) - 1) for id in ids]
    return [[t + p for t, p in zip(tok[id], pos[i], strict=True)] for i, id in enumerate(ids)]
