# exercise: warmup
# misconception: Ids that are done can be taken out of the list they came in.
# caught by: the_tables_stay_as_they_are
# report: ids after the call
# try: ids = [1, 0]
# try: embed([[1], [2]], [[10], [20]], ids)
# try: ids
# wrong: []
# right: [1, 0]

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
    while ids:
        rows.append([t + p for t, p in zip(tok[ids.pop(0)], pos[len(rows)], strict=True)])
    return rows
