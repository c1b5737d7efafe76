"""tito lab: JupyterLab of this Python, on the notebook."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

from tinytorch.tito import home, student
from tinytorch.tito.terminal import Stop

MISSING = "jupyterlab missing: python -m pip install jupyterlab"


def add(commands) -> None:
    parser = commands.add_parser(
        "lab", help="open your notebook in JupyterLab", allow_abbrev=False,
        description="Starts the JupyterLab of this Python on your notebook; its kernel is this Python, too. "
                    "Stop it with Ctrl-C.")
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    parser.set_defaults(run=run)


def run(options) -> int:
    if importlib.util.find_spec("jupyterlab") is None:
        raise Stop(MISSING)
    path = home.LESSON if home.LESSON.exists() else student.find()
    # The kernel named python3 of this Python comes before one that the user has elsewhere.
    environment = {**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"}
    print(f"JupyterLab of {sys.executable}\non {path.resolve()}", flush=True)
    more = ["--no-browser"] if options.no_browser else []
    return subprocess.run([sys.executable, "-m", "jupyterlab", str(path), *more], env=environment).returncode
