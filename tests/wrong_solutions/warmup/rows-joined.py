# exercise: warmup
# misconception: Adding two rows with + adds their numbers, also when the rows are lists.
# caught by: each_row_is_its_token_plus_its_place
# try: embed([[1, 0], [0, 2], [3, 1]], [[10, 10], [20, 20], [30, 30], [40, 40]], [2, 0])
# wrong: [[3, 1, 10, 10], [1, 0, 20, 20]]
# right: [[13, 11], [21, 20]]

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
    return [tok[id] + pos[i] for i, id in enumerate(ids)]
