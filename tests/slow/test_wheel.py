"""What a user gets: `pip install .` in a fresh environment, used outside the clone."""
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def run(*command, cwd, **options):
    """Run a command that sees nothing of this clone's environment."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(list(map(str, command)), cwd=cwd, env=env, capture_output=True, encoding="utf-8",
                          **options)


def ok(*command, **options):
    done = run(*command, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """An empty folder and the scripts of a new environment after `pip install .`."""
    folder = tmp_path_factory.mktemp("user")
    ok(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    ok(scripts / "python", "-m", "pip", "install", "--quiet", ROOT, cwd=folder)
    (folder / "work").mkdir()
    return folder / "work", scripts


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The names in the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    ok(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (path,) = folder.glob("tinytorch_embeddings-*-py3-none-any.whl")
    return zipfile.ZipFile(path).namelist()


def test_install_brings_numpy_and_nothing_else(fresh):
    cwd, scripts = fresh
    installed = json.loads(ok(scripts / "python", "-m", "pip", "list", "--format=json", cwd=cwd))
    assert {p["name"] for p in installed} - {"pip", "setuptools"} == {"numpy", "tinytorch-embeddings"}


def test_embedding_works_outside_the_clone(fresh):
    cwd, scripts = fresh
    code = """if True:
        import sys
        import tinytorch.core.optimizers, tinytorch.core.tokenization, tinytorch.text.embeddings
        from tinytorch.core.embeddings import Embedding
        print(Embedding(5, 3)([4, 0]).shape)
        print(*sorted({name.split(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)))
    """
    shape, loaded = ok(scripts / "python", "-c", code, cwd=cwd).splitlines()
    assert shape == "(2, 3)"
    outside = {name for name in loaded.split() if not name.startswith("_")}
    assert outside - {"cython_runtime"} == {"numpy", "tinytorch"}, "nothing of nbdev, nothing else"


def test_tito_embed_needs_numpy_only(fresh):
    cwd, scripts = fresh
    example = '{"tok": [[1, 0], [0, 2], [3, 1]], "pos": [[0.5, 0.5], [0, -1]], "ids": [2, 2]}'
    done = run(scripts / "tito", "embed", cwd=cwd, input=example)
    assert done.returncode == 0, done.stderr
    assert [[float(x) for x in line.split()] for line in done.stdout.splitlines()] == [[3.5, 1.5], [3, 0]]


def test_tito_demo_names_what_is_missing(fresh):
    cwd, scripts = fresh
    done = run(scripts / "tito", "demo", cwd=cwd)
    assert done.returncode == 1
    (line,) = (done.stdout + done.stderr).splitlines()
    assert "python -m pip install rich matplotlib" in line


def test_wheel_ships_notebooks_data_and_types(wheel):
    notebooks = {f"tinytorch/{path.relative_to(ROOT).as_posix()}" for path in ROOT.glob("modules/*/*.ipynb")}
    data = {f"tinytorch/data/{name}" for name in ("shakespeare.txt.xz", "glove-6b-50d-10k.npz", "README.md")}
    assert notebooks | data | {"tinytorch/py.typed"} <= set(wheel)


def test_wheel_ships_the_bank_for_the_bug_hunt(wheel):
    bank = {f"tinytorch/{path.relative_to(ROOT / 'tests').as_posix()}"
            for path in ROOT.glob("tests/wrong_solutions/*/*.py")}
    assert bank and bank <= set(wheel)


def test_wheel_ships_nothing_else(wheel):
    """No index of nbdev's, no checkpoint, no top-level module that could hide another package."""
    tops = {name.split("/")[0] for name in wheel if ".dist-info/" not in name}
    assert tops <= {"tinytorch", "pytest_tinytorch.py"}
    stray = [name for name in wheel if "_modidx" in name or "checkpoint" in name or name.endswith(".pyc")]
    assert not stray
