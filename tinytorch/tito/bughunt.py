"""tito bughunt: a wrong solution and what it gives; which misconception is behind it?"""

from __future__ import annotations

import difflib
import random
import sys
import textwrap

from tinytorch.checks import bank
from tinytorch.checks.notebook import NotANotebook, cells_of, lesson_path, load
from tinytorch.checks.registry import LESSONS, find
from tinytorch.tito.terminal import Stop, need, reason

CHOICES = 4


def add(commands) -> None:
    parser = commands.add_parser(
        "bughunt", help="find the mistake in a wrong solution; three minutes, no points", allow_abbrev=False,
        description="Shows a wrong solution and the smallest input that gives it away. You pick the "
                    "misconception behind it, then see the mended cell. Without a terminal the answers are "
                    "read from standard input, one a line.")
    parser.add_argument("exercise", nargs="?", choices=[exercise.id for exercise in LESSONS["embeddings"]],
                        metavar="EXERCISE", help="hunt in this exercise (default: any)")
    parser.add_argument("--number", type=int, help="hunt this one again (default: a new one)")
    parser.set_defaults(run=run)


def run(options) -> None:
    need("rich")
    number = random.randrange(10_000) if options.number is None else options.number
    entry, choices = pick(bank.entries(), options.exercise, random.Random(number))
    again = " ".join(filter(None, ["tito bughunt", options.exercise, f"--number {number}"]))
    screen = Screen()
    show(screen, entry, lesson_cell(entry), choices, again)
    ask(screen, entry, choices)
    mend(screen, entry, lesson_cell(entry))


def pick(entries: list[bank.Entry], exercise: str | None, chance: random.Random):
    """The entry to hunt, and four misconceptions in any order, its own among them."""
    hunted = [entry for entry in entries if exercise in (None, entry.exercise)]
    if not hunted:
        raise Stop(f"there are no wrong solutions in {bank.folder()}")
    entry = chance.choice(hunted)
    others = [other for other in entries if other.exercise == entry.exercise
              and other.caught_by != entry.caught_by and other.misconception != entry.misconception]
    choices = [entry, *chance.sample(others, CHOICES - 1)]
    chance.shuffle(choices)
    return entry, choices


def lesson_cell(entry: bank.Entry) -> str:
    """The lesson's own text of the cell."""
    try:
        cells = cells_of(load(lesson_path("embeddings")))
    except NotANotebook as error:
        raise Stop(error) from None
    except OSError as error:
        raise Stop(reason(error)) from None
    name = bank.defined(entry.cell)
    return next(cell.source for cell in cells if cell.kind == "code" and cell.mark.get("solution")
                and bank.defined(cell.source) == name)


def changed(entry: bank.Entry, lesson: str) -> list[str]:
    """The parts to look at: what the exercise asks for, or else whatever a student wrote otherwise."""
    wrong, right = bank.parts(entry.cell), bank.parts(lesson)
    differ = [name for name in {**wrong, **right} if wrong.get(name) != right.get(name)]
    asked = find(entry.exercise).tests
    written = bank.asked_for(lesson) | (wrong.keys() - right.keys())
    return [asked] if asked in differ else [name for name in differ if name in written]


# What is printed -----------------------------------------------------------------------------------------

class Screen:
    """Prints with rich: code in colours on a terminal, the same letters without colours elsewhere."""

    def __init__(self):
        from rich.console import Console
        from rich.syntax import Syntax

        self.console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        self.colours = Syntax("", "python", theme="ansi_dark")

    def say(self, text: str = "", style: str | None = None) -> None:
        self.console.print(text, style=style)

    def code(self, text: str) -> None:
        painted = self.colours.highlight(textwrap.indent(textwrap.dedent(text), "   "))
        painted.rstrip()
        self.console.print(painted)


def show(screen: Screen, entry: bank.Entry, lesson: str, choices: list[bank.Entry], again: str) -> None:
    screen.say(f"{entry.exercise}: a wrong solution. What did its author believe?   ({again})", "bold cyan")
    wrong = bank.parts(entry.cell)
    for name in changed(entry, lesson):
        if name in wrong:
            screen.say()
            screen.code(wrong[name])
    screen.say("\nThe smallest input that shows it:\n")
    screen.code(entry.tries)
    screen.say(f"\n   gives  {entry.wrong}\n   right  {entry.right}\n")
    for number, choice in enumerate(choices, start=1):
        screen.say(f"   {number}  {choice.misconception}")


def ask(screen: Screen, entry: bank.Entry, choices: list[bank.Entry]) -> None:
    """Go on asking until the right one is picked; an empty line gives up."""
    while True:
        screen.console.print(f"\nWhich one, 1 to {CHOICES}? (Enter: tell me) ", end="")
        answer = line_of_input()
        if not answer:
            screen.say(f"It is {choices.index(entry) + 1}: {entry.misconception}", "bold")
            return
        if answer not in [str(number) for number in range(1, CHOICES + 1)]:
            screen.say(f"A number from 1 to {CHOICES}.")
            continue
        choice = choices[int(answer) - 1]
        if choice is entry:
            screen.say("Yes.", "bold green")
            return
        screen.say(f"No. Who believes that fails first in: {choice.caught_by.replace('_', ' ')}.")


def line_of_input() -> str:
    try:
        answer = input().strip()
    except EOFError:
        raise Stop("bughunt asks and nobody answers: run it in a terminal, or put the number on standard "
                   "input") from None
    if not sys.stdin.isatty():  # the answer's own line break is not on the screen
        print(answer)
    return answer


def mend(screen: Screen, entry: bank.Entry, lesson: str) -> None:
    """The mended part, with the lines that go and come."""
    wrong, right = bank.parts(entry.cell), bank.parts(lesson)
    screen.say("\nMended (- goes, + comes):")
    for name in changed(entry, lesson):
        screen.say()
        before, after = (textwrap.dedent(part.get(name, "")).split("\n") if name in part else []
                         for part in (wrong, right))
        for line in difflib.ndiff(before, after):
            if line[0] != "?":
                screen.say(f" {line}".rstrip(), {"-": "red", "+": "green"}.get(line[0]))
    screen.say(f"\nThe check that notices it: {entry.caught_by.replace('_', ' ')}.")
    screen.say(find_hint(entry))


def find_hint(entry: bank.Entry) -> str:
    found = next(check for check in find(entry.exercise).behaviours if check.name == entry.caught_by)
    return f"Its hint: {found.hints[0]}"
