"""The student's own export: the cells with `#| export`, as a module beside the notebook."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tinytorch.checks.notebook import Cell, cells_of

HEADER = "# Written by `tito module complete 11` from {name}: edit the notebook, not this file.\n"
EXTEND = "from pkgutil import extend_path; __path__ = extend_path(__path__, __name__)\n"
MODULE = Path("tinytorch", "core", "embeddings.py")
WHICH = "import tinytorch.core.embeddings as module; print(module.__file__)"


def module_text(notebook: dict, name: str) -> str:
    """The text of the module: exported cells in order, a `from __future__` line in front of all."""
    cells = [cell for cell in cells_of(notebook) if cell.kind == "code" and cell.exported]
    lines = [line for cell in cells for line in body(cell)]
    future = sorted({line.strip() for line in lines if line.startswith("from __future__ import ")})
    kept = [line for line in lines if not line.startswith("from __future__ import ")]
    return HEADER.format(name=name) + "".join(f"{line}\n" for line in [*future, *kept])


def body(cell: Cell) -> list[str]:
    """The lines of a cell without its directives, after a blank line."""
    return ["", *(line.rstrip() for line in cell.source.strip("\n").split("\n") if not line.startswith("#|"))]


def is_ours(path: Path) -> bool:
    """Whether this file may be written over: it is not there, or an earlier export."""
    return not path.exists() or path.read_text(encoding="utf-8").startswith(HEADER.partition("{")[0])


def write(folder: Path, text: str) -> Path:
    """Put the module where Python, pytest and Jupyter started in this folder find it first."""
    path = folder / MODULE
    path.parent.mkdir(parents=True, exist_ok=True)
    for package in (path.parent, path.parent.parent):
        (package / "__init__.py").write_text(EXTEND, encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return path


def found_by_import(folder: Path) -> str:
    """The file that `import tinytorch.core.embeddings` finds in this folder, or why it finds none."""
    done = subprocess.run([sys.executable, "-c", WHICH], cwd=folder, capture_output=True,
                          encoding="utf-8", errors="replace", timeout=120)
    return (done.stdout.strip() or done.stderr.strip() or "nothing").splitlines()[-1]
