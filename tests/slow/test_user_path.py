"""The whole path in an empty folder and a fresh environment: start, fail, hint, mend, complete, import."""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers_notebook import EXERCISES, HANDED_OUT, cell_of, grade_id, solved, write

ROOT = Path(__file__).parents[2]
NOTEBOOK = "embeddings_dev.ipynb"
ALL = [exercise.id for exercise in EXERCISES]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The scripts of a new environment with the wheel and pytest; no clone, no make, no rich, no Jupyter."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT], check=True)
    wheel, = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    found = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([found / "python", "-m", "pip", "install", "-q", wheel, "pytest"], check=True)
    return found


def test_the_whole_path(scripts, tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    folder = tmp_path / "11_embeddings"

    def do(name, *arguments, cwd=folder):
        done = subprocess.run([scripts / name, *arguments], cwd=cwd, env={**kept, "LC_ALL": "C"},
                              capture_output=True, encoding="utf-8")
        assert "Traceback" not in done.stdout + done.stderr
        return done.returncode, done.stdout + done.stderr

    code, out = do("tito", cwd=tmp_path)
    assert code == 0 and out.splitlines()[-1] == "Next: tito module start 11"
    code, out = do("tito", "test", "--module", "embeddings", cwd=tmp_path)
    assert code == 2 and "tito module start 11" in out
    code, out = do("tito", "module", "start", "11", cwd=tmp_path)
    assert code == 0 and out.splitlines()[-1] == "Next: cd 11_embeddings, then tito lab"
    start = time.monotonic()
    code, out = do("tito", "test", "--module", "embeddings")
    assert code == 1 and " 0 of 70" in out and "warmup: not written yet" in out
    assert time.monotonic() - start < 20

    notebook = json.loads((folder / NOTEBOOK).read_text(encoding="utf-8"))
    cell_of(notebook, "warmup-solution")["source"] = (
        "#| export\ndef embed(tok, pos, ids):\n"
        "    return [[t + p for t, p in zip(tok[i], pos[place])] for place, i in enumerate(ids)]\n")
    write(folder / NOTEBOOK, notebook)
    code, out = do("tito", "test", "--module", "embeddings")
    assert code == 1 and "Not right yet: negative ids are refused" in out
    assert "This is what comes out when a negative id counts from the end." in out
    code, out = do("tito", "hint")
    assert "warmup: negative ids are refused" in out and "1 more" not in out.partition("2 more")[0]
    code, out = do("tito", "module", "complete", "11")
    assert code == 1 and "nothing was written" in out

    write(folder / NOTEBOOK, solved(*ALL))
    code, out = do("tito", "test", "--module", "embeddings")
    assert code == 0 and "70 of 70" in out
    code, out = do("tito", "module", "complete", "11")
    module = folder / "tinytorch" / "core" / "embeddings.py"
    assert code == 0 and f"->  {module}" in out and out.splitlines()[-1] == f"Hand in: {folder / NOTEBOOK}"
    script = "import tinytorch.core.embeddings as m; print(m.__file__, m.Embedding(5, 3))"
    code, out = do("python", "-c", script)
    assert (code, out) == (0, f"{module} Embedding(5, 3)\n")
    code, out = do("tito", "solution", "warmup")
    assert code == 0 and "another right way (2)" in out
    code, out = do("python", "-m", "pytest", "-q", "-k", "embeddings")
    assert code == 0 and "55 passed" in out
    code, out = do("tito", "lab")
    assert code == 1 and out == "tito: jupyterlab missing: python -m pip install jupyterlab\n"
    code, out = do("tito")
    assert code == 0 and "9 of 9 exercises, 70 of 70 points" in out


def test_run_all_stops_at_the_first_exercise():
    """In a real kernel: the cells above it run, and the report is one line without a traceback."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.reads(json.dumps(HANDED_OUT), as_version=4)
    with pytest.raises(CellExecutionError):
        NotebookClient(notebook, timeout=120).execute()
    cell = next(cell for cell in notebook.cells if "warmup" == grade_id(cell))
    output, = cell.outputs
    assert output.traceback == ["warmup: write it above, then run this cell again"]
