"""What `make export` leaves out: solution markers of the package, outputs of the notebooks."""
import json
from pathlib import Path

MARKERS = ("### BEGIN SOLUTION", "### END SOLUTION")


def drop_markers(cell):
    """Drop the marker lines around a solution; the solution itself is the package's code."""
    lines = cell.source.splitlines(keepends=True)
    cell.source = "".join(line for line in lines if line.strip() not in MARKERS)


def drop_outputs(path):
    """Empty the outputs of a notebook's cells (nbdev-clean keeps them, and drops the rest)."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    if not any(cell.get("outputs") for cell in notebook["cells"]):
        return
    for cell in notebook["cells"]:
        if "outputs" in cell:
            cell["outputs"] = []
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for found in sorted(Path("modules").glob("*/*.ipynb")):
        drop_outputs(found)
