# exercise: warmup
# misconception: An array of whole numbers can hold any sum.
# caught by: each_row_is_its_token_plus_its_place
# report: cut to whole numbers
# try: embed([[1, 0], [0, 2]], [[0.5, 0.5], [0, -1]], [1, 1])
# wrong: [[0, 2], [0, 1]]
# right: [[0.5, 2.5], [0, 1]]

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
    rows = np.zeros((len(ids), len(tok[0])), int)
    for i, id in enumerate(ids):
        rows[i] = np.add(tok[id], pos[i])
    return rows.tolist()
