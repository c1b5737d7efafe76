"""A notebook that several tests look at runs once."""
import sys
import time
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient


@cache
def executed(path: Path):
    """The notebook with the outputs of a run from top to bottom, and the seconds it took."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": path.parent}})
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable  # this Python, whatever kernels the machine knows
    start = time.perf_counter()
    client.execute()
    return notebook, time.perf_counter() - start


@pytest.fixture(scope="session")
def run_notebook():
    return executed
