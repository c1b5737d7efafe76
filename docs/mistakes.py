"""The page of misconceptions, from the bank: mistake, smallest input, what one sees, hint."""
from itertools import groupby

from tinytorch.checks import bank
from tinytorch.checks.registry import LESSONS, find

HEAD = """# Misconceptions

{count} wrong solutions, by exercise and by the check that catches each first. Under a check stands the hint
that a student reads; under that the smallest inputs that show a mistake, what somebody may have believed, and
what comes out. `tito bughunt` makes a game of them. The suite proves that the checks catch all of them.
"""


def page() -> str:
    """MyST text; the exercises in the lesson's order, the checks in the order in which they run."""
    entries = bank.entries()
    text = [HEAD.format(count=len(entries))]
    for exercise in LESSONS["embeddings"]:
        order = {check.name: (place, check) for place, check in enumerate(find(exercise.id).behaviours)}
        mine = sorted((entry for entry in entries if entry.exercise == exercise.id), key=lambda entry: (
            order[entry.caught_by][0], entry.tries, entry.right, entry.misconception))
        text.append(f"## {exercise.id}\n")
        for name, caught in groupby(mine, key=lambda entry: entry.caught_by):
            check = order[name][1]
            text.append(f"### {check.title}\n\n*{check.hints[0]}*\n")
            text += [shown(*alike) for alike in groupby(caught, key=lambda entry: (entry.tries, entry.right))]
    return "\n".join(text)


def shown(seen, entries) -> str:
    """One input with its right result, and a row for each mistake that it shows."""
    tries, right = seen
    rows = [f"| {entry.misconception} | {code(entry.wrong)} |" for entry in entries]
    return "\n".join(["```python", tries, f"# right: {right}", "```", "",
                      "| somebody believed | and gets |", "|---|---|", *rows, ""])


def code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")
