"""A student's notebook under test: its cells run in a process of their own, then the checks ask it."""
from __future__ import annotations

import queue
import sys
from pathlib import Path

from .handles import Stopped
from .notebook import cells_of, lesson_path, load, plan, printable
from .proxy import Proxy
from .wire import send

RESTARTS = 3  # after so many cells that never end or end the process, only the exercises' cells are run
BOOT = """
import sys
if sys.path[:1] == [""]: del sys.path[0]        # a random.py beside the notebook must not break us
sys.path.append({root!r})
from tinytorch.checks import cell_server
cell_server.main()
"""
ENVIRONMENT = {
    "MPLBACKEND": "Agg",                                # no window that waits to be closed
    "PYTHONIOENCODING": "utf-8",
    "PYTHONUTF8": "1",
    "PYTHONWARNINGS": "ignore",
    "TINYTORCH_PLAIN": "1",                             # core.fast takes the plain ways
}


class Cells(Proxy):
    """`notebook` as JSON gives it. `cell_limit`, in seconds, holds for each cell, `time_limit` for a check.

    `notes`: a line on each thing that went wrong before the checks. A cell that raises is left as it is in
    Jupyter; one that never ends, or ends the process, is left out, and the others are run again.
    `added=False` leaves out the cells that are no part of the lesson.
    """

    def __init__(self, notebook: dict, lesson: dict | None = None, folder=None, cell_limit: float = 20.0,
                 time_limit: float = 10.0, added: bool = True):
        root = str(Path(__file__).parents[2])
        super().__init__(None, time_limit, command=[sys.executable, "-c", BOOT.format(root=root)],
                         folder=folder, environment=ENVIRONMENT)
        lesson = load(lesson_path("embeddings")) if lesson is None else lesson
        self.steps, self.notes = plan(cells_of(notebook), cells_of(lesson))
        self.added = {i for i, cell in enumerate(self.steps) if not (cell.exported or cell.grade_id)}
        self.cell_limit, self.noted = cell_limit, set()
        self.skipped = set() if added else set(self.added)

    def start(self):
        """Run all cells, again without the one that ended it, until they come to their end."""
        while True:
            self.launch()
            at, why = self.run_cells()
            if why is None:
                return
            self.kill()
            if at is None:
                self.broken = Stopped(why)
                raise self.broken
            self.note(at, f"{why}; left out")
            self.skipped.add(at)
            if len(self.skipped) == RESTARTS:
                self.notes.append("cells outside the exercises are no longer run")
                self.skipped |= self.added

    def run_cells(self):
        """(None, None), or the step that did not come to its end, and why."""
        steps = [[i, cell.source] for i, cell in enumerate(self.steps) if i not in self.skipped]
        try:
            send(self.process.stdin, {"steps": steps})
        except OSError:
            return None, "Python did not start"
        at, limit = None, self.load_limit               # starting Python and numpy may take its time
        while True:
            try:
                reply = self.replies.get(timeout=limit)
            except queue.Empty:
                return at, f"it took more than {limit:g} seconds"
            if not isinstance(reply, dict):
                return at, "it ended the process"
            if "step" not in reply:
                return None, None
            at, limit = reply["step"], self.cell_limit
            if "note" in reply:
                self.note(at, reply["note"])

    def note(self, at: int, text: str) -> None:
        """Keep a line on a step; one is enough, however often the cells are run."""
        if (at, text) not in self.noted:
            self.noted.add((at, text))
            self.notes.append(f"{self.steps[at].name}: {printable(text)}")
