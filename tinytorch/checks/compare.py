"""How a check says what it expects: numbers, a refusal, or a plain yes."""
from __future__ import annotations

import numpy as np

from .handles import NoNumbers, call, error_of, numbers

CLOSE = 1e-5  # float32 is right to about 6e-8 of the larger operand; the data are whole numbers below 100


class Wrong(Exception):
    """What came out beside what is right; `looks_like` names a known mistake that gives just this."""

    def __init__(self, yours: str, right: str, looks_like: str = ""):
        super().__init__(f"{yours} instead of {right}")
        self.yours, self.right, self.looks_like = yours, right, looks_like


def same(got, right, known=(), close=CLOSE) -> None:
    """Fail unless the numbers agree. `known`: pairs of a sentence and the numbers of that mistake."""
    right = np.asarray(right, np.float64)
    if isinstance(got, NoNumbers):
        raise Wrong(got.text, f"numbers of shape {right.shape}")
    if got.shape == right.shape and agree(got, right, close).all():
        return
    looks_like = next((sentence for sentence, wrong in known if equal(got, wrong, close)), "")
    if got.shape != right.shape:
        raise Wrong(f"shape {got.shape}", f"shape {right.shape}", looks_like)
    at = first_row(~agree(got, right, close))
    name = f"row {at[0] if len(at) == 1 else list(at)}: " if at else ""
    raise Wrong(name + row_text(got[at]), name + row_text(right[at]), looks_like)


def refused(owner, name: str, *args, known=(), **options) -> None:
    """Fail unless the call raises ValueError or IndexError; which one, and its message, are not judged."""
    error = error_of(owner, name, *args, **options)
    if error is None:
        out = numbers(call(owner, name, *args, **options))
        if isinstance(out, NoNumbers):
            raise Wrong(f"no error, but {out.text}", "an error: raise ValueError")
        looks_like = next((sentence for sentence, wrong in known if equal(out, wrong, CLOSE)), "")
        shown = row_text(out) if out.size <= 12 else f"an array of shape {out.shape}"
        raise Wrong(f"no error, but {shown}", "an error: raise ValueError", looks_like)
    if not {"ValueError", "IndexError"} & set(error[0]):
        names, message = error
        raise Wrong(f"{names[0]}: {message}".rstrip(": "), "ValueError (IndexError is right, too)")


def expect(true: bool, yours: str, right: str, looks_like: str = "") -> None:
    """Fail unless `true`; the two texts say what was found and what is asked for."""
    if not true:
        raise Wrong(yours, right, looks_like)


def agree(got, right, close):
    """Element by element; NaN agrees with nothing."""
    with np.errstate(all="ignore"):
        return np.abs(got - right) <= close * np.maximum(1.0, np.abs(right))


def equal(got, wrong, close) -> bool:
    wrong = np.asarray(wrong, np.float64)
    return got.shape == wrong.shape and bool(agree(got, wrong, close).all())


def first_row(bad) -> tuple[int, ...]:
    """Where the first row with a wrong number stands; () for a single row or number."""
    if bad.ndim < 2:
        return ()
    rows = bad.any(axis=-1)
    return tuple(int(i) for i in np.unravel_index(np.argmax(rows), rows.shape))


def row_text(row) -> str:
    """Numbers on one line: `[1.5, -2, 0.841471]`."""
    row = np.asarray(row)
    if row.ndim == 0:
        return f"{row.item() + 0:.7g}"
    shown = [row_text(item) for item in row[:12]] + ["..."] * (len(row) > 12)
    return f"[{', '.join(shown)}]"
