"""The lesson's notebook in this process with one cell replaced: what the tests of the bank stand on."""
import __future__

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from tinytorch.checks.bank import defined, entries
from tinytorch.checks.cell_server import Runner
from tinytorch.checks.compare import row_text
from tinytorch.checks.modules import Live
from tinytorch.checks.notebook import cells_of, lesson_path, load, plan
from tinytorch.checks.registry import find
from tinytorch.checks.registry import load as load_checks
from tinytorch.checks.report import report
from tinytorch.checks.run import STUDENT, Outcome, Run
from tinytorch.core.fast import plain

TESTS = Path(__file__).parent
EXERCISES = load_checks("embeddings")
WRONG = {entry.name: entry for entry in entries(TESTS / "wrong_solutions")}
RIGHT = {f"{path.parent.name}/{path.stem}": path.read_text(encoding="utf-8").partition("\n\n")[2]
         for path in sorted((TESTS / "right_solutions").glob("*/*.py"))}
LESSON = load(lesson_path("embeddings"))
CELLS = cells_of(LESSON)
SOLUTIONS = {defined(cell.source): cell for cell in CELLS
             if cell.kind == "code" and cell.mark.get("solution")}


def notebook_with(text: str) -> dict:
    """The lesson's notebook, as JSON, with a student's text in the cell that defines the same."""
    number = SOLUTIONS[defined(text)].number
    return {**LESSON, "cells": [{**raw, "source": text} if i == number else raw
                                for i, raw in enumerate(LESSON["cells"], start=1)]}


class Notebook:
    """The names of a notebook whose cells were picked and run as `tito test` does it, in this process."""

    def __init__(self, notebook=LESSON):
        self.names = {"__name__": "__main__"}
        self.runner = Runner(self.names)
        steps, self.notes = plan(cells_of(notebook), CELLS)
        with plain():
            for cell in steps:
                self.notes += self.runner.run(cell.number, cell.source)

    @contextmanager
    def with_cell(self, text: str):
        """A student's cell is run in place of the lesson's, and the lesson's again afterwards."""
        lesson = SOLUTIONS[defined(text)]
        with plain():
            try:
                problems = list(self.runner.run(lesson.number, text))
                if problems:
                    raise ValueError(problems[0])
                yield self
            finally:
                list(self.runner.run(lesson.number, lesson.source))

    def run(self, secret=STUDENT) -> Run:
        return Run(Live(self.names), secret)

    def value_of(self, code: str) -> str:
        """What the last line of the code gives, as text; 'raises ValueError' for an error.

        It runs as a cell of the notebook does; the names are then put back as they were.
        """
        *before, last = code.split("\n")
        flags, kept = __future__.annotations.compiler_flag, dict(self.names)
        try:
            exec(compile("\n".join(before), "try", "exec", flags), self.names)
            return shown(eval(compile(last, "try", "eval", flags), self.names))
        except Exception as error:
            return f"raises {type(error).__name__}"
        finally:
            self.names.clear()
            self.names.update(kept)


def shown(value) -> str:
    """A value as the bank writes it: arrays in brackets, their numbers in few letters, shapes as tuples."""
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, tuple):
        whole = all(isinstance(item, int) for item in value)
        return str(value) if whole else ", ".join(map(shown, value))
    return row_text(np.asarray(value))


@cache
def lesson_notebook() -> Notebook:
    return Notebook()


@cache
def value_of_lesson(code: str) -> str:
    with plain():
        return lesson_notebook().value_of(code)


@dataclass(frozen=True)
class Tried:
    """How an entry did: its exercise, what that exercise waits for, and the value of its smallest input."""

    outcome: Outcome
    waits_for: str | None
    value: str

    @property
    def what_comes_out(self) -> tuple:
        """The failing checks with their values: two entries that agree here count once."""
        return self.outcome.exercise.id, tuple(
            (result.behaviour.name, result.given, str(result.error), getattr(result.error, "looks_like", ""))
            for result in self.outcome.results if not result.passed)


@cache
def tried(name: str) -> Tried:
    """Run an entry; one about times again, up to twice: on a busy machine a time can look like another mistake's."""
    entry = WRONG[name]
    for _ in range(3 if entry.exercise == "profiler" else 1):
        was = try_once(entry)
        if was.outcome.first_failure and entry.report in "\n".join(report(was.outcome)):
            break
    return was


def try_once(entry) -> Tried:
    """Of the exercises that the entry's own one needs, those in other cells are the lesson's."""
    exercise, cell = find(entry.exercise), SOLUTIONS[defined(entry.cell)].grade_id
    with lesson_notebook().with_cell(entry.cell) as notebook:
        run = notebook.run()
        same_cell = [need for need in exercise.needs if find(need).solution_cell == cell]
        waits_for = next((need for need in same_cell if not run.outcome(need).passed), None)
        return Tried(run.outcome(exercise.id), waits_for, notebook.value_of(entry.tries))


def count() -> int:
    """How many wrong solutions there are that differ in what comes out."""
    return len({tried(name).what_comes_out for name in WRONG})
