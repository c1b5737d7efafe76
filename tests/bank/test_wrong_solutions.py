"""The bank of wrong solutions: each is noticed, by the check that is about it, and the report names it."""
import re
from collections import Counter

import pytest
from bank_table import PLACE, README, TABLE, sentence, table
from helpers_bank import (
    EXERCISES,
    LESSON,
    RIGHT,
    SOLUTIONS,
    WRONG,
    Notebook,
    count,
    lesson_notebook,
    tried,
    value_of_lesson,
)

from tinytorch.checks.bank import defined, read
from tinytorch.checks.report import HEIGHT, WIDTH, report
from tinytorch.tito.bughunt import changed
from tinytorch.tito.unsolved import unsolved

CHECKS = [behaviour for exercise in EXERCISES for behaviour in exercise.behaviours]


def test_the_notebook_runs_as_it_is():
    assert lesson_notebook().notes == []


@pytest.mark.parametrize("name", WRONG)
def test_the_named_check_notices_first(name):
    entry, was = WRONG[name], tried(name)
    lines = report(was.outcome)
    assert not was.outcome.passed, "it passes"
    assert was.outcome.first_failure.behaviour.name == entry.caught_by, "\n".join(lines)
    assert was.waits_for is None
    assert entry.report in "\n".join(lines)
    assert len(lines) <= HEIGHT and max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize("name", WRONG)
def test_the_smallest_input_shows_it(name):
    entry = WRONG[name]
    assert tried(name).value == entry.wrong != entry.right
    assert value_of_lesson(entry.tries) == entry.right


@pytest.mark.parametrize("behaviour", CHECKS, ids=lambda b: f"{b.group}-{b.name}")
def test_every_check_is_the_first_to_notice_two_mistakes(behaviour):
    """Two that differ: what comes out of them is not the same."""
    mine = [name for name, entry in WRONG.items()
            if (entry.exercise, entry.caught_by) == (behaviour.group, behaviour.name)]
    assert len({tried(name).what_comes_out for name in mine}) >= 2


def test_there_are_a_hundred_and_all_exercises_have_ten():
    assert count() >= 100
    of = Counter(entry.exercise for entry in WRONG.values())
    assert [exercise.id for exercise in EXERCISES if of[exercise.id] < 10] == []


def test_an_entry_is_written_for_a_student():
    """One sentence, in its exercise's folder, with a cell in which the bug hunt finds what to show."""
    for name, entry in WRONG.items():
        assert re.fullmatch(r".*[^.!?]\.", entry.misconception), name
        assert not re.search(r"[.!?] ", entry.misconception), name
        assert len(entry.misconception) <= 90, name
        assert name.split("/")[0] == entry.exercise
        assert entry.cell.startswith("#| export\n") and "### " not in entry.cell, name
        assert changed(entry, SOLUTIONS[defined(entry.cell)].source), name


def test_no_sentence_stands_for_two_mistakes_of_an_exercise():
    twice = Counter((entry.exercise, entry.misconception) for entry in WRONG.values())
    assert [sentence for sentence, times in twice.items() if times > 1] == []


def test_an_unsolved_notebook_gets_no_point():
    run = Notebook(unsolved(LESSON)).run()
    assert [exercise.id for exercise in EXERCISES if run.outcome(exercise.id).points] == []


@pytest.mark.parametrize("behaviour", CHECKS, ids=lambda b: f"{b.group}-{b.name}")
def test_no_hint_holds_a_line_of_a_solution(behaviour):
    """Neither of the lesson's nor of one that is right another way. Short lines (`return x`) are English."""
    texts = [cell.source for cell in SOLUTIONS.values()] + list(RIGHT.values())
    code = re.sub(r'"""(.|\n)*?"""|  # .*', "", "\n".join(texts))
    solved = {re.sub(r"\s", "", line) for line in code.split("\n") if len(line.strip()) > 12}
    hints = [re.sub(r"\s", "", hint) for hint in behaviour.hints]
    assert [line for line in solved for hint in hints if line in hint] == []


@pytest.mark.parametrize("head, message", [
    ("# exercise: warmup", "has no line misconception, caught by, wrong, right, try"),
    ("# exercise: warmup\n# exercise: layer", "stands there twice"),
    ("# excercise: warmup", "is no line of an entry's head")])
def test_a_bad_head_is_named(tmp_path, head, message):
    path = tmp_path / "entry.py"
    path.write_text(head + "\n\n#| export\n", encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read(path)


# What is written from the bank; here, and not in a file of its own, because one process then runs the bank once.
REMEDY = "python tests/bank/bank_table.py writes it"


def test_the_table_is_up_to_date():
    assert TABLE.read_text(encoding="utf-8") == table(), REMEDY


def test_the_readme_counts_what_is_there():
    assert PLACE.findall(README.read_text(encoding="utf-8")) == [sentence()], REMEDY
