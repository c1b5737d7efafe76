"""What a student reads after a failure: what went in, the first wrong row beside the right one, the hint."""
from __future__ import annotations

import textwrap

from .compare import Wrong
from .handles import Missing, Raised, Trouble, Unwritten
from .notebook import printable
from .run import Outcome, Result

WIDTH, HEIGHT = 100, 12


class CheckFailed(Exception):
    """The report as an error: it stops Run All where the work is; Jupyter shows it without a traceback."""

    def __init__(self, lines: list[str]):
        super().__init__("\n".join(lines))
        self.lines = lines

    def _render_traceback_(self):
        return self.lines


def report(outcome: Outcome, waits_for: str | None = None, tested: str = "", in_cell=True) -> list[str]:
    """At most 12 lines on how an exercise went. `in_cell`: they stand under the exercise, in a notebook."""
    exercise, failure = outcome.exercise, outcome.first_failure
    count = f"{exercise.id}: {outcome.points} of {exercise.points} points."
    if failure is None:
        return [f"{count} All {len(outcome.results)} checks pass. {tested}".rstrip()]
    if waits_for:
        return [f"{exercise.id}: waits for {waits_for}"]
    if all(isinstance(result.error, Unwritten) for result in outcome.results):
        return [f"{exercise.id}: write it above, then run this cell again" if in_cell else
                f"{exercise.id}: not written yet; it is {exercise.tests}, under the heading {exercise.id}"]
    if isinstance(failure.error, Missing):
        return [f"{exercise.id}: {failure.error} is not defined; " + (
            "run the cells above, then this one again" if in_cell else "is its cell there, and does it run?")]
    lines = [f"{count} {tested}".rstrip(), f"Not right yet: {failure.behaviour.title}", *details(failure)]
    hint = shortened(wrapped("Hint: ", failure.behaviour.hints[0]), HEIGHT - len(lines) - 1)
    return [*lines, *hint, f"Need another hint? {'Save, then tito hint' if in_cell else 'tito hint'}"]


def details(failure: Result) -> list[str]:
    """The lines between the title and the hint: at most six."""
    error, lines = failure.error, shortened(wrapped("  given  ", failure.given), 2) if failure.given else []
    if isinstance(error, Wrong):
        lines += [clip(f"  yours  {error.yours}"), clip(f"  right  {error.right}")]
        if error.looks_like:
            lines += shortened(wrapped("  This is what comes out ", f"{error.looks_like}."), 2)
    elif isinstance(error, Unwritten):
        lines += ["  yours  NotImplementedError: a part of it is not written yet"]
    elif isinstance(error, Trouble):
        lines += [clip(f"  yours  {error}")]
        if isinstance(error, Raised):
            lines += [clip(f"         ({error.where})")] if error.where else []
            lines += ["  right  no error: this is valid"]
    else:
        lines += [clip(f"  yours  a result that no check can read ({type(error).__name__}: {error})")]
    return lines


def wrapped(start: str, text: str) -> list[str]:
    """Lines of at most WIDTH letters, the further ones moved in."""
    return textwrap.wrap(printable(text), WIDTH, initial_indent=start, subsequent_indent=" " * min(len(start), 9))


def shortened(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[:most - 1], clip(lines[most - 1] + " ...")]


def clip(text: str) -> str:
    """One line of at most WIDTH letters."""
    line = printable(text)
    return line if len(line) <= WIDTH else line[:WIDTH - 4] + " ..."
