# exercise: warmup
# misconception: A row has two numbers.
# caught by: each_row_is_its_token_plus_its_place
# try: embed([[1, 2, 3]], [[10, 20, 30]], [0])
# wrong: [[11, 22]]
# right: [[11, 22, 33]]

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
    return [[tok[id][0] + pos[i][0], tok[id][1] + pos[i][1]] for i, id in enumerate(ids)]
