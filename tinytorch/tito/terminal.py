"""What every command needs: UTF-8, errors of one line, libraries that may be missing, the reference code."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

WIDEST_MESSAGE = 500


class Stop(Exception):
    """End the command: one line on standard error and this exit code."""

    def __init__(self, message: object, code: int = 1):
        super().__init__(str(message))
        self.code = code


class Parser(argparse.ArgumentParser):
    """argparse, with an error that is one line instead of the usage and a line."""

    def error(self, message: str):
        raise Stop(f"{message} (try: {self.prog} --help)", code=2)


def use_utf8() -> None:
    """Write UTF-8 whatever the locale is. An encoding named in PYTHONIOENCODING stays, and never crashes."""
    named = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=stream.encoding if named else "utf-8", errors="replace")


def say_error(message: object) -> None:
    """`tito: message` on standard error, on one line."""
    line = " ".join(str(message).split())
    if len(line) > WIDEST_MESSAGE:
        line = line[:WIDEST_MESSAGE] + " ..."
    if sys.stderr is not None:  # print(file=None) would write to standard output
        print(f"tito: {line}", file=sys.stderr)


def need(*libraries: str) -> None:
    """Stop with the pip command unless all these libraries can be imported."""
    missing = []
    for library in libraries:
        try:
            importlib.import_module(library)
        except ImportError:
            missing.append(library)
    if missing:
        raise Stop(f"{' and '.join(missing)} missing: python -m pip install {' '.join(libraries)}")


def reference(module: str) -> ModuleType:
    """tinytorch.core.MODULE from beside this file; a plain import could find a student's export instead."""
    path = Path(__file__).parents[1] / "core" / f"{module}.py"
    spec = importlib.util.spec_from_file_location(f"tinytorch.core.{module}", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def reason(error: OSError) -> str:
    """`notes.txt: No such file or directory`, without the number."""
    text = error.strerror or str(error)
    return f"{error.filename}: {text}" if error.filename is not None else text
