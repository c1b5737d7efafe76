"""warmup: `embed(tok, pos, ids)` with lists."""
import numpy as np

from ..compare import expect, refused, row_text, same
from ..handles import call, given, keep, numbers
from ..registry import behaviour
from ..samples import distinct_ids, short, whole


def tables(m, rng, ids, rows=5, places=6):
    """A token table and a position table as lists, and the right rows for `ids`."""
    numbers = whole(rng, rows + places, 2)
    tok, pos = numbers[:rows], numbers[rows:]
    given(m, f"ids = {list(ids)}, tok = {short(tok)}, pos = {short(pos)}")
    return tok, pos, tok[list(ids)] + pos[:len(ids)]


@behaviour("warmup", points=2)
def each_row_is_its_token_plus_its_place(m, rng):
    """Two numbers pick the rows: the id picks the row of tok, the place in the list picks the row of pos.

    Go through the ids and count along as you go. What do you look up with the id, and what with the count?

    tok = [[1, 0], [0, 2]], pos = [[10, 20], [30, 40]], ids = [1, 0]: first [0+10, 2+20] = [10, 22], then
    [1+30, 0+40] = [31, 40].
    """
    ids = distinct_ids(rng, 0, 5, 3).tolist()
    tok, pos, right = tables(m, rng, ids)
    i = np.arange(3)
    same(numbers(call(m, "embed", tok.tolist(), pos.tolist(), ids)), right, known=[
        ("when the position is forgotten", tok[ids]),
        ("when the token is forgotten", pos[i]),
        ("when the id picks the position row, too", tok[ids] + pos[ids]),
        ("when the place picks the token row, too", tok[i] + pos[i]),
        ("when every token gets position 0", tok[ids] + pos[0]),
        ("when positions count from 1", tok[ids] + pos[i + 1]),
        ("when the position is subtracted", tok[ids] - pos[i]),
        ("when the rows are multiplied", tok[ids] * pos[i]),
        ("when + joins two lists and adds no numbers", np.hstack([tok[ids], pos[i]]))])
    wide = whole(rng, 7, 3) / 2
    tok, pos, ids = wide[:3], wide[3:], [2, 0]
    given(m, f"ids = {ids}, tok = {short(tok)}, pos = {short(pos)}")
    same(numbers(call(m, "embed", tok.tolist(), pos.tolist(), ids)), tok[ids] + pos[:2], known=[
        ("when the sums are cut to whole numbers", np.trunc(tok[ids] + pos[:2]))])
    tok, pos, right = tables(m, rng, [2, 0, 2])
    kept, places = keep(m, tok.tolist()), pos.tolist()
    out = numbers(call(m, "embed", kept, places, [2, 0, 2]))
    if np.array_equal(numbers(kept), tok):      # a table that was written into is the next check's matter
        same(out, right, known=[
            ("when a token that repeats takes the place of its first one", tok[[2, 0, 2]] + pos[[0, 1, 0]])])


@behaviour("warmup", points=1)
def the_tables_stay_as_they_are(m, rng):
    """A row of tok may be wanted again: build a new list, don't write into the table's own row.

    Taking a row out of a list makes no copy. What is added to that row is added to the table.

    tok = [[1]], pos = [[10], [20]], ids = [0, 0]: the rows are [11] and [21], and tok is still [[1]]. Added
    in place, both rows are [31], and so is the row of tok.
    """
    ids = [3, 1, 3, 3]
    tok, pos, right = tables(m, rng, ids)
    lists = {"tok": tok, "pos": pos, "ids": np.array(ids)}
    kept = [keep(m, table.tolist()) for table in lists.values()]
    same(numbers(call(m, "embed", *kept)), right)
    for (name, table), handle in zip(lists.items(), kept, strict=True):
        given(m, f"{name} = {short(table)}; and {name} after the call:")
        same(numbers(handle), table)


@behaviour("warmup", points=1)
def negative_ids_are_refused(m, rng):
    """In Python tok[-1] is the last row. Here -1 names no token, so it must be an error.

    Test each id before you look anything up: what is the smallest one that has a row?

    tok has 2 rows: ids 0 and 1 are fine; [0, -1] and [-2] each raise a ValueError.
    """
    tok, pos, right = tables(m, rng, [0, 4])
    same(numbers(call(m, "embed", tok.tolist(), pos.tolist(), [0, 4])), right)
    for ids in ([0, -1], [-5, 2]):
        given(m, f"tok with 5 rows (0 to 4), ids = {ids}")
        refused(m, "embed", tok.tolist(), pos.tolist(), ids, known=[
            ("when a negative id counts from the end", tok[ids] + pos[:2]),
            ("when a negative id becomes 0", tok[np.maximum(ids, 0)] + pos[:2])])


@behaviour("warmup", points=1)
def ids_past_the_end_are_refused(m, rng):
    """The last row has a number one less than the number of rows. What happens with an id that is just
    past it?

    Cutting an id down to the last row, or counting round to the first, hides the mistake of whoever made
    the id.

    tok has 2 rows: id 1 is the last one; [1, 2] raises a ValueError, and so does [7].
    """
    tok, pos, right = tables(m, rng, [4, 0])
    same(numbers(call(m, "embed", tok.tolist(), pos.tolist(), [4, 0])), right)
    for ids in ([1, 5], [12, 3]):
        given(m, f"tok with 5 rows (0 to 4), ids = {ids}")
        refused(m, "embed", tok.tolist(), pos.tolist(), ids, known=[
            ("when the id is cut down to the last row", tok[np.minimum(ids, 4)] + pos[:2]),
            ("when the id counts round to the start (modulo)", tok[np.mod(ids, 5)] + pos[:2])])


@behaviour("warmup", points=1)
def more_ids_than_positions_are_refused(m, rng):
    """How many ids can pos serve? One more than that is an error; exactly that many is fine, and so are none.

    zip stops where the shorter list ends, and says nothing about it.

    pos has 2 rows: ids [0, 1] give 2 rows, ids [0, 1, 0] raise a ValueError.
    """
    ids = [2, 1, 0, 1]
    tok, pos, right = tables(m, rng, ids, rows=3, places=4)
    same(numbers(call(m, "embed", tok.tolist(), pos.tolist(), ids)), right)
    given(m, f"ids = [], tok = {short(tok)}: no ids, so no rows")
    none = numbers(call(m, "embed", tok.tolist(), pos.tolist(), []))
    expect(getattr(none, "size", None) == 0, getattr(none, "text", "") or row_text(none), "[]")
    for more in ([2, 1, 0, 1, 2], [2, 1, 0, 1, 2, 2, 0]):
        given(m, f"pos with 4 rows, {len(more)} ids: {more}")
        refused(m, "embed", tok.tolist(), pos.tolist(), more, known=[
            ("when the ids past the last position are left out", right),
            ("when the last position serves the rest", tok[more] + pos[np.minimum(np.arange(len(more)), 3)]),
            ("when positions start again from 0", tok[more] + pos[np.arange(len(more)) % 4])])
