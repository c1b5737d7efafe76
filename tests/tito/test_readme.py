"""The README against real runs: what it prints, what it lists, what it tells the reader to type."""

import doctest
import json
import math
import os
import re
import zipfile
from pathlib import Path

import pytest
from helpers_notebook import cell_of, write

from tinytorch.checks import bank
from tinytorch.checks.notebook import lesson_path
from tinytorch.tito import release, story

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind):
    """The fenced blocks whose opening line is ```kind."""
    fenced = re.findall(r"^```([^\n]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [body for opening, body in fenced if opening == kind]


def number(word):
    try:
        return float(word.strip(",").replace(",", ""))
    except ValueError:
        return None


def same_line(printed, promised):
    """Equal words; numbers may differ in the last digit shown, as they do from one processor to another."""
    ours, theirs = printed.split(), promised.split()
    return len(ours) == len(theirs) and all(
        a == b or (number(a) is not None and number(b) is not None
                   and math.isclose(number(a), number(b), abs_tol=3e-4 if "." in b else 0))
        for a, b in zip(ours, theirs, strict=True))


def holds(output, excerpt):
    """Whether the lines of the excerpt stand in the output, one below the other."""
    lines, wanted = output.splitlines(), excerpt.splitlines()
    starts = range(len(lines) - len(wanted) + 1)
    return any(all(map(same_line, lines[i:i + len(wanted)], wanted)) for i in starts)


def test_worked_example(tito):
    [block] = blocks("console")
    command, _, output = block.partition("\n")
    given = re.fullmatch(r"\$ echo '(.*)' \| tito embed", command).group(1)
    done = tito("embed", stdin=given)
    assert (done.code, done.out, done.err) == (0, output, "")


def commands(kind):
    """(arguments, what it prints) of each tito command in the block."""
    [block] = blocks(kind)
    for part in block.removeprefix("$ ").split("\n$ "):
        command, _, output = part.partition("\n")
        yield command.removeprefix("tito ").split(), output


def test_the_students_path(here, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments, output in commands("student"):
        assert here(*arguments).out == output.replace("/", os.sep)
    [name] = re.findall(r"^```report (\S+)$", TEXT, re.MULTILINE)
    [report] = blocks(f"report {name}")
    monkeypatch.chdir("11_embeddings")
    notebook = json.loads(Path("embeddings_dev.ipynb").read_text(encoding="utf-8"))
    cell_of(notebook, "warmup-solution")["source"] = bank.read(
        ROOT / "tests" / "wrong_solutions" / "warmup" / f"{name}.py").cell
    write(Path("embeddings_dev.ipynb"), notebook)
    done = here("test")
    assert done.code == 1 and done.out.endswith("\n\n" + report)


@pytest.mark.slow
def test_the_instructors_path(here, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dist").mkdir()
    with zipfile.ZipFile("dist/tinytorch_embeddings-0.1.0-py3-none-any.whl", "w") as wheel:
        wheel.write(lesson_path("embeddings"), release.IN_WHEEL)
    for arguments, output in commands("class"):
        done = here(*arguments)
        assert (done.code, done.out) == (0, output), done.err


def test_drawing_shows_the_numbers_of_the_worked_example():
    [drawing] = [block for block in blocks("") if "backward" in block]
    given = json.loads(re.search(r"\{.*\}", TEXT).group())
    for i, id in enumerate(given["ids"]):
        assert f"row {id}" in drawing and str(given["tok"][id]) in drawing
        assert f"row {i}" in drawing and str(given["pos"][i]) in drawing
    assert "[3.5, 1.5]" in drawing and "[3, 0]" in drawing


def test_python_example():
    examples = doctest.DocTestParser().get_doctest("".join(blocks("pycon")), {}, "README", None, 0)
    assert len(examples.examples) >= 5
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_demo_without_training(tmp_path, capsys):
    story.tell("some text", "To be, or not to be: that is the question.", tmp_path, steps=1)
    output = capsys.readouterr().out
    excerpts = blocks("demo")
    assert excerpts and all(holds(output, excerpt) for excerpt in excerpts)


@pytest.mark.slow
def test_demo_with_training(whole_demo):
    excerpts = blocks("demo trained")
    assert excerpts and all(holds(whole_demo.out, excerpt) for excerpt in excerpts)


@pytest.mark.slow
def test_trained_neighbours(whole_demo):
    """Training is not the same to the last bit on every processor: most of the neighbours must agree."""
    [block] = blocks("demo words")
    promised = {line.split()[0]: set(re.findall(r"[a-z]+", line)) for line in block.splitlines()}
    printed = {line.split()[0]: set(re.findall(r"[a-z]+", line))
               for line in whole_demo.out.partition("5. Train")[2].splitlines() if line.strip()}
    for word, names in promised.items():
        assert len(names & printed[word]) >= 0.6 * len(names), word


def test_excerpts_are_compared_line_by_line():
    """The comparison itself: a changed word, a changed figure and a missing line must show."""
    output = "title\na 2.4919 x\nb 4,987,283\nend\n"
    assert holds(output, "a 2.4920 x\nb 4,987,283\n")
    for wrong in ("a 2.4929 x\n", "a 2.4919 y\n", "b 4,987,284\n", "a 2.4919 x\nend\n", "a 2.4919\n"):
        assert not holds(output, wrong)


def test_layout_names_what_is_there():
    [layout] = [block for block in blocks("") if "tinytorch/core/" in block]
    missing = [line.split()[0] for line in layout.splitlines() if not (ROOT / line.split()[0]).exists()]
    assert not missing


def test_make_targets_and_extras_exist():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"\bmake ([a-z]+)", TEXT)) <= set(targets)
    extras = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for names in re.findall(r"\.\[([a-z,]+)\]", TEXT):
        for extra in names.split(","):
            assert re.search(rf"^{extra} = \[", extras, re.MULTILINE), extra


def test_python_version_is_the_one_required():
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    oldest = re.search(r'requires-python = ">=([\d.]+)"', settings).group(1)
    assert f"Python {oldest} or newer" in TEXT
