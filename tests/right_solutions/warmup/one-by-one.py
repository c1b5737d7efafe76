# exercise: warmup
# how: dictionaries, which know no negative rows

#| export
def embed(tok: list, pos: list, ids: list) -> list:
    """Token rows plus position rows, with lists: row i is tok[ids[i]] + pos[i].

    ValueError for an id outside the table and for more ids than position rows.

    >>> embed([[1, 0], [0, 2], [3, 1]], [[0.5, 0.5], [0, -1]], [2, 2])
    [[3.5, 1.5], [3, 0]]
    """
    tokens, places = dict(enumerate(tok)), dict(enumerate(pos))
    try:
        return [[sum(pair) for pair in zip(tokens[id], places[i])] for i, id in enumerate(ids)]
    except KeyError as missing:
        raise ValueError(f"row {missing} is not there") from None
