"""tito release: what the class gets, and what it never gets."""
import base64
import hashlib
import json
import zipfile

import pytest
from helpers_notebook import HANDED_OUT, LESSON, cell_of, text

from tinytorch.checks.notebook import cells_of, lesson_path, load
from tinytorch.tito import release, student
from tinytorch.tito.unsolved import unsolved

WHEEL = "tinytorch_embeddings-0.1.0-py3-none-any.whl"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dist").mkdir()
    make_wheel(lesson_path("embeddings").read_bytes())
    return tmp_path


def make_wheel(notebook, name="tinytorch/modules/11_embeddings/embeddings_dev.ipynb"):
    with zipfile.ZipFile("dist/tinytorch_embeddings-0.1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(name, notebook)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_release(here, folder):
    done = here("release", "out")
    assert done.code == 0, done.err
    assert done.out.splitlines()[:2] == ["unsolved copy:  0 of 70 points", "solved copy:    70 of 70 points"]
    assert names(folder / "out") == ["README.txt", "embeddings_dev.ipynb", "test_embeddings.py",
                                     "tinytorch_embeddings-0.1.0-py3-none-any.whl"]
    assert names(folder / "out-instructor") == ["README.txt", "assignment.json", "embeddings_dev.ipynb"]
    assert load(folder / "out" / "embeddings_dev.ipynb") == HANDED_OUT
    assert cells_of(load(folder / "out-instructor" / "embeddings_dev.ipynb")) == cells_of(LESSON)
    assert len((folder / "out" / "README.txt").read_text(encoding="utf-8").splitlines()) == 2
    kept = json.loads((folder / "out-instructor" / "assignment.json").read_text(encoding="utf-8"))
    handed_out = (folder / "out" / "embeddings_dev.ipynb").read_bytes()
    assert kept["notebook_sha256"] == hashlib.sha256(handed_out).hexdigest()
    assert kept["points"] == 70 and len(kept["secret"]) == 64
    for path in (folder / "out").iterdir():
        assert kept["secret"].encode() not in path.read_bytes()


@pytest.mark.slow
def test_the_class_gets_a_wheel_without_model_answers(here, folder):
    record = "tinytorch_embeddings-0.1.0.dist-info/RECORD"
    with zipfile.ZipFile(folder / "dist" / WHEEL, "a") as wheel:
        wheel.writestr(record, f"tinytorch/a.py,sha256=x,1\n{release.IN_WHEEL},sha256=y,2\n{record},,\n")
    assert here("release", "out", "--only", "warmup").code == 0
    with zipfile.ZipFile(folder / "out" / WHEEL) as wheel:
        content, lines = wheel.read(release.IN_WHEEL), wheel.read(record).decode().splitlines()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    assert lines == ["tinytorch/a.py,sha256=x,1", f"{release.IN_WHEEL},sha256={digest},{len(content)}",
                     f"{record},,"]
    for leak in (b"Model answer", b"Marking notes"):
        assert leak not in content and leak in lesson_path("embeddings").read_bytes()
    kept = [(cell, cell.source) for cell in cells_of(LESSON) if cell.kind == "code"]
    assert kept == [(cell, cell.source) for cell in cells_of(json.loads(content)) if cell.kind == "code"]
    assert unsolved(json.loads(content)) == HANDED_OUT


@pytest.mark.parametrize("chosen", ["", "warmup,", "warmup,nothing"])
def test_only_names_exercises(here, folder, is_one_line, chosen):
    done = here("release", "out", "--only", chosen)
    assert (done.code, done.out) == (2, "") and is_one_line(done.err)
    assert not (folder / "out").exists()


@pytest.mark.slow
def test_a_shorter_course(here, folder):
    done = here("release", "out", "--only", "warmup, embedding-forward")
    assert done.code == 0, done.err
    assert done.out.splitlines()[:2] == ["unsolved copy:  0 of 18 points", "solved copy:    18 of 18 points"]
    notebook = load(folder / "out" / "embeddings_dev.ipynb")
    shared = text(cell_of(notebook, "embedding-table-solution"))
    assert shared.count("raise NotImplementedError()") == 1 and "Unknown init_type" in shared
    assert "SOLUTION" not in json.dumps(notebook)
    ids = {cell.grade_id for cell in cells_of(notebook)} - {""}
    assert ids == {"warmup", "warmup-solution", "embedding-forward", "embedding-table-solution",
                   "reflection-memory", "reflection-positions", "reflection-machines"}
    done = here("test", folder / "out" / "embeddings_dev.ipynb")
    assert [line.split()[0] for line in done.out.splitlines()[4:6]] == ["warmup", "embedding-forward"]
    assert "0 of 18" in done.out and "check cell" not in done.out


def test_points_come_from_the_cells():
    assert release.points_of(LESSON) == 70
    assert release.points_of(release.shorter(LESSON, ["layer", "profiler"])) == 10


@pytest.mark.parametrize("change", ["too good", "too bad"])
def test_nothing_is_written_when_the_copies_are_not_right(here, folder, monkeypatch, is_one_line, change):
    tested = student.Tested([])
    monkeypatch.setattr(student.Tested, "points", {"too good": 1, "too bad": 0}[change])
    monkeypatch.setattr(student, "check_notebook", lambda *_: tested)
    done = here("release", "out")
    assert done.code == 1 and is_one_line(done.err)
    assert names(folder) == ["dist"]


@pytest.mark.parametrize("arguments, code", [(["dist"], 1), (["out", "--only", "nothing"], 2), ([], 2),
                                             (["out", "--wheel", "gone.whl"], 1)])
def test_mistakes(here, folder, is_one_line, arguments, code):
    done = here("release", *arguments)
    assert (done.code, done.out) == (code, "")
    assert is_one_line(done.err)
    assert names(folder) == ["dist"]


@pytest.mark.parametrize("wheel", [(b"older",), (b"", "other.py"), None])
def test_a_wheel_of_something_else(here, folder, is_one_line, wheel):
    make_wheel(*wheel) if wheel else next((folder / "dist").iterdir()).write_bytes(b"no zip")
    done = here("release", "out")
    assert done.code == 1 and is_one_line(done.err)
    assert names(folder) == ["dist"]


def test_without_a_wheel(here, tmp_path, monkeypatch, is_one_line):
    monkeypatch.chdir(tmp_path)
    done = here("release", "out")
    assert done.code == 1 and is_one_line(done.err) and "make wheel" in done.err
