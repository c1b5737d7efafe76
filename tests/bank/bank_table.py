"""Writes what the bank says into docs/misconceptions.md and README.md: `python tests/bank/bank_table.py`."""
import re
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
if str(TESTS) not in sys.path:      # pytest has it there
    sys.path.insert(0, str(TESTS))

from helpers_bank import EXERCISES, RIGHT, WRONG, count  # noqa: E402

TABLE, README = TESTS.parent / "docs" / "misconceptions.md", TESTS.parent / "README.md"
PLACE = re.compile(r"(?<=<!-- bank: begin -->\n).*?(?=<!-- bank: end -->)", re.DOTALL)


def table() -> str:
    """The misconceptions of each exercise, with the check that notices them first and its hint."""
    lines = ["# Misconceptions", "",
             f"{len(WRONG)} wrong solutions: what the author may have believed, the check that notices it",
             f"first, and that check's hint. {count()} of them differ in what comes out. The code is in",
             "`tests/wrong_solutions/`; `tito bughunt` shows one and asks what its author believed.",
             "", "This file is written by `python tests/bank/bank_table.py`; a test compares."]
    for exercise in EXERCISES:
        lines += ["", f"## {exercise.id}", "", "| misconception | check | hint |", "|---|---|---|"]
        for behaviour in exercise.behaviours:
            mine = [entry for entry in WRONG.values()
                    if (entry.exercise, entry.caught_by) == (exercise.id, behaviour.name)]
            lines += [row(entry.misconception, behaviour.title, behaviour.hints[0]) for entry in mine]
    return "\n".join(lines) + "\n"


def row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def sentence() -> str:
    """What the README says about the bank."""
    checks = sum(len(exercise.behaviours) for exercise in EXERCISES)
    return (f"The lesson has {len(EXERCISES)} exercises and {checks} checks. They are tried on "
            f"**{count()} wrong solutions** that differ in what comes out:\n"
            "each is noticed, first by the check that is about its mistake.\n"
            f"{len(RIGHT)} right ones, written another way, lose no point.\n")


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
    README.write_text(PLACE.sub(lambda _: sentence(), README.read_text(encoding="utf-8")), encoding="utf-8")
    print(sentence(), end="")
