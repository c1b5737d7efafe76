"""Every notebook runs from top to bottom, as Run All does."""
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[2] / "modules").glob("*/*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(path):
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": path.parent}})
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable  # this Python, whatever kernels the machine knows
    client.execute()
    ran = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.execution_count]
    assert ran, "no cell ran"
