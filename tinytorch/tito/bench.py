"""tito bench: the package measured beside PyTorch, a plain copy and its own plain forms, in one process."""

from __future__ import annotations

import importlib.util
import os
import platform
from datetime import date
from pathlib import Path

import numpy as np

from tinytorch.tito.bench_timing import measure
from tinytorch.tito.terminal import Stop, reason

SECONDS = 3.0  # for a row, both sides together
QUICK = 0.02  # the same two for --quick, where only the way matters
STUDENT = Path("tinytorch", "core", "embeddings.py")


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
