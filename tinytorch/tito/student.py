"""The student's notebook: where it is, how it does in the checks, and what tito remembers about it."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, field
from pathlib import Path

from tinytorch.checks.cells import Cells
from tinytorch.checks.handles import Unwritten
from tinytorch.checks.notebook import NotANotebook, load
from tinytorch.checks.proxy import Proxy
from tinytorch.checks.registry import EXERCISES
from tinytorch.checks.registry import load as load_lesson
from tinytorch.checks.report import report
from tinytorch.checks.run import Outcome, Run
from tinytorch.tito.terminal import Stop, reason

FOLDER, NOTEBOOK = "11_embeddings", "embeddings_dev.ipynb"
START, COMPLETE = "tito module start 11", "tito module complete 11"
SHORTER = "tinytorch"  # in the metadata of a notebook for a shorter course: {"exercises": [...]}
MEMORY = ".tito.json"  # beside the notebook: the latest points, and how many hints were shown
PACKAGE = Path(__file__).parents[1]
MOST_NOTES = 12


@dataclass
class Tested:
    """How the exercises of a lesson went, in order."""

    outcomes: list[Outcome]
    waits: dict[str, str | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        return sum(outcome.points for outcome in self.outcomes)

    @property
    def most(self) -> int:
        return sum(outcome.exercise.points for outcome in self.outcomes)

    @property
    def passed(self) -> list[str]:
        return [outcome.exercise.id for outcome in self.outcomes if outcome.passed]

    @property
    def next(self) -> Outcome | None:
        """The exercise to go on with: the first wrong one that waits for no other, else the first open."""
        open_ones = [o for o in self.outcomes if not o.passed and not self.waits[o.exercise.id]]
        return next((o for o in open_ones if not unwritten(o)), open_ones[0] if open_ones else None)

    def report(self, outcome: Outcome) -> list[str]:
        return report(outcome, self.waits[outcome.exercise.id], in_cell=False)


def unwritten(outcome: Outcome) -> bool:
    return all(isinstance(result.error, Unwritten) for result in outcome.results)


def ids() -> list[str]:
    return [exercise.id for exercise in load_lesson("embeddings")]


def find(given: str | None = None) -> Path:
    """The notebook named, or the one in this folder or in 11_embeddings; exit code 2 without one."""
    if given is not None:
        if not Path(given).is_file():
            raise Stop(f"{given}: no such notebook", code=2)
        return Path(given)
    for place in (Path(NOTEBOOK), Path(FOLDER, NOTEBOOK)):
        if place.is_file():
            return place
    raise Stop(f"no {NOTEBOOK} here; the command to start: {START}", code=2)


def read(path: Path) -> dict:
    try:
        return load(path)
    except NotANotebook as error:
        raise Stop(error, code=2) from None
    except OSError as error:
        raise Stop(reason(error), code=2) from None


def exercises_of(notebook: dict) -> list[str]:
    """The exercises that count: all of them, unless the notebook is for a shorter course."""
    metadata = notebook.get("metadata")
    course = metadata.get(SHORTER) if isinstance(metadata, dict) else None
    chosen = course.get("exercises") if isinstance(course, dict) else None
    known = [name for name in ids() if name in chosen] if isinstance(chosen, list) else []
    return known or ids()


def outcomes(lesson: str, m, chosen: list[str] | None = None) -> Tested:
    """All checks of a lesson, or of some of its exercises, on the module under test."""
    run = Run(m)
    found = [run.outcome(exercise.id) for exercise in load_lesson(lesson)
             if chosen is None or exercise.id in chosen]
    return Tested(found, {o.exercise.id: run.waits_for(o.exercise.id) for o in found})


def check_notebook(notebook: dict, folder: Path, cell_limit: float = 20.0) -> Tested:
    """Run the notebook's cells in a process of their own, and the checks on what they define."""
    with Cells(notebook, folder=folder, cell_limit=cell_limit) as m:
        tested = outcomes("embeddings", m, exercises_of(notebook))
        tested.notes = m.notes
    failing = [o.exercise.id for o in tested.outcomes if not (o.passed or unwritten(o))]
    if m.added and failing:
        with Cells(notebook, folder=folder, cell_limit=cell_limit, time_limit=5.0, added=False) as m:
            run = Run(m)
            tested = better(tested, [run.outcome(name) for name in failing])
    if len(tested.outcomes) < len(ids()):
        tested.notes = [f"a shorter course, as the notebook says: {len(tested.outcomes)} of {len(ids())} exercises",
                        *tested.notes]
    return tested


def better(tested: Tested, alone: list[Outcome]) -> Tested:
    """With the exercises that have more points `alone`, without the cells that a student has added.

    A `del np` in an experiment of theirs costs nobody the points of what is right.
    """
    points = {outcome.exercise.id: outcome.points for outcome in tested.outcomes}
    best = {o.exercise.id: o for o in alone if o.points > points[o.exercise.id] or unwritten(o)}
    found = [best.get(outcome.exercise.id, outcome) for outcome in tested.outcomes]
    passed = [outcome.exercise.id for outcome in found if outcome.passed]
    waits = {name: None if name in passed else
             next((need for need in EXERCISES[name].needs if need not in passed), None) for name in points}
    broken = [name for name, outcome in best.items() if not unwritten(outcome)]
    notes = [f"cells outside the exercises break {', '.join(broken)}: tested without them"] if broken else []
    return Tested(found, waits, [*tested.notes, *notes])


def check_package(lesson: str) -> Tested:
    """The checks on the installed package, with core.fast switched off as for a student's code."""
    with Proxy(PACKAGE / "core" / f"{lesson}.py", folder=PACKAGE.parent,
               environment={"TINYTORCH_PLAIN": "1"}) as m:
        return outcomes(lesson, m)


def saved(path: Path) -> str:
    """'embeddings_dev.ipynb, saved 2026-03-01 14:05:30, 3 minutes ago'."""
    when = path.stat().st_mtime
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(when))
    return f"{path}, saved {clock}, {ago(time.time() - when)}"


def ago(seconds: float) -> str:
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def show(tested: Tested) -> None:
    """The notes, a line an exercise, the total, and the report to go on with."""
    for note in tested.notes[:MOST_NOTES]:
        print(f"  {note}")
    if len(tested.notes) > MOST_NOTES:
        print(f"  ... and {len(tested.notes) - MOST_NOTES} more like these")
    print(f"\n{'exercise':<20}{'points':>8}")
    for outcome in tested.outcomes:
        exercise = outcome.exercise
        print(f"{exercise.id:<20}{outcome.points:>2} of {exercise.points:>2}  {status(tested, outcome)}")
    print(f"{'':<20}{tested.points:>2} of {tested.most:>2}")
    if tested.next is not None:
        print("", *tested.report(tested.next), sep="\n")


def status(tested: Tested, outcome: Outcome) -> str:
    good = sum(result.passed for result in outcome.results)
    if outcome.passed:
        return f"all {good} checks pass"
    if unwritten(outcome):
        return "not written yet"
    waits = tested.waits[outcome.exercise.id]
    return f"waits for {waits}" if waits else f"{good} of {len(outcome.results)} checks pass"


# What tito remembers -----------------------------------------------------------------------------------

def fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def memory(path: Path) -> dict:
    """What was remembered about a notebook; nothing where the file is gone or damaged."""
    try:
        found = json.loads(path.with_name(MEMORY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def remember(path: Path, **what) -> None:
    """Keep something; a folder that can't be written to is no reason to stop."""
    kept = {**memory(path), **what}
    try:
        path.with_name(MEMORY).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    except OSError:
        pass


def check_and_remember(path: Path, cell_limit: float = 20.0) -> Tested:
    """Test the notebook of this folder; bare tito then knows the points without running it again."""
    mark = fingerprint(path)
    tested = check_notebook(read(path), path.parent, cell_limit)
    following = tested.next
    failing = {o.exercise.id: o.first_failure.behaviour.name for o in tested.outcomes if not o.passed}
    remember(path, tested=mark, points=tested.points, most=tested.most, exercises=len(tested.outcomes),
             passed=tested.passed, failing=failing,
             next=following.exercise.id if following else None)
    return tested


def progress(path: Path) -> dict:
    """points, passed and next of the notebook as it is: remembered, or found by a test."""
    kept = memory(path)
    if kept.get("tested") != fingerprint(path):
        check_and_remember(path)
        kept = memory(path)
    return kept


def where_you_are(path: Path) -> str:
    """'2 of 9 exercises, 20 of 70 points', and the next command."""
    kept = progress(path)
    text = (f"{len(kept['passed'])} of {kept['exercises']} exercises, "
            f"{kept['points']} of {kept['most']} points")
    if kept["points"] < kept["most"]:
        return f"{text}\nNext: write {kept['next']}, save, then tito test"
    done = kept.get("complete") == kept["tested"]
    return f"{text}\nNext: {'tito demo --mine' if done else COMPLETE}"
