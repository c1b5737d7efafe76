"""embedding-init: the table of `Embedding.__init__`. 9000 numbers show bounds and spread."""
import numpy as np

from ..compare import expect, refused
from ..handles import given, new, numbers, reseed, spy
from ..registry import behaviour

TYPES = "uniform", "normal", "xavier", "gpt2"
V, D = 150, 60  # 1/sqrt(D) = 0.129, sqrt(6/(V+D)) = 0.169: all four initialisations can be told apart


def table_of(m, rows, width, **options):
    """The weight of a new Embedding, after a look at its shape."""
    said = ", ".join([str(rows), str(width), *(f"{name}={value!r}" for name, value in options.items())])
    given(m, f"Embedding({said})")
    table = numbers(new(m, "Embedding", rows, width, **options), "weight")
    shape = getattr(table, "shape", "of no array")
    expect(shape == (rows, width), f"a weight of shape {shape}", f"shape {(rows, width)}",
           "when rows and columns change places" if shape == (width, rows) else "")
    return table


def drawn(m, init_type):
    """A large table of one initialisation, each number of its own, with its mean near 0."""
    table = table_of(m, V, D, init_type=init_type)
    expect(table.any(), "all numbers are 0", "random numbers: two rows that start alike stay alike")
    different = np.unique(table).size
    expect(different > table.size // 2, f"{different} different numbers in {table.size}",
           "each number drawn by itself", "when all rows start alike" if (table == table[0]).all() else "")
    expect(abs(table.mean()) < table.std() / 10, f"mean {table.mean():.4f}", "mean near 0")
    return table


def uniform(table, bound, known=()):
    """Fail unless the numbers fill [-bound, bound] evenly. `known`: (sentence, the bound of that mistake)."""
    largest, spread = np.abs(table).max(), table.std()
    looks_like = next((sentence for sentence, wrong in known if abs(largest / wrong - 1) < 0.03), "")
    right = f"between -{bound:.4f} and {bound:.4f}"
    expect(0.98 * bound < largest <= 1.0001 * bound,
           f"between {table.min():.4f} and {table.max():.4f}", right, looks_like)
    even = bound / np.sqrt(3)
    expect(abs(spread / even - 1) < 0.04, f"standard deviation {spread:.4f}",
           f"{even:.4f}, as numbers have that are drawn evenly {right}")


def normal(table, std, known=()):
    """Fail unless the numbers look normal with this deviation. `known`: (sentence, that mistake's one)."""
    spread = table.std()
    looks_like = next((sentence for sentence, wrong in known if abs(spread / wrong - 1) < 0.03), "")
    expect(abs(spread / std - 1) < 0.04, f"standard deviation {spread:.4f}", f"standard deviation {std:.4f}",
           looks_like)
    largest = np.abs(table).max() / std     # of 9000 numbers: over 3.1 but for a chance below 1 in 10,000,000
    expect(largest > 3.1, f"no number is more than {largest:.2f} standard deviations from 0",
           "some are: 3 in 1000 are beyond 3",
           "when the numbers are drawn evenly" if largest < 1.8 else "when large numbers are cut")
    far = 100 * (np.abs(table) > 2 * std).mean()
    expect(3 < far < 6, f"{far:.1f} % of the numbers are more than 2 standard deviations from 0",
           "4.6 %, as in a normal distribution")
    lengths = np.linalg.norm(table, axis=1)
    expect(lengths.std() > std / 4, "rows that are all equally long", "rows of different lengths, as chance has it",
           "when each row is divided by its length")


@behaviour("embedding-init", points=1)
def the_table_has_a_row_for_each_token(m, rng):
    """Rows are tokens, columns are the width. Which of the two comes first in the shape?

    Ids start at 0, so a table for 7 tokens has the rows 0 to 6: neither one more nor one less.

    Embedding(7, 3): the weight has shape (7, 3), 21 numbers.
    """
    for rows, width in ((7, 3), (2, 5)):
        for init_type in TYPES:
            table_of(m, rows, width, init_type=init_type)


@behaviour("embedding-init", points=1)
def uniform_numbers_stay_within_their_bound(m, rng):
    """Numbers are drawn evenly on both sides of 0. How large may the largest be? That depends on the
    width alone.

    The bound has a square root in it, and it is the width D that stands below the line.

    D = 16: 1 / sqrt(16) = 0.25, so every number lies between -0.25 and 0.25.
    """
    uniform(drawn(m, "uniform"), D ** -0.5, known=[
        ("when the square root is missing", 1 / D), ("when V stands where D should", V ** -0.5),
        ("with the bound of xavier", np.sqrt(6 / (V + D))), ("when the numbers are not scaled at all", 1.0)])


@behaviour("embedding-init", points=1)
def normal_numbers_have_the_right_spread(m, rng):
    """numpy's normal takes the standard deviation, not the variance. Which of the two did you work out?

    The standard deviation is 1 / sqrt(D), so the variance is 1 / D.

    D = 16: standard deviation 0.25. Of 100 numbers about 68 lie between -0.25 and 0.25, and 5 beyond 0.5
    in size.
    """
    normal(drawn(m, "normal"), D ** -0.5, known=[
        ("when the variance 1/D is used as the standard deviation", 1 / D),
        ("when V stands where D should", V ** -0.5),
        ("when the numbers are not scaled at all", 1.0), ("with the standard deviation of gpt2", 0.02)])


@behaviour("embedding-init", points=1)
def xavier_numbers_stay_within_their_bound(m, rng):
    """This bound looks at both sides of the table: its rows and its columns.

    Under the square root stand 6 above the line and the sum of V and D below it.

    V = 20, D = 4: sqrt(6 / 24) = 0.5, so every number lies between -0.5 and 0.5.
    """
    uniform(drawn(m, "xavier"), np.sqrt(6 / (V + D)), known=[
        ("when the square root is missing", 6 / (V + D)), ("when D is left out of the sum", np.sqrt(6 / V)),
        ("when V is left out of the sum", np.sqrt(6 / D)), ("with 2 in place of 6", np.sqrt(2 / (V + D))),
        ("with 3 in place of 6", np.sqrt(3 / (V + D))), ("with the bound of uniform", D ** -0.5)])


@behaviour("embedding-init", points=1)
def gpt2_numbers_have_the_right_spread(m, rng):
    """0.02 is the standard deviation itself. It needs no root and no square, and it does not depend on
    the width.

    Of the two ways to draw, this is the one with the bell curve.

    Of 100 numbers about 68 lie between -0.02 and 0.02, and 5 are beyond 0.04 in size.
    """
    normal(drawn(m, "gpt2"), 0.02, known=[
        ("when 0.02 is taken for the variance", np.sqrt(0.02)), ("when 0.02 is squared", 0.0004),
        ("when 0.02 is divided by sqrt(D)", 0.02 * D ** -0.5), ("with 0.2 in place of 0.02", 0.2),
        ("when the numbers are drawn evenly between -0.02 and 0.02", 0.02 / np.sqrt(3))])


@behaviour("embedding-init", points=1)
def the_numbers_come_from_rng(m, rng):
    """Two layers built one after the other must differ, and the same seed must give the same table again.

    Draw from the `rng` that the lines above give you. A seed or a generator of your own makes all layers
    alike, or makes a run that nobody can repeat.

    seed 5, layer A, layer B, seed 5 again, layer C: A and B differ, A and C are equal.
    """
    for init_type in TYPES:
        seed = int(rng.integers(1000))
        reseed(m, seed)
        a, b = (table_of(m, 6, 4, init_type=init_type) for _ in range(2))
        reseed(m, seed)
        c = table_of(m, 6, 4, init_type=init_type)
        given(m, f"seed, A, B, the same seed, C: each a new Embedding(6, 4, init_type={init_type!r})")
        expect(not np.array_equal(a, b), "A and B are the same table", "A and B differ",
               "when __init__ sets the seed itself")
        expect(np.array_equal(a, c), "A and C differ", "A and C are the same table",
               "when the numbers come from a generator of its own")
        a, b = (numbers(new(m, "Embedding", 6, 4, init_type=init_type, rng=spy(m, "generator", seed)), "weight")
                for _ in range(2))
        given(m, f"two Embedding(6, 4, init_type={init_type!r}, rng=np.random.default_rng({seed}))")
        expect(np.array_equal(a, b), "the two tables differ", "the same table twice",
               "when the numbers come from np.random and not from rng")


@behaviour("embedding-init", points=1)
def the_padding_row_is_zero(m, rng):
    """Padding fills up short texts, so its row must add nothing: all zeros. The other rows stay random.

    Is your row zero for every init_type? And is row 0 zero when the padding id is 0, which counts as
    false in Python?

    Embedding(3, 2, padding_idx=0): row 0 is [0, 0], rows 1 and 2 are not. Without padding_idx no row is
    zero.
    """
    for init_type in TYPES:
        for padding in (2, 0, None):
            table = table_of(m, 9, 4, padding_idx=padding, init_type=init_type)
            zero = np.flatnonzero(~table.any(axis=1)).tolist()
            right = [] if padding is None else [padding]
            expect(zero == right, f"rows of zeros: {zero or 'none'}", f"rows of zeros: {right or 'none'}",
                   "when a column is set to zero" if not table.any(axis=0).all() else "")


@behaviour("embedding-init", points=1)
def an_unknown_name_is_refused(m, rng):
    """A name with a typing error must not fall back on some other table without a word.

    After the four names there is one more case: none of them.

    Embedding(3, 2, init_type='unifrom') raises a ValueError; with 'uniform' there is a table of 3 rows.
    """
    table_of(m, 3, 2, init_type="uniform")
    for name in ("unifrom", "gpt3", ""):
        given(m, f"Embedding(3, 2, init_type={name!r})")
        refused(m, "Embedding", 3, 2, init_type=name)
