"""The command line as a user meets it: a process with its own folder, streams and environment."""

import os
import subprocess
import sys
import time
from functools import partial
from types import SimpleNamespace

import pytest

from tinytorch.tito.__main__ import main

CHANGE_OUTPUT = ("PYTHONIOENCODING", "PYTHONUTF8", "FORCE_COLOR", "NO_COLOR", "COLUMNS", "TTY_COMPATIBLE")
QUICK = ("import sys; from tinytorch.tito import __main__, bigram, skipgram; bigram.STEPS = 2; "
         "skipgram.EPOCHS = 0; sys.exit(__main__.main())")


def run_in(folder, *arguments, stdin="", quick=False, **environment):
    kept = {k: v for k, v in os.environ.items() if k not in CHANGE_OUTPUT}
    start = ["-c", QUICK] if quick else ["-m", "tinytorch.tito"]
    done = subprocess.run([sys.executable, *start, *map(str, arguments)], cwd=folder, timeout=120,
                          env={**kept, **environment}, input=stdin.encode(), capture_output=True)
    return SimpleNamespace(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())


@pytest.fixture
def tito(tmp_path):
    """tito("embed", stdin=text, LC_ALL="C") -> code, out, err as text; quick=True trains for two steps."""
    return partial(run_in, tmp_path)


@pytest.fixture(scope="session")
def whole_demo(tmp_path_factory):
    """One `tito demo` as users run it: code, out, err, its folder and its seconds."""
    folder, start = tmp_path_factory.mktemp("demo"), time.perf_counter()
    done = run_in(folder, "demo")
    return SimpleNamespace(**vars(done), folder=folder, seconds=time.perf_counter() - start)


@pytest.fixture
def here(capsys):
    """The same in this process, for what needs no process: here("embed", file) -> code, out, err."""

    def run(*arguments):
        code = main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return run


@pytest.fixture
def is_one_line():
    def check(text):
        return text.startswith("tito: ") and text.count("\n") == 1 and text.endswith("\n")

    return check
