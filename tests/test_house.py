"""The house rules of the tree: exports, notebooks, imports. Reads files; needs no git."""
import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "tinytorch"
NOTEBOOKS = sorted((ROOT / "modules").glob("*/*.ipynb"))
MODULES = sorted(PACKAGE.rglob("*.py"))

# Who may import whom: only what stands on a lower level. A name covers the modules under it.
LEVELS = {
    "tinytorch.core.fast": 0,
    "tinytorch.core.ids": 0,
    "tinytorch.core.functions": 1,
    "tinytorch.core.tensor": 2,
    "tinytorch.core.optimizers": 3,
    "tinytorch.core.tokenization": 3,
    "tinytorch.core.embeddings": 3,
    "tinytorch.core.vectors": 3,
    "tinytorch.core.word2vec": 4,
    "tinytorch.text": 5,
    "tinytorch.checks": 5,
    "tinytorch.tito": 6,
}


def relative(path):
    return path.relative_to(ROOT).as_posix()


def code_cells(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


# The export ------------------------------------------------------------------------------------------

def generated(root):
    """{file name: text} of the exported modules under root."""
    files = (root / "tinytorch" / "core").glob("*.py")
    return {f.name: f.read_text(encoding="utf-8") for f in files if f.name != "__init__.py"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A copy of the tree in which the modules were written anew and the notebooks cleaned."""
    copy = tmp_path_factory.mktemp("export")
    shutil.copy(ROOT / "pyproject.toml", copy)
    for folder in ("modules", "tinytorch"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "data"))
    for name in generated(copy):
        (copy / "tinytorch" / "core" / name).unlink()
    steps = "from tinytorch import _export; from nbdev import clean; _export.main(); clean.nbdev_clean()"
    done = subprocess.run([sys.executable, "-c", steps], cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return copy


def test_export_is_in_sync(exported):
    here, anew = generated(ROOT), generated(exported)
    assert anew, "nothing was exported"
    assert sorted(here) == sorted(anew), "a module without a notebook, or the other way round: `make export`"
    differing = [name for name in here if here[name] != anew[name]]
    assert not differing, f"tinytorch/core and modules/ differ in {differing}: `make export`"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=relative)
def test_notebook_is_clean(notebook, exported):
    held = [cell["id"] for cell in code_cells(notebook) if cell["outputs"]]
    assert not held, f"cells {held} hold outputs: `make export`"
    cleaned = (exported / relative(notebook)).read_text(encoding="utf-8")
    clean = notebook.read_text(encoding="utf-8") == cleaned
    assert clean, "nbdev-clean would change it: `make export`"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=relative)
def test_export_directive_is_first(notebook):
    """nbdev leaves a cell out, without a word, when anything stands above `#| export`."""
    sources = ["".join(cell["source"]) for cell in code_cells(notebook)]
    meant = [text for text in sources if re.search(r"^#\s*\|?\s*export\w*\s*$", text, re.MULTILINE)]
    wrong = [text for text in meant if not re.match(r"#\| export\n", text)]
    assert not wrong, f"these cells would not be exported:\n{wrong[0]}"
    assert sources[0].startswith("#| default_exp core."), "the first code cell names the module"


# The imports -----------------------------------------------------------------------------------------

def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path, nodes):
    """Full names of what the given nodes import, relative ones resolved."""
    folders = path.parent.relative_to(ROOT).parts
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = folders[:len(folders) + 1 - node.level] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def house(name):
    """tinytorch.checks.report -> tinytorch.checks: modules of one house may import each other."""
    return next((known for known in LEVELS if (name + ".").startswith(known + ".")), None)


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_imports_go_one_way(path):
    mine = house(name_of(path))
    theirs = {house(name) for name in imports(path, ast.walk(tree(path)))} - {None, mine}
    upward = [name for name in theirs if LEVELS[name] >= LEVELS.get(mine, 0)]
    assert not upward, f"{relative(path)} may not import {upward}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "core").glob("*.py")), ids=relative)
def test_core_needs_only_numpy(path):
    """matplotlib may be imported inside the function that draws; a failed import there must not matter."""
    whole = tree(path)
    drawing = {node for function in ast.walk(whole) if isinstance(function, ast.FunctionDef)
               for node in ast.walk(function)}
    for node in ast.walk(whole):
        for name in imports(path, [node]):
            root = name.split(".")[0]
            fine = (name.startswith("tinytorch.core.") or root == "numpy" or root in sys.stdlib_module_names
                    or (root == "matplotlib" and node in drawing))
            assert fine, f"line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_library_asserts_nothing_and_names_its_imports(path):
    """`python -O` drops asserts: an error is a raise. `import *` hides where a name comes from."""
    for node in ast.walk(tree(path)):
        assert not isinstance(node, ast.Assert), f"line {node.lineno}: raise ValueError or TypeError"
        starred = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        assert not starred, f"line {node.lineno}: import *"


@pytest.mark.parametrize("name", ["tinytorch/__init__.py", "tinytorch/core/__init__.py"])
def test_package_files_hold_a_docstring_only(name):
    """A student's own export puts its __init__.py in front of these two."""
    (docstring,) = tree(ROOT / name).body
    assert isinstance(docstring, ast.Expr)
    assert "Modules:" not in docstring.value.value, "written over by nbdev-export: take it back, use `make export`"


def test_import_tinytorch_imports_nothing():
    code = "import sys; before = set(sys.modules); import tinytorch; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["tinytorch"]
