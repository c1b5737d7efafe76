"""embedding-backward: `embedding_grad` adds each upstream row to the row of its id."""
import numpy as np

from ..compare import same
from ..handles import call, given, keep, numbers
from ..registry import behaviour
from ..samples import distinct_ids, short, summed_by_id, whole
from .embedding_forward import layer_with


def mistakes(ids, upstream, rows):
    """Known mistakes and the gradients they give."""
    flat, lines = np.ravel(ids), upstream.reshape(-1, upstream.shape[-1])
    right, last, first = summed_by_id(ids, upstream, rows), np.zeros((rows, lines.shape[1])), None
    last[flat] = lines
    first = np.zeros_like(last)
    first[flat[::-1]] = lines[::-1]
    counts = np.maximum(np.bincount(flat, minlength=rows), 1)[:, None]
    return [("when nothing arrives: all zeros", 0 * right), ("when half of it arrives", right / 2),
            ("when an id that repeats keeps only its last row", last),
            ("when an id that repeats keeps only its first row", first),
            ("when an id that repeats gets the mean of its rows", right / counts),
            ("when it is divided by the number of ids", right / flat.size),
            ("when each id counts 1 and the upstream is forgotten",
             np.bincount(flat, minlength=rows)[:, None] * np.ones_like(right)),
            ("when every row of the table gets the whole sum", np.tile(lines.sum(axis=0), (rows, 1))),
            ("with the sign turned", -right)]


@behaviour("embedding-backward", points=3)
def each_upstream_row_goes_to_the_row_of_its_id(m, rng):
    """Row v of the gradient belongs to id v. Where does the upstream row of the first id have to go?

    The gradient has a row for each token of the table, also for those that are not in the batch: they
    stay zero.

    Table of 4 rows, ids [2, 0], upstream [[1, 5], [3, 7]]: row 0 is [3, 7], row 2 is [1, 5], rows 1 and 3
    are [0, 0].
    """
    ids, upstream = np.append(distinct_ids(rng, 1, 7, 3), 0), whole(rng, 4, 3) / 2
    given(m, f"ids {short(ids)}, upstream {short(upstream)}, vocab_size 7")
    right = summed_by_id(ids, upstream, 7)
    same(numbers(call(m, "embedding_grad", ids, upstream, 7)), right, known=[
        *mistakes(ids, upstream, 7), ("when the numbers are cut to whole ones", np.trunc(right))])


@behaviour("embedding-backward", points=2)
def an_id_that_repeats_gets_the_sum(m, rng):
    """A token that stands in the text twice gets both gradients, added up. Do both arrive?

    numpy's += on rows picked by a list of ids handles each row once: of two equal ids only one is heard.

    ids [1, 1, 3], upstream rows [1], [10], [100]: row 1 is [11], row 3 is [100], the others are [0].
    """
    a, b, c = distinct_ids(rng, 0, 6, 3)
    ids, upstream = np.array([a, b, a, c, a, b]), whole(rng, 6, 4)
    given(m, f"ids {short(ids)}, upstream {short(upstream)}, vocab_size 6")
    same(numbers(call(m, "embedding_grad", ids, upstream, 6)), summed_by_id(ids, upstream, 6),
         known=mistakes(ids, upstream, 6))


@behaviour("embedding-backward", points=2)
def a_batch_of_texts_is_one_long_list_of_ids(m, rng):
    """ids come as (B, T), the upstream as (B, T, D). The gradient is still (V, D): all texts go into one
    table.

    For the sum it does not matter in which text an id stood.

    ids [[1, 0], [1, 1]], upstream rows [1], [2], [4], [8] in this order: row 1 is 1 + 4 + 8 = [13], row 0
    is [2].
    """
    ids, upstream = rng.integers(0, 5, (2, 4)), whole(rng, 2, 4, 3)
    ids[1, 2] = ids[0, 3] = ids[0, 1]
    right = summed_by_id(ids, upstream, 6)
    given(m, f"ids {short(ids)} of shape (2, 4), upstream of shape (2, 4, 3), vocab_size 6")
    same(numbers(call(m, "embedding_grad", ids, upstream, 6)), right, known=[
        ("when only the first text counts", summed_by_id(ids[0], upstream[0], 6)),
        ("when only the last text counts", summed_by_id(ids[1], upstream[1], 6)),
        ("when it is divided by the number of texts", right / 2), *mistakes(ids, upstream, 6)])
    for shape, rows in (((2, 2, 3), 8), ((), 9), ((0,), 10)):
        ids, upstream = rng.integers(0, 5, shape), whole(rng, *shape, 3)
        given(m, f"ids {short(ids)} of shape {shape}, upstream of shape {upstream.shape}, vocab_size {rows}")
        same(numbers(call(m, "embedding_grad", ids, upstream, rows)), summed_by_id(ids, upstream, rows))


@behaviour("embedding-backward", points=2)
def the_padding_row_gets_nothing(m, rng):
    """The row of padding_idx is zero whatever arrives there, so that padding never learns. All other rows
    are summed.

    Is it so when the padding id is 0, too? In Python 0 counts as false. And without a padding id no row
    is special.

    ids [0, 1, 0], upstream rows [1], [10], [100], padding_idx 0: row 0 is [0], row 1 is [10].
    """
    ids, upstream = np.array([2, 0, 4, 2, 0, 1]), whole(rng, 6, 3)
    full = summed_by_id(ids, upstream, 5)
    for padding in (2, 0, None):
        right = full.copy()
        if padding is not None:
            right[padding] = 0
        given(m, f"ids {short(ids)}, upstream {short(upstream)}, vocab_size 5, padding_idx {padding}")
        same(numbers(call(m, "embedding_grad", ids, upstream, 5, padding)), right,
             known=[("when the padding row is treated like the others", full)])


@behaviour("embedding-backward", points=1)
def long_sums_stay_exact(m, rng):
    """A float32 has 24 bits. A small number that is added to a large one may leave no trace, and a frequent
    token's sum becomes large.

    In which type do you add up? The type of the upstream is for the result, not for the sum.

    An id stands there 3 times, float32 rows [16777216], [1], [1]: in float32 the sum stays at 16777216; the
    right one is 16777218.
    """
    for kind, first, count, rows, stays in ((np.float16, 1, 3000, 4, 2048), (np.float32, 2**24, 201, 3, 2**24)):
        ids, upstream = np.full(count, 2), np.ones((count, 1), kind)
        upstream[0] = first
        right = summed_by_id(ids, upstream, rows)
        given(m, f"{count} ids, all of them 2; {kind.__name__} upstream [{first}] and {count - 1} times [1]; "
                 f"vocab_size {rows}")
        same(numbers(call(m, "embedding_grad", ids, upstream, rows)), right, close=1e-9, known=[
            (f"when the sum is kept in {kind.__name__}", np.where(right, stays, 0))])


@behaviour("embedding-backward", points=1)
def ids_and_upstream_stay_as_they_are(m, rng):
    """Other layers may still need the upstream: read it, and write only into an array of your own.

    Setting padding rows to zero is work for your result, not for what you were given.

    ids [0, 1], upstream [[5], [6]], padding_idx 0: afterwards the upstream is still [[5], [6]].
    """
    ids, upstream = np.array([[3, 0, 3], [1, 0, 2]]), whole(rng, 2, 3, 4)
    kept_ids, kept = keep(m, ids), keep(m, upstream)
    right = summed_by_id(ids, upstream, 5)
    right[0] = 0
    given(m, f"ids {short(ids)}, upstream of shape (2, 3, 4), vocab_size 5, padding_idx 0")
    same(numbers(call(m, "embedding_grad", kept_ids, kept, 5, 0)), right)
    given(m, f"ids {short(ids)}, padding_idx 0; here the ids after the call:")
    same(numbers(kept_ids), ids)
    given(m, f"ids {short(ids)}, padding_idx 0; here the upstream (2, 3, 4) after the call:")
    same(numbers(kept), upstream)


@behaviour("embedding-backward", points=1)
def backward_reaches_the_table_and_adds_up(m, rng):
    """backward() on the rows brings your gradient to the table. A second backward() adds to the first.

    Your function starts from zeros each time it is called; adding up over calls is the Tensor's own work.

    ids [1], upstream [[5]], backward twice on a fresh lookup each time: the weight's grad has 10 in row 1.
    """
    layer, right = layer_with(m, whole(rng, 7, 3)), np.zeros((7, 3))
    for turn in ("first", "second"):
        ids, upstream = rng.integers(0, 7, (2, 4)), whole(rng, 2, 4, 3)
        given(m, f"a table of shape (7, 3), {turn} lookup with ids {short(ids)}, then backward(upstream); "
                 f"the weight's grad after that:")
        out = call(layer, "forward", ids)
        call(out, "backward", upstream)
        before, right = right, right + summed_by_id(ids, upstream, 7)
        same(numbers(layer, "weight.grad"), right, known=[
            ("when the second backward() overwrites the first", right - before),
            ("when the second backward() is lost", before),
            ("when the first one counts twice", right + before)])
