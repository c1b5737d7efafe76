"""`check("...")` under an exercise: in a plain module, in IPython, and in a real notebook."""
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import right_module

from tinytorch.checks import CheckFailed, check

RIGHT = Path(right_module.__file__).read_text(encoding="utf-8")
WRONG = RIGHT.replace("places[place][column])", "places[word][column])")
UNSOLVED = "def embed(tok, pos, ids):\n    raise NotImplementedError()\n"


def run_cells(*cells):
    """Run texts one after the other in one set of names, as a notebook does."""
    names = {"check": check}
    for cell in cells:
        exec(compile(cell, "plain_cells.py", "exec"), names)


def test_a_pass_is_one_line(capsys):
    run_cells(RIGHT, 'check("embedding-forward")')
    assert capsys.readouterr().out == ("embedding-forward: 12 of 12 points. All 8 checks pass. "
                                       "Tested: Embedding.forward from plain_cells.py.\n")


def test_a_failure_raises_the_report_and_prints_it_outside_jupyter(capsys):
    with pytest.raises(CheckFailed) as caught:
        run_cells(WRONG, 'check("warmup")')
    lines = caught.value._render_traceback_()
    assert lines == str(caught.value).split("\n") == capsys.readouterr().out.splitlines()
    assert lines[0] == "warmup: 0 of 6 points. Tested: embed from plain_cells.py."
    assert lines[1] == "Not right yet: each row is its token plus its place"


def test_what_was_imported_from_the_package_does_not_pass():
    with pytest.raises(CheckFailed, match="^sinusoid: create_sinusoidal_embeddings is the package's; run "):
        run_cells("from tinytorch.core.embeddings import *", 'check("sinusoid")')


def test_what_is_not_written_is_one_line():
    with pytest.raises(CheckFailed, match="^warmup: write it above, then run this cell again$"):
        run_cells(UNSOLVED, 'check("warmup")')


def test_the_latest_definition_counts(capsys):
    run_cells(WRONG, UNSOLVED, RIGHT, 'check("warmup")')
    assert "6 of 6" in capsys.readouterr().out


def test_nothing_is_written_to_stderr(capfd):
    noisy = RIGHT.replace("def embed(table, places, words):\n",
                          "def embed(table, places, words):\n    import warnings; warnings.warn('careful')\n")
    run_cells(noisy, 'check("warmup")')
    assert capfd.readouterr().err == ""


def test_ipython_names_the_execution():
    script = dedent("""
        import sys
        from pathlib import Path
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        cells = ["from tinytorch.checks import check", Path(sys.argv[1]).read_text(encoding="utf-8"),
                 "x = 1", 'check("warmup")', 'check("layer")', "def embed(*_): raise NotImplementedError",
                 'check("warmup")']
        for cell in cells:
            shell.run_cell(cell, store_history=True)
        shell.compile._filename_map.clear()
        shell.run_cell(cells[1], store_history=True)
        shell.compile._filename_map.clear()
        shell.run_cell(cells[3], store_history=True)
        """)
    done = subprocess.run([sys.executable, "-c", script, right_module.__file__],
                          capture_output=True, text=True, encoding="utf-8")
    lines = [line for line in done.stdout.splitlines() if "points" in line or "write it" in line]
    assert lines[:2] == [
        "warmup: 6 of 6 points. All 5 checks pass. Tested: embed from cell [2].",
        "layer: 6 of 6 points. All 6 checks pass. Tested: EmbeddingLayer.forward from cell [2]."]
    assert "warmup: write it above, then run this cell again" in lines
    assert lines[-1].endswith("Tested: embed from cell [8].")
    assert "Traceback" not in done.stdout


@pytest.mark.slow
def test_a_notebook_shows_the_report_and_no_traceback():
    import nbformat
    from nbclient import NotebookClient
    cells = ["from tinytorch.checks import check", WRONG, 'check("warmup")']
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, allow_errors=True, timeout=60).execute()
    output, = notebook.cells[2].outputs
    assert output.output_type == "error" and output.ename == "CheckFailed"
    assert output.traceback[0] == "warmup: 0 of 6 points. Tested: embed from cell [2]."
    assert not any("Traceback" in line or "File" in line for line in output.traceback)
