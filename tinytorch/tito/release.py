"""tito release: the folder for a class, and beside it the instructor's, which is never given out."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
import secrets
import zipfile
from pathlib import Path

from tinytorch.checks.notebook import LESSONS, cells_of, lesson_path
from tinytorch.checks.registry import EXERCISES
from tinytorch.tito import home, module, student
from tinytorch.tito.terminal import Stop
from tinytorch.tito.unsolved import MARKER, ReleaseError, cleared, unsolved

IN_WHEEL = f"tinytorch/modules/{LESSONS['embeddings'].as_posix()}"
CLASS_README = """Unpack this folder, and in it: python -m pip install "./{wheel}[lab]"
Then: tito lab
"""
PRIVATE = """Not to be given out: the lesson with solutions and marking notes, and the secret behind the
data of the final checks. {hash} is the SHA-256 of the notebook that the class got.
"""


def add(commands) -> None:
    parser = commands.add_parser(
        "release", help="for instructors: the folder for a class", allow_abbrev=False,
        description="Writes OUT for the class, and OUT-instructor with the solutions, which is never to be "
                    "given out. Its own unsolved copy has to get no point, and its solved one all of them.")
    parser.add_argument("out", metavar="OUT", help="a folder that is not there yet")
    parser.add_argument("--only", metavar="ID,ID", help="a shorter course; the other exercises come solved")
    parser.add_argument("--wheel", metavar="FILE", help="the package's wheel (default: the one in dist/)")
    parser.set_defaults(run=run)


def run(options) -> None:
    out = Path(options.out)
    private = out.with_name(out.name + "-instructor")
    for folder in (out, private):
        if folder.exists():
            raise Stop(f"{folder} exists already")
    wheel = find_wheel(options.wheel)
    chosen = student.ids() if options.only is None else [name.strip() for name in options.only.split(",")]
    master = shorter(student.read(lesson_path("embeddings")), chosen)
    try:
        handed_out = unsolved(master)
    except ReleaseError as error:
        raise Stop(error) from None
    if options.only is not None:
        for notebook in (master, handed_out):
            notebook["metadata"][student.SHORTER] = {"exercises": chosen}
    most = points_of(master)
    for name, notebook, expected in (("unsolved", handed_out, 0), ("solved", master, most)):
        points = student.check_notebook(notebook, Path.cwd()).points
        print(f"{name + ' copy:':<16}{points} of {most} points", flush=True)
        if points != expected:
            raise Stop(f"the {name} copy should get {expected}; nothing was written")
    write(out, private, master, handed_out, wheel)
    print(f"For the class: {out}\nFor you alone: {private}")


def find_wheel(given: str | None) -> Path:
    found = [Path(given)] if given else sorted(Path("dist").glob("tinytorch_embeddings-*.whl"))
    if not found or not found[-1].is_file():
        raise Stop(f"{given}: no wheel" if given else
                   "no wheel in dist/: make wheel, or name one: --wheel FILE")
    try:
        with zipfile.ZipFile(found[-1]) as wheel:
            inside = wheel.read(IN_WHEEL)
    except (zipfile.BadZipFile, KeyError):
        raise Stop(f"{found[-1]} is no wheel of this package") from None
    if inside != lesson_path("embeddings").read_bytes():
        raise Stop(f"{found[-1]} holds another version of the lesson: make wheel")
    return found[-1]


def points_of(notebook: dict) -> int:
    """The automatic points, from the metadata of the cells alone."""
    return sum(cell.mark["points"] for cell in cells_of(notebook)
               if cell.mark.get("grade") and not cell.mark.get("solution"))


def shorter(master: dict, chosen: list[str]) -> dict:
    """The lesson with these exercises; the others are given, so their cells are no longer marked."""
    unknown = [name for name in chosen if name not in student.ids()]
    if unknown:
        raise Stop(f"no exercise {unknown[0]!r}; there are: {', '.join(student.ids())}", code=2)
    notebook = copy.deepcopy(master)
    for raw, cell in zip(notebook["cells"], cells_of(master), strict=True):
        here = [exercise for exercise in EXERCISES.values() if exercise.solution_cell == cell.grade_id]
        if here and cell.kind == "code":
            kept = [exercise.id in chosen for exercise in here]
            raw["source"] = without_markers(cell.source, kept)
            if not any(kept):
                del raw["metadata"]["nbgrader"]
        elif cell.grade_id in EXERCISES and cell.grade_id not in chosen:
            del raw["metadata"]["nbgrader"]
    return notebook


def without_markers(source: str, kept: list[bool]) -> str:
    """The marker lines of the solutions that are given go; of two exercises in a cell each has one region."""
    lines, region = [], -1
    for line in source.split("\n"):
        if MARKER.fullmatch(line):
            region += "BEGIN" in line
            if not kept[min(region, len(kept) - 1)]:
                continue
        lines.append(line)
    return "\n".join(lines)


def write(out: Path, private: Path, master: dict, handed_out: dict, wheel: Path) -> None:
    """Both folders; the class's holds nothing of the instructor's."""
    text = json.dumps(handed_out, ensure_ascii=False, indent=1) + "\n"
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    files = {
        out / student.NOTEBOOK: text,
        out / "README.txt": CLASS_README.format(wheel=wheel.name),
        out / "test_embeddings.py": module.PYTEST_FILE,
        private / student.NOTEBOOK: json.dumps(master, ensure_ascii=False, indent=1) + "\n",
        private / "README.txt": PRIVATE.format(hash=digest),
        private / "assignment.json": json.dumps({
            "notebook_sha256": digest, "secret": secrets.token_hex(32), "points": points_of(master),
            "grader": home.version_line()}, indent=1) + "\n",
    }
    for folder in (out, private):
        folder.mkdir(parents=True)
    for path, content in files.items():
        path.write_text(content, encoding="utf-8", newline="\n")
    copy_wheel(wheel, out / wheel.name)


def copy_wheel(wheel: Path, target: Path) -> None:
    """The wheel for the class: in its lesson there are no model answers and no marking notes."""
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        text = json.dumps(without_answers(json.loads(old.read(IN_WHEEL))), ensure_ascii=False, indent=1) + "\n"
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode("utf-8")).digest()).rstrip(b"=").decode()
        for file in old.infolist():
            content = old.read(file)
            if file.filename == IN_WHEEL:
                content = text.encode("utf-8")
            elif file.filename.endswith(".dist-info/RECORD"):
                line = f"{IN_WHEEL},sha256={digest},{len(text.encode('utf-8'))}"
                content = re.sub(rf"(?m)^{re.escape(IN_WHEEL)},.*$", line, content.decode("utf-8")).encode("utf-8")
            new.writestr(file, content, zipfile.ZIP_DEFLATED)


def without_answers(lesson: dict) -> dict:
    """The lesson with solutions, but with the written answers as they are handed out."""
    notebook = copy.deepcopy(lesson)
    for raw, cell in zip(notebook["cells"], cells_of(lesson), strict=True):
        if cell.kind == "markdown" and cell.mark.get("solution"):
            raw["source"] = cleared(cell).splitlines(keepends=True)
    return notebook
