"""`make export`: from the notebooks of modules/ to tinytorch/core, without markers; and outputs out."""
import json
from pathlib import Path

MARKERS = ("### BEGIN SOLUTION", "### END SOLUTION")


def drop_markers(cell):
    """Drop the marker lines around a solution; the solution itself is the package's code."""
    lines = cell.source.splitlines(keepends=True)
    cell.source = "".join(line for line in lines if line.strip() not in MARKERS)


def drop_outputs(path):
    """Empty the outputs of a notebook's cells: nbdev-clean keeps them, and drops the rest."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    if any(cell.get("outputs") for cell in notebook["cells"]):
        for cell in notebook["cells"]:
            if "outputs" in cell:
                cell["outputs"] = []
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main():
    """Not nbdev-export: that also writes over tinytorch/__init__.py and leaves an llms.txt in modules/."""
    from nbdev.export import nb_export  # of the extra `test`; users of the package never come here

    for path in sorted(Path("modules").glob("*/*.ipynb")):
        drop_outputs(path)
        nb_export(path, procs=[drop_markers])


if __name__ == "__main__":
    main()
