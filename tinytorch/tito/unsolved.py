"""The copy for students: the lesson without solutions, outputs and model answers, as nbgrader makes it."""

from __future__ import annotations

import copy
import re

from tinytorch.checks.notebook import Cell, cells_of

CODE_STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")
TEXT_STUB = ("YOUR ANSWER HERE",)
KEPT = ("grade", "grade_id", "locked", "points", "schema_version", "solution", "task")
METADATA = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"name": "python"}}
REGIONS = {"SOLUTION": True, "HIDDEN TESTS": False, "MARK SCHEME": False}  # True: a stub stands in its place
MARKER = re.compile(r"\s*### (BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)\s*")
LIKE_A_MARKER = re.compile(r"\b(BEGIN|END)[ _-]*(SOLUTION|HIDDEN[ _-]*TESTS|MARK[ _-]*SCHEME)", re.IGNORECASE)
EXPORT = re.compile(r"\s*#\s*\|?\s*exports?\s*")


class ReleaseError(Exception):
    """The lesson can't be handed out; the message names the cell."""


def unsolved(notebook: dict) -> dict:
    """A new notebook to hand out; ReleaseError names the first cell that would leak or be lost."""
    cells = cells_of(notebook)
    check_ids(cells)
    if not any("default_exp" in cell.source for cell in cells if cell.kind == "code"):
        raise ReleaseError("no cell says `#| default_exp`, so nothing would be exported")
    made = [handed_out(copy.deepcopy(raw), cell) for raw, cell in zip(notebook["cells"], cells, strict=True)]
    return {"cells": made, "metadata": copy.deepcopy(METADATA), "nbformat": 4,
            "nbformat_minor": notebook.get("nbformat_minor", 5)}


def handed_out(raw: dict, cell: Cell) -> dict:
    """One cell of the copy: the text without solutions, and of the metadata only what nbgrader reads."""
    check_export(cell)
    source = cleared(cell)
    mark = {key: cell.mark[key] for key in KEPT if key in cell.mark}
    kept = {"cell_type": cell.kind, "metadata": {"nbgrader": mark, **locks(mark)} if mark else {},
            "source": source.splitlines(keepends=True)}
    if isinstance(raw.get("id"), str):
        kept["id"] = raw["id"]
    if cell.kind == "code":
        kept.update(execution_count=None, outputs=[])
    pictures = {name: data for name, data in (raw.get("attachments") or {}).items()
                if f"attachment:{name}" in source}
    return {**kept, "attachments": pictures} if pictures else kept


def locks(mark: dict) -> dict:
    """What Jupyter lets a student do with a cell, as nbgrader sets it."""
    if mark.get("solution"):
        return {"deletable": False}
    return {"deletable": False, "editable": False} if mark.get("grade") or mark.get("locked") else {}


def cleared(cell: Cell) -> str:
    """The text with a stub in place of each solution, at the marker's own indentation."""
    stub = CODE_STUB if cell.kind == "code" else TEXT_STUB
    lines, inside, replaced = [], None, False
    for number, line in enumerate(cell.source.split("\n"), start=1):
        marker = MARKER.fullmatch(line)
        if not marker and LIKE_A_MARKER.search(line):
            raise bad(cell, f"line {number} is no exact marker: {line.strip()!r}; write ### BEGIN SOLUTION")
        if not marker:
            lines += [] if inside else [line]
            continue
        edge, region = marker.groups()
        if edge == "BEGIN" and inside:
            raise bad(cell, f"line {number} begins a {region} inside a {inside}")
        if edge == "END" and inside != region:
            raise bad(cell, f"line {number} ends a {region} that was not begun")
        if edge == "BEGIN" and REGIONS[region]:
            if not cell.mark.get("solution"):
                raise bad(cell, "a solution in a cell that is not marked as one (nbgrader metadata)")
            indent, replaced = re.match(r"\s*", line).group(), True
            lines += [indent + text for text in stub]
        inside = region if edge == "BEGIN" else None
    if inside:
        raise bad(cell, f"the {inside} is not ended")
    if cell.mark.get("solution") and not replaced:
        return "\n".join(stub)
    return "\n".join(lines)


def check_export(cell: Cell) -> None:
    """nbdev leaves a cell out, without a word, unless `#| export` is its first line."""
    lines = cell.source.split("\n")
    meant = [number for number, line in enumerate(lines) if EXPORT.fullmatch(line)]
    if meant and (cell.kind != "code" or meant[0] > 0 or lines[0].rstrip() != "#| export"):
        raise bad(cell, "it would not be exported; `#| export` has to be its first line")
    if cell.mark.get("solution") and cell.kind == "code" and not meant:
        raise bad(cell, "a solution that is not exported; write `#| export` in its first line")


def check_ids(cells: list[Cell]) -> None:
    """Every grade id is plain and stands there once."""
    seen = {}
    for cell in cells:
        if not cell.mark:
            continue
        if not re.fullmatch(r"[A-Za-z0-9_-]+", cell.grade_id):
            raise bad(cell, f"grade id {cell.mark.get('grade_id')!r}: letters, digits, - and _ only")
        if cell.grade_id in seen:
            raise bad(cell, f"its grade id stands in cell {seen[cell.grade_id]}, too")
        if cell.mark.get("grade") and not isinstance(cell.mark.get("points"), (int, float)):
            raise bad(cell, "it is graded but has no points")
        seen[cell.grade_id] = cell.number


def bad(cell: Cell, why: str) -> ReleaseError:
    return ReleaseError(f"{cell.name}: {why}")
