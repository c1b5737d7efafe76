"""The copy for students: nothing leaks, and what would leak or be lost is an error that names the cell."""
import json

import pytest
from helpers_notebook import HANDED_OUT, LESSON, cell_of, code, grade_id, text

from tinytorch.tito.unsolved import ReleaseError, unsolved

SOLUTION = {"grade": False, "grade_id": "a-solution", "locked": False, "schema_version": 3, "solution": True,
            "task": False}
STUB = "# YOUR CODE HERE\nraise NotImplementedError()"


def book(*cells):
    return {"cells": [code("#| default_exp core.a"), *cells], "metadata": {}, "nbformat": 4,
            "nbformat_minor": 5}


def solution(source, kind="code", **mark):
    return {"cell_type": kind, "metadata": {"nbgrader": {**SOLUTION, **mark}}, "source": source}


def made(source, **more):
    return text(unsolved(book(solution(source, **more)))["cells"][1])


def hidden_lines():
    """Every line of a solution or a model answer that stands nowhere else in the lesson."""
    inside, hidden, shown = False, set(), set()
    for cell in LESSON["cells"]:
        for line in map(str.strip, text(cell).split("\n")):
            if line in ("### BEGIN SOLUTION", "### END SOLUTION"):
                inside = line == "### BEGIN SOLUTION"
            else:
                (hidden if inside else shown).add(line)
    return hidden - shown - {""}


def test_no_line_of_a_solution_or_answer_is_left():
    lines = {line.strip() for cell in HANDED_OUT["cells"] for line in text(cell).split("\n")}
    assert len(hidden_lines()) > 60
    assert hidden_lines() & lines == set()
    whole = json.dumps(HANDED_OUT, ensure_ascii=False)
    assert [line for line in hidden_lines() if len(line) > 30 and json.dumps(line)[1:-1] in whole] == []
    assert "Marking notes" not in whole and "Model answer" not in whole


def test_every_other_cell_is_as_it_was():
    for before, after in zip(LESSON["cells"], HANDED_OUT["cells"], strict=True):
        assert (before["cell_type"], before["id"], grade_id(before)) == (
            after["cell_type"], after["id"], grade_id(after))
        if not before["metadata"].get("nbgrader", {}).get("solution"):
            assert text(before) == text(after)


def test_outputs_and_counts_and_strange_metadata_go():
    cell = {**code("6 * 7"), "outputs": [{"text": "42"}], "execution_count": 9,
            "metadata": {"answer": 42, "tags": ["42"]}, "attachments": {"a.png": {"image/png": "42"}},
            "id": "x"}
    after = unsolved(book(cell))["cells"][1]
    assert after == {"cell_type": "code", "metadata": {}, "source": ["6 * 7"], "outputs": [],
                     "execution_count": None, "id": "x"}


def test_a_picture_that_is_shown_stays():
    cell = {"cell_type": "markdown", "metadata": {}, "source": "![](attachment:a.png)",
            "attachments": {"a.png": {"image/png": "1"}, "answer.png": {"image/png": "2"}}}
    assert unsolved(book(cell))["cells"][1]["attachments"] == {"a.png": {"image/png": "1"}}


@pytest.mark.parametrize("mark, lock", [
    ({"solution": True}, {"deletable": False}),
    ({"solution": True, "grade": True, "points": 3}, {"deletable": False}),
    ({"solution": False, "grade": True, "points": 3}, {"deletable": False, "editable": False}),
    ({"solution": False, "locked": True}, {"deletable": False, "editable": False})])
def test_what_a_student_may_edit(mark, lock):
    metadata = unsolved(book(solution("#| export\nx = 1", **mark)))["cells"][1]["metadata"]
    assert metadata == {"nbgrader": {**SOLUTION, **mark}, **lock}


@pytest.mark.parametrize("source, right", [                       # B97
    ("#| export\ndef f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n",
     "#| export\ndef f():\n    # YOUR CODE HERE\n    raise NotImplementedError()\n"),
    ("#| export\ndef f():\n\t### BEGIN SOLUTION\n\tx\n\t### END SOLUTION",
     "#| export\ndef f():\n\t# YOUR CODE HERE\n\traise NotImplementedError()"),
    ("#| export\n### BEGIN SOLUTION\na\n### END SOLUTION\nmiddle\n### BEGIN SOLUTION\nb\n### END SOLUTION",
     f"#| export\n{STUB}\nmiddle\n{STUB}"),
    ("#| export\nx = 1", STUB),
    ("#| export\nx = 1\n### BEGIN HIDDEN TESTS\nassert x\n### END HIDDEN TESTS\n"
     "### BEGIN SOLUTION\n### END SOLUTION",
     f"#| export\nx = 1\n{STUB}")])
def test_a_stub_stands_in_place_of_a_solution(source, right):
    assert made(source) == right


def test_answers_in_words():
    answer = "Think.\n### BEGIN SOLUTION\nBecause.\n### END SOLUTION"
    assert made(answer, kind="markdown", grade=True, points=1) == "Think.\nYOUR ANSWER HERE"


@pytest.mark.parametrize("cells, words", [
    ([solution("#| export\n### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION")], "begins a SOLUTION"),
    ([solution("#| export\n### BEGIN SOLUTION\nx")], "is not ended"),
    ([solution("#| export\nx\n### END SOLUTION")], "was not begun"),
    ([solution("#| export\n### BEGIN SOLUTION\nx\n### END HIDDEN TESTS")], "ends a HIDDEN TESTS"),
    ([solution("#| export\n### begin solution\nx\n### end solution")], "no exact marker"),
    ([solution("#| export\n# BEGIN SOLUTION\nx\n# END SOLUTION")], "no exact marker"),
    ([code("#| export\n### BEGIN SOLUTION\nx\n### END SOLUTION")], "not marked"),
    ([{"cell_type": "markdown", "source": "### BEGIN SOLUTION\nx\n### END SOLUTION"}], "not marked"),
    ([code("# export\nx")], "would not be exported"),
    ([code("#|export\nx")], "would not be exported"),
    ([code("# about it\n#| export\nx")], "would not be exported"),
    ([code("\n#| export\nx")], "would not be exported"),
    ([solution("x = 1")], "not exported"),
    ([solution("#| export\nx", grade_id="")], "grade id ''"),
    ([solution("#| export\nx", grade_id="a b")], "grade id 'a b'"),
    ([solution("#| export\nx", grade_id="é")], "grade id"),
    ([solution("#| export\nx"), solution("#| export\nx")], "stands in cell 2, too"),
    ([solution("#| export\nx", grade=True)], "no points")])
def test_a_faulty_lesson_is_an_error_that_names_the_cell(cells, words):
    with pytest.raises(ReleaseError, match=r"^cell \d \(.*\): ") as caught:
        unsolved(book(*cells))
    assert words in str(caught.value)


def test_a_lesson_without_a_module_to_export_to():
    with pytest.raises(ReleaseError, match="default_exp"):
        unsolved({"cells": [code("#| export\nx = 1")]})


def test_the_lesson_is_not_changed():
    before = json.dumps(LESSON)
    unsolved(LESSON)
    assert json.dumps(LESSON) == before


def test_points_of_the_cells_are_those_of_the_checks():
    from helpers_notebook import EXERCISES
    for exercise in EXERCISES:
        assert cell_of(HANDED_OUT, exercise.id)["metadata"]["nbgrader"]["points"] == exercise.points
        assert text(cell_of(HANDED_OUT, exercise.id)) == f'check("{exercise.id}")'
        assert "raise NotImplementedError()" in text(cell_of(HANDED_OUT, exercise.solution_cell))
