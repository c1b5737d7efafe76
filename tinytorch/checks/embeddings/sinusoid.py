"""sinusoid: the table of `create_sinusoidal_embeddings`."""
import numpy as np

from ..compare import expect, same
from ..handles import call, given, kinds, numbers
from ..registry import behaviour
from ..samples import waves

NAME = "create_sinusoidal_embeddings"


def halves(length, width):
    """All sines first, then all cosines: another layout than the paper's."""
    table = waves(length, width)
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


def swapped(length, width):
    return waves(length, width, first=np.cos, then=np.sin)


@behaviour("sinusoid", points=2)
def position_zero_is_zeros_and_ones(m, rng):
    """At position 0 every angle is 0. What is the sine of 0, what is the cosine, and which of them comes
    first?

    Sines stand in the columns 0, 2, 4, ... and cosines in 1, 3, 5, ...; the first row belongs to position
    0.

    D = 4: the row of position 0 is [0, 1, 0, 1].
    """
    given(m, f"{NAME}(5, 6)")
    out = call(m, NAME, 5, 6)
    table = numbers(out)
    right = waves(5, 6)
    if getattr(table, "shape", None) == right.shape:
        same(table[:1], right[:1], known=[
            ("when sine and cosine change places", swapped(1, 6)),
            ("when all sines come first, then all cosines", halves(1, 6)),
            ("when positions count from 1", waves(1, 6, start=1)),
            ("when positions run backwards", waves(1, 6, start=4)),
            ("when all columns are sines", 0 * right[:1]),
            ("when all columns are cosines", 0 * right[:1] + 1)])
    else:
        same(table, right, known=[("when positions and columns change places", right.T)])
    expect("Tensor" in kinds(out), f"a {kinds(out)[0]}", "a Tensor")


@behaviour("sinusoid", points=2)
def the_first_pair_turns_by_one_radian_a_position(m, rng):
    """The first two columns are the sine and the cosine of the position itself, in radians.

    For the first pair i is 0. What does 10000 to the power of 0 make of the position?

    Position 1: sin(1) = 0.841471 and cos(1) = 0.540302. Position 2: 0.909297 and -0.416147.
    """
    given(m, f"{NAME}(7, 4), columns 0 and 1")
    table, right, n = numbers(call(m, NAME, 7, 4)), waves(7, 2), np.arange(7.0)[:, None]
    table = table[:, :2] if getattr(table, "ndim", 0) == 2 else table
    pair = [("when the angles are degrees", n * np.pi / 180), ("when positions run backwards", n[::-1]),
            ("when positions count from 1", n + 1), ("when positions are divided by their number", n / 7),
            ("when positions are divided by the last one", n / 6),
            ("when the first wave has period 1", 2 * np.pi * n),
            ("when pairs count from 1", n / 10000 ** (2 / 4)), ("when the position is forgotten", 0 * n + 1)]
    known = [(sentence, np.hstack([np.sin(a), np.cos(a)])) for sentence, a in pair]
    columns = "when i is the number of the column: both columns of a pair turn at the same rate"
    cut = "when the numbers are cut to whole ones", np.trunc(right)
    same(table, right, known=[*known, cut, (columns, waves(7, 4, exponent=lambda c: 2 * c)[:, :2]),
                              (columns, waves(7, 4, exponent=lambda c: c)[:, :2])])


@behaviour("sinusoid", points=3)
def each_pair_turns_slower_than_the_one_before(m, rng):
    """The power grows from pair to pair: 0 for the first pair, then 2/D, 4/D and so on, the same for both
    columns.

    i is the number of the pair, not of the column. Columns 2 and 3 both belong to pair 1.

    D = 4: pair 1 is divided by 10000^(2/4) = 100, so position 1 has sin(0.01) = 0.01 and cos(0.01) =
    0.99995.
    """
    for width in (6, 8):
        given(m, f"{NAME}(5, {width})")
        same(numbers(call(m, NAME, 5, width)), waves(5, width), known=[
            ("with base 100, or with the factor 2 missing in the power", waves(5, width, base=100.0)),
            ("with base 1000 in place of 10000", waves(5, width, base=1000.0)),
            ("when i is the number of the column, not of the pair",
             waves(5, width, exponent=lambda c: c // 2 * 4)),
            ("when all pairs turn at the same rate", waves(5, width, exponent=lambda c: 0)),
            ("when later pairs turn faster", waves(5, width, exponent=lambda c: -(c // 2 * 2))),
            ("when pairs count from 1", waves(5, width, exponent=lambda c: c // 2 * 2 + 2)),
            ("when all sines come first, then all cosines", halves(5, width)),
            ("when the last power is 1, as in tensor2tensor",
             waves(5, width, exponent=lambda c, w=width: c // 2 * w / (w / 2 - 1)))])


@behaviour("sinusoid", points=2)
def an_odd_width_works(m, rng):
    """With an odd width there is one column more for sines than for cosines. Do the shapes fit on both
    sides?

    The last column is a sine without a partner. The width in the power is still D, the odd one.

    D = 3, position 1: sin(1) = 0.841471, cos(1) = 0.540302, and sin(1 / 10000^(2/3)) = 0.002154.
    """
    for width in (5, 7, 1):
        given(m, f"{NAME}(4, {width})")
        right = waves(4, width)
        lost = right.copy()
        lost[:, -1] = 0
        same(numbers(call(m, NAME, 4, width)), right, known=[
            ("when the last column stays 0", lost), ("when the last column is left out", right[:, :-1]),
            ("when one column is added", waves(4, width + 1)),
            ("when the width is rounded up to an even one", waves(4, width + 1)[:, :-1])])


@behaviour("sinusoid", points=1)
def far_positions_are_as_exact_as_near_ones(m, rng):
    """An angle of some thousand radians leaves few digits after the point in float32. Which type do your
    angles have?

    Work out positions, rates and angles in float64, and round the finished table at the end.

    D = 6, position 11999, column 2: the angle is 556.944...; in float32 it is off by up to 0.00003, and so is
    the sine.
    """
    given(m, f"{NAME}(12000, 6), positions 11997 to 11999")
    table = numbers(call(m, NAME, 12000, 6))
    expect(getattr(table, "shape", None) == (12000, 6), f"shape {getattr(table, 'shape', table)}",
           "shape (12000, 6)")
    same(table[11997:], waves(3, 6, start=11997), close=2e-6)
