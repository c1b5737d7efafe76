# exercise: warmup
# misconception: A row taken out of a list is a copy, so it can be added to in place.
# caught by: the_tables_stay_as_they_are
# try: embed([[1], [0]], [[10], [20]], [0, 0])
# wrong: [[31], [31]]
# right: [[11], [21]]

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    if len(ids) > len(pos):
        raise ValueError(f"{len(ids)} ids, but only {len(pos)} position rows: keep the last {len(pos)} ids")
    for id in ids:
        if not 0 <= id < len(tok):
            raise ValueError(f"token id {id} is out of range [0, {len(tok)})")
    rows = []
    for i, id in enumerate(ids):
        row = tok[id]
        for k in range(len(row)):
            row[k] += pos[i][k]
        rows.append(row)
    return rows
