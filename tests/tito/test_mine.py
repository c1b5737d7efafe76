"""On my code: --mine, and pytest in the student's folder or on a submission."""
import os
import subprocess
import sys

import pytest
from helpers_notebook import EXERCISES, HANDED_OUT, LESSON, cell_of, code, insert, solved, text, write

from tinytorch.checks.notebook import cells_of
from tinytorch.tito import mine
from tinytorch.tito.module import PYTEST_FILE

ALL = [exercise.id for exercise in EXERCISES]
OTHER_EMBED = """#| export
import numpy as np
def embed(tok, pos, ids):
    if min(ids, default=0) < 0:
        raise IndexError("below zero")
    return [np.array(tok)[i] + np.array(pos)[place % len(pos)] for place, i in enumerate(ids)]
"""
HALF = '{"tok": [[1, 0], [0, 2], [3, 1]], "pos": [[0.5, 0.5], [0, -1]], "ids": [2, 2]}'


def half_solved():
    """embedding-backward and learned-positions are right, embedding-init is the stub that both need."""
    notebook = solved("embedding-backward", "learned-positions")
    cell_of(notebook, "warmup-solution")["source"] = OTHER_EMBED
    cell_of(notebook, "sinusoid-solution")["source"] = "#| export\ndef create_sinusoidal_embeddings(:"
    return notebook


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


# The mixture -------------------------------------------------------------------------------------------

def test_what_is_written():
    steps = mine.plan(cells_of(half_solved()), cells_of(LESSON))[0]
    assert mine.written(steps) == ["warmup", "embedding-backward", "learned-positions"]
    assert mine.written(mine.plan(cells_of(HANDED_OUT), cells_of(LESSON))[0]) == []
    assert mine.written(cells_of(LESSON)) == ALL


@pytest.mark.parametrize("solved_ones", [["embedding-init"], ["embedding-forward"]])
def test_a_shared_cell_is_mixed_by_method(solved_ones):
    cell = cell_of(HANDED_OUT, "embedding-table-solution")
    theirs = text(cell).replace("raise NotImplementedError()", "pass  # theirs")
    notebook = {"cells": [code(theirs)]}
    mixed = next(c for c in mine.mixture(cells_of(notebook), cells_of(LESSON), solved_ones)
                 if "class Embedding(" in c.source)
    assert mixed.source.count("pass  # theirs") == 1
    first, second = mixed.source.split("    def forward(", 1)
    assert ("pass  # theirs" in first) == (solved_ones == ["embedding-init"])
    compile(mixed.source, "mixed", "exec")


@pytest.mark.slow
def test_what_a_shorter_course_gives_is_nobodys(folder):
    notebook = solved(*ALL)
    notebook["metadata"]["tinytorch"] = {"exercises": ["warmup", "layer"]}
    assert mine.mix(write(folder / "a.ipynb", notebook)).theirs == ["warmup", "layer"]


def test_an_empty_notebook_is_the_lesson():
    mixed = mine.mixture([], cells_of(LESSON), [])
    assert [c.source for c in mixed] == [c.source for c in cells_of(LESSON) if c.exported]


def test_each_exercise_is_judged_by_itself(folder):
    """In the notebook alone they would wait for embedding-init."""
    found = mine.mix(write(folder / "a.ipynb", half_solved()))
    assert found.theirs == ["embedding-backward", "learned-positions"]     # warmup misses a check
    assert found.tested.points == 70 - 1
    assert found.tested.notes == []                     # their check cells are all there


@pytest.mark.slow
def test_a_class_keeps_its_super(folder):
    notebook = solved("embedding-init")
    cell = cell_of(notebook, "embedding-table-solution")
    cell["source"] = text(cell).replace("    @property\n    def vocab_size", (
        "    def train(self):\n        return super().train()\n\n    @property\n    def vocab_size"), 1)
    made, solved_ones = mine.module(write(folder / "a.ipynb", notebook))
    assert "embedding-init" in solved_ones
    made.Embedding(3, 2).train()


@pytest.mark.slow
@pytest.mark.parametrize("stub", [True, False])
def test_an_exercise_solved_in_another_cell(folder, stub):
    """And another one with a second draft that does not parse."""
    notebook = solved("warmup")
    cell = cell_of(notebook, "warmup-solution")
    other = text(cell).replace("#| export\n", "").replace("def embed", "MARK = 1\ndef embed")
    cell["source"] = text(cell_of(HANDED_OUT, "warmup-solution")) if stub else "# below"
    insert(notebook, other, "warmup")
    insert(notebook, "def create_sinusoidal_embeddings(:", "sinusoid")
    made, solved_ones = mine.module(write(folder / "a.ipynb", notebook))
    assert solved_ones == ["warmup"] and made.MARK
    assert made.create_sinusoidal_embeddings(3, 2).shape == (3, 2)


@pytest.mark.slow
def test_experiments_are_not_run_in_this_process(folder):
    path = write(folder / "a.ipynb", insert(solved("sinusoid"), "np = np\nnp.ROWS = 3\nnp.array = None"))
    assert mine.module(path)[1] == ["sinusoid"]
    assert not hasattr(mine.np, "ROWS")


# tito demo --mine, tito embed --mine -------------------------------------------------------------------

def test_embed_mine(tito, tmp_path):
    notebook = solved("warmup")
    cell = cell_of(notebook, "warmup-solution")
    cell["source"] = text(cell) + (
        "\nprint('noise')\nours = embed\ndef embed(tok, pos, ids):\n    import numpy as np\n"
        "    return [np.array(row) * 1.0 for row in ours(tok, pos, ids)]\n")
    write(tmp_path / "embeddings_dev.ipynb", notebook)
    done = tito("embed", "--mine", stdin=HALF)
    assert (done.code, done.out) == (0, "3.5 1.5\n3 0\n")
    assert done.err.startswith("Yours: warmup. From the reference: ")


def test_embed_mine_without_a_notebook(tito, is_one_line):
    done = tito("embed", "--mine", stdin=HALF)
    assert (done.code, done.out) == (2, "") and is_one_line(done.err)


@pytest.mark.slow
def test_demo_mine(tito, tmp_path):
    pytest.importorskip("rich")
    notebook = solved("warmup", "embedding-init", "embedding-forward")
    insert(notebook, "input()")
    write(tmp_path / "embeddings_dev.ipynb", notebook)
    done = tito("demo", "--mine", quick=True)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == (
        "Yours: warmup, embedding-init, embedding-forward. From the reference: embedding-backward, sinusoid, "
        "positions-forward, learned-positions, layer, profiler.")
    assert "count all pairs (bigram): no table can do better" in done.out


def test_who_wrote_what():
    assert mine.whose([]).startswith("Yours: nothing yet. From the reference: warmup, ")
    assert mine.whose(ALL).endswith("From the reference: nothing.")


# pytest ------------------------------------------------------------------------------------------------

def run_pytest(folder, *arguments):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", "embeddings", *arguments]
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, encoding="utf-8")
    return done.returncode, done.stdout


@pytest.mark.slow
def test_pytest_in_the_students_folder(tmp_path):
    write(tmp_path / "embeddings_dev.ipynb", half_solved())
    (tmp_path / "test_embeddings.py").write_text(PYTEST_FILE, encoding="utf-8")
    code, out = run_pytest(tmp_path, "-rs", "-v")
    assert code == 1
    assert "1 failed, 17 passed, 37 skipped" in out
    assert "test_embeddings[warmup-more_ids_than_positions_are_refused] FAILED" in out
    assert "Not right yet: more ids than positions are refused\n" in out
    assert "This is what comes out when positions start again from 0." in out
    assert "embedding-init is not written yet; the reference stands in" in out
    assert "embeddings_dev.ipynb: Yours: embedding-backward, learned-positions. From the reference: w" in out


@pytest.mark.slow
def test_pytest_in_a_folder_with_the_students_export(tmp_path):
    write(tmp_path / "embeddings_dev.ipynb", solved(*ALL))
    (tmp_path / "test_embeddings.py").write_text(PYTEST_FILE, encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(
        "import tinytorch.core.embeddings as m\ndef test_embeddings_are_mine():\n    assert m.MINE\n",
        encoding="utf-8")
    core = tmp_path / "tinytorch" / "core"
    core.mkdir(parents=True)
    for folder in (core, core.parent):
        (folder / "__init__.py").write_text(
            "from pkgutil import extend_path; __path__ = extend_path(__path__, __name__)\n", encoding="utf-8")
    (core / "embeddings.py").write_text("MINE = True\n", encoding="utf-8")
    code, out = run_pytest(tmp_path, "-q")
    assert code == 0 and "56 passed" in out, out


@pytest.mark.slow
def test_pytest_on_what_is_no_notebook(tmp_path):
    (tmp_path / "ann.ipynb").write_text("hello", encoding="utf-8")
    code, out = run_pytest(tmp_path, "--notebook", "ann.ipynb")
    assert code == 4 and "passed" not in out and "failed" not in out


@pytest.mark.slow
def test_pytest_on_a_submission_of_a_shorter_course(tmp_path):
    notebook = solved("warmup")
    notebook["metadata"]["tinytorch"] = {"exercises": ["warmup"]}
    path = write(tmp_path / "ann.ipynb", notebook)
    code, out = run_pytest(tmp_path, "--notebook", str(path))
    assert code == 0 and "5 passed" in out


@pytest.mark.slow
def test_pytest_on_a_submission(tmp_path):
    path = write(tmp_path / "hand in" / "ann.ipynb", solved("warmup", "embedding-backward"))
    other = tmp_path / "test_embeddings_other.py"
    other.write_text("def test_embeddings():\n    assert 0\n", encoding="utf-8")
    code, out = run_pytest(tmp_path, "--notebook", str(path))
    assert code == 1
    assert f"notebook: {path}; its code runs with your rights, unsandboxed" in out
    assert "44 failed, 11 passed" in out
    assert "test_embeddings_other" not in out
    code, out = run_pytest(tmp_path, "--notebook", str(path), "-k", "embeddings and warmup")
    assert code == 0 and "5 passed, 50 deselected" in out


@pytest.mark.slow
def test_pytest_without_that_file(tmp_path):
    code, _ = run_pytest(tmp_path, "--notebook", "gone.ipynb")
    assert code == 4
