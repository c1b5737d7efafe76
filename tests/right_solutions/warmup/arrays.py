# exercise: warmup
# how: numpy arrays inside

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    if any(id not in range(len(tok)) for id in ids) or len(ids) > len(pos):
        raise ValueError("no such row")
    if not ids:
        return []
    return (np.array(tok)[list(ids)] + np.array(pos)[:len(ids)]).tolist()
