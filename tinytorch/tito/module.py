"""tito module: start a lesson, see how far you are, begin again, finish."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from tinytorch.checks.notebook import cells_of, lesson_path
from tinytorch.checks.proxy import Proxy
from tinytorch.tito import export, student
from tinytorch.tito.terminal import Stop
from tinytorch.tito.unsolved import TEXT_STUB, unsolved

LESSONS = ("11",)
README = """# Lesson 11: embeddings

Open `embeddings_dev.ipynb` with `tito lab`, or in your editor with a Python that has this package. Read
from the top, write the exercises, save. Then, in a terminal in this folder:

    tito test       what is right, and the first thing that is not
    tito hint       one paragraph more each time
    tito            where you are, and the next command
"""
PYTEST_FILE = '''\
"""`pytest -k embeddings` in this folder: the checks of lesson 11 on the notebook beside this file."""
from pathlib import Path

from pytest_tinytorch import checks_of

test_embeddings = checks_of(Path(__file__).with_name("embeddings_dev.ipynb"))
'''
ACTIONS = {"start": "write the unsolved notebook into a new folder",
           "status": "exercises and points so far",
           "complete": "test, and export what you wrote as a module of your own",
           "reset": "put the unsolved notebook back; yours and your export are kept as backups"}


def add(commands) -> None:
    parser = commands.add_parser("module", help="start, finish or reset the lesson", allow_abbrev=False,
                                 description="Start, finish or reset a lesson.")
    actions = parser.add_subparsers(metavar="ACTION", title="actions", required=True)
    for (name, text), run in zip(ACTIONS.items(), (start, status, complete, reset), strict=True):
        action = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".",
                                    allow_abbrev=False)
        optional = {"nargs": "?", "default": LESSONS[-1]} if name != "start" else {}
        action.add_argument("lesson", choices=LESSONS, help="the number of the lesson: 11", **optional)
        action.set_defaults(run=run)


def unsolved_text() -> str:
    """The notebook to hand out, as the text of its file."""
    return json.dumps(unsolved(student.read(lesson_path("embeddings"))), ensure_ascii=False, indent=1) + "\n"


def start(options) -> None:
    if Path(student.NOTEBOOK).exists():
        raise Stop(f"{student.NOTEBOOK} is in this folder already; where you are: tito")
    folder = Path(student.FOLDER)
    files = {student.NOTEBOOK: unsolved_text(), "README.md": README, "test_embeddings.py": PYTEST_FILE}
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        try:
            with open(folder / name, "x", encoding="utf-8", newline="\n") as file:
                file.write(text)
            print(f"wrote {folder / name}")
        except FileExistsError:
            print(f"kept  {folder / name}, which was there")
    print(f"Next: cd {folder}, then tito lab")


def status(options) -> None:
    path = student.find()
    print(f"{student.saved(path)}\n{student.where_you_are(path)}")


def reset(options) -> None:
    path = student.find()
    refuse_lesson(path)
    stamp = time.strftime(".backup-%Y%m%d-%H%M%S")
    backup = path.with_name(f"{path.stem}{stamp}.ipynb")
    if backup.exists():
        raise Stop(f"{backup} exists already; wait a second")
    text = unsolved_text()
    backup.write_bytes(path.read_bytes())
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    print(f"{path} is unsolved again; what you had is in {backup}")
    old = path.parent / export.MODULE
    if old.exists() and export.is_ours(old):                # or imports here would go on finding it
        print(f"Your export is no longer imported; it is {old.rename(old.with_suffix(stamp + '.py'))}")
    print("Next: in JupyterLab, File > Reload Notebook from Disk")


def complete(options) -> int:
    path = student.find()
    refuse_lesson(path)
    print(f"Testing {student.saved(path)}", flush=True)
    tested = student.check_and_remember(path)
    student.show(tested)
    if tested.points < tested.most:
        print(f"\nNot complete yet: {tested.most - tested.points} points are missing; nothing was written\n"
              f"{student.where_you_are(path).splitlines()[-1]}")
        return 1
    notebook, folder = student.read(path), path.resolve().parent
    module = folder / export.MODULE
    if not export.is_ours(module):
        raise Stop(f"{module} is not one of our exports; move it away")
    text = export.module_text(notebook, path.name)
    check_export(folder, text)
    export.write(folder, text)
    print(f"\nWritten: {module}")
    print(f"Python, pytest and Jupyter started in {folder} now find your code:")
    print(f"  import tinytorch.core.embeddings  ->  {export.found_by_import(folder)}")
    for name, words in answers(notebook):
        print(f"{name}: {words} words{'' if 150 <= words <= 300 else ' (150 to 300 are asked for)'}")
    student.remember(path, complete=student.fingerprint(path))
    print(f"Hand in: {path.resolve()}")
    return 0


def check_export(folder: Path, text: str) -> None:
    """The module alone has to have all points, too: a helper in a cell without `#| export` is not in it."""
    trial = folder / f".tito_export_{os.getpid()}.py"
    try:
        trial.write_text(text, encoding="utf-8")
        with Proxy(trial, folder=student.PACKAGE.parent, environment={"TINYTORCH_PLAIN": "1"}) as m:
            tested = student.outcomes("embeddings", m)
    finally:
        trial.unlink(missing_ok=True)
    if tested.points < tested.most:
        why = tested.next.first_failure.error if tested.next else "a check fails"
        raise Stop(f"the exported cells alone have {tested.points} of {tested.most} points ({why}); "
                   "write `#| export` above what they need. Nothing was written")


def refuse_lesson(path: Path) -> None:
    if path.resolve() == lesson_path("embeddings").resolve():
        raise Stop(f"{path} is the lesson itself, with solutions; your own copy: {student.START}, elsewhere")


def answers(notebook: dict) -> list[tuple[str, int]]:
    """The written reflections and their numbers of words."""
    found = []
    for cell in cells_of(notebook):
        if cell.kind == "markdown" and cell.mark.get("grade") and cell.mark.get("solution"):
            words = cell.source.replace(TEXT_STUB[0], "").split()
            found.append((cell.grade_id, len([word for word in words if any(map(str.isalnum, word))])))
    return found
