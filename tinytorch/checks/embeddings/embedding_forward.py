"""embedding-forward: `Embedding.forward` takes rows and refuses ids outside [0, V)."""
import numpy as np

from ..compare import expect, refused, same
from ..handles import call, given, keep, kinds, new, numbers, put
from ..registry import behaviour
from ..samples import distinct_ids, short, whole


def layer_with(m, table):
    """An Embedding that holds this table."""
    layer = new(m, "Embedding", *table.shape)
    put(layer, "weight.data", table)
    return layer


@behaviour("embedding-forward", points=2)
def each_id_takes_its_own_row(m, rng):
    """The id is the number of the row. Which row comes out for id 2, and does the order follow the ids?

    The same id may stand there twice; it takes the same row twice.

    Table [[1, 0], [0, 2], [3, 1]], ids [2, 0, 2]: rows [3, 1], [1, 0], [3, 1].
    """
    table = whole(rng, 8, 3) / 2
    ids = distinct_ids(rng, 1, 7, 4)
    ids = np.append(ids, ids[0])
    given(m, f"ids {short(ids)}, a table with the rows {short(table)}")
    same(numbers(call(layer_with(m, table), "forward", ids)), table[ids], known=[
        ("when rows are counted from 1", table[ids - 1]), ("when the row after is taken", table[ids + 1]),
        ("when it is always row 0", table[0 * ids]), ("when the ids are sorted first", table[np.sort(ids)]),
        ("when the place in the text picks the row", table[:5]),
        ("when rows are counted from the end", table[-ids]),
        ("when the rows are all zeros", 0 * table[ids]),
        ("when the numbers are cut to whole ones", np.trunc(table[ids]))])


@behaviour("embedding-forward", points=1)
def the_first_and_the_last_row_can_be_taken(m, rng):
    """Both ends belong to the table: id 0, and the id one below the number of rows. Are they refused?

    Look at the comparison signs of your range test: which ids are equal to the number you compare with?

    Table of 3 rows: ids 0 and 2 are fine, 3 is not.
    """
    table, ids = whole(rng, 6, 4), np.array([0, 5, 0, 3])
    given(m, f"a table of 6 rows (0 to 5), ids {short(ids)}")
    same(numbers(call(layer_with(m, table), "forward", ids)), table[ids])


@behaviour("embedding-forward", points=2)
def ids_of_any_shape_work(m, rng):
    """Each id is replaced by a row, so the result has the axes of the ids and one more at the end.

    Try it with two texts of three ids: how many rows do you get, and how are they grouped?

    Width 4: ids of shape (2, 3) give (2, 3, 4), ids of shape (5,) give (5, 4), a single id gives (4,).
    """
    table = whole(rng, 7, 4)
    for shape in ((2, 3), (3, 2), (), (2, 5, 3), (1, 1), (9,), (2, 1, 2, 3)):
        ids = rng.integers(0, 7, shape)
        given(m, f"a table of shape (7, 4), ids of shape {shape}: {short(ids)}")
        same(numbers(call(layer_with(m, table), "forward", ids)), table[ids], known=[
            ("when the batch and the text change places", table[ids.T])])


@behaviour("embedding-forward", points=1)
def no_ids_give_no_rows(m, rng):
    """The last batch of a file may be empty. It gives an empty result, not an error.

    The largest of no numbers does not exist: numpy refuses to name one. Ask first whether there are any
    ids.

    Width 4: ids of shape (0,) give a result of shape (0, 4), ids of shape (2, 0) give (2, 0, 4).
    """
    table = whole(rng, 5, 4)
    layer = layer_with(m, table)
    given(m, "a table of shape (5, 4), ids [3]")
    same(numbers(call(layer, "forward", np.array([3]))), table[[3]])
    for shape in ((0,), (2, 0), (0, 3)):
        given(m, f"a table of shape (5, 4), ids of shape {shape}: no ids")
        same(numbers(call(layer, "forward", np.zeros(shape, np.int64))), np.zeros((*shape, 4)))


@behaviour("embedding-forward", points=2)
def negative_ids_are_refused(m, rng):
    """table[-1] is the last row in Python. What does your range test say about -1?

    Compare the smallest id with 0 before you take any row. One bad id among good ones is enough to refuse.

    Table of 5 rows, ids [0, -1, 4]: row 0 and row 4 are fine, -1 must be refused.
    """
    table = whole(rng, 5, 3)
    layer = layer_with(m, table)
    given(m, "a table of 5 rows (0 to 4), ids [0, 4]")
    same(numbers(call(layer, "forward", np.array([0, 4]))), table[[0, 4]])
    for ids in ([0, -1, 4], [[1, 2], [3, -5]], [-1], [-6, 0]):
        given(m, f"a table of 5 rows (0 to 4), ids {ids}")
        refused(layer, "forward", np.array(ids), known=[
            ("when a negative id counts from the end", table[np.array(ids) % 5]),
            ("when a negative id becomes 0", table[np.maximum(ids, 0)]),
            ("when the sign is dropped", table[np.minimum(np.abs(ids), 4)])])


@behaviour("embedding-forward", points=2)
def ids_past_the_end_are_refused(m, rng):
    """A table of V rows has no row V: the last one is V - 1. What does your range test say about V itself?

    Cutting the id down to the last row, or counting round to the first, hides that the id was wrong.

    Table of 5 rows, ids [1, 4, 5]: row 1 and row 4 are fine, 5 must be refused.
    """
    table = whole(rng, 5, 3)
    layer = layer_with(m, table)
    given(m, "a table of 5 rows (0 to 4), ids [1, 4]")
    same(numbers(call(layer, "forward", np.array([1, 4]))), table[[1, 4]])
    for ids in ([1, 4, 5], [[0, 5], [2, 3]], [6], [1, 2**40]):
        given(m, f"a table of 5 rows (0 to 4), ids {ids}")
        refused(layer, "forward", np.array(ids), known=[
            ("when the id is cut down to the last row", table[np.minimum(ids, 4)]),
            ("when the id counts round to the start (modulo)", table[np.mod(ids, 5)]),
            ("when such an id gives a row of zeros", np.append(table, [[0, 0, 0]], 0)[np.minimum(ids, 5)])])


@behaviour("embedding-forward", points=1)
def the_result_remembers_the_table(m, rng):
    """The result has to know that it came from the table, or training never reaches the rows.

    A Tensor built from bare numbers has forgotten where they came from. Operations on Tensors remember.

    Three rows taken from a table: the result's grad_fn names an operation; for a Tensor([[3, 1]]) it is
    None.
    """
    table, ids = whole(rng, 6, 4), np.array([2, 5, 2])
    given(m, f"a table of 6 rows, ids {short(ids)}")
    layer = layer_with(m, table)
    out = call(layer, "forward", ids)
    same(numbers(out), table[ids])
    expect("Tensor" in kinds(out), f"a {kinds(out)[0]}", "a Tensor")
    expect("NoneType" not in kinds(out, "grad_fn"), "a Tensor whose grad_fn is None",
           "a Tensor with a grad_fn, the operation it came from")
    put(layer, "weight.data", -table)
    given(m, f"ids {short(ids)}; then training turns the sign of all numbers in the table; the same ids again:")
    same(numbers(call(layer, "forward", ids)), -table[ids], known=[
        ("when the rows are those of the first lookup", table[ids])])


@behaviour("embedding-forward", points=1)
def table_ids_and_result_share_nothing(m, rng):
    """What you return is a copy of the rows, and a lookup changes neither the table nor the ids.

    Whoever edits the result must not edit the table with it. A row taken by a single number or by a slice
    is still part of the table.

    Take row 2 of [[1, 0], [0, 2], [3, 1]] and set the result to 9, 9: the table's row 2 is still [3, 1].
    """
    table = whole(rng, 7, 3)
    for ids in (np.array(4), np.array([2, 3, 4]), np.array([[6, 1], [1, 0]])):
        layer, kept = layer_with(m, table), keep(m, ids)
        given(m, f"a table of 7 rows, ids {short(ids)}; the ids after the lookup:")
        out = call(layer, "forward", kept)
        same(numbers(kept), ids)
        given(m, f"ids {short(ids)}, a table of 7 rows; the table after the lookup:")
        same(numbers(layer, "weight"), table)
        others = np.array((ids + 1) % 7)
        call(layer, "forward", others)
        given(m, f"ids {short(ids)}, then a lookup of {short(others)}; the result of the first one:")
        same(numbers(out), table[ids], known=[
            ("when all lookups write into the same array", table[others])])
        put(out, "data", np.full((*ids.shape, 3), 99.0))
        given(m, f"ids {short(ids)}; then all numbers of the result are set to 99; the table after that:")
        same(numbers(layer, "weight"), table)
