"""The bank of wrong solutions: the full text of an exercise cell, under a few lines on what is wrong with it."""
#     # exercise: warmup
#     # misconception: A token is its row of tok; where it stands in the text adds nothing.
#     # caught by: each_row_is_its_token_plus_its_place
#     # report: the position is forgotten
#     # try: embed([[1, 0]], [[10, 10], [20, 20]], [0, 0])
#     # wrong: [[1, 0], [1, 0]]
#     # right: [[11, 10], [21, 20]]
#
# Then an empty line and the cell. `report` are words of the student's report; the line is left out where the
# check knows no such mistake. `try` may have several lines; the last one is the value, wrong and right.
from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
ONCE = ("exercise", "misconception", "caught by", "report", "wrong", "right")


@dataclass(frozen=True)
class Entry:
    """A wrong solution; `name` is exercise/file, `tries` is the code of the smallest input that shows it."""

    name: str
    exercise: str
    misconception: str
    caught_by: str
    report: str
    tries: str
    wrong: str
    right: str
    cell: str


def folder() -> Path:
    """Where the bank is: in an installed package, or in the tree of a clone."""
    places = PACKAGE / "wrong_solutions", PACKAGE.parent / "tests" / "wrong_solutions"
    return next((place for place in places if place.is_dir()), places[0])


def read(path: Path) -> Entry:
    """The entry in a file; ValueError where a line of its head is missing or unknown."""
    head, _, cell = path.read_text(encoding="utf-8").partition("\n\n")
    found, tries = dict.fromkeys(ONCE, ""), []
    for line in head.split("\n"):
        key, colon, value = line.removeprefix("# ").partition(": ")
        if key == "try":
            tries.append(value)
        elif colon and key in ONCE and not found[key]:
            found[key] = value
        else:
            raise ValueError(f"{path}: {line!r} is no line of an entry's head, or stands there twice")
    missing = [key for key in ONCE if not found[key] and key != "report"] + ["try"] * (not tries)
    if missing:
        raise ValueError(f"{path} has no line {', '.join(missing)}")
    return Entry(f"{path.parent.name}/{path.stem}", found["exercise"], found["misconception"],
                 found["caught by"], found["report"], "\n".join(tries), found["wrong"], found["right"], cell)


def entries(where: Path | None = None) -> list[Entry]:
    """All entries, in the order of their names."""
    return [read(path) for path in sorted((where or folder()).glob("*/*.py"))]


def defined(cell: str) -> str:
    """The first function or class of a cell: two cells that define the same are the same exercise."""
    kinds = ast.FunctionDef, ast.ClassDef
    return next(node.name for node in ast.parse(cell).body if isinstance(node, kinds))


def functions(cell: str):
    """Each function and method of a cell with its name, `Embedding.forward`."""
    for node in ast.parse(cell).body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef):
                yield (node.name if inner is node else f"{node.name}.{inner.name}"), inner


def parts(cell: str) -> dict[str, str]:
    """Each function and method of a cell, by its name, without docstring and comments."""
    lines = cell.split("\n")
    return {name: text_of(node, lines) for name, node in functions(cell)}


def asked_for(lesson: str) -> set[str]:
    """The functions and methods of a lesson's cell that hold a solution; the others are given."""
    lines = lesson.split("\n")
    return {name for name, node in functions(lesson)
            if any("### BEGIN SOLUTION" in line for line in lines[node.lineno - 1:node.end_lineno])}


def text_of(node: ast.FunctionDef, lines: list[str]) -> str:
    start = min(step.lineno for step in [node, *node.decorator_list]) - 1
    kept = set(range(start, node.end_lineno))
    if ast.get_docstring(node, clean=False) is not None:
        kept -= set(range(node.body[0].lineno - 1, node.body[0].end_lineno))
    code = (re.sub(r"(^|  )\s*#+ .*$", "", lines[i]) for i in sorted(kept))
    return "\n".join(line for line in code if line.strip())
