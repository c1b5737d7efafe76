# exercise: warmup
# misconception: A text has no more tokens than the vocabulary.
# caught by: more_ids_than_positions_are_refused
# try: embed([[1], [2]], [[10], [20], [30]], [1, 0, 1])
# wrong: raises ValueError
# right: [[12], [21], [32]]

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    if len(ids) > min(len(tok), len(pos)):
        raise ValueError(f"{len(ids)} ids, but only {len(pos)} position rows: keep the last {len(pos)} ids")
    for id in ids:
        if not 0 <= id < len(tok):
            raise ValueError(f"token id {id} is out of range [0, {len(tok)})")
    return [[t + p for t, p in zip(tok[id], pos[i], strict=True)] for i, id in enumerate(ids)]
