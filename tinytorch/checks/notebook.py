"""Reads a notebook as it comes back from a student, whatever its cells have lost, and plans what to run."""
from __future__ import annotations

import ast
import json
import re
import symtable
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

LESSONS = {"embeddings": Path("11_embeddings", "embeddings_dev.ipynb")}
MOST_NAMES = 8  # in a line
NO_CODE = SyntaxError, ValueError, MemoryError, RecursionError  # what a parser raises, the last two at deep nests
CHECK_CALL = re.compile(r"""check\(\s*["'][\w-]+["']\s*\)""")


class NotANotebook(Exception):
    """The file holds no notebook; the message is one line."""


@dataclass(frozen=True)
class Cell:
    """A cell: its number counted from 1, its type, its text, its nbgrader metadata, and Jupyter's id."""

    number: int
    kind: str
    source: str
    mark: dict
    id: str = ""

    @property
    def grade_id(self) -> str:
        found = self.mark.get("grade_id")
        return found if isinstance(found, str) else ""

    @property
    def exported(self) -> bool:
        return self.source.lstrip("\n").startswith("#| export")

    @property
    def is_check(self) -> bool:
        """One of the read-only cells under an exercise; the checks run without it."""
        return bool(self.mark.get("grade") and not self.mark.get("solution")
                    or CHECK_CALL.fullmatch(self.source.strip()))

    @property
    def name(self) -> str:
        """'cell 14 (warmup-solution)', or with its first line where it has no id."""
        lines = [line.strip() for line in self.source.splitlines()]
        first = next((line for line in lines if line and not line.startswith("#")), "")
        return printable(f"cell {self.number} ({self.grade_id or first[:40] or 'empty'})")

    @cached_property
    def defines(self) -> frozenset[str]:
        """The names that the cell gives a value at its top level."""
        try:
            body = quietly(ast.parse, self.source).body
        except NO_CODE:   # half written: what it is about still shows
            return frozenset(re.findall(r"^(?:def|class)\s+(\w+)", self.source, re.MULTILINE))
        return frozenset(name for node in body for name in bound(node))

    @cached_property
    def uses(self) -> frozenset[str]:
        """The names that the cell reads and that are no locals of its functions."""
        try:
            return globals_read(quietly(symtable.symtable, self.source, "cell", "exec"))
        except NO_CODE:
            return frozenset(re.findall(r"\w+", self.source))


def printable(text: str) -> str:
    """The text without what would steer a terminal: a submission is read on other people's screens."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def quietly(parse, *source):
    """What `parse` makes of a student's text; its warnings ('\\d' is one) are not for whoever tests it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse(*source)


def bound(node: ast.AST):
    """The names that a statement binds, leaving aside what happens inside blocks."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    else:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id


def globals_read(scope: symtable.SymbolTable) -> frozenset[str]:
    """The global names that a scope and those inside it read."""
    own = (symbol.get_name() for symbol in scope.get_symbols() if symbol.is_referenced()
           and (symbol.is_global() or scope.get_type() == "module"))
    return frozenset(own).union(*map(globals_read, scope.get_children()))


def load(path) -> dict:
    """The JSON of a notebook file; NotANotebook or OSError where there is none."""
    data = Path(path).read_bytes()
    if not data.strip():
        raise NotANotebook(f"{path} is no notebook: it is empty")
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NotANotebook(f"{path} is no notebook: {error}") from None
    if not isinstance(found, dict) or not isinstance(found.get("cells"), list):
        raise NotANotebook(f"{path} is no notebook of version 4: it has no list of cells")
    return found


def cells_of(notebook: dict) -> list[Cell]:
    """The cells, with a blank for whatever a damaged file has not got."""
    found = []
    for number, cell in enumerate(notebook["cells"], start=1):
        cell = cell if isinstance(cell, dict) else {}
        metadata = cell.get("metadata")
        mark = metadata.get("nbgrader") if isinstance(metadata, dict) else None
        found.append(Cell(number, str(cell.get("cell_type")), text_of(cell.get("source")),
                          mark if isinstance(mark, dict) else {}, str(cell.get("id") or "")))
    return found


def text_of(source) -> str:
    """The source of a cell: the file may hold one text or a list of lines."""
    if isinstance(source, list):
        return "".join(map(str, source))
    return source if isinstance(source, str) else ""


def lesson_path(lesson: str) -> Path:
    """The notebook with solutions: in an installed package, or in the tree of a clone."""
    package = Path(__file__).parents[1]
    places = [package / "modules" / LESSONS[lesson], package.parent / "modules" / LESSONS[lesson]]
    return next((place for place in places if place.exists()), places[0])


def plan(student: list[Cell], lesson: list[Cell]) -> tuple[list[Cell], list[str]]:
    """The cells to run, in the student's order, and one line on each thing that is not as handed out.

    Left out are check cells, whose checks run anyway, and the lesson's own demonstrations, unless they
    define what an exercise uses. Given cells that were lost come from the lesson.
    """
    by_id = {cell.grade_id: cell for cell in lesson if cell.grade_id}
    demonstrations = [cell for cell in lesson
                      if cell.kind == "code" and not cell.exported and not cell.grade_id]
    texts, ids = ({getattr(cell, what) for cell in demonstrations} - {""} for what in ("source", "id"))
    used = frozenset().union(*(cell.uses for cell in student if cell.exported))
    notes, steps, first = [], [], {}
    for cell in student:
        released = by_id.get(cell.grade_id)
        if cell.grade_id and cell.grade_id in first:
            notes.append(f"{cell.name}: a copy of cell {first[cell.grade_id]}, and only that one counts")
            continue
        first.setdefault(cell.grade_id, cell.number)
        if cell.kind != "code":
            if not (released and released.kind == "code" or cell.exported):
                continue
            notes.append(f"{cell.name}: it was turned into text; read as code")
        shown = cell.source in texts or cell.id in ids and not cell.defines & used
        if not (cell.is_check or released and released.is_check or shown):
            steps.append(cell)
    checked = " ".join(cell.source for cell in student if cell.is_check)
    return with_given(steps, lesson, notes), notes + lost(steps, first, by_id, checked)


def lost(steps, first, by_id, checked) -> list[str]:
    """A line for each exercise or check cell that is gone."""
    present = frozenset().union(*(cell.defines for cell in steps))
    if not any(grade_id in first for grade_id in by_id):
        exercises = frozenset().union(*(cell.defines for cell in by_id.values() if not cell.is_check))
        return ["the cells have lost their exercise ids; they are read by what they define"
                if present & exercises else "it holds no exercise of this lesson: is it the right file?"]
    lines = []
    for grade_id, cell in by_id.items():
        if grade_id not in first and cell.kind == "code":
            if cell.is_check and f'"{grade_id}"' not in checked:
                lines.append(f"{grade_id}: its check cell is gone; its checks run all the same")
            elif not cell.is_check and not cell.defines <= present:
                lines.append(f"{grade_id}: the cell is gone; a new copy: tito module start 11, elsewhere")
    return lines


def with_given(steps: list[Cell], lesson: list[Cell], notes: list[str]) -> list[Cell]:
    """The steps, and among them the given cells that the student's notebook no longer has."""
    present = frozenset().union(*(cell.defines for cell in steps))
    gone = [cell for cell in lesson
            if cell.exported and not cell.grade_id and not cell.defines <= present]
    names = sorted(name for cell in gone for name in cell.defines - present)
    if names:
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        notes.append(f"given cells are gone and were taken from the lesson: {', '.join(names[:MOST_NAMES])}{more}")
    return put_among(steps, gone, lesson)


def put_among(steps: list[Cell], gone: list[Cell], lesson: list[Cell]) -> list[Cell]:
    """The steps with cells of the lesson put in, each before the first that comes later in the lesson."""
    order = {name: place for place, cell in enumerate(lesson) if cell.exported for name in cell.defines}
    steps = list(steps)
    for given in gone:
        later = (i for i, cell in enumerate(steps)
                 if any(order.get(name, -1) > lesson.index(given) for name in cell.defines))
        steps.insert(next(later, len(steps)), given)
    return steps
