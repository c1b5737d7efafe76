"""nbgrader accepts the lesson and makes the same student cells as `tito module start`."""
import json
import os
import subprocess
import sys

import pytest
from helpers_notebook import HANDED_OUT, LESSON, text

# What generate_assignment needs of all that nbgrader asks for: JupyterLab would take minutes more.
NEEDED = ["alembic", "ipykernel", "jsonschema", "jupyter-server>=2", "nbclient", "nbconvert", "nbformat",
          "python-dateutil", "rapidfuzz", "requests", "sqlalchemy"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made_by_nbgrader(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    for what in (["--no-deps", "nbgrader==0.9.6"], NEEDED):
        subprocess.run([python, "-m", "pip", "install", "-q", *what], check=True)
    source = folder / "source" / "lesson"
    source.mkdir(parents=True)
    (source / "embeddings_dev.ipynb").write_text(json.dumps(LESSON), encoding="utf-8")
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])    # it starts alembic by its name
    done = subprocess.run([python, "-m", "nbgrader", "generate_assignment", "lesson"], cwd=folder,
                          env={**os.environ, "PATH": path}, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "release" / "lesson" / "embeddings_dev.ipynb").read_text(encoding="utf-8"))


def seen(notebook):
    """What a student gets of each cell: all but ids and nbgrader's checksums."""
    for cell in notebook["cells"]:
        metadata = cell["metadata"]
        mark = metadata.get("nbgrader", {})
        yield (cell["cell_type"], text(cell), metadata.get("deletable"), metadata.get("editable"),
               {key: mark.get(key) for key in ("grade_id", "points", "grade", "solution", "locked", "task")})


def test_the_same_cells(made_by_nbgrader):
    assert list(seen(made_by_nbgrader)) == list(seen(HANDED_OUT))
