"""tito test: what it says about the student's notebook, and about the installed package."""
import os
import re
import time

import pytest
from helpers_notebook import EXERCISES, cell_of, insert, solved, write

LESSON_LINES = [exercise.id for exercise in EXERCISES]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(out):
    """{exercise: (points, what stands behind them)}."""
    found = re.findall(r"^(\S+) +(\d+) of +\d+  (.*)$", out, re.MULTILINE)
    return {name: (int(points), text) for name, points, text in found}


@pytest.mark.slow
@pytest.mark.parametrize("chosen, shown", [(["warmup"], "6 of  6"), ([], "6 of 70"), (["x"], "6 of 70")])
def test_a_shorter_course_is_named(here, folder, chosen, shown):
    notebook = solved("warmup")
    notebook["metadata"]["tinytorch"] = {"exercises": chosen}
    write(folder / "embeddings_dev.ipynb", notebook)
    done = here("test")
    assert shown in done.out and done.code == ("70" in shown)
    assert ("a shorter course, as the notebook says: 1 of 9 exercises" in done.out) == (not done.code)
    assert done.out.endswith("\n\nNext: tito module complete 11\n") == (not done.code)
    assert "Next: tito module" not in here("test", "embeddings_dev.ipynb").out      # perhaps somebody else's


def test_without_a_notebook_the_command_to_start(here, folder, is_one_line):
    done = here("test", "--module", "embeddings")
    assert (done.code, done.out) == (2, "")
    assert is_one_line(done.err) and done.err.endswith("tito module start 11\n")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["embeddings_dev.ipynb", "11_embeddings/embeddings_dev.ipynb",
                                   "other/a b.ipynb"])
def test_first_line_points_and_first_failure(here, folder, place):
    notebook = solved("warmup", "sinusoid", "embedding-init")
    source = "".join(cell_of(notebook, "sinusoid-solution")["source"])
    cell_of(notebook, "sinusoid-solution")["source"] = source.replace("10000.0 **", "100.0 **")
    path = write(folder / place, notebook)
    saved = time.time() - 3700
    os.utime(path, (saved, saved))
    before = path.read_bytes()
    done = here("test", "--module", "embeddings", *([place] if "other" in place else []))
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(saved))
    assert done.out.splitlines()[0] == f"Testing {place}, saved {clock}, 1 hour ago"
    rows = table(done.out)
    assert list(rows) == LESSON_LINES
    assert rows["warmup"] == (6, "all 5 checks pass")
    assert rows["sinusoid"] == (4, "2 of 5 checks pass")
    assert rows["embedding-forward"] == (12, "all 8 checks pass")   # it shares a cell with embedding-init
    assert rows["embedding-backward"] == (0, "not written yet")
    assert "30 of 70" in done.out
    report = done.out.partition("30 of 70\n\n")[2].splitlines()
    assert report[:2] == ["sinusoid: 4 of 10 points.",
                          "Not right yet: each pair turns slower than the one before"]
    assert "  This is what comes out with base 100, or with the factor 2 missing in the power." in report
    assert report[-1] == "Need another hint? tito hint"
    assert (done.code, done.err) == (1, "")
    assert path.read_bytes() == before
    assert (path.parent / ".tito.json").exists() == ("other" not in place)


def test_what_waits_is_said(here, folder):
    write(folder / "a.ipynb", solved("embedding-backward", "layer"))
    rows = table(here("test", "a.ipynb").out)
    assert rows["embedding-backward"] == (11, "waits for embedding-init")


def test_all_points_is_success(here, folder):
    write(folder / "a.ipynb", solved(*LESSON_LINES))
    done = here("test", "a.ipynb")
    assert done.code == 0
    assert "70 of 70" in done.out.splitlines()[-1]


def test_damage_is_a_line_each_and_the_rest_is_tested(tito, tmp_path):
    """In a real process, with an ASCII locale: B78, B80, B82, B83, B94 together."""
    notebook = solved("warmup", "sinusoid")
    for source in ("x = (", "while True: pass", "input()", "print('✅ é 🔥' * 400_000)",
                   "import sys; sys.exit()", "import os; os._exit(0)"):
        insert(notebook, source)
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        cell.pop("id", None)
    del notebook["cells"][notebook["cells"].index(cell_of(notebook, "layer-solution"))]
    write(tmp_path / "embeddings_dev.ipynb", notebook)
    done = tito("test", "--cell-limit", "2", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.err == ""
    notes = [line.partition(": ")[2] for line in done.out.splitlines() if line.startswith("  ")]
    for text in ("it does not parse", "it took more than 2 seconds; left out", "EOFError",
                 "it prints 2,000,001", "sys.exit() stopped it", "it ended the process; left out",
                 "the cell is gone"):
        assert sum(text in note for note in notes) == 1, (text, done.out)
    rows = table(done.out)
    assert (rows["warmup"][0], rows["sinusoid"][0]) == (6, 10)


OTHER = "rows = lambda tok, pos, ids: 1 / 0\ndef embed(tok, pos, ids):\n    return rows(tok, pos, ids)\n"
BREAKS = {"del np": "sinusoid", "np.random.seed = np.array = None": "warmup, sinusoid",
          "import random\nrandom.getstate = None": "warmup, sinusoid", "range = list = zip = 5": "warmup",
          "import os\nos.fork()": "warmup, sinusoid",
          OTHER: "warmup"}


@pytest.mark.slow
@pytest.mark.parametrize("source", BREAKS)
def test_a_cell_of_ones_own_takes_no_points(here, folder, source):
    """A second run leaves out what is no part of the lesson. What is wrong by itself stays wrong."""
    notebook = insert(solved("warmup", "sinusoid"), source, "layer-solution")
    cell_of(notebook, "embedding-backward-solution")["source"] = "#| export\ndef embedding_grad(*_): return 1\n"
    write(folder / "a.ipynb", notebook)
    done = here("test", "a.ipynb")
    assert f"  cells outside the exercises break {BREAKS[source]}: tested without them\n" in done.out
    rows = table(done.out)
    assert (rows["warmup"][0], rows["sinusoid"][0], rows["embedding-backward"][0]) == (6, 10, 0)
    assert rows["embedding-init"] == (0, "not written yet")


def test_too_many_lines_are_cut(here, folder):
    notebook = solved("warmup")
    for i in range(20):
        insert(notebook, f"1 / 0  # {i}")
    write(folder / "a.ipynb", notebook)
    assert "  ... and 8 more like these\n" in here("test", "a.ipynb").out


@pytest.mark.parametrize("arguments", [["--module", "embeddings", "--reference"], ["--module", "tensor"],
                                       ["--module", "tokenization"]])
def test_the_installed_package(here, folder, arguments):
    done = here("test", *arguments)
    assert done.code == 0
    assert done.out.startswith("Testing the package in ")
    assert all(text.startswith("all ") for _, text in table(done.out).values())


@pytest.mark.parametrize("arguments", [
    ["gone.ipynb"], ["--module", "tensor", "a.ipynb"], ["--reference", "a.ipynb"], ["--module", "tenser"],
    ["--cell-limit", "0"], ["--cell-limit", "x"], ["a.txt"]])
def test_mistakes(here, folder, is_one_line, arguments):
    (folder / "a.txt").write_text("no notebook", encoding="utf-8")
    done = here("test", *arguments)
    assert (done.code, done.out) == (2, "")
    assert is_one_line(done.err)
