"""tito lab: JupyterLab of this Python, on the notebook."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import sysconfig
from contextlib import contextmanager
from urllib.parse import quote

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
    print(f"JupyterLab of {sys.executable}\non {path.resolve()}", flush=True)
    more = [f"--LabApp.default_url=/lab/tree/{quote(path.name)}"]       # the address that is printed, too
    more += ["--no-browser"] if options.no_browser else []
    with ctrl_c_left_to_the_child():
        return subprocess.run([sys.executable, "-m", "jupyterlab", str(path), *more], env=environment()).returncode


def environment() -> dict[str, str]:
    """This Python comes first: its kernel, before one of that name elsewhere, and its tito in a terminal."""
    scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    return {**os.environ, "JUPYTER_PREFER_ENV_PATH": "1", "PATH": scripts}


@contextmanager
def ctrl_c_left_to_the_child():
    """Jupyter asks before it stops and ends its kernels; without this, tito would kill it meanwhile."""
    before = signal.signal(signal.SIGINT, lambda *_: None)              # not SIG_IGN, which a child inherits
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
