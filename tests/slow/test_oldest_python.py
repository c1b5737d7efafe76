"""The suites of the core on the oldest Python and numpy that pyproject.toml promises."""
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROMISED = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PYTHON = re.search(r'requires-python = ">=([\d.]+)"', PROMISED).group(1)
NUMPY = re.search(r'"numpy>=([\d.]+)"', PROMISED).group(1)
SUITES = ["tests/01_tensor", "tests/06_optimizers", "tests/10_tokenization", "tests/11_embeddings"]


def is_it(python) -> bool:
    done = subprocess.run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                          capture_output=True, encoding="utf-8")
    return done.stdout.strip() == PYTHON


@cache
def oldest() -> str | None:
    """That Python: this one, one on the PATH, or one of pyenv's, whose shims work for the chosen version only."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    places = [sys.executable, shutil.which(f"python{PYTHON}"), *sorted(pyenv.glob(f"{PYTHON}.*/bin/python"))]
    return next((str(place) for place in places if place and is_it(place)), None)


@pytest.mark.slow
@pytest.mark.skipif("oldest() is None", reason=f"Python {PYTHON} is not on this machine")
def test_the_suites_of_the_core_pass(tmp_path):
    subprocess.run([oldest(), "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"numpy=={NUMPY}.*", "pytest", "hypothesis",
                    "mpmath", "matplotlib"], check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SUITES], cwd=ROOT, env=kept,
                          capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout[-5000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) > 2000
