"""The demo's pictures, drawn without a screen."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from tinytorch.core.vectors import WordVectors, word_map

SIZE = (8, 5)  # inches
COLOURS = ("tab:gray", "tab:orange", "tab:red")  # one a mark


def new_figure():
    from matplotlib.figure import Figure  # no pyplot: it would look for a screen

    figure = Figure(figsize=SIZE, layout="constrained")
    return figure, figure.add_subplot()


def save(figure, path: Path) -> Path:
    """Written beside and renamed, so that no half a picture stands under the final name."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        figure.savefig(beside, format="png", dpi=120)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return path


def draw_sinusoid(table: np.ndarray, path: Path) -> Path:
    """Heat map of a sinusoid table (P, D)."""
    figure, axes = new_figure()
    image = axes.imshow(table, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    axes.set_title("Sinusoidal positions: fast waves on the left, slow ones on the right;\n"
                   "no two rows are alike, so a row tells where a token stands")
    axes.set_xlabel("column of the embedding (even: sin, odd: cos)")
    axes.set_ylabel("position in the sequence")
    figure.colorbar(image, ax=axes, label="value added to the token's row")
    return save(figure, path)


def draw_loss(losses: list[float], marks: dict[str, float], path: Path) -> Path:
    """Loss of every step, and lines at the three figures in `marks`."""
    figure, axes = new_figure()
    steps = np.arange(1, len(losses) + 1)
    axes.plot(steps, losses, color="tab:blue", linewidth=1, label="loss of each batch")
    for (name, value), colour in zip(marks.items(), COLOURS, strict=True):
        axes.axhline(value, color=colour, linestyle="--", linewidth=1.2, label=f"{name}: {value:.4f}")
    axes.set_xscale("log")
    axes.set_xlim(1, max(len(losses), 2))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title("The table learns step by step what counting pairs gives at once")
    axes.set_xlabel("training step (log scale)")
    axes.set_ylabel("cross-entropy, nats a character")
    axes.legend(loc="upper right", bbox_to_anchor=(1, 0.92))
    return save(figure, path)


def draw_words(tables: dict[str, WordVectors], path: Path) -> Path:
    """The same words in each table, on its two widest axes."""
    return save(word_map(tables), path)
