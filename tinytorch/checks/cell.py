"""The read-only cell under an exercise: `check("embedding-forward")`."""
from __future__ import annotations

import sys
from pathlib import Path

from .host import borrowed
from .modules import Live
from .registry import find
from .report import CheckFailed, report
from .run import Run


def check(exercise_id: str) -> None:
    """Test what the calling cell's notebook (or module) defines; raise CheckFailed with the report.

    New objects are built every time, from the names as they are now.
    """
    names = sys._getframe(1).f_globals
    exercise, run = find(exercise_id), Run(Live(names))
    outcome = run.outcome(exercise_id)
    lines = report(outcome, run.waits_for(exercise_id), execution(names, exercise.tests))
    if taken := borrowed(names, exercise.tests):
        lines = [f"{exercise_id}: {exercise.tests} is the package's; run the cell with yours, then this one again"]
    if outcome.passed and not taken:
        print("\n".join(lines))
        return
    if not draws_errors():
        print("\n".join(lines))
    raise CheckFailed(lines)


def shell():
    """The IPython that runs this cell, or None."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def draws_errors() -> bool:
    """Does Jupyter show the report in place of a traceback? Elsewhere it has to be printed."""
    return hasattr(shell(), "kernel")


def execution(names: dict, path: str) -> str:
    """Which run of which cell defined `path`: 'Tested: Embedding.forward from cell [7].'"""
    first, *rest = path.split(".")
    found = names.get(first)
    for step in rest:
        found = getattr(found, step, None)
    code = getattr(found, "__code__", None)
    if code is None:
        return ""
    number = cell_number(code.co_filename, names, f"{'class' if rest else 'def'} {first}")
    where = f"cell [{number}]" if number else Path(code.co_filename).name
    return f"Tested: {path} from {where}."


def cell_number(filename: str, names: dict, head: str) -> int | None:
    """The execution count of the cell that a function was compiled from."""
    compiler = getattr(shell(), "compile", None)
    number = getattr(compiler, "_filename_map", {}).get(filename)       # private: hence the other way
    if number is None and compiler is not None:
        runs = names.get("In", [])
        number = next((n for n in range(len(runs) - 1, 0, -1) if head in runs[n]), None)
    return number
