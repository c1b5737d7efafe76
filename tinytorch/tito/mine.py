"""On my code: the student's notebook, with the lesson's own text where an exercise is not solved."""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import types
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinytorch.checks.cell_server import Runner
from tinytorch.checks.notebook import NO_CODE, Cell, cells_of, lesson_path, load, plan, put_among, quietly
from tinytorch.checks.registry import Exercise
from tinytorch.checks.registry import load as load_lesson
from tinytorch.core.fast import plain
from tinytorch.tito import student
from tinytorch.tito.terminal import Stop


@dataclass
class Mine:
    """`notebook`: the mixed cells; `written`: the exercises with text of their own; `tested`: how they do."""

    notebook: dict
    written: list[str]
    tested: student.Tested

    @property
    def theirs(self) -> list[str]:
        return [name for name in self.tested.passed if name in self.written]


def mix(path: Path, cell_limit: float = 20.0) -> Mine:
    """Every exercise that is written, tested with the lesson's text for those that are not."""
    handed_in = student.read(path)
    theirs, lesson = cells_of(handed_in), cells_of(load(lesson_path("embeddings")))
    asked = student.exercises_of(handed_in)                     # a shorter course gives the others
    names = [name for name in written(plan(theirs, lesson)[0]) if name in asked]
    checks = [cell for cell in lesson if cell.is_check]         # or each would be noted as gone
    notebook = as_notebook([*mixture(theirs, lesson, names), *checks])
    return Mine(notebook, names, student.check_notebook(notebook, path.resolve().parent, cell_limit))


def module(path: Path) -> tuple[types.ModuleType, list[str]]:
    """A module of the student's solved exercises and the lesson's others; and which are theirs.

    The notebook is tested in a process of its own; here only its exercises are run.
    """
    theirs, lesson = cells_of(student.read(path)), cells_of(load(lesson_path("embeddings")))
    solved, exercises = mix(path).theirs, load_lesson("embeddings")
    cells = mixture(theirs, lesson, solved)
    given = [cell for cell in cells if cell.exported or cell.grade_id]
    missing = frozenset().union(*(c.uses for c in given)) - frozenset().union(*(c.defines for c in given))
    made = types.ModuleType("tinytorch_mine")
    sys.modules[made.__name__] = made
    runner = Runner(vars(made))
    with plain(), contextlib.redirect_stdout(io.StringIO()):
        for number, cell in enumerate(cells):
            if cell in given or cell.defines & missing or any(belongs(cell, one) for one in exercises):
                notes = list(runner.run(number, cell.source))
                if notes and cell.exported:
                    raise Stop(f"{cell.name}: {notes[0]}")
    embed = made.embed
    made.embed = lambda *lists: [np.asarray(row).tolist() for row in embed(*lists)]  # rows may be arrays
    return made, solved


def whose(solved: Collection[str]) -> str:
    """'Yours: warmup, sinusoid. From the reference: the other 7.'"""
    others = [name for name in student.ids() if name not in solved]
    yours = ", ".join(solved) if solved else "nothing yet"
    return f"Yours: {yours}. From the reference: {', '.join(others) if others else 'nothing'}."


def written(steps: list[Cell]) -> list[str]:
    """The exercises whose text is there and is not the stub."""
    found = []
    for exercise in load_lesson("embeddings"):
        nodes = [part(cell.source, scope(exercise)) for cell in steps if belongs(cell, exercise)]
        if any(node and not any(map(is_stub, ast.walk(node))) for node in nodes):
            found.append(exercise.id)
    return found


def belongs(cell: Cell, exercise: Exercise) -> bool:
    if cell.grade_id:
        return cell.grade_id == exercise.solution_cell
    return exercise.tests.partition(".")[0] in cell.defines


def scope(exercise: Exercise) -> str:
    """What an exercise covers: a whole function or class, or a method where two exercises share the class."""
    return exercise.tests if exercise.cell else exercise.tests.partition(".")[0]


def is_stub(node: ast.AST) -> bool:
    raised = getattr(node, "exc", None) if isinstance(node, ast.Raise) else None
    return getattr(getattr(raised, "func", raised), "id", "") == "NotImplementedError"


def part(source: str, path: str):
    """The node of a function, class or method; None where the text has none, or does not parse."""
    try:
        node = quietly(ast.parse, source)
    except NO_CODE:
        return None
    for name in path.split("."):
        found = [inner for inner in node.body if getattr(inner, "name", None) == name]
        if not found:
            return None
        node = found[-1]
    return node


def mixture(theirs: list[Cell], lesson: list[Cell], solved: Collection[str]) -> list[Cell]:
    """The cells to run: the solved exercises as the student has them, everything else from the lesson."""
    steps = plan(theirs, lesson)[0]
    exercises = load_lesson("embeddings")
    mixed, placed = [], set()
    for cell in steps:
        mine = [exercise for exercise in exercises if belongs(cell, exercise)]
        made = with_reference(cell, mine, lesson, solved) if mine else cell
        if not made.grade_id or made.grade_id not in placed:    # a second draft gives way, too
            mixed.append(made)
        placed.add(made.grade_id)
    gone = [cell for cell in lesson if cell.kind == "code" and cell.mark.get("solution")
            and not any(belongs(step, exercise) for step in steps for exercise in exercises
                        if exercise.solution_cell == cell.grade_id)]
    return put_among(mixed, gone, lesson)


def with_reference(cell: Cell, exercises: list[Exercise], lesson: list[Cell], solved) -> Cell:
    """A student's cell with the lesson's text for what is not solved; moving text keeps super() working."""
    if all(exercise.id in solved for exercise in exercises):
        return cell
    reference = next(c for c in lesson if c.grade_id == exercises[0].solution_cell)
    if not any(exercise.id in solved for exercise in exercises):
        return reference
    source = cell.source
    for exercise in exercises:
        if exercise.id not in solved:
            old, new = part(source, scope(exercise)), part(reference.source, scope(exercise))
            if old is None:
                return reference
            lines = source.split("\n")
            lines[first_line(old) - 1:old.end_lineno] = \
                reference.source.split("\n")[first_line(new) - 1:new.end_lineno]
            source = "\n".join(lines)
    return Cell(cell.number, "code", source, reference.mark, cell.id)


def first_line(node) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def as_notebook(cells: list[Cell]) -> dict:
    return {"cells": [{"cell_type": "code", "source": cell.source, "metadata": {"nbgrader": cell.mark}}
                      for cell in cells]}
