"""Each mistake is noticed first by the check that is about it, and the report names it.

mistakes.txt holds them, as changes of right_module.py. First line: exercise / check / words of the report
(none where the check knows no such mistake). Then lines of the file: - goes, + comes, a blank stays.
"""
from collections import Counter
from pathlib import Path

import pytest
import right_module

from tinytorch.checks.modules import Live
from tinytorch.checks.registry import find, load
from tinytorch.checks.report import HEIGHT, WIDTH, report
from tinytorch.checks.run import STUDENT, Run

RIGHT = Path(right_module.__file__).read_text(encoding="utf-8")


def mistakes():
    """(exercise, check, words, old text, new text) of each entry."""
    for entry in Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8").split("\n\n"):
        head, *lines = entry.strip("\n").split("\n")
        exercise, check, words = (part.strip() for part in head.split("/", 2))
        old, new = ("".join(line[1:] + "\n" for line in lines if line[0] in sign) for sign in ("- ", "+ "))
        yield exercise, check, words, old, new


WRONG = list(mistakes())


def run_with(old, new, secret=STUDENT):
    """The checks of right_module.py with one change."""
    assert RIGHT.count(old) == 1, f"{old!r} stands {RIGHT.count(old)} times in the right module"
    names = {"__name__": "changed"}
    exec(compile(RIGHT.replace(old, new), "changed", "exec"), names)
    return Run(Live(names), secret)


@pytest.mark.parametrize("number", range(len(WRONG)), ids=lambda n: f"{n}-{WRONG[n][0]}-{WRONG[n][1]}")
def test_the_check_that_is_about_it_notices_first(number):
    exercise, check, words, old, new = WRONG[number]
    run = run_with(old, new, secret=number)
    for needed in find(exercise).needs:
        assert run.outcome(needed).passed, report(run.outcome(needed))
    outcome = run.outcome(exercise)
    assert not outcome.passed, "not noticed"
    lines = report(outcome)
    assert outcome.first_failure.behaviour.name == check, "\n".join(lines)
    assert words in "\n".join(lines)
    assert len(lines) <= HEIGHT and max(map(len, lines)) <= WIDTH


def test_every_check_is_the_first_to_notice_two_mistakes():
    count = Counter((exercise, check) for exercise, check, *_ in WRONG)
    checks = [(e.id, b.name) for e in load("embeddings") for b in e.behaviours]
    assert set(count) <= set(checks)
    assert [check for check in checks if count[check] < 2] == []
