"""The pytest plugin: the checks of lesson 11 on a notebook, a test each.

`pytest -k embeddings` in a student's folder finds `test_embeddings.py` there, which calls `checks_of`.
`pytest -k embeddings --notebook FILE` tests a submission, and nothing else.

A module of its own, and tinytorch is imported late: a student's export has to be found before ours.
"""
from functools import cache
from pathlib import Path

import pytest

MIXED = []  # the notebooks tested with the reference in place of what is not written


def pytest_addoption(parser):
    parser.getgroup("tinytorch").addoption(
        "--notebook", metavar="FILE",
        help="test lesson 11 in this notebook and nothing else; its code runs with your rights, unsandboxed")


def pytest_configure(config):
    file = config.getoption("--notebook")
    if file and not Path(file).is_file():
        raise pytest.UsageError(f"--notebook {file}: no such file")


def pytest_report_header(config):
    file = config.getoption("--notebook")
    return f"notebook: {file}; its code runs with your rights, unsandboxed" if file else None


def pytest_ignore_collect(config):
    return True if config.getoption("--notebook") else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session, config, items):
    file = config.getoption("--notebook")
    if file:
        notebook = Notebook.from_parent(session, path=Path(file).resolve())
        items[:] = list(notebook.collect())


def pytest_terminal_summary(terminalreporter):
    for path in MIXED:
        from tinytorch.tito.mine import whose

        mine = mixed(path)
        terminalreporter.write_line(mine if isinstance(mine, str) else f"{path.name}: {whose(mine.theirs)}")


class Notebook(pytest.File):
    """A submission."""

    def collect(self):
        from tinytorch.tito import student
        from tinytorch.tito.terminal import Stop

        try:
            chosen = student.exercises_of(student.read(self.path))
        except Stop as stop:
            raise pytest.UsageError(str(stop)) from None
        for exercise, check in checks():
            if exercise in chosen:
                name = f"embeddings[{exercise}-{check}]"
                yield Check.from_parent(self, name=name, exercise=exercise, check=check)


class Check(pytest.Item):
    """One check on a submission."""

    def __init__(self, *, exercise, check, **kwargs):
        super().__init__(**kwargs)
        self.exercise, self.check = exercise, check

    def runtest(self):
        judge(submitted(self.path), self.exercise, self.check)

    def reportinfo(self):
        return self.path, None, f"{self.exercise}: {self.check}"


def checks():
    """(exercise id, name of the check) of all checks of the lesson."""
    from tinytorch.checks.registry import load

    return [(exercise.id, check.name) for exercise in load("embeddings") for check in exercise.behaviours]


def checks_of(path):
    """A test function with a case for each check, on the notebook at `path`.

    What is not written there is taken from the reference, so that each exercise is judged by itself.
    """
    path = Path(path).resolve()

    @pytest.mark.parametrize("exercise, check", checks(), ids=lambda part: part)
    def test_embeddings(exercise, check):
        if path not in MIXED:
            MIXED.append(path)
        mine = mixed(path)
        if isinstance(mine, str):
            pytest.fail(mine, pytrace=False)
        if exercise not in mine.written:
            pytest.skip(f"{exercise} is not written yet; the reference stands in")
        judge(mine.tested, exercise, check)

    return test_embeddings


@cache
def mixed(path):
    """The student's notebook with the reference for what is not written; a line of text where there is none."""
    from tinytorch.tito import mine
    from tinytorch.tito.terminal import Stop

    try:
        return mine.mix(path)
    except Stop as stop:
        return str(stop)


@cache
def submitted(path):
    from tinytorch.tito import student

    return student.check_notebook(student.read(path), path.parent)


def judge(tested, exercise, check):
    """Fail with the report unless this check passed."""
    from tinytorch.checks.report import report
    from tinytorch.checks.run import Outcome

    outcome = next(outcome for outcome in tested.outcomes if outcome.exercise.id == exercise)
    result = next(result for result in outcome.results if result.behaviour.name == check)
    if not result.passed:
        alone = Outcome(outcome.exercise, tuple(r for r in outcome.results if r is result or r.passed))
        lines = report(alone, tested.waits[exercise], in_cell=False)
        pytest.fail("\n".join([*lines, *tested.notes]), pytrace=False)
