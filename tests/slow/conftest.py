"""A notebook that several tests look at runs once, and the site shows what it printed."""
import time
from functools import cache
from pathlib import Path

import lessons
import pytest


@cache
def executed(path: Path):
    """The notebook with the outputs of a run from top to bottom, and the seconds it took."""
    kept, start = lessons.kept_in(path), time.perf_counter()
    notebook = lessons.run(path)
    seconds = time.perf_counter() - start
    lessons.keep(kept, notebook)
    return notebook, seconds


@pytest.fixture(scope="session")
def run_notebook():
    return executed
