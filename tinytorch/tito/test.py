"""tito test: the checks on what the student wrote, or on the installed package."""

from __future__ import annotations

from tinytorch.checks.registry import LESSONS
from tinytorch.tito import student
from tinytorch.tito.terminal import Stop


def add(commands) -> None:
    parser = commands.add_parser(
        "test", help="check the exercises in your notebook", allow_abbrev=False,
        description="Runs the notebook's cells in a process of their own, then the checks: points, what "
                    "passed, and the first failure. Save the notebook first. Without NOTEBOOK it is the "
                    f"{student.NOTEBOOK} in this folder or in {student.FOLDER}. Exit code 0: all points.")
    parser.add_argument("--module", choices=LESSONS, default="embeddings",
                        help="what to test; tensor and tokenization: the installed package "
                             "(default: %(default)s)")
    parser.add_argument("--reference", action="store_true",
                        help="test the installed package in place of a notebook")
    parser.add_argument("--cell-limit", type=seconds, default=20.0, metavar="SECONDS",
                        help="how long one cell may run (default: 20)")
    parser.add_argument("notebook", metavar="NOTEBOOK", nargs="?")
    parser.set_defaults(run=run)


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise ValueError(text)
    return value


def run(options) -> int:
    remembered = False
    if options.reference or options.module != "embeddings":
        if options.notebook:
            raise Stop(f"no notebook is tested here; leave out {options.notebook}", code=2)
        print(f"Testing the package in {student.PACKAGE}: core/{options.module}.py", flush=True)
        tested = student.check_package(options.module)
    else:
        path = student.find(options.notebook)
        notebook = student.read(path)
        print(f"Testing {student.saved(path)}", flush=True)
        if options.notebook:  # somebody else's, perhaps: nothing is written beside it
            tested = student.check_notebook(notebook, path.parent, options.cell_limit)
        else:
            tested, remembered = student.check_and_remember(path, options.cell_limit), True
    student.show(tested)
    if tested.points < tested.most:
        return 1
    if remembered:
        print(f"\nNext: {student.COMPLETE}")
    return 0
