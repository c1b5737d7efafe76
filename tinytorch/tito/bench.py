"""tito bench: the package measured beside PyTorch, a plain copy and its own plain forms, in one process."""

from __future__ import annotations

import importlib.util
import os
import platform
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from tinytorch.tito.terminal import Stop, reason

SECONDS = 3.0  # for a row, both sides together
TURN = 5e-4  # seconds: a quicker call is repeated within its turn
FEWEST = 5  # turns
QUICK = 0.02  # the same two for --quick, where only the way matters
STUDENT = Path("tinytorch", "core", "embeddings.py")


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


def add(commands) -> None:
    parser = commands.add_parser(
        "bench", help="time the package beside PyTorch, where it is installed", allow_abbrev=False,
        description="Times the layers as a user calls them, beside PyTorch at one thread where it is "
                    "installed, a plain copy, and the plain forms. Writes measured.md and measured.png. "
                    "Takes some minutes.")
    parser.add_argument("--quick", action="store_true",
                        help="small sizes and few repeats: shows the way, not the speed")
    parser.add_argument("--mine", metavar="FILE", nargs="?", const=STUDENT, type=Path,
                        help=f"only your own exported functions, beside the package's (default: {STUDENT})")
    parser.add_argument("--out", metavar="FOLDER", type=Path,
                        help="where the two files go (default: docs in a clone, else here; "
                             "--quick and --mine write none)")
    parser.set_defaults(run=run)


def run(options) -> None:
    from tinytorch.tito import bench_page, bench_rows  # here, so that other commands start sooner

    torch, seconds = one_thread_torch(), QUICK if options.quick else SECONDS
    if options.mine:
        rows = bench_rows.student(load_student(options.mine), quick=options.quick)
    else:
        rows = bench_rows.everything(torch, quick=options.quick)
    print(conditions(torch))
    print(bench_page.HEAD)
    results = []
    for row in rows:
        row.aim = None if options.quick else row.aim  # the aims are for the full sizes
        results.append(measure(row, seconds))
        print(bench_page.line(results[-1]), flush=True)
    if options.mine:
        return
    flat = bench_rows.flat(measure, seconds, quick=options.quick)
    print(bench_page.flat_lines(flat))
    if options.out or not options.quick:
        folder = options.out or (Path("docs") if Path("docs").is_dir() else Path())
        try:
            folder.mkdir(parents=True, exist_ok=True)
            picture = bench_page.draw(results, flat, folder / "measured.png")
            page = write(bench_page.page(results, flat, conditions(torch), picture, options.quick),
                         folder / "measured.md")
        except OSError as error:
            raise Stop(reason(error)) from None
        print(page, picture or "(no picture: python -m pip install matplotlib)", sep="\n")


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


def one_thread_torch():
    """PyTorch at one thread, or None: with more it waits for milliseconds where others use the machine."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch


def conditions(torch) -> str:
    """Machine and versions, one line."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    beside = f"PyTorch {torch.__version__} at one thread" if torch else "no PyTorch"
    return (f"{processor()}, {os.cpu_count()} cores{load}; {platform.system()}, Python "
            f"{platform.python_version()}, numpy {np.__version__}, {beside}; {date.today().isoformat()}")


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def load_student(file: Path):
    """The student's export as a module."""
    try:
        spec = importlib.util.spec_from_file_location("tinytorch.core.embeddings", file.resolve(strict=True))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except OSError as error:
        raise Stop(f"{reason(error)}: export your notebook first, or name the file") from None
    except Exception as error:
        raise Stop(f"{file} can't be imported: {type(error).__name__}: {error}") from None
    return module


def write(text: str, path: Path) -> Path:
    """Written beside and renamed, so that no half a page stands under the final name."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return path
