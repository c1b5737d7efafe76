"""What the two position layers have in common: the ways to add positions wrongly, the shapes to refuse."""
import numpy as np

from ..compare import refused, same
from ..handles import call, given, new, numbers
from ..samples import whole


def added_wrongly(x, table):
    """Known mistakes for x (..., T, D) plus the first rows of a table (P, D), T < P."""
    length, rows = x.shape[-2], table[:x.shape[-2]]
    wrong = [
        ("when no position is added", x), ("when the positions are subtracted", x - rows),
        ("when tokens and positions are multiplied", x * rows),
        ("when the positions are added twice", x + 2 * rows),
        ("when every token gets position 0", x + table[0]),
        ("when positions count from 1", x + table[1:length + 1]),
        ("when positions run backwards", x + rows[::-1]),
        ("when every token gets the position of the last one", x + table[length - 1]),
        ("when every token gets the last row of the table", x + table[-1]),
        ("when the last rows of the table are taken", x + table[-length:]),
        ("when only the positions come out", x * 0 + rows),
        ("when rows of zeros get no position", np.where(x.any(axis=-1, keepdims=True), x + rows, 0))]
    if x.ndim == 3 and len(x) <= len(table):
        wrong.append(("when the number of the text picks the row, not the place in it",
                      x + table[:x.shape[0], None]))
    return wrong


def special_texts(rng, table):
    """(in words, x) for what is easily taken for something else, for a table of (P, D) with P < 12."""
    padded = whole(rng, 2, 3, table.shape[1])
    padded[1, 2] = padded[0, 0] = 0
    many = whole(rng, 12, 2, table.shape[1])
    return ((f"x of shape {padded.shape} with two rows of zeros", padded),
            (f"x of shape {padded[:1].shape}", padded[:1]),
            (f"x of shape {many.shape}: more texts than positions", many))


def refuses_wrong_shapes(m, rng, name, layer, table):
    """A layer of width 4 takes (T, 4) and (B, T, 4), and nothing else."""
    for shape in ((2, 4), (3, 2, 4)):
        x = whole(rng, *shape)
        given(m, f"{name}, x of shape {shape}")
        same(numbers(call(layer, "forward", new(m, "Tensor", x))), x + table[:2])
    for shape in ((3, 2, 1), (2, 1), (2, 5), (3, 2, 3), (4,), (1, 3, 2, 4)):
        given(m, f"{name}, x of shape {shape}")
        refused(layer, "forward", new(m, "Tensor", np.ones(shape)))
