"""Every check passes on right code, in this process and in another one, with any secret behind the data."""
import subprocess
import sys
from pathlib import Path

import pytest
import right_module

import tinytorch.core.embeddings as package
from tinytorch.checks.__main__ import main
from tinytorch.checks.modules import Live
from tinytorch.checks.proxy import Proxy
from tinytorch.checks.registry import LESSONS, load
from tinytorch.checks.report import report
from tinytorch.checks.run import STUDENT, Run

EXERCISES = load("embeddings")
SOURCES = {"package": package, "another way": right_module}


@pytest.fixture(scope="module", params=[f"{name}, {way}" for name in SOURCES for way in ("live", "proxy")])
def way(request):
    name, _, way = request.param.partition(", ")
    if way == "live":
        yield Run(Live(SOURCES[name]))
    else:
        with Proxy(Path(SOURCES[name].__file__)) as m:
            yield Run(m)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_right_code_gets_all_points(way, exercise):
    outcome = way.outcome(exercise.id)
    assert outcome.passed, "\n".join(report(outcome))
    assert outcome.points == exercise.points


@pytest.mark.parametrize("secret", ["another", 7, STUDENT + " "])
@pytest.mark.parametrize("source", SOURCES)
def test_right_code_passes_with_other_data(source, secret):
    run = Run(Live(SOURCES[source]), secret)
    assert [run.outcome(exercise.id).points for exercise in EXERCISES] == [e.points for e in EXERCISES]


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_table_of_the_command(capsys, lesson):
    assert main([lesson]) == 0
    out = capsys.readouterr().out
    exercises = load(lesson)
    total = sum(exercise.points for exercise in exercises)
    assert f"{total} of {total} points" in out
    for exercise in exercises:
        assert out.count(f"\n{exercise.id} ") == len(exercise.behaviours)


def test_the_command_tests_the_package_also_where_a_students_own_export_hides_it(tmp_path):
    extend = "from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)\n"
    (tmp_path / "tinytorch" / "core").mkdir(parents=True)
    for folder in ("tinytorch", "tinytorch/core"):
        (tmp_path / folder / "__init__.py").write_text(extend, encoding="utf-8")
    (tmp_path / "tinytorch" / "core" / "embeddings.py").write_text("raise RuntimeError\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "tinytorch.checks", "embeddings"], cwd=tmp_path,
                          capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert package.__file__ in done.stdout
