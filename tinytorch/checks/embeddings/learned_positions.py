"""learned-positions: `LearnedPositionalEmbedding` adds the rows of an Embedding."""
import numpy as np

from ..compare import expect, refused, same
from ..handles import NoNumbers, call, given, items, kinds, new, numbers, put, spy
from ..registry import behaviour
from ..samples import whole
from .added import added_wrongly, refuses_wrong_shapes, special_texts
from .embedding_init import normal

NAME, TABLE = "LearnedPositionalEmbedding", "position_embedding.weight"


def layer_with(m, table):
    """A layer whose position rows are these."""
    layer = new(m, NAME, *table.shape)
    put(layer, TABLE + ".data", table)
    return layer


@behaviour("learned-positions", points=1)
def the_positions_are_an_embedding_of_their_own(m, rng):
    """One row for each position: how many rows, how wide, and drawn in which way?

    The table is an Embedding with max_seq_length rows. Its init_type is not the default one.

    LearnedPositionalEmbedding(8, 4): position_embedding.weight has shape (8, 4) and standard deviation
    near 0.5.
    """
    given(m, f"{NAME}(300, 64), its {TABLE}")
    layer = new(m, NAME, 300, 64)
    table = numbers(layer, TABLE)
    shape = getattr(table, "shape", "of no array")
    expect(shape == (300, 64), f"shape {shape}", "shape (300, 64)",
           "when length and width change places" if shape == (64, 300) else "")
    expect("Embedding" in kinds(layer, "position_embedding"), f"a {kinds(layer, 'position_embedding')[0]}",
           "an Embedding")
    normal(table, 1 / 8, known=[
        ("with the default init_type, 'uniform'", 1 / 8 / np.sqrt(3)), ("with init_type 'gpt2'", 0.02),
        ("with init_type 'xavier'", np.sqrt(2 / 364)), ("with random numbers that are not scaled", 1.0)])
    a, b = (numbers(new(m, NAME, 6, 4, rng=spy(m, "generator", 5)), TABLE) for _ in range(2))
    given(m, f"two {NAME}(6, 4, rng=np.random.default_rng(5))")
    expect(np.array_equal(a, b), "the two tables differ", "the same table twice",
           "when rng is not handed on to the Embedding")
    first, second = new(m, NAME, 6, 4), new(m, NAME, 6, 4)
    put(first, TABLE + ".data", a + 1)
    given(m, f"two {NAME}(6, 4); then the rows of the first one are set to other numbers")
    expect(not np.array_equal(numbers(second, TABLE), a + 1), "the second one has these numbers, too",
           "the second one keeps its own")


@behaviour("learned-positions", points=1)
def each_token_gets_the_row_of_its_place(m, rng):
    """The first token of every text gets row 0, the next one row 1. The batch has no say in it.

    T, the number of places, is the second last axis of x, with a batch and without.

    Position rows [1, 1], [2, 2], [3, 3] and zeros of shape (5, 2, 2): each of the 5 texts becomes [1, 1],
    [2, 2].
    """
    numbers_ = whole(rng, 8 + 10 + 3, 4)
    table, batch, text = numbers_[:8], numbers_[8:18].reshape(2, 5, 4), numbers_[18:]
    layer = layer_with(m, table)
    plain = [(f"x of shape {x.shape}", x) for x in (batch, text)]
    for said, x in (*plain, *special_texts(rng, table)):
        given(m, f"{NAME}(8, 4), {said}")
        out = call(layer, "forward", new(m, "Tensor", x))
        same(numbers(out), x + table[:x.shape[-2]], known=added_wrongly(x, table))


@behaviour("learned-positions", points=1)
def a_text_may_begin_at_a_later_position(m, rng):
    """With start_pos = 4 the first token gets row 4 of the table, the next one row 5.

    A text read in two pieces must give the same as the text in one.

    Position rows [1], [2], [3], [4], zeros of shape (2, 1), start_pos 1: the result is [2], [3].
    """
    table = whole(rng, 9, 4)
    layer = layer_with(m, table)
    for shape, start in (((2, 5, 4), 3), ((3, 4), 4), ((2, 1, 4), 7), ((3, 2, 4), 0)):
        x = whole(rng, *shape)
        given(m, f"{NAME}(9, 4), x of shape {shape}, start_pos {start}")
        same(numbers(call(layer, "forward", new(m, "Tensor", x), start)), x + table[start:start + shape[-2]],
             known=[("when start_pos is ignored", x + table[:shape[-2]])])


@behaviour("learned-positions", points=1)
def more_tokens_than_positions_are_refused(m, rng):
    """As many tokens as there are position rows are fine; one more is an error. start_pos counts, too.

    Using the last row again, starting again from 0 or cutting x hides that the text was too long.

    5 position rows: 5 tokens are fine, 6 are not; with start_pos 3 two tokens are fine, three are not.
    """
    table = whole(rng, 5, 4)
    layer = layer_with(m, table)
    for length, start in ((5, 0), (3, 2)):
        x = whole(rng, 2, length, 4)
        given(m, f"{NAME}(5, 4), x of shape (2, {length}, 4), start_pos {start}: it just fits")
        same(numbers(call(layer, "forward", new(m, "Tensor", x), start)), x + table[start:])
    for shape, start in (((2, 6, 4), 0), ((7, 4), 0), ((3, 3, 4), 3), ((2, 1, 4), 5)):
        x, rows = whole(rng, *shape), np.arange(start, start + shape[-2])
        given(m, f"{NAME}(5, 4), x of shape {shape}, start_pos {start}: "
                 f"{shape[-2]} tokens from position {start}, the table has 0 to 4")
        refused(layer, "forward", new(m, "Tensor", x), start, known=[
            ("when the tokens past the end are cut off",
             (x + table[np.minimum(rows, 4)])[..., :max(5 - start, 0), :]),
            ("when the last position serves the rest", x + table[np.minimum(rows, 4)]),
            ("when positions start again from 0", x + table[rows % 5])])


@behaviour("learned-positions", points=1)
def wrong_shapes_are_refused(m, rng):
    """x has 2 or 3 axes and the width of the table. numpy stretches a width of 1 without a word.

    They are the same tests as in positions-forward: axes, width, length.

    Width 4: (2, 4) and (3, 2, 4) are fine; (4,), (2, 1), (2, 5) and (1, 3, 2, 4) raise a ValueError.
    """
    table = whole(rng, 9, 4)
    refuses_wrong_shapes(m, rng, f"{NAME}(9, 4)", layer_with(m, table), table)


@behaviour("learned-positions", points=1)
def the_rows_learn_from_the_whole_batch(m, rng):
    """Every text of the batch used row 0, so row 0 gets the sum of what arrives at place 0 in all of
    them.

    Rows that no token used get zero. And the table has to be found among the layer's parameters: an
    attribute that holds the Embedding itself is found, a copy of its numbers is not.

    2 texts of 1 token, upstream [[[1]], [[10]]], 3 position rows: their gradient is [11], [0], [0].
    """
    table, x, upstream = whole(rng, 7, 3), whole(rng, 2, 4, 3), whole(rng, 2, 4, 3)
    layer, held = layer_with(m, table), new(m, "Tensor", x, requires_grad=True)
    call(call(layer, "forward", held), "backward", upstream)
    right = np.zeros((7, 3))
    right[:4] = upstream.sum(axis=0)
    first, mean = right.copy(), right / 2
    first[:4] = upstream[0]
    given(m, f"{NAME}(7, 3), x of shape (2, 4, 3), then backward(g); the gradient of {TABLE}:")
    same(numbers(layer, TABLE + ".grad"), right, known=[
        ("when only the first text counts", first), ("when the mean over the batch is taken", mean)])
    given(m, f"{NAME}(7, 3), x of shape (2, 4, 3), then backward(g); x.grad:")
    same(numbers(held, "grad"), upstream)
    given(m, f"{NAME}(7, 3), x of shape (2, 4, 3); x after the call:")
    same(numbers(held), x)
    layer, held = layer_with(m, table), new(m, "Tensor", x[0], requires_grad=True)
    call(call(layer, "forward", held, 2), "backward", upstream[0])
    given(m, f"{NAME}(7, 3), x of shape (4, 3), start_pos 2, then backward(g); the gradient of {TABLE}:")
    same(numbers(layer, TABLE + ".grad"), np.pad(upstream[0], ((2, 1), (0, 0))))
    given(m, f"{NAME}(7, 3), x of shape (4, 3), start_pos 2, then backward(g); x.grad:")
    same(numbers(held, "grad"), upstream[0])
    given(m, f"{NAME}(7, 3), its parameters")
    found = [numbers(parameter) for parameter in items(layer, "parameters")]
    shapes = [getattr(one, "shape", None) for one in found]
    expect(shapes == [(7, 3)], f"tensors of shape {shapes}", "one tensor, of shape [(7, 3)]")
    put(items(layer, "parameters")[0], "data", table + 100)
    moved = numbers(call(layer, "forward", new(m, "Tensor", x)))
    expect(not isinstance(moved, NoNumbers) and np.array_equal(moved, x + table[:4] + 100),
           "the parameter is a copy: training it changes nothing", "the table that forward reads")
