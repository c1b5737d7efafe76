"""The README against real runs: what it prints, what it lists, what it tells the reader to type."""

import doctest
import json
import math
import re
from pathlib import Path

import pytest

from tinytorch.tito import story

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
