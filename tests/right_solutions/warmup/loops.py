# exercise: warmup
# how: loops, and IndexError for a bad id

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    rows = []
    for place in range(len(ids)):
        if ids[place] < 0 or ids[place] > len(tok) - 1:
            raise IndexError(f"no row {ids[place]}")
        if place == len(pos):
            raise IndexError("too many ids")
        row = []
        for column in range(len(tok[ids[place]])):
            row.append(tok[ids[place]][column] + pos[place][column])
        rows.append(row)
    return rows
