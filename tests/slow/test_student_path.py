"""The bank on the way a student takes: a notebook, its cells in a process of their own, then the checks."""
import json
import subprocess
import sys

import pytest
from helpers_bank import LESSON, RIGHT, WRONG, notebook_with

from tinytorch.checks.bank import defined
from tinytorch.checks.cells import Cells
from tinytorch.checks.registry import find
from tinytorch.checks.run import Run

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_solution_is_noticed_with_other_data_too(name, tmp_path):
    entry = WRONG[name]
    with Cells(notebook_with(entry.cell), LESSON, tmp_path) as m:
        outcome = Run(m, secret=name).outcome(entry.exercise)
    assert m.notes == []
    assert outcome.first_failure.behaviour.name == entry.caught_by, outcome.first_failure.error


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_solution_passes_with_other_data_too(name, tmp_path):
    exercise = find(name.split("/")[0])
    with Cells(notebook_with(RIGHT[name]), LESSON, tmp_path) as m:
        outcome = Run(m, secret=name).outcome(exercise.id)
    assert (m.notes, outcome.points) == ([], exercise.points)


@pytest.mark.parametrize("exercise", sorted({entry.exercise for entry in WRONG.values()}))
def test_tito_test_names_the_check(exercise, tmp_path):
    """One of each exercise through the whole command."""
    entry = next(entry for entry in WRONG.values() if entry.exercise == exercise
                 and defined(entry.cell) == find(exercise).tests.split(".")[0])
    path = tmp_path / "solved.ipynb"
    path.write_text(json.dumps(notebook_with(entry.cell)), encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "tinytorch.tito", "test", "--module", "embeddings", path],
                          cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (1, "")
    assert f"Not right yet: {entry.caught_by.replace('_', ' ')}" in done.stdout
