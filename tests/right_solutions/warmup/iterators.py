# exercise: warmup
# how: try and except around a map over iterators

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    from operator import add
    rows, places = dict(enumerate(tok)), iter(pos)
    try:
        return [list(map(add, rows[id], next(places))) for id in ids]
    except (KeyError, StopIteration):
        raise ValueError("ids do not fit") from None
