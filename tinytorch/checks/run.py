"""Runs checks on a module under test and counts points."""
from __future__ import annotations

from dataclasses import dataclass

from .handles import Stopped
from .registry import EXERCISES, Behaviour, Exercise, find

STUDENT = "student"  # the secret of the cells in a notebook: the same data for everyone, every time
TIME_OUTS = 2        # after so many in one exercise its other checks are not run


@dataclass(frozen=True)
class Result:
    """How one check ended; `error` is None where it passed, and `given` what the code got, in words."""

    behaviour: Behaviour
    error: Exception | None = None
    given: str = ""

    @property
    def passed(self) -> bool:
        return self.error is None

    @property
    def points(self) -> int:
        return self.behaviour.points if self.passed else 0


@dataclass(frozen=True)
class Outcome:
    """How an exercise ended: the results of its checks, in order."""

    exercise: Exercise
    results: tuple[Result, ...]

    @property
    def points(self) -> int:
        return sum(result.points for result in self.results)

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)

    @property
    def first_failure(self) -> Result | None:
        return next((result for result in self.results if not result.passed), None)


def run_check(behaviour: Behaviour, m, secret=STUDENT) -> Result:
    """Run one check. Whatever the code does, this returns."""
    try:
        with m.one_check(behaviour.seed(secret)):
            behaviour.run(m, secret)
    except Exception as error:                          # Wrong, a Trouble, or a result no check can read
        return Result(behaviour, error, m.given)
    return Result(behaviour)


class Run:
    """The checks of one module under test; each exercise is run once, when it is asked for."""

    def __init__(self, m, secret=STUDENT):
        self.m, self.secret, self.outcomes = m, secret, {}

    def outcome(self, exercise_id: str) -> Outcome:
        """The results of an exercise. A check that passes has its points, whatever else fails."""
        if exercise_id not in self.outcomes:
            exercise, results, time_outs = find(exercise_id), [], 0
            for behaviour in exercise.behaviours:
                if time_outs < TIME_OUTS:
                    result = run_check(behaviour, self.m, self.secret)
                    time_outs += isinstance(result.error, Stopped) and result.error.timed_out
                else:
                    result = Result(behaviour, Stopped("not run: two checks before it took too long"))
                results.append(result)
            self.outcomes[exercise_id] = Outcome(exercise, tuple(results))
        return self.outcomes[exercise_id]

    def waits_for(self, exercise_id: str) -> str | None:
        """The first exercise that a failing one needs and that fails itself; else None."""
        if self.outcome(exercise_id).passed:
            return None
        return next((need for need in EXERCISES[exercise_id].needs if not self.outcome(need).passed), None)
