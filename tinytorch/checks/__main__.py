"""`python -m tinytorch.checks embeddings`: all checks of a lesson on the installed package, as a table."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .modules import Live
from .registry import LESSONS, load
from .report import report
from .run import Run
from .server import load as load_code


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tinytorch.checks", description=__doc__)
    parser.add_argument("lesson", choices=LESSONS)
    lesson = parser.parse_args(argv).lesson
    path = Path(__file__).parents[1] / "core" / f"{lesson}.py"     # by path: a student's own may hide it
    run = Run(Live(load_code(str(path))))
    print(f"The checks of {lesson} on {path}\n")
    print(f"{'exercise':<20}{'check':<50}points")
    outcomes = [run.outcome(exercise.id) for exercise in load(lesson)]
    for outcome in outcomes:
        for result in outcome.results:
            print(f"{outcome.exercise.id:<20}{result.behaviour.title:<50}"
                  f"{result.points:>2} of {result.behaviour.points}{'' if result.passed else '   fails'}")
    print(f"\n{sum(outcome.points for outcome in outcomes)} of "
          f"{sum(outcome.exercise.points for outcome in outcomes)} points")
    for outcome in outcomes:
        if not outcome.passed:
            print("", *report(outcome, run.waits_for(outcome.exercise.id)), sep="\n")
    return 0 if all(outcome.passed for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
