"""The report as a student reads it: whole texts for a dozen mistakes, and its limits."""
from pathlib import Path

import pytest
from helpers_bank import EXERCISES, tried

from tinytorch.checks.compare import Wrong, row_text
from tinytorch.checks.registry import find
from tinytorch.checks.report import HEIGHT, WIDTH, report
from tinytorch.checks.run import Outcome, Result

TEXTS = Path(__file__).with_name("reports.txt").read_text(encoding="utf-8").strip().split("\n\n")


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.partition("\n")[0])
def test_report_as_text(text):
    """reports.txt: the name of an entry of the bank, then the report of its exercise."""
    name, _, expected = text.partition("\n")
    assert "\n".join(report(tried(name).outcome)) == expected


def test_a_dozen_reports_of_all_exercises():
    of = [text.split("/")[0] for text in TEXTS]
    assert [exercise.id for exercise in EXERCISES if of.count(exercise.id) < 1] == []
    assert len(TEXTS) >= 12


@pytest.mark.parametrize("error", [
    Wrong("x" * 500, "y" * 500, "when " + "z " * 200), ValueError("long\n" * 100)],
    ids=["wrong", "unreadable"])
def test_a_report_has_at_most_12_lines(error):
    exercise = find("warmup")
    results = tuple(Result(behaviour, error, "given " * 200) for behaviour in exercise.behaviours)
    lines = report(Outcome(exercise, results))
    assert len(lines) <= HEIGHT and max(map(len, lines)) <= WIDTH
    assert lines[0] == "warmup: 0 of 6 points."
    assert any(line.startswith("Hint: Two numbers pick the rows") for line in lines)


@pytest.mark.parametrize("numbers, text", [
    ([1.0, -2.5], "[1, -2.5]"), ([[1.0], [-0.0]], "[[1], [0]]"), (0.1, "0.1"), ([0.8414709848], "[0.841471]"),
    ([float("nan")], "[nan]"), ([1e-9], "[1e-09]"), ([], "[]"), ([True], "[1]"),
    (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...]")])
def test_numbers_are_short(numbers, text):
    assert row_text(numbers) == text
