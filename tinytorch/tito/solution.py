"""tito solution: ways to write an exercise, after its own checks pass."""

from __future__ import annotations

from tinytorch.checks import bank
from tinytorch.checks.notebook import cells_of, lesson_path, load
from tinytorch.checks.registry import Exercise
from tinytorch.checks.registry import find as find_exercise
from tinytorch.tito import mine, student
from tinytorch.tito.terminal import Stop
from tinytorch.tito.unsolved import MARKER

OTHERS = 2


def add(commands) -> None:
    parser = commands.add_parser(
        "solution", help="solutions of an exercise that you have solved", allow_abbrev=False,
        description="Shows our solution of an exercise and other right ways, once all its checks pass on "
                    "what you wrote.")
    parser.add_argument("exercise", metavar="ID", help="an exercise, as its heading says it")
    parser.set_defaults(run=run)


def run(options) -> None:
    name = options.exercise
    if name not in student.ids():
        raise Stop(f"no exercise {name!r}; there are: {', '.join(student.ids())}", code=2)
    path = student.find()
    if name not in student.progress(path)["passed"]:
        raise Stop(f"{name}: first all its checks have to pass on your own: tito test, tito hint")
    print(f"# {name}: ours\n{ours(name)}")
    for number, text in enumerate(others(name), start=1):
        print(f"\n# {name}: another right way ({number})\n{text}")


def ours(name: str) -> str:
    """The exercise as the lesson has it, without the lines that mark the solution."""
    wanted = find_exercise(name)
    cell = next(c for c in cells_of(load(lesson_path("embeddings"))) if c.grade_id == wanted.solution_cell)
    return shown("\n".join(line for line in cell.source.split("\n") if not MARKER.fullmatch(line)), wanted)


def others(name: str) -> list[str]:
    """Right solutions of the bank, written another way."""
    files = sorted((bank.folder().with_name("right_solutions") / name).glob("*.py"))
    return [shown(file.read_text(encoding="utf-8").partition("\n\n")[2], find_exercise(name))
            for file in files[:OTHERS]]


def shown(source: str, exercise: Exercise) -> str:
    """A cell without its directives; of one that two exercises share, the part of this one."""
    if exercise.cell:
        node = mine.part(source, exercise.tests)
        return "\n".join(source.split("\n")[mine.first_line(node) - 1:node.end_lineno])
    return "\n".join(line for line in source.strip("\n").split("\n") if not line.startswith("#|"))
