"""positions-forward: `PositionalEncoding.forward` adds the rows of the fixed table.

The right answers come from the formula, not from the layer's own `pe`.
"""
import numpy as np

from ..compare import refused, same
from ..handles import call, given, new, numbers
from ..registry import behaviour
from ..samples import short, waves, whole
from .added import added_wrongly, refuses_wrong_shapes, special_texts


@behaviour("positions-forward", points=1)
def every_text_of_a_batch_gets_the_same_rows(m, rng):
    """Axis 1 of (B, T, D) is the place in the text. The first token of every text gets position 0, the
    next one 1.

    How many rows of the table do you need: as many as there are texts, or as many as there are tokens in
    each?

    Zeros of shape (3, 2, 4): in all three texts token 0 becomes [0, 1, 0, 1] and token 1 becomes
    [0.841471, 0.540302, 0.01, 0.99995].
    """
    layer, table = new(m, "PositionalEncoding", 6, 9), waves(9, 6)
    for text, x in (("x of shape (2, 5, 6)", whole(rng, 2, 5, 6)), *special_texts(rng, table)):
        given(m, f"PositionalEncoding(6, 9), {text}")
        out = call(layer, "forward", new(m, "Tensor", x))
        same(numbers(out), x + table[:x.shape[1]], known=added_wrongly(x, table))


@behaviour("positions-forward", points=1)
def a_single_text_works(m, rng):
    """x may come without a batch axis, as (T, D). Which axis is the place in the text then?

    Counted from the end, T is the second last axis in both cases.

    Zeros of shape (2, 4): row 0 becomes [0, 1, 0, 1] and the result has shape (2, 4), too.
    """
    x, table = whole(rng, 3, 6), waves(9, 6)
    given(m, f"PositionalEncoding(6, 9), x of shape (3, 6): {short(x)}")
    layer = new(m, "PositionalEncoding", 6, 9)
    out = call(layer, "forward", new(m, "Tensor", x))
    same(numbers(out), x + table[:3], known=added_wrongly(x, table))
    given(m, "PositionalEncoding(6, 9), the same x for a second time")
    out = call(layer, "forward", new(m, "Tensor", x))
    same(numbers(out), x + table[:3], known=[("when the first sum stands in the table", 2 * x + table[:3])])


@behaviour("positions-forward", points=1)
def a_text_may_begin_at_a_later_position(m, rng):
    """With start_pos = 4 the first token gets row 4 of the table, the next one row 5. How many rows in
    all?

    A text read in two pieces must give the same as the text in one: the second piece begins where the
    first ended.

    start_pos = 1, zeros of shape (1, 4): the row is the one of position 1, [0.841471, 0.540302, 0.01,
    0.99995].
    """
    table = waves(9, 4)
    layer = new(m, "PositionalEncoding", 4, 9)
    for shape, start in (((2, 5, 4), 3), ((3, 4), 4), ((2, 1, 4), 7), ((3, 2, 4), 0)):
        x = whole(rng, *shape)
        given(m, f"PositionalEncoding(4, 9), x of shape {shape}, start_pos {start}")
        same(numbers(call(layer, "forward", new(m, "Tensor", x), start)), x + table[start:start + shape[-2]],
             known=[("when start_pos is ignored", x + table[:shape[-2]]),
                    ("when start_pos is one too large", x + np.roll(table, -1, 0)[start:start + shape[-2]])])


@behaviour("positions-forward", points=1)
def more_tokens_than_positions_are_refused(m, rng):
    """As many tokens as the table has rows are fine; one more is an error. start_pos counts, too.

    A slice past the end of an array is no error in Python. It just gets shorter, so the test must be your
    own.

    Table of 8 positions: 8 tokens are fine, 9 are not; with start_pos 6 two tokens are fine, three are
    not.
    """
    table = waves(5, 4)
    layer = new(m, "PositionalEncoding", 4, 5)
    for length, start in ((5, 0), (3, 2)):
        x = whole(rng, 2, length, 4)
        given(m, f"PositionalEncoding(4, 5), x of shape (2, {length}, 4), start_pos {start}: it just fits")
        same(numbers(call(layer, "forward", new(m, "Tensor", x), start)), x + table[start:])
    for shape, start in (((2, 6, 4), 0), ((7, 4), 0), ((3, 3, 4), 3), ((2, 1, 4), 5), ((1, 4), 6)):
        x, rows = whole(rng, *shape), np.arange(start, start + shape[-2])
        given(m, f"PositionalEncoding(4, 5), x of shape {shape}, start_pos {start}: "
                 f"{shape[-2]} tokens from position {start}, the table has 0 to 4")
        refused(layer, "forward", new(m, "Tensor", x), start, known=[
            ("when the tokens past the end are cut off",
             (x + table[np.minimum(rows, 4)])[..., :max(5 - start, 0), :]),
            ("when the last position serves the rest", x + table[np.minimum(rows, 4)]),
            ("when positions start again from 0", x + table[rows % 5]),
            ("when start_pos is left out of the test", x + table[np.maximum(rows - start, 0) % 5])])


@behaviour("positions-forward", points=1)
def wrong_shapes_are_refused(m, rng):
    """x has 2 or 3 axes and the width of the table. numpy stretches a width of 1 without a word.

    Look at the number of axes and at the last one before you add.

    Width 4: (2, 4) and (3, 2, 4) are fine; (4,), (2, 1), (2, 5) and (1, 3, 2, 4) raise a ValueError.
    """
    refuses_wrong_shapes(m, rng, "PositionalEncoding(4, 9)", new(m, "PositionalEncoding", 4, 9), waves(9, 4))


@behaviour("positions-forward", points=1)
def x_is_only_read_and_gets_its_gradient(m, rng):
    """The sum is a new Tensor: x keeps its numbers. And it remembers x, so that x gets a gradient.

    Adding in place changes x. Adding bare arrays and wrapping the result forgets x.

    y = layer(x), then y.backward(g): x.grad is g itself, since d(x + p)/dx = 1.
    """
    x, table, upstream = whole(rng, 2, 3, 6), waves(9, 6), whole(rng, 2, 3, 6)
    held = new(m, "Tensor", x, requires_grad=True)
    out = call(new(m, "PositionalEncoding", 6, 9), "forward", held)
    given(m, "PositionalEncoding(6, 9), x of shape (2, 3, 6)")
    same(numbers(out), x + table[:3])
    given(m, "PositionalEncoding(6, 9), x of shape (2, 3, 6); x after the call:")
    same(numbers(held), x)
    given(m, "y = layer(x), y.backward(g), g of shape (2, 3, 6); x.grad after that:")
    call(out, "backward", upstream)
    same(numbers(held, "grad"), upstream)
