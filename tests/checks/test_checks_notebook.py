"""Damaged notebooks: what is read, what is run, and one line about each thing that is not as handed out."""
import json
import time

import pytest
from helpers_notebook import HANDED_OUT, LESSON, cell_of, code, grade_id, insert, solved, text, write

from tinytorch.checks import cells as cells_module
from tinytorch.checks.cells import Cells
from tinytorch.checks.notebook import NotANotebook, cells_of, lesson_path, load, plan
from tinytorch.checks.run import Run

SOLVED = solved("warmup", "sinusoid")


def points_of(notebook, *exercises, **options):
    """Points of the exercises, and the notes."""
    with Cells(notebook, LESSON, **options) as m:
        run = Run(m)
        points = [run.outcome(exercise).points for exercise in exercises]
    return points, m.notes


def planned(notebook):
    return plan(cells_of(notebook), cells_of(LESSON))


def copied():
    return json.loads(json.dumps(SOLVED))


def at(notebook, id):
    return notebook["cells"].index(cell_of(notebook, id))


# What is run -------------------------------------------------------------------------------------------

def test_only_what_the_exercises_need_is_run():
    steps, notes = planned(HANDED_OUT)
    assert notes == []
    assert all(cell.exported for cell in steps)
    assert len(steps) == sum(cell.exported for cell in cells_of(LESSON))


@pytest.mark.parametrize("addition, run", [("ids = 1", 0), ("np = np", 1)])
def test_a_changed_demonstration_is_run_where_an_exercise_uses_it(addition, run):
    notebook = copied()
    demo = next(cell for cell in notebook["cells"] if text(cell).startswith("embed([[1, 0]"))
    demo["source"] = text(demo) + "\n" + addition
    steps, notes = planned(notebook)
    assert [cell.source for cell in steps if not cell.exported] == [demo["source"]] * run
    del demo["id"]
    steps, notes = planned(notebook)
    assert [cell.source for cell in steps if not cell.exported] == [demo["source"]]


STAR = "from tinytorch.core.embeddings import *"


@pytest.mark.slow
@pytest.mark.parametrize("taken", [STAR, "from tinytorch.core.embeddings import embed",
                                   "import tinytorch.core.embeddings as package; embed = package.embed"])
def test_what_is_imported_from_the_package_counts_for_nothing(taken):
    points, notes = points_of(insert(json.loads(json.dumps(HANDED_OUT)), taken, before="warmup"), "warmup")
    assert points == [0]
    assert len(notes) == 1 and "embed" in notes[0] and "imported from the package and left out" in notes[0]


def test_an_import_below_does_not_take_the_place_of_ones_own():
    notebook = copied()
    source = text(cell_of(notebook, "warmup-solution"))
    cell_of(notebook, "warmup-solution")["source"] = source.replace("t + p for t, p", "t - p for t, p")
    points, notes = points_of(insert(notebook, STAR, before="layer"), "warmup", "sinusoid")
    assert points == [0, 10] and len(notes) == 1       # theirs, with its mistake


def test_a_class_that_inherits_the_packages_method_is_the_packages():
    notebook = json.loads(json.dumps(HANDED_OUT))
    cell_of(notebook, "embedding-table-solution")["source"] = (
        "#| export\nfrom tinytorch.core import embeddings as package\n"
        "class Embedding(package.Embedding):\n    pass\n")
    points, notes = points_of(notebook, "embedding-init")
    assert points == [0] and "Embedding" in notes[0]


def test_all_points_for_the_lesson_itself():
    assert points_of(LESSON, "warmup", "layer", "profiler") == ([6, 6, 4], [])


# One cell is not as it should be -----------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.parametrize("source, line", [
    ("x = (1,\nprint(", "does not parse: '(' was never closed, line 2"),
    ("\n1 / 0", "ZeroDivisionError: division by zero, line 2"),
    ('n = input("n? ")', "EOFError: input() finds nobody to answer while a notebook is tested, line 1"),
    ("import sys\nsys.exit(3)", "sys.exit() stopped it, line 2"),
    ("exit()", "sys.exit() stopped it, line 1"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt, line 1"),
    ("embedding_grad([1], [[1.]], 3)", "it needs what is not written yet"),
    ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library', line 1"),
    ("for _ in range(200_000):\n    print('x' * 50)", "it prints 10,200,000 characters; they are not shown"),
    ("%matplotlib inline\n!ls\nx = !ls\nlen?\n?len\nok = 1",
     "5 lines for IPython alone (%, !, ?) left out"),
    ("%%bash\nls\n", "%%bash is for IPython alone; the cell is left out"),
    ("def f():\n" + "(" * 400 + ")" * 400, "it does not parse"),
    ("x = " + "not " * 20_000 + "1", "it does not parse"),
    ("x = " + "+".join(["1"] * 100_000), "it does not parse"),
    ("class E(Exception):\n    def __str__(self): return 1 / 0\nraise E", "E, line 3"),
    ("raise ValueError('a\\n\\x1b[31mred\\x07')", "ValueError: a  [31mred , line 1"),
    ("raise ValueError('x' * 10**6)", "ValueError: " + "x" * 104 + " ..., line 1"),
], ids=lambda value: value[:24] if isinstance(value, str) else "")
def test_one_line_and_the_rest_is_tested(source, line):
    """B82, B83: the exercises have all their points, whatever stands in another cell."""
    needs = "embedding_grad" in source
    notebook = insert(copied(), source, "profiler-solution" if needs else "warmup-solution")
    points, notes = points_of(notebook, "warmup", "sinusoid")
    assert points == [6, 10]
    assert len(notes) == 1 and line in notes[0], notes
    assert notes[0].startswith("cell ")


@pytest.mark.slow
@pytest.mark.parametrize("source", [
    "%%time\ndef helper():\n    return 1\nhelper()", "text = '''\n%not magic\n'''", "x = 7\\\n  % 4",
    "display(1, 2)", "import matplotlib\nassert matplotlib.get_backend().lower() == 'agg'",
    "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: Undefined",  # stays text
    "import inspect\ndef f(): pass\nassert 'def f' in inspect.getsource(f)",
    "import pathlib\nassert __name__ == '__main__'", "print('✅ é 🔥')", "", "# a comment", "'\\d' is 1",
    "import asyncio\nawait asyncio.sleep(0)\nasync def f():\n    yield 1\nasync for x in f(): y = x\nassert y == 1",
    "if 1:\n    %time x = 5\nassert x == 5", "import sys\nassert sys.stdin.read() == ''",
])
def test_nothing_to_say(source):
    notebook = insert(copied(), source, "sinusoid-solution")
    assert points_of(notebook, "sinusoid") == ([10], [])


@pytest.mark.slow
@pytest.mark.parametrize("source, why", [("while True: pass", "it took more than 2 seconds; left out"),
                                         ("import os; os._exit(0)", "it ended the process; left out")])
def test_a_cell_that_never_comes_back_is_left_out(source, why):
    """B78, B80."""
    notebook = insert(copied(), source)
    start = time.monotonic()
    points, notes = points_of(notebook, "warmup", "sinusoid", cell_limit=2)
    assert points == [6, 10]
    assert len(notes) == 1 and notes[0].endswith(why), notes
    assert time.monotonic() - start < 30


@pytest.mark.slow
def test_many_such_cells_end_in_time():
    notebook = copied()
    for _ in range(6):
        insert(notebook, "import os; os._exit(0)")
    points, notes = points_of(notebook, "warmup")
    assert points == [6]
    assert len(notes) == cells_module.RESTARTS + 1
    assert notes[-1] == "cells outside the exercises are no longer run"


@pytest.mark.slow
def test_an_exercise_that_never_comes_back():
    notebook = copied()
    cell_of(notebook, "warmup-solution")["source"] = "#| export\ndef embed(*_):\n    while True: pass"
    points, notes = points_of(notebook, "warmup", "sinusoid", time_limit=1)
    assert points == [0, 10]
    assert notes == []


# Cells that are gone, doubled or of another type -------------------------------------------------------

def test_a_copied_solution_cell_counts_once():
    """B84: the first counts."""
    notebook = copied()
    copy = json.loads(json.dumps(cell_of(notebook, "warmup-solution")))
    copy["source"] = "def embed(*_): return 1"
    place = at(notebook, "warmup-solution")
    notebook["cells"].insert(place + 1, copy)
    points, notes = points_of(notebook, "warmup")
    assert points == [6]
    assert notes == [
        f"cell {place + 2} (warmup-solution): a copy of cell {place + 1}, and only that one counts"]


def test_a_copied_check_cell_counts_once():
    notebook = copied()
    notebook["cells"].append(cell_of(notebook, "warmup"))
    points, notes = points_of(notebook, "warmup")
    assert points == [6] and len(notes) == 1 and "a copy of cell" in notes[0]


@pytest.mark.parametrize("id, points, note", [
    ("warmup", 6, "warmup: its check cell is gone; its checks run all the same"),
    ("warmup-solution", 0, "warmup-solution: the cell is gone; a new copy: tito module start 11, elsewhere")])
def test_a_deleted_cell(id, points, note):
    """B85."""
    notebook = copied()
    del notebook["cells"][at(notebook, id)]
    assert points_of(notebook, "warmup", "sinusoid") == ([points, 10], [note])


@pytest.mark.parametrize("kind", ["markdown", "raw", "nonsense"])
def test_a_solution_turned_into_text(kind):
    """B86."""
    notebook = copied()
    cell_of(notebook, "warmup-solution")["cell_type"] = kind
    cell_of(notebook, "sinusoid")["cell_type"] = kind
    points, notes = points_of(notebook, "warmup", "sinusoid")
    assert points == [6, 10]
    assert [note.split(": ")[1] for note in notes] == ["it was turned into text; read as code"] * 2


def test_a_changed_check_cell_changes_nothing():
    notebook = copied()
    cell_of(notebook, "warmup")["source"] = "def embed(*_): return 1"
    assert points_of(notebook, "warmup") == ([6], [])


def test_given_cells_that_are_gone_come_from_the_lesson():
    notebook = copied()
    notebook["cells"] = [cell for cell in notebook["cells"]
                         if grade_id(cell) or not text(cell).startswith("#| export")]
    points, notes = points_of(notebook, "warmup", "sinusoid")
    assert points == [6, 10]
    assert len(notes) == 1 and "EmbeddingBackward" in notes[0] and " more" in notes[0]


@pytest.mark.parametrize("cells", [[], [None], [code("x = 1")]])
def test_another_notebook(cells):
    assert points_of({"cells": cells}, "warmup")[1][1:] == [
        "it holds no exercise of this lesson: is it the right file?"]


def test_metadata_that_is_gone():
    """B93, B96: no kernel, no ids of cells, no exercise ids, no metadata at all."""
    notebook = {"cells": [{"cell_type": cell["cell_type"], "source": text(cell)} for cell in SOLVED["cells"]]}
    points, notes = points_of(notebook, "warmup", "sinusoid")
    assert points == [6, 10]
    assert notes == ["the cells have lost their exercise ids; they are read by what they define"]


def test_cells_of_a_damaged_file():
    found = cells_of({"cells": [None, {}, {"source": 3, "metadata": []},
                                {"cell_type": "code", "source": ["a\n", "b"], "metadata": {"nbgrader": 1}},
                                {"source": "", "metadata": {"nbgrader": {"grade_id": None}}}]})
    assert [cell.source for cell in found] == ["", "", "", "a\nb", ""]
    assert [cell.grade_id for cell in found] == [""] * 5


@pytest.mark.parametrize("kernel", [{}, {"kernelspec": {"name": "python37564x"}}])
def test_an_unknown_kernel(kernel):
    assert points_of({**SOLVED, "metadata": kernel}, "warmup") == ([6], [])


# Files -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b'{"worksheets": []}', b"\xff\xfe", b"[" * 100_000,
                                  b'{"cells": {}}'])
def test_no_notebook(tmp_path, data):
    path = tmp_path / "a.ipynb"
    path.write_bytes(data)
    with pytest.raises(NotANotebook, match="a.ipynb is no notebook") as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert data or str(caught.value).endswith("it is empty")


def test_a_byte_order_mark_is_fine(tmp_path):
    path = write(tmp_path / "a.ipynb", {"cells": []})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(path) == {"cells": []}


def test_modules_beside_the_notebook_are_found_and_break_nothing(tmp_path):
    (tmp_path / "random.py").write_text("raise RuntimeError\n", encoding="utf-8")
    (tmp_path / "mine.py").write_text("ROWS = 3\n", encoding="utf-8")
    notebook = insert(copied(), "from mine import ROWS\nassert ROWS == 3")
    assert points_of(notebook, "warmup", folder=tmp_path) == ([6], [])


def test_the_checks_of_the_code_use_the_plain_ways():
    notebook = insert(copied(), "from tinytorch.core.fast import is_plain\nassert is_plain()")
    assert points_of(notebook, "warmup") == ([6], [])


def test_names_of_cells():
    cells = cells_of({"cells": [code("# a comment\n\nx = 1"), code(""), cell_of(SOLVED, "warmup"),
                                code("x = '\x1b[2J\ud800'")]})
    assert [cell.name for cell in cells] == ["cell 1 (x = 1)", "cell 2 (empty)", "cell 3 (warmup)",
                                             "cell 4 (x = ' [2J ')"]


@pytest.mark.parametrize("source", ["'\\d' is 1", "x = 1or 2"])
def test_what_python_thinks_of_a_students_text_is_not_said_aloud(source, recwarn):
    cell, = cells_of({"cells": [code(source)]})
    assert cell.defines <= {"x"} and not cell.uses
    assert not recwarn.list


def test_the_lesson_is_found():
    assert lesson_path("embeddings").exists()
