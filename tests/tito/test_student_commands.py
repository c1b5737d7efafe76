"""tito module, hint, solution, watch, lab and bare tito, in a student's folder."""
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from helpers_notebook import EXERCISES, HANDED_OUT, cell_of, insert, solved, write

from tinytorch.checks.notebook import lesson_path, load
from tinytorch.checks.registry import find
from tinytorch.tito import export, lab, student, watch

ALL = [exercise.id for exercise in EXERCISES]
PLACE = "11_embeddings/embeddings_dev.ipynb"
ANSWERS = {"reflection-memory": "A word, and — 200 more: " + "word " * 197,
           "reflection-machines": "two words"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def complete(tmp_path_factory, request):
    """A folder with everything solved and the export written: the path and what was printed."""
    folder = tmp_path_factory.mktemp("complete")
    notebook = solved(*ALL)
    for id, answer in ANSWERS.items():
        cell_of(notebook, id)["source"] = answer
    path = write(folder / PLACE, notebook)
    done = subprocess.run([sys.executable, "-m", "tinytorch.tito", "module", "complete", "11"], cwd=folder,
                          capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return path, done.stdout


# tito module start -------------------------------------------------------------------------------------

def test_start_writes_a_folder_and_ends_with_the_next_command(here, folder):
    done = here("module", "start", "11")
    assert (done.code, done.err) == (0, "")
    assert sorted(path.name for path in (folder / "11_embeddings").iterdir()) == [
        "README.md", "embeddings_dev.ipynb", "test_embeddings.py"]
    assert load(folder / PLACE) == HANDED_OUT
    assert done.out.splitlines()[-1] == "Next: cd 11_embeddings, then tito lab"
    lines = (folder / "11_embeddings" / "test_embeddings.py").read_text(encoding="utf-8").strip().split("\n")
    assert len([line for line in lines if line]) <= 5


def test_start_never_writes_over_a_file(here, folder):
    path = folder / PLACE
    path.parent.mkdir()
    path.write_bytes(b"mine")
    done = here("module", "start", "11")
    assert done.code == 0
    assert path.read_bytes() == b"mine"
    assert f"kept  {path.relative_to(folder)}" in done.out
    assert (path.parent / "README.md").exists()


def test_start_in_the_lessons_folder_makes_no_second_one(here, folder, monkeypatch, is_one_line):
    path = write(folder / PLACE, solved())
    monkeypatch.chdir(path.parent)
    done = here("module", "start", "11")
    assert (done.code, done.out) == (1, "") and is_one_line(done.err)
    assert not (path.parent / "11_embeddings").exists()


def test_start_where_a_file_is_in_the_way(tito, tmp_path, is_one_line):
    (tmp_path / "11_embeddings").write_text("a file", encoding="utf-8")
    done = tito("module", "start", "11")
    assert done.code == 1 and is_one_line(done.err)


# where you are -----------------------------------------------------------------------------------------

def test_bare_tito_says_where_you_are(here, folder):
    assert here().out.splitlines()[-1] == "Next: tito module start 11"
    write(folder / PLACE, solved("warmup", "sinusoid"))
    for arguments in ([], ["module", "status", "11"]):
        lines = here(*arguments).out.splitlines()
        assert lines[-2:] == ["2 of 9 exercises, 16 of 70 points",
                              "Next: write embedding-init, save, then tito test"]


def test_the_points_are_remembered_until_the_notebook_changes(here, folder, monkeypatch):
    path = write(folder / PLACE, solved("warmup"))
    here("test")
    with monkeypatch.context() as patch:
        patch.setattr(student, "check_notebook", None)              # a call would fail
        assert "1 of 9 exercises, 6 of 70 points" in here().out
    write(path, solved("sinusoid"))
    assert "1 of 9 exercises, 10 of 70 points" in here().out


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["", "[]", "{", "{}", '{"tested": 1}'])
def test_a_damaged_memory_is_no_memory(here, folder, damage):
    path = write(folder / PLACE, solved("warmup"))
    path.with_name(".tito.json").write_text(damage, encoding="utf-8")
    assert "6 of 70" in here().out


# tito module reset -------------------------------------------------------------------------------------

def test_reset_keeps_a_backup(here, folder):
    path = write(folder / PLACE, solved("warmup"))
    before = path.read_bytes()
    done = here("module", "reset", "11")
    assert done.code == 0
    backup, = path.parent.glob("embeddings_dev.backup-*.ipynb")
    assert backup.read_bytes() == before and backup.name in done.out
    assert load(path) == HANDED_OUT


@pytest.mark.parametrize("ours", [True, False])
def test_reset_takes_the_export_away(here, folder, ours):
    path = write(folder / PLACE, solved("warmup"))
    module = path.parent / export.MODULE
    export.write(path.parent, (export.HEADER.format(name=path.name) if ours else "") + "MINE = 1\n")
    out = here("module", "reset", "11").out
    backups = list(module.parent.glob("embeddings.backup-*.py"))
    assert len(backups) == out.count("no longer imported") == ours and module.exists() == (not ours)
    assert (export.found_by_import(path.parent) == str(module)) == (not ours)


@pytest.mark.parametrize("action", ["reset", "complete"])
def test_the_lesson_itself_is_left_alone(here, monkeypatch, is_one_line, action):
    path = lesson_path("embeddings")
    before = path.read_bytes()
    monkeypatch.chdir(path.parent)
    done = here("module", action, "11")
    assert done.code == 1 and is_one_line(done.err) and "the lesson itself" in done.err
    assert path.read_bytes() == before


@pytest.mark.parametrize("arguments", [["module"], ["module", "start"], ["module", "start", "12"],
                                       ["module", "status", "11"], ["module", "reset", "11"],
                                       ["module", "complete", "11"], ["hint"], ["watch"],
                                       ["solution", "warmup"], ["solution", "nothing"],
                                       ["hint", "nothing"], ["solution"]])
def test_without_a_notebook_or_with_a_mistake(here, folder, is_one_line, arguments):
    done = here(*arguments)
    assert (done.code, done.out) == (2, "")
    assert is_one_line(done.err)


# tito module complete ----------------------------------------------------------------------------------

def test_complete_writes_nothing_before_all_points_are_there(here, folder):
    path = write(folder / PLACE, solved(*ALL[:-1]))
    done = here("module", "complete", "11")
    assert done.code == 1
    assert done.out.splitlines()[-2:] == ["Not complete yet: 4 points are missing; nothing was written",
                                          "Next: write profiler, save, then tito test"]
    assert not (path.parent / "tinytorch").exists()


def test_complete_says_what_to_hand_in(complete):
    path, out = complete
    module = path.parent / "tinytorch" / "core" / "embeddings.py"
    assert f"Written: {module}\n" in out
    assert f"import tinytorch.core.embeddings  ->  {module}\n" in out
    assert "70 of 70" in out
    assert "reflection-memory: 202 words\n" in out
    assert "reflection-positions: 0 words (150 to 300 are asked for)\n" in out
    assert "reflection-machines: 2 words (150 to 300 are asked for)\n" in out
    assert out.splitlines()[-1] == f"Hand in: {path}"


def test_the_export_is_found_and_works_in_its_folder(complete):
    path, _ = complete
    script = ("import tinytorch.core.embeddings as mine; from tinytorch.core.tensor import Tensor; "
              "import tinytorch.checks; print(mine.__file__, mine.embed([[1]], [[2]], [0]))")
    done = subprocess.run([sys.executable, "-c", script], cwd=path.parent,
                          capture_output=True, encoding="utf-8")
    assert done.stdout.strip() == f"{path.parent / 'tinytorch' / 'core' / 'embeddings.py'} [[3]]", done.stderr


def test_the_notebook_is_as_it_was(complete):
    path, _ = complete
    notebook = solved(*ALL)
    for id, answer in ANSWERS.items():
        cell_of(notebook, id)["source"] = answer
    assert load(path) == notebook


def test_after_complete_the_next_command_is_another_one(complete, here, monkeypatch):
    monkeypatch.chdir(complete[0].parent)
    assert here().out.splitlines()[-1] == "Next: tito demo --mine"


@pytest.mark.slow
def test_a_helper_that_is_not_exported(here, folder, is_one_line):
    notebook = solved(*ALL)
    cell = cell_of(notebook, "warmup-solution")
    cell["source"] = "#| export\ndef embed(tok, pos, ids):\n    return rows(tok, pos, ids)\n"
    insert(notebook, "".join(cell_of(solved("warmup"), "warmup-solution")["source"])
           .replace("#| export\n", "").replace("def embed", "def rows"))
    path = write(folder / PLACE, notebook)
    done = here("module", "complete", "11")
    assert "70 of 70" in done.out
    assert done.code == 1 and is_one_line(done.err) and "name 'rows' is not defined" in done.err
    assert not (path.parent / "tinytorch").exists()


def test_a_module_of_another_origin_is_not_written_over(here, folder, is_one_line):
    path = write(folder / PLACE, solved(*ALL))
    module = path.parent / "tinytorch" / "core" / "embeddings.py"
    module.parent.mkdir(parents=True)
    module.write_text("mine = 1\n", encoding="utf-8")
    done = here("module", "complete", "11")
    assert done.code == 1 and is_one_line(done.err)
    assert module.read_text(encoding="utf-8") == "mine = 1\n"


# tito hint and solution --------------------------------------------------------------------------------

def test_hints_come_one_paragraph_at_a_time(here, folder):
    write(folder / PLACE, HANDED_OUT)
    first, *_ = find("warmup").behaviours
    for count in (1, 2, 3, 3):
        out = here("hint").out
        words = " ".join(out.split())
        shown = [paragraph in words for paragraph in first.hints]
        assert shown == [True] * count + [False] * (len(first.hints) - count)
    assert "That was the last one" in out


def test_hints_follow_the_first_failing_check(here, folder):
    notebook = solved("warmup", "embedding-init")
    cell = cell_of(notebook, "embedding-table-solution")
    cell["source"] = "".join(cell["source"]).replace(
        "raise TokenIdError.first(ids, self.vocab_size)", "ids = ids % self.vocab_size")
    write(folder / PLACE, notebook)
    assert here("hint").out.startswith("embedding-forward: negative ids are refused\n")
    assert here("hint", "warmup").out == "warmup: all its checks pass\n"
    assert here("hint", "layer").out == "layer waits for embedding-forward: tito hint embedding-forward\n"


def test_solutions_are_shown_after_the_pass_only(here, folder, is_one_line):
    write(folder / PLACE, solved("warmup", "embedding-init"))
    done = here("solution", "sinusoid")
    assert done.code == 1 and is_one_line(done.err) and done.out == ""
    for name, head in (("warmup", "def embed("), ("embedding-init", "    def __init__(")):
        done = here("solution", name)
        assert done.code == 0
        assert re.findall(r"^# .*$", done.out, re.MULTILINE) == [
            f"# {name}: ours", f"# {name}: another right way (1)", f"# {name}: another right way (2)"]
        assert done.out.count(f"\n{head}") == 3
        assert "SOLUTION" not in done.out and "#|" not in done.out


# tito watch and lab ------------------------------------------------------------------------------------

@pytest.mark.slow
def test_watch_tests_on_save_and_ends_when_all_is_right(here, folder, monkeypatch):
    monkeypatch.setattr(watch, "PAUSE", 0.05)
    path = write(folder / PLACE, solved("warmup"))
    saved = write(folder / "saved.ipynb", solved(*ALL))

    def save():
        while not (path.parent / ".tito.json").exists():
            time.sleep(0.05)
        path.write_text("half a f", encoding="utf-8")
        time.sleep(0.5)
        shutil.move(saved, path)

    thread = threading.Thread(target=save)
    thread.start()
    done = here("watch")
    thread.join()
    assert done.code == 0
    assert "1 of 9 exercises, 6 of 70 points" in done.out
    assert "embeddings_dev.ipynb is no notebook" in done.out
    assert done.out.splitlines()[-2:] == ["9 of 9 exercises, 70 of 70 points",
                                          "All points are there. Next: tito module complete 11"]


def test_lab_starts_jupyter_of_this_python(here, folder, monkeypatch):
    calls = []
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(lab.subprocess, "run", lambda *args, **options: calls.append((*args, options)) or
                        subprocess.CompletedProcess([], 0))
    write(folder / PLACE, HANDED_OUT)
    assert here("lab", "--no-browser").code == 0
    (command, options), = calls
    assert command == [sys.executable, "-m", "jupyterlab", str(student.find()),
                       "--LabApp.default_url=/lab/tree/embeddings_dev.ipynb", "--no-browser"]
    assert options["env"]["JUPYTER_PREFER_ENV_PATH"] == "1"
    assert shutil.which("tito", path=options["env"]["PATH"]).startswith(str(Path(sys.executable).parent))


def test_ctrl_c_is_jupyters(here, folder, monkeypatch):
    """Jupyter asks before it stops and ends its kernels; tito waits, and says how that went."""
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(lab.subprocess, "run", lambda *_, **__: signal.raise_signal(signal.SIGINT) or
                        subprocess.CompletedProcess([], 7))
    write(folder / PLACE, HANDED_OUT)
    before = signal.getsignal(signal.SIGINT)
    assert here("lab").code == 7
    assert signal.getsignal(signal.SIGINT) is before


def test_lab_without_jupyter_names_the_command(here, folder, monkeypatch, is_one_line):
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)
    done = here("lab")
    assert done.code == 1 and is_one_line(done.err) and "pip install jupyterlab" in done.err


def test_memory_is_one_small_file(here, folder):
    path = write(folder / PLACE, solved("warmup"))
    here("hint")
    kept = json.loads(path.with_name(".tito.json").read_text(encoding="utf-8"))
    assert kept["points"] == 6 and len(kept["hints"]) == 1
