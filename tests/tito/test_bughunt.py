"""tito bughunt: what it shows, how it asks, and what it says where nobody can answer."""
import random
import re

import pytest

from tinytorch.checks import bank
from tinytorch.tito import bughunt

ENTRIES = bank.entries()
NUMBER = 7


def hunted(exercise=None, number=NUMBER):
    """The entry and the choices of a hunt, and which number is right."""
    entry, choices = bughunt.pick(ENTRIES, exercise, random.Random(number))
    return entry, choices, choices.index(entry) + 1


def test_a_hunt_from_the_question_to_the_mended_cell(tito):
    entry, choices, right = hunted()
    done = tito("bughunt", "--number", NUMBER, stdin=f"{right}\n")
    assert (done.code, done.err) == (0, "")
    question, _, answer = done.out.partition("Which one, 1 to 4?")
    for text in (entry.exercise, entry.wrong, entry.right, entry.tries.split("\n")[-1],
                 *(choice.misconception for choice in choices)):
        assert text in question
    assert "Yes." in answer and re.search(r"^ [-+] ", answer, re.MULTILINE)     # some mistakes are a line too few
    assert entry.caught_by.replace("_", " ") in answer


def test_it_asks_until_the_right_one_is_picked(tito):
    entry, choices, right = hunted()
    wrong = right % 4 + 1
    done = tito("bughunt", "--number", NUMBER, stdin=f"{wrong}\nfive\n{right}\n")
    assert done.code == 0
    fails_in = choices[wrong - 1].caught_by.replace("_", " ")
    assert f"No. Who believes that fails first in: {fails_in}." in done.out
    assert done.out.count("A number from 1 to 4.") == 1 and "Yes." in done.out


@pytest.mark.slow
def test_an_empty_line_tells_the_answer(tito):
    entry, _, right = hunted()
    done = tito("bughunt", "--number", NUMBER, stdin="\n")
    assert f"It is {right}: {entry.misconception}" in done.out
    assert "Mended" in done.out and done.code == 0


@pytest.mark.slow
def test_where_nobody_answers_it_says_so_in_one_line(tito, is_one_line):
    done = tito("bughunt", stdin="")
    assert done.code == 1 and is_one_line(done.err)
    assert "standard input" in done.err


def test_an_exercise_can_be_named(tito):
    done = tito("bughunt", "sinusoid", "--number", 1, stdin="\n")
    assert done.out.startswith("sinusoid: ") and "(tito bughunt sinusoid --number 1)" in done.out


def test_without_rich_it_is_one_line(tito, is_one_line, tmp_path):
    (tmp_path / "rich.py").write_text("raise ImportError('not here')\n", encoding="utf-8")
    done = tito("bughunt", stdin="1\n")
    assert done.code == 1 and is_one_line(done.err)
    assert "python -m pip install rich" in done.err


def test_a_clone_without_the_bank_says_where_it_should_be(here, is_one_line, monkeypatch, tmp_path):
    monkeypatch.setattr(bank, "PACKAGE", tmp_path / "tinytorch")
    done = here("bughunt")
    assert done.code == 1 and is_one_line(done.err) and "wrong_solutions" in done.err


def test_of_four_sentences_one_is_right():
    """The others are told apart from it by a check of their own."""
    for number in range(200):
        entry, choices, _ = hunted(number=number)
        assert len({choice.misconception for choice in choices}) == 4
        assert [choice.caught_by == entry.caught_by for choice in choices].count(True) == 1
