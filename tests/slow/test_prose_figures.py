"""The lesson's prose says nothing that its cells did not compute.

Every figure of three or more digits and every percentage in the text of a section occurs in what a cell of
that section printed. Captions are text, not output. Exempt: code spans, formulas, citations, and the wording
of a task.
"""
import re
from pathlib import Path

import pytest

LESSON = Path(__file__).parents[2] / "modules" / "11_embeddings" / "embeddings_dev.ipynb"
LIMIT_S = 180

EXEMPT = [
    r"```.*?```", r"`[^`\n]*`",  # code
    r"\$\$.*?\$\$", r"\$[^$\n]*\$",  # formulas
    r"\*\*(?:Write|Context)\b.*",  # the wording of a task: to the end of the piece
    r"^- [^\n]*\b(?:19|20)\d\d:[^\n]*",  # the list of sources
    r"[A-Z]\w+(?: et al\.| and [A-Z]\w+|,? [A-Z]\w+)* (?:19|20)\d\d\b",  # Vaswani et al. 2017
]
NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?: ?%)?")


def figures(text):
    """The figures in a text: three digits or more, or a percentage; without commas and spaces."""
    found = (match.group().rstrip(",").replace(",", "").replace(" ", "") for match in NUMBER.finditer(text))
    return [f for f in found if f.endswith("%") or sum(c.isdigit() for c in f) >= 3]


def prose(text):
    for pattern in EXEMPT:
        text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
    return text


def printed(cell):
    """(what the cell printed, its captions)"""
    shown, captions = [], []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        shown.append(output.get("text", "") + data.get("text/plain", "") * ("text/markdown" not in data))
        captions.append(data.get("text/markdown", ""))
    return "\n".join(shown), "\n".join(captions)


def sections(notebook):
    """{heading: [texts, printed]}; a section goes from one heading of level 2 to the next."""
    found, heading = {"(top)": [[], []]}, "(top)"
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for piece in re.split(r"^(?=## )", cell["source"], flags=re.MULTILINE):
                if piece.startswith("## "):
                    heading = piece.split("\n")[0][3:]
                    found.setdefault(heading, [[], []])
                found[heading][0].append(piece)
        else:
            shown, captions = printed(cell)
            found[heading][1].append(shown)
            found[heading][0].append(captions)
    return found


def unsupported(notebook):
    """[(heading, figure)] of all figures that no cell of their section printed."""
    wrong = []
    for heading, (texts, outputs) in sections(notebook).items():
        known = {number.group().rstrip(",").replace(",", "").replace(" ", "")
                 for number in NUMBER.finditer("\n".join(outputs))}
        wrong += [(heading, f) for text in texts for f in figures(prose(text)) if f not in known]
    return wrong


def small(text, output):
    return {"cells": [{"cell_type": "markdown", "source": f"## here\n{text}"},
                      {"cell_type": "code", "source": "", "outputs": [{"text": output}]}]}


@pytest.mark.parametrize("text, output, wrong", [
    ("38.6 M of 124 M, 31%", "38.6 of 124: 31%", []),
    ("38.6 M of 124 M, 31%", "38.6 of 124: 0.31", ["31%"]),
    ("it has 49,152 bytes", "49152", []),
    ("it has 49,152 bytes", "49,153", ["49152"]),
    ("`V = 5000`, $10000^2$ and float32 (Vaswani et al. 2017, section 3.5)", "", []),
    ("12 blocks, 3.5 times", "", []),
    ("an error of 0.22", "0.2", ["0.22"]),
    ("**Write** 1000 lines", "", []),
], ids=str)
def test_the_finder(text, output, wrong):
    assert [figure for _, figure in unsupported(small(text, output))] == wrong


def test_another_sections_output_does_not_count():
    book = small("it has 49,152 bytes", "nothing")
    title, code = small("x", "49,152")["cells"]
    book["cells"] += [{**title, "source": "## there"}, code]
    assert unsupported(book) == [("here", "49152")]


@pytest.mark.slow
def test_every_figure_was_computed(run_notebook):
    notebook, _ = run_notebook(LESSON)
    assert not unsupported(notebook)


@pytest.mark.slow
def test_every_picture_has_a_caption_and_alternative_text(run_notebook):
    notebook, _ = run_notebook(LESSON)
    pictures = 0
    for cell in notebook["cells"]:
        outputs = cell.get("outputs", [])
        for i, output in enumerate(outputs):
            if "image/png" in output.get("data", {}):
                pictures += 1
                alt = output.metadata["image/png"]["alt"]
                assert len(alt) > 40
                assert outputs[i + 1].data["text/markdown"].strip("*") == alt
    assert pictures > 10


@pytest.mark.slow
def test_the_lesson_takes_less_than_three_minutes(run_notebook):
    _, seconds = run_notebook(LESSON)
    assert seconds < LIMIT_S


@pytest.mark.slow
def test_check_cells_write_nothing_to_stderr(run_notebook):
    """nbgrader gives no points to a cell that does."""
    notebook, _ = run_notebook(LESSON)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    checks = [cell for cell in code if cell.metadata.get("nbgrader", {}).get("grade")]
    assert len(checks) == 9
    for cell in checks:
        assert not [output for output in cell.outputs if output.get("name") == "stderr"], cell.source
