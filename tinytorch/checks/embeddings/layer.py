"""layer: `EmbeddingLayer.forward` puts tokens, the factor sqrt(D) and positions together."""
import numpy as np

from ..compare import refused, same
from ..handles import call, given, new, numbers, put
from ..registry import behaviour
from ..samples import short, summed_by_id, waves, whole

V, D, P = 7, 9, 6  # sqrt(D) is 3


def built(m, rng, strategy, scale=False, width=D):
    """A layer with known tables: the layer, its token rows and its position rows."""
    layer = new(m, "EmbeddingLayer", V, width, P, pos_encoding=strategy, scale_embeddings=scale)
    rows = whole(rng, V + P, width)
    tokens, positions = rows[:V], rows[V:]
    put(layer, "token_embedding.weight.data", tokens)
    if strategy == "learned":
        put(layer, "pos_encoding.position_embedding.weight.data", positions)
    else:
        positions = waves(P, width) if strategy == "sinusoidal" else np.zeros((P, width))
    return layer, tokens, positions


def said(m, strategy, text, scale=False):
    given(m, f"EmbeddingLayer({V}, {D}, {P}, pos_encoding={strategy!r}"
             f"{', scale_embeddings=True' if scale else ''}), {text}")


def adds_positions(m, rng, strategy):
    layer, tokens, positions = built(m, rng, strategy)
    for ids in (rng.permutation(V)[:5], rng.integers(0, V, (2, 4))):
        said(m, strategy, f"ids {short(ids)}")
        rows, place = tokens[ids], positions[:ids.shape[-1]]
        same(numbers(call(layer, "forward", ids)), rows + place, known=[
            ("when no position is added", rows), ("when the positions are added twice", rows + 2 * place),
            ("when the tokens are counted twice", 2 * rows + place),
            ("when only the positions come out", 0 * rows + place),
            ("when sinusoids are added", rows + waves(ids.shape[-1], D)),
            ("when the factor sqrt(D) is there though it was not asked for", 3 * rows + place),
            ("when every token gets position 0", rows + place[0])])


@behaviour("layer", points=1)
def without_positions_the_token_rows_come_out(m, rng):
    """pos_encoding=None means: no positions at all. What comes out is the rows of the tokens.

    There is nothing to pass the rows through then. Does your code ask first?

    Token rows [1, 0], [0, 2], ids [1, 1]: the result is [0, 2], [0, 2].
    """
    adds_positions(m, rng, None)
    layer, tokens, _ = built(m, rng, None)
    said(m, None, "ids [3, 1], start_pos 2, which changes nothing here")
    same(numbers(call(layer, "forward", np.array([3, 1]), 2)), tokens[[3, 1]])


@behaviour("layer", points=1)
def learned_positions_are_added(m, rng):
    """The position layer adds its rows itself: hand it the token rows and take what comes back.

    Adding its result to the tokens once more counts them twice.

    Token row [1, 0] at every place, position rows [10, 10], [20, 20]: the result is [11, 10], [21, 20].
    """
    adds_positions(m, rng, "learned")


@behaviour("layer", points=1)
def sinusoids_are_added(m, rng):
    """The two position layers are used in the same way. Does your code treat them alike?

    What the layer built in __init__ stands in pos_encoding, whichever of the two it is.

    D = 4, token rows all zero, ids [3, 3]: the result is [0, 1, 0, 1] and [0.841471, 0.540302, 0.01,
    0.99995].
    """
    adds_positions(m, rng, "sinusoidal")


@behaviour("layer", points=1)
def tokens_alone_are_scaled(m, rng):
    """The factor belongs to the tokens, before positions join, and it is sqrt(D): neither D nor 1 /
    sqrt(D).

    It is asked for by scale_embeddings, and by nothing else: with positions and without.

    D = 4, token row all 0.1, sinusoids: position 0 becomes 0.1 * 2 + [0, 1, 0, 1] = [0.2, 1.2, 0.2, 1.2].
    """
    for strategy in ("learned", "sinusoidal", None):
        layer, tokens, positions = built(m, rng, strategy, scale=True)
        ids = rng.integers(0, V, (2, 4))
        rows, place = tokens[ids], positions[:4]
        said(m, strategy, f"ids {short(ids)}; sqrt(D) is 3", scale=True)
        same(numbers(call(layer, "forward", ids)), 3 * rows + place, known=[
            ("when the factor is forgotten", rows + place), ("when the factor is D", 9 * rows + place),
            ("when the tokens are divided by sqrt(D)", rows / 3 + place),
            ("when the sum is multiplied, positions and all", 3 * (rows + place)),
            ("when the positions are multiplied in place of the tokens", rows + 3 * place),
            ("when the factor is the root of V", np.sqrt(V) * rows + place)])
        said(m, strategy, f"ids {short(ids)} for a second time", scale=True)
        same(numbers(call(layer, "forward", ids)), 3 * rows + place, known=[
            ("when the table is multiplied at every lookup", 9 * rows + place)])
    layer, tokens, positions = built(m, rng, "sinusoidal", scale=True, width=8)
    ids = rng.integers(0, V, 3)
    rows, place = tokens[ids], positions[:3]
    given(m, f"EmbeddingLayer({V}, 8, {P}, pos_encoding='sinusoidal', scale_embeddings=True), "
             f"ids {short(ids)}; sqrt(D) is 2.828427")
    same(numbers(call(layer, "forward", ids)), np.sqrt(8) * rows + place, known=[
        ("when the root is cut to a whole number", 2 * rows + place),
        ("when the factor is forgotten", rows + place)])


@behaviour("layer", points=1)
def start_and_length_reach_the_positions(m, rng):
    """start_pos has to reach the position layer, and a text that is too long must stay an error.

    The position layers refuse what is too long. Cutting ids or rows before they see it takes the error
    away.

    6 positions, start_pos 4: two ids are fine and get rows 4 and 5; three ids raise a ValueError.
    """
    for strategy in ("learned", "sinusoidal"):
        layer, tokens, positions = built(m, rng, strategy)
        scaled, _, _ = built(m, rng, strategy, scale=True)
        for shape, start in (((2, 3), 2), ((2, 6), 0), ((2, 2), 4), ((3,), 1)):
            ids, length = rng.integers(0, V, shape), shape[-1]
            said(m, strategy, f"ids of shape {ids.shape}, start_pos {start}")
            same(numbers(call(layer, "forward", ids, start)), tokens[ids] + positions[start:start + length],
                 known=[("when start_pos is ignored", tokens[ids] + positions[:length])])
        for length, start, scale in ((7, 0, False), (3, 4, False), (3, 4, True)):
            ids = rng.integers(0, V, (2, length))
            said(m, strategy, f"ids of shape {ids.shape}, start_pos {start}: past the last position", scale)
            refused(scaled if scale else layer, "forward", ids, start)


@behaviour("layer", points=1)
def gradients_reach_both_tables(m, rng):
    """Both tables learn: nothing on the way may turn a Tensor into bare numbers.

    Token rows were multiplied by sqrt(D), so their gradient is multiplied by it, too. Position rows get
    the sum over the batch.

    D = 4, scaled, one id 2, upstream [1, 1, 1, 1]: row 2 of the tokens' gradient is [2, 2, 2, 2], and row
    0 of the positions' is [1, 1, 1, 1].
    """
    for strategy in ("learned", "sinusoidal", None):
        for scale in (True, False):
            layer, _, _ = built(m, rng, strategy, scale)
            ids, upstream = rng.integers(0, V, (2, 4)), whole(rng, 2, 4, D)
            by_id, by_place = summed_by_id(ids, upstream, V), np.zeros((P, D))
            by_place[:4] = upstream.sum(axis=0)
            call(call(layer, "forward", ids), "backward", upstream)
            said(m, strategy, f"ids {short(ids)}, backward(g); the token table's gradient:", scale)
            same(numbers(layer, "token_embedding.weight.grad"), (3 if scale else 1) * by_id, known=[
                ("when the factor sqrt(D) is missing in the gradient", by_id)])
            if strategy == "learned":
                said(m, strategy, f"ids {short(ids)}, backward(g); the position table's gradient:", scale)
                same(numbers(layer, "pos_encoding.position_embedding.weight.grad"), by_place, known=[
                    ("when the factor sqrt(D) reaches the positions", 3 * by_place)])
