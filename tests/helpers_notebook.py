"""Notebooks as students leave them, made from the lesson."""
import copy
import json

from tinytorch.checks.notebook import lesson_path, load
from tinytorch.checks.registry import find
from tinytorch.checks.registry import load as load_lesson
from tinytorch.tito.unsolved import unsolved

LESSON = load(lesson_path("embeddings"))
HANDED_OUT = unsolved(LESSON)
EXERCISES = load_lesson("embeddings")


def grade_id(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def cell_of(notebook, id):
    return next(cell for cell in notebook["cells"] if grade_id(cell) == id)


def text(cell):
    return "".join(cell["source"])


def code(source):
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def solved(*exercises):
    """The handed out notebook, with the cells of these exercises from the lesson."""
    notebook = copy.deepcopy(HANDED_OUT)
    for exercise in exercises:
        id = find(exercise).solution_cell
        cell_of(notebook, id)["source"] = cell_of(LESSON, id)["source"]
    return notebook


def insert(notebook, source, before="warmup-solution"):
    """Put a cell of the student's own before the one with this grade id."""
    at = notebook["cells"].index(cell_of(notebook, before))
    notebook["cells"].insert(at, code(source))
    return notebook


def write(path, notebook):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path
