"""tito hint: one paragraph more each time, about the first check that fails."""

from __future__ import annotations

import textwrap

from tinytorch.checks.registry import EXERCISES
from tinytorch.checks.registry import find as find_exercise
from tinytorch.tito import student
from tinytorch.tito.terminal import Stop

WIDTH = 100


def add(commands) -> None:
    parser = commands.add_parser(
        "hint", help="one paragraph more each time", allow_abbrev=False,
        description="A hint for the first check that fails. Each further call shows one paragraph more.")
    parser.add_argument("exercise", metavar="ID", nargs="?", help="an exercise (default: the one you are at)")
    parser.set_defaults(run=run)


def run(options) -> None:
    path = student.find()
    name = options.exercise or student.progress(path)["next"]
    if name is None:
        print(f"All exercises are right. Next: {student.COMPLETE}")
        return
    behaviour, waits = failing(path, name)
    if behaviour is None:
        print(f"{name}: all its checks pass")
        return
    if waits:
        print(f"{name} waits for {waits}: tito hint {waits}")
        return
    shown = student.memory(path).get("hints", {})
    key = f"{name}/{behaviour.name}"
    count = min(shown.get(key, 0) + 1, len(behaviour.hints))
    student.remember(path, hints={**shown, key: count})
    print(f"{name}: {behaviour.title}")
    for paragraph in behaviour.hints[:count]:
        print("", textwrap.fill(paragraph, WIDTH), sep="\n")
    left = len(behaviour.hints) - count
    print(f"\n{left} more: tito hint" if left else "\nThat was the last one; it is an example")


def failing(path, name: str):
    """(the first check of the exercise that fails or None, the exercise that it waits for or None)."""
    if name not in student.ids():
        raise Stop(f"no exercise {name!r}; there are: {', '.join(student.ids())}", code=2)
    kept = student.progress(path)
    if name in kept["passed"]:
        return None, None
    first = kept["failing"].get(name)
    behaviour = next(b for b in find_exercise(name).behaviours if b.name == first)
    waits = next((need for need in EXERCISES[name].needs if need not in kept["passed"]), None)
    return behaviour, waits
