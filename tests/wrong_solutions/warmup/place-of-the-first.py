# exercise: warmup
# misconception: ids.index(id) is the place of a token, also where it repeats.
# caught by: each_row_is_its_token_plus_its_place
# report: the place of its first one
# try: embed([[1, 0]], [[10, 10], [20, 20]], [0, 0])
# wrong: [[11, 10], [11, 10]]
# right: [[11, 10], [21, 20]]

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    if len(ids) > len(pos) or not all(0 <= id < len(tok) for id in ids):
        raise ValueError("ids do not fit")
    return [[t + p for t, p in zip(tok[id], pos[ids.index(id)])] for id in ids]
