# exercise: warmup
# misconception: An error is returned to whoever called.
# caught by: negative_ids_are_refused
# try: isinstance(embed([[1, 0]], [[10, 10]], [-1]), ValueError)
# wrong: True
# right: raises ValueError

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    if len(ids) > len(pos):
        return ValueError("too many ids")
    for id in ids:
        if not 0 <= id < len(tok):
            return ValueError(f"id {id} is out of range")
    return [[t + p for t, p in zip(tok[id], pos[i])] for i, id in enumerate(ids)]
