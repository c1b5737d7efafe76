"""Bare `tito`: where you are, and the one next command."""

from __future__ import annotations

import importlib.util
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tinytorch.tito import student
from tinytorch.tito.terminal import Stop

LESSON = Path("modules", "11_embeddings", "embeddings_dev.ipynb")


def version_line() -> str:
    try:
        number = version("tinytorch-embeddings")
    except PackageNotFoundError:
        number = "(not installed)"
    return f"tinytorch-embeddings {number}"


def next_command(in_clone: bool) -> str:
    if not in_clone:
        return student.START
    if all(importlib.util.find_spec(library) for library in ("rich", "matplotlib")):
        return "tito demo"
    return "python -m pip install rich matplotlib"


def run(options) -> None:
    here = Path.cwd()
    print(f"{version_line()}, Python {platform.python_version()}, in {Path(__file__).parents[2]}")
    try:
        path = student.find()
    except Stop:
        path = None
    if path is not None:
        print(student.saved(path.resolve()))
        print(student.where_you_are(path))
        return
    in_clone = (here / LESSON).exists()
    if in_clone:
        print(f"You are in a clone: {here}. The lesson is {LESSON}.")
    else:
        print(f"You are in {here}, which holds no lesson.")
    print(f"Next: {next_command(in_clone)}")
