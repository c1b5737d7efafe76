# exercise: warmup
# how: the last row by itself, the rows before it by recursion

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    if not ids:
        return []
    *before, last = ids
    if len(before) >= len(pos) or last not in range(len(tok)):
        raise ValueError("no row for the last id")
    return embed(tok, pos, before) + [[sum(pair) for pair in zip(tok[last], pos[len(before)])]]
