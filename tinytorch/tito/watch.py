"""tito watch: test whenever the notebook is saved, and move on."""

from __future__ import annotations

import time
from pathlib import Path

from tinytorch.tito import student
from tinytorch.tito.terminal import Stop

PAUSE = 0.5  # seconds between two looks at the file


def add(commands) -> None:
    parser = commands.add_parser(
        "watch", help="test whenever you save", allow_abbrev=False,
        description="Tests the notebook now and after each save; ends when all points are there. "
                    "Stop it with Ctrl-C.")
    parser.set_defaults(run=run)


def run(options) -> None:
    path, seen = student.find(), None
    while True:
        stamp = state(path)
        if stamp is None or stamp == seen:
            time.sleep(PAUSE)
            continue
        seen = stamp
        print(f"Testing {student.saved(path)}", flush=True)
        try:
            tested = student.check_and_remember(path)
        except Stop as stop:                            # half a file: the next save will be a whole one
            print(f"  {stop}", flush=True)
            continue
        for note in tested.notes[:student.MOST_NOTES]:
            print(f"  {note}")
        print(f"{len(tested.passed)} of {len(tested.outcomes)} exercises, "
              f"{tested.points} of {tested.most} points")
        if tested.next is None:
            print(f"All points are there. Next: {student.COMPLETE}")
            return
        print(*tested.report(tested.next), "", sep="\n", flush=True)


def state(path: Path):
    """Changes with every save; None in the moment in which an editor replaces the file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
