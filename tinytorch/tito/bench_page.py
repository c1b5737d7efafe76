"""The table of `tito bench` on the screen, as docs/measured.md and as a picture."""

from __future__ import annotations

from pathlib import Path

HEAD = f"{'':64} {'ms':>9} {'ratio':>6}  {'quartiles':11}  {'aim':>5}  against"
LOST = "**"  # marks a ratio above its aim
QUICKLY = "Made with `--quick`: small sizes, few repeats. These numbers say nothing about speed."
PROTOCOL = """\
Both sides of a row run in one process, on the same table, and take turns. In a turn each is called once
without being timed, then as often as fills half a millisecond. Times are CPU time of the calling thread,
so that other programs on the machine matter less (imports: time on the wall). The ratio is the median
over the turns of our time by the other's: below 1, we are faster. The quartiles show the spread. Numbers
are float32, ids int64. A backward pass of PyTorch includes `coalesce()`, because ours returns merged
rows. `optimizer.step()` finds the gradient as each side's backward pass leaves it: merged here, in PyTorch a
row for each id. A training step is `zero_grad`, lookup, `backward` and `step`, so it counts the merging on both
sides, where it is done. Zipf ids are drawn as words occur in text: the k-th most frequent with probability ~ 1/k."""
WHY = """\
- Training step, SGD: PyTorch adds the gradient's rows to the table one by one, in C. numpy writes only one of
  two rows with the same id, so ours are merged in `backward` first; `step()` alone is quicker.
- Row-sparse gradient: a merge has to fetch each row from where it stands in the text. With 65,536 ids that is most
  of the time on both sides. With few ids it takes some forty calls of numpy, each of a few microseconds,
  whatever the rows. Summing runs with `np.add.reduceat`, by a product with a matrix of ones, or by powers of two is
  slower.
- `forward(ids, out=)`: a plain copy of the whole writes past the cache. `take` copies row by row, and writes through
  it: so does numpy's own copy of a part of each row, which takes as long. PyTorch's `index_select` takes as long too.
- Dense gradient: the exercise's own code, `np.add.at` in float64 over a whole table. `sparse=True` is the fast way."""
FLAT = """\
Microseconds, for tables and graphs of very different size. A training step and a lookup touch the rows of
their tokens and nothing else. In a larger table the rows lie further apart, and the cache misses that this
costs remain."""


def line(row) -> str:
    """One row on the screen."""
    ratio = f"{row.ratio:6.2f}  {row.low:.2f}-{row.high:.2f}" if row.ratio is not None else f"{'-':>6}  -"
    aim = f"{row.aim:.2f}" if row.aim is not None else ""
    return f"{row.name:64} {row.mine:9.3f} {ratio:19}  {aim:>5}  {row.against}"


def flat_lines(flat) -> str:
    return "\n".join(f"{name}: " + ", ".join(f"{size:,}: {time:.3f} us" for size, time in points)
                     for name, points in flat.items())


def page(rows, flat, conditions: str, picture: Path | None, quick: bool) -> str:
    """measured.md, whole."""
    return "\n".join([
        "# Measured", "",
        *([QUICKLY, ""] if quick else []),
        f"`tito bench` wrote this page: {conditions}.", "",
        PROTOCOL, "",
        "| call | ms | against | its ms | ratio | quartiles | aim |",
        "|---|---|---|---|---|---|---|",
        *(table_line(row) for row in rows), "",
        *([f"Bold: slower than the aim. {summary(rows)}", ""] if not quick else []),
        *([f"![Ratios and flat costs]({picture.name})", ""] if picture else []),
        "## Why some rows are slow", "", WHY, "",
        "## Costs that stay flat", "",
        FLAT, "",
        *(flat_table(name, points) for name, points in flat.items()),
    ])


def table_line(row) -> str:
    if row.ratio is None:
        return f"| {row.name} | {row.mine:.3g} | {row.against} | | | | {row.aim or ''} |"
    mark = LOST if row.aim is not None and row.ratio > row.aim else ""
    return (f"| {row.name} | {row.mine:.3g} | {row.against} | {row.other:.3g} "
            f"| {mark}{row.ratio:.2f}{mark} | {row.low:.2f}-{row.high:.2f} | {row.aim or ''} |")


def summary(rows) -> str:
    aimed = [row for row in rows if row.aim is not None and row.ratio is not None]
    met = sum(row.ratio <= row.aim for row in aimed)
    return f"{met} of {len(aimed)} aims are met."


def flat_table(name: str, points) -> str:
    sizes = " | ".join(f"{size:,}" for size, _ in points)
    times = " | ".join(f"{time:.3g}" for _, time in points)
    return (f"| {name} | {sizes} | largest / smallest |\n|{'---|' * (len(points) + 2)}\n"
            f"| microseconds | {times} | {points[-1][1] / points[0][1]:.2f} |\n")


def draw(rows, flat, path: Path) -> Path | None:
    """Ratios as dots with their quartiles, flat costs as lines; None without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    from tinytorch.tito.pictures import save

    shown = [row for row in rows if row.ratio is not None]
    figure = Figure(figsize=(6.4, 0.42 * len(shown) + 5), layout="constrained")  # narrow: read on a phone, too
    dots, lines = figure.subplots(2, 1, height_ratios=[0.42 * len(shown) + 1, 4])
    for y, row in enumerate(shown):
        colour = "tab:gray" if row.against == "its plain form" else "tab:blue"
        dots.annotate(f"{row.name} / {row.against}", (0, y), xycoords=("axes fraction", "data"),
                      xytext=(4, 5), textcoords="offset points", fontsize=7.5)
        dots.plot([row.low, row.high], [y, y], color=colour, linewidth=2)
        dots.plot(row.ratio, y, "o", color=colour, markersize=6)
    aims = [(row.aim, y) for y, row in enumerate(shown) if row.aim]
    dots.plot(*zip(*aims, strict=True) if aims else ([], []), "|", color="tab:red", markersize=12,
              markeredgewidth=2, label="aim")
    dots.axvline(1, color="black", linewidth=0.8, linestyle="--", label="equal")
    dots.set(xscale="log", ylim=(len(shown) - 0.4, -2), yticks=[],
             xlabel="our time / the other's (log scale; bars: quartiles): left of 1 we are faster")
    dots.grid(axis="x", which="both", alpha=0.2)
    dots.legend(loc="upper left", ncols=2)
    for name, points in flat.items():
        drawn, = lines.plot(*zip(*points, strict=True), marker="o")
        lines.annotate(name, points[0], xytext=(0, 8), textcoords="offset points", fontsize=7.5,
                       color=drawn.get_color())
    lines.set(xscale="log", yscale="log", xlabel="rows of the table, or operations in the graph",
              ylabel="microseconds")
    lines.margins(0.1, 0.2)
    lines.set_title("A token's cost does not grow with the table, an operation's not with the graph", fontsize=9)
    return save(figure, path)
