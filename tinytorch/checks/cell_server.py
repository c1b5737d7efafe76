"""The other end of `Cells`: runs the cells of a notebook as plain Python, then answers for their names."""
from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import io
import linecache
import re
import sys
import types
from pathlib import Path

import numpy  # noqa: F401 - before the student's folder comes first: its random.py would be numpy's, too

from .host import borrowed, message_of
from .notebook import NO_CODE
from .registry import LESSONS
from .server import open_streams, serve
from .wire import receive, send

FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
TESTED = [exercise.tests for exercise in LESSONS["embeddings"]]
NAMES = {path.partition(".")[0] for path in TESTED}
FLOOD = 1_000_000                                       # characters; more is worth a line
RUN_ANYWAY = ("%%time", "%%timeit", "%%capture", "%%prun")
TIMED = re.compile(r"(\s*)%time\s+(.*)")
FOR_IPYTHON = re.compile(r"(\s*)(?:[\w, .]+=\s*)?(?:[%!].*|\?.*|[\w.]+\?{1,2}\s*)")


class Counter(io.TextIOBase):
    """Takes what cells print, and keeps only how much it was."""

    def __init__(self):
        self.characters = 0

    def write(self, text):
        self.characters += len(text)
        return len(text)

    def writable(self):
        return True


def main() -> None:
    requests, replies = open_streams()
    sys.path.insert(0, str(Path.cwd()))                 # as in Jupyter: modules beside the notebook
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    names = vars(module)
    names.update(__builtins__=builtins, display=lambda *things, **options: None)
    builtins.input = no_input
    sys.stdout = sys.stderr = printed = Counter()
    runner = Runner(names)
    for number, source in receive(requests)["steps"]:
        send(replies, {"step": number})
        printed.characters = 0
        for note in runner.run(number, source):
            send(replies, {"step": number, "note": note})
        if printed.characters > FLOOD:
            note = f"it prints {printed.characters:,} characters; they are not shown"
            send(replies, {"step": number, "note": note})
    serve(names, requests, replies)


def no_input(prompt=""):
    raise EOFError("input() finds nobody to answer while a notebook is tested")


class Runner:
    """Runs cells one after the other in one set of names."""

    def __init__(self, names: dict):
        self.names, self.flags, self.own = names, 0, {}

    def run(self, number: int, source: str):
        """Run a cell; yields a line for what was left out, and one for the error that stopped it."""
        name = f"<step {number}>"
        try:
            code = self.compiled(source, name)
        except NO_CODE:
            source, left_out = without_magics(source)
            if left_out:
                yield left_out
            try:
                code = self.compiled(source, name)
            except SyntaxError as error:
                yield f"it does not parse: {clipped(error.msg)}, line {error.lineno}"
                return
            except NO_CODE as error:
                yield f"it does not parse: {clipped(message_of(error) or type(error).__name__)}"
                return
        self.flags |= code.co_flags & FUTURE            # as in IPython, they hold for later cells
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        try:
            waiting = eval(code, self.names)
            if code.co_flags & inspect.CO_COROUTINE:    # as in IPython: `await` outside a function
                import asyncio

                asyncio.run(waiting)
        except NotImplementedError:
            yield "it needs what is not written yet"
        except BaseException as error:
            yield described(error, self.names)
        if taken := self.give_back():
            yield (f"{', '.join(taken)}: imported from the package and left out; what counts is what this "
                   "notebook defines")

    def compiled(self, source: str, name: str):
        flags = self.flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        return compile(source, name, "exec", flags, dont_inherit=True)

    def give_back(self) -> list[str]:
        """Put the notebook's own back, or nothing, where a cell took the package's; the names of these."""
        taken = dict.fromkeys(path.partition(".")[0] for path in TESTED if borrowed(self.names, path))
        for name in taken:
            del self.names[name]
        self.own.update({name: self.names[name] for name in self.names if name in NAMES})
        self.names.update({name: self.own[name] for name in taken if name in self.own})
        return list(taken)


def without_magics(source: str) -> tuple[str, str]:
    """The cell without what only IPython understands, and a line that says so."""
    lines = source.split("\n")
    head = next((line.split()[0] for line in lines if line.strip()), "")
    if head.startswith("%%"):
        if head not in RUN_ANYWAY:
            return "", f"{head} is for IPython alone; the cell is left out"
        lines[lines.index(next(line for line in lines if line.strip()))] = ""
    count = 0
    for i, line in enumerate(lines):
        if found := TIMED.fullmatch(line):
            lines[i] = found[1] + found[2]
        elif found := FOR_IPYTHON.fullmatch(line):
            lines[i], count = f"{found[1]}pass", count + 1
    what = f"{count} line{'s' if count > 1 else ''} for IPython alone (%, !, ?) left out" if count else ""
    return "\n".join(lines), what


def described(error: BaseException, names: dict) -> str:
    """'NameError: name 'x' is not defined, line 3', with the line of the cell."""
    line, trace = "", error.__traceback__
    while trace:
        if trace.tb_frame.f_globals is names:
            line = f", line {trace.tb_lineno}"
        trace = trace.tb_next
    if isinstance(error, SystemExit):
        return f"sys.exit() stopped it{line}"
    return clipped(f"{type(error).__name__}: {message_of(error)}".rstrip(": ")) + line


def clipped(text: str) -> str:
    return text if len(text) < 120 else text[:116] + " ..."
