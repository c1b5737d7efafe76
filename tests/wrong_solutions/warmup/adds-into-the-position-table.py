# exercise: warmup
# misconception: The position table is used up after one text, so the sum may be written into it.
# caught by: the_tables_stay_as_they_are
# try: pos = [[10], [20]]
# try: embed([[1], [0]], pos, [0, 0]), pos
# wrong: [[11], [21]], [[11], [21]]
# right: [[11], [21]], [[10], [20]]

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
    rows = pos[:len(ids)]
    for row, id in zip(rows, ids):
        for k, number in enumerate(tok[id]):
            row[k] += number
    return rows
