"""The lessons as pages: without solutions, with the outputs of a run of the notebook with solutions.

An unsolved notebook stops at the first exercise, so the solved one runs, and the outputs of its cells stand
under the same cells of the unsolved one. What a cell prints is kept in build/executed under a key made of all
code that it depends on: a new sentence costs nothing, a new line of code costs a run.
"""
import copy
import hashlib
import json
import os
import sys
from pathlib import Path

from tinytorch.tito.unsolved import unsolved

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build" / "executed"
PAGES = {path.stem.removesuffix("_dev"): path for path in sorted((ROOT / "modules").glob("*/*_dev.ipynb"))}

EXERCISES = """\
```{{note}}
This is the lesson without its solutions: {download}. What stands under the cells comes from a run of the
lesson **with** solutions. Once you have solved an exercise, your cells should show the same; times depend on
the machine.
```"""
READING = """\
```{{note}}
A notebook to read and run: {download}. It stands here with what its cells printed when this site was built;
times depend on the machine.
```"""


# Running a notebook once -----------------------------------------------------------------------------

def code_of(notebook: dict) -> list[str]:
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def kept_in(path: Path) -> Path:
    """The file for the outputs of a notebook: another one after any change to code that may show in them."""
    digest = hashlib.sha256(json.dumps(code_of(read(path))).encode())
    for folder in ("core", "checks", "data", "text"):
        for source in sorted((ROOT / "tinytorch" / folder).rglob("*.py")):
            digest.update(source.read_bytes())
    return KEPT / f"{path.stem}-{digest.hexdigest()[:16]}.json"


def keep(target: Path, executed) -> None:
    """Keep the outputs of a run; the slow tests call it too, so that a run serves both."""
    outputs = [cell["outputs"] for cell in executed["cells"] if cell["cell_type"] == "code"]
    target.parent.mkdir(parents=True, exist_ok=True)
    for old in target.parent.glob(f"{target.stem.rpartition('-')[0]}-*.json"):
        old.unlink()
    target.write_text(json.dumps(outputs), encoding="utf-8")


def outputs_of(path: Path) -> list[list[dict]]:
    """What each code cell printed: from an earlier run, or from a run now."""
    kept = kept_in(path)
    if not kept.exists():
        print(f"running {path.relative_to(ROOT)}", flush=True)
        keep(kept, run(path))
    return json.loads(kept.read_text(encoding="utf-8"))


def run(path: Path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": path.parent}},
                            extra_arguments=["--log-level=ERROR"])
    client.create_kernel_manager()
    client.km.kernel_spec.argv[0] = sys.executable  # this Python, whatever kernels the machine knows
    inline = {**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}  # as in JupyterLab
    return client.execute(env=inline)


# The page --------------------------------------------------------------------------------------------

def page(name: str, solved: dict, outputs: list[list[dict]]) -> dict:
    """The unsolved notebook with outputs, a note on where they come from, and marks for the style sheet."""
    notebook = unsolved(solved)
    graded = any("nbgrader" in cell["metadata"] for cell in notebook["cells"])
    remaining, cells = iter(outputs), []
    for place, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            cell["outputs"] = next(remaining)
            if "".join(cell["source"]).startswith("#| default_exp"):
                continue  # for nbdev: nothing to read
            after = notebook["cells"][place + 1:place + 2]
            cell["metadata"] = shown_as(cell, "".join(after[0]["source"]) if after else "")
        else:
            cell["metadata"] = {"tags": tags(cell)}
        cells.append(cell)
    download = f"{{download}}`{name}.ipynb <files/{name}.ipynb>`"
    text = (EXERCISES if graded else READING).format(download=download)
    head, _, rest = "".join(cells[0]["source"]).partition("\n")
    cells[0]["source"] = f"{head}\n\n{text}\n{rest}"
    # A page may use what only Sphinx knows; the kernel's name is of no use to it.
    return {**notebook, "cells": cells, "metadata": {"kernelspec": notebook["metadata"]["kernelspec"]}}


def tags(cell: dict) -> list[str]:
    mark = cell["metadata"].get("nbgrader", {})
    if mark.get("solution"):
        return ["exercise"]
    return ["check"] if mark.get("grade") else []


def shown_as(cell: dict, text_below: str) -> dict:
    """Metadata of a code cell on a page: its tags, and for a picture the words for who can't see it."""
    pictures = [output for output in cell["outputs"] if "image/png" in output.get("data", {})]
    found = tags(cell)
    if pictures and len(cell["source"]) > 8:
        found.append("hide-input")  # the picture is what to look at; the code that draws it opens on a click
    if not pictures:
        return {"tags": found}
    words = [picture["metadata"].get("image/png", {}).get("alt") for picture in pictures]
    if not any(words) and text_below.startswith("*"):
        words = [text_below.partition("\n\n")[0].strip("*")]
    return {"tags": found, "mystnb": {"image": {"alt": " ".join(" ".join(filter(None, words)).split())}}}


# Files -----------------------------------------------------------------------------------------------

def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def text_of(notebook: dict) -> str:
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def write(target: Path, text: str) -> None:
    """Only where it differs: Sphinx reads a page again when its file is newer."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def write_all(folder: Path) -> None:
    """folder/NAME.ipynb, a page each, and folder/files/NAME.ipynb, what a student downloads."""
    for name, path in PAGES.items():
        solved = read(path)
        write(folder / "files" / f"{name}.ipynb", text_of(unsolved(copy.deepcopy(solved))))
        write(folder / f"{name}.ipynb", text_of(page(name, solved, outputs_of(path))))
