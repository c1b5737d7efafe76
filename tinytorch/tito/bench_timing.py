"""How `tito bench` times two calls beside each other: they take turns, and the ratio is a median over the turns."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

TURN = 5e-4  # seconds: a quicker call is repeated within its turn
FEWEST = 5  # turns


@dataclass
class Row:
    """One line of the table: what is called, and the call it is compared with (None: there is none here)."""

    name: str
    mine: object
    against: str
    other: object = None
    aim: float | None = None
    process: bool = False  # the call starts a process: time on the wall, and no call that does not count


@dataclass
class Measured:
    """Medians in ms; the ratio with its quartiles over the turns."""

    name: str
    against: str
    mine: float
    other: float | None
    ratio: float | None
    low: float | None
    high: float | None
    aim: float | None


def measure(row: Row, seconds: float) -> Measured:
    """Let both sides take turns until the time is up."""
    sides = [side for side in (row.mine, row.other) if side is not None]
    turn, calls = min(TURN, seconds / 10), []
    for side in sides:
        side()
        calls.append(1 if row.process else max(1, round(turn / max(cpu_time(side, 1), 1e-7))))
    one_turn = wall_time if row.process else cpu_time
    samples, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples) < FEWEST:
        samples.append([one_turn(side, n) for side, n in zip(sides, calls, strict=True)])
    times = np.array(samples) * 1e3  # (turns, sides)
    middle = np.median(times, axis=0)
    if row.other is None:
        return Measured(row.name, row.against, float(middle[0]), None, None, None, None, row.aim)
    low, ratio, high = np.percentile(times[:, 0] / np.maximum(times[:, 1], 1e-9), [25, 50, 75])
    return Measured(row.name, row.against, *map(float, (*middle, ratio, low, high)), row.aim)


def cpu_time(side, calls: int) -> float:
    """Seconds of this thread for one call, after a call that does not count."""
    side()
    start = time.thread_time()
    for _ in range(calls):
        side()
    return (time.thread_time() - start) / calls


def wall_time(side, calls: int) -> float:
    """Seconds on the wall for one call."""
    start = time.perf_counter()
    for _ in range(calls):
        side()
    return (time.perf_counter() - start) / calls
