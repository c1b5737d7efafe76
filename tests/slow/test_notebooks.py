"""Every notebook runs from top to bottom, as Run All does."""
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "modules").glob("*/*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(path, run_notebook):
    notebook, _ = run_notebook(path)
    ran = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.execution_count]
    assert ran, "no cell ran"
