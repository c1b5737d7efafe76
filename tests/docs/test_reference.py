"""What the site says can be run: worked examples, commands, figures, links to services."""
import argparse
import ast
import doctest
import inspect
import json
import re
from importlib import import_module
from pathlib import Path

import launch
import lessons
import numpy as np
import pytest

from tinytorch.tito.__main__ import build_parser

ROOT = Path(__file__).parents[2]
TEXTS = [*sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "reference").glob("*.md")),
         ROOT / "modules" / "11_embeddings" / "README.md"]
REFERENCE = [path for path in TEXTS if path.parent.name == "reference"]
CORE = sorted((ROOT / "tinytorch" / "core").glob("[a-z]*.py"))
MODULES = [*(f"tinytorch.core.{path.stem}" for path in CORE), "tinytorch.text.embeddings"]
FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(path, language):
    return [text for kind, text in FENCED.findall(path.read_text(encoding="utf-8")) if kind == language]


def relative(path):
    return path.relative_to(ROOT).as_posix()


# Worked examples -------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name):
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("path", [path for path in TEXTS if blocks(path, "pycon")], ids=relative)
def test_the_examples_of_a_page_run(path):
    text = "".join(blocks(path, "pycon"))
    example = doctest.DocTestParser().get_doctest(text, {"np": np}, path.name, None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("path", REFERENCE, ids=relative)
def test_the_imports_of_a_page_work(path):
    for text in blocks(path, "python"):
        exec(compile(text, relative(path), "exec"), {})


def documented():
    """(page, module, name) of everything that stands in the reference."""
    for path in REFERENCE:
        module = ""
        text = path.read_text(encoding="utf-8")
        for kind, name in re.findall(r"^\.\. (currentmodule|auto\w+):: ([\w.]+)", text, re.MULTILINE):
            if kind == "currentmodule":
                module = name
            else:
                yield path, module, name.rpartition(".")[2]


@pytest.mark.parametrize("path, module, name", [*documented()],
                         ids=lambda value: value.stem if isinstance(value, Path) else value)
def test_everything_in_the_reference_has_an_example(path, module, name):
    thing = getattr(import_module(module), name)
    assert inspect.getdoc(thing)
    shown = ">>> " in inspect.getdoc(thing) or re.search(rf"\b{name}\b", "".join(blocks(path, "pycon")))
    assert shown, f"{name}: an example in its docstring, or a pycon block on {path.name}"


def test_the_reference_holds_every_name_of_the_lesson():
    present = {name for _, module, name in documented() if module == "tinytorch.core.embeddings"}
    public = set(import_module("tinytorch.core.embeddings").__all__)
    assert public - present <= {"sequence_error", "TokensAndPositions"}  # helpers that the lesson exports


# What the pages say ----------------------------------------------------------------------------------

def subcommands(parser):
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return actions[0].choices if actions else {}


@pytest.mark.parametrize("path", TEXTS, ids=relative)
def test_every_tito_command_exists(path):
    known = subcommands(build_parser())
    text = re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))
    for words in re.findall(r"(?:[`$] ?|do )tito ((?:[\w-]+ ?)+)", text):
        command, *rest = words.split()
        assert command in known, f"tito {command}"
        if rest and subcommands(known[command]):
            assert rest[0] in subcommands(known[command]), f"tito {words}"


def test_the_design_page_draws_the_imports_of_the_core():
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    drawn = {name: set(re.findall(r"`(\w+)`", imports))
             for name, imports in re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", text, re.MULTILINE)}
    assert drawn == {path.stem: set(re.findall(r"^from \.(\w+) import", path.read_text(encoding="utf-8"),
                                               re.MULTILINE)) for path in CORE}


def test_the_exercises_of_the_readme_are_those_of_the_checks():
    from tinytorch.checks.registry import LESSONS

    text = (ROOT / "modules" / "11_embeddings" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (\d+) \| \d+ \|$", text, re.MULTILINE)
    assert rows == [(exercise.id, str(exercise.points)) for exercise in LESSONS["embeddings"]]


def test_the_sizes_of_published_tables_are_computed():
    text = (ROOT / "modules" / "11_embeddings" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"([\d,]+) x (\d+) = ([\d,.]+) M numbers, ([\d,.]+) MB", text)
    assert len(rows) == 4
    for rows_, width, numbers, memory in rows:
        size = int(rows_.replace(",", "")) * int(width)
        assert (numbers, memory) == (f"{size / 1e6:,.1f}", f"{4 * size / 1e6:,.1f}")
    assert f"{50_257 * 768 / 124_439_808:.0%}" in text and f"{250_002 * 768 / 270e6:.0%}" in text


# Links to a repository, Binder and Colab -------------------------------------------------------------

REPOSITORY = launch.Repository.of("https://github.com/somebody/a-course.git", "main")


@pytest.mark.parametrize("address", ["http://github.com/a/b", "github.com/a/b", "https://example.org/a/b",
                                     "https://github.com/a", "https://github.com/a/b/tree/main"])
def test_another_address_is_refused(address):
    with pytest.raises(ValueError, match="https://github.com/OWNER/NAME"):
        launch.Repository.of(address)


def test_without_an_address_there_are_no_links():
    nothing = launch.Repository.of("")
    assert not nothing and nothing.theme_options() == {}
    assert "http" not in nothing.launch_page()


def test_a_page_is_edited_where_its_text_is():
    base = "https://github.com/somebody/a-course/edit/main"
    assert REPOSITORY.edit("lessons/tensor") == f"{base}/modules/01_tensor/tensor_dev.ipynb"
    assert REPOSITORY.edit("module") == f"{base}/modules/11_embeddings/README.md"
    assert REPOSITORY.edit("reference/tables") == f"{base}/docs/reference/tables.md"
    for page in launch.SOURCES:
        assert (ROOT / REPOSITORY.edit(page).partition("/main/")[2]).is_file()


def test_binder_opens_what_its_build_writes():
    build = (ROOT / ".binder" / "postBuild").read_text(encoding="utf-8")
    assert build.startswith("#!/bin/bash\n") and "\nset -e\n" in build
    assert build.splitlines()[-1] == "tito module start 11"
    assert (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8") == "-e .[cli]\n"
    assert re.fullmatch(r"python-3\.1\d\n", (ROOT / ".binder" / "runtime.txt").read_text(encoding="utf-8"))
    assert REPOSITORY.binder() == ("https://mybinder.org/v2/gh/somebody/a-course/main"
                                   "?urlpath=lab/tree/11_embeddings/embeddings_dev.ipynb")


def test_colab_opens_a_notebook_that_installs_the_package_first():
    assert REPOSITORY.colab() == ("https://colab.research.google.com/github/somebody/a-course/blob/gh-pages"
                                  "/colab/embeddings.ipynb")
    lesson = lessons.unsolved(lessons.read(lessons.PAGES["embeddings"]))
    notebook = REPOSITORY.colab_notebook(lesson)
    assert "".join(notebook["cells"][0]["source"]) == (
        '%pip install -q "tinytorch-embeddings[cli] @ git+https://github.com/somebody/a-course@main"')
    assert notebook["cells"][1:] == lesson["cells"]
    json.dumps(notebook)


# Lessons as pages ------------------------------------------------------------------------------------

def notebook_of(*sources):
    cells = []
    for source in sources:
        kind, mark = ("markdown", {}) if source.startswith("#") and "\n" not in source else ("code", {})
        if "BEGIN SOLUTION" in source:
            mark = {"nbgrader": {"grade": False, "grade_id": "a-solution", "locked": False, "solution": True,
                                 "schema_version": 3, "task": False}}
        cell = {"cell_type": kind, "metadata": mark, "source": source.splitlines(keepends=True)}
        cells.append(cell | ({"outputs": [], "execution_count": None} if kind == "code" else {}))
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def test_a_page_shows_outputs_and_no_solutions():
    exercise = "#| export\ndef f():\n    ### BEGIN SOLUTION\n    return 41 + 1\n    ### END SOLUTION"
    solved = notebook_of("# A lesson", "#| default_exp core.a\n", exercise, "f()\n")
    printed = {"output_type": "execute_result", "data": {"text/plain": "42"}, "metadata": {},
               "execution_count": 1}
    page = lessons.page("a", solved, [[], [], [printed]])
    text = json.dumps(page)
    assert "41 + 1" not in text and "default_exp" not in text and "**with** solutions" in text
    assert [cell.get("outputs") for cell in page["cells"]] == [None, [], [printed]]
    assert page["cells"][1]["metadata"]["tags"] == ["exercise"]
    ast.parse("".join(page["cells"][1]["source"]))


def test_a_change_of_code_asks_for_a_new_run_and_a_change_of_text_does_not(tmp_path):
    def key(*sources):
        path = tmp_path / "a_dev.ipynb"
        path.write_text(json.dumps(notebook_of(*sources)), encoding="utf-8")
        return lessons.kept_in(path)

    assert key("# One", "f()\n") == key("# Two", "f()\n") != key("# One", "g()\n")
