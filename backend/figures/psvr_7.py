"""PSVR Fig. 7: how many more messages PSVR needs than trees, by size, density and number of subscribers.

On connected G(n, p), fault-free, from the static kernels (`engine.kernels`), which equal the event engine. T_D is a pruned
breadth-first tree of the publisher, T_S one tree from a centre. Gain = 100·B/A - 100, B messages of PSVR, A of the tree,
over the publications of one network (PSVR §5).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backend.figures.apart import each
from backend.figures.study import Cell, Study, Verdict, cell, judged
from backend.plots import GREY, quiet

SIZES = {"quick": (50, 100), "full": (20, 40, 60, 80, 100, 200)}
GRAPHS = {"quick": 300, "full": 2000}
DEGREES = (8, 16)
SUBSCRIBERS = (1, 2, 5, 10, 20, 40)
PUBLICATIONS = 10
WAYS = {"T_D": "tree_of_publisher", "T_S": "tree_of_root"}
SHORTCUTS = {"all-links": "psvr_all_links", "non-tree": "psvr_non_tree"}
COLOURS = {("T_D", "all-links"): "#0072B2", ("T_D", "non-tree"): "#56B4E9"}
COLOURS |= {("T_S", "all-links"): "#D55E00", ("T_S", "non-tree"): "#E69F00"}


def study(scale: str, told: Callable[[float], None]) -> Study:
    """Measure every cell. `quick` takes seconds."""
    grid = [
        (n, degree, s)
        for n, degree, s in product(SIZES[scale], DEGREES, SUBSCRIBERS)
        if s < n and degree < n - 1
    ]
    cells: list[Cell] = []
    ways = [*WAYS.values(), *SHORTCUTS.values()]
    asked = [[n, float(degree), s, PUBLICATIONS, [0, GRAPHS[scale]], ways] for n, degree, s in grid]
    measured = each("gains", asked, lambda done: told(done / len(grid)))
    for (n, degree, s), found in zip(grid, measured, strict=True):
        wrong = sum(found["duplicates"]) + sum(found["missed"])
        if wrong:
            raise AssertionError(
                f"n={n}, degree {degree}, s={s}: {wrong} duplicates or misses on legitimate networks"
            )
        for (way, trees), (kind, ours) in product(WAYS.items(), SHORTCUTS.items()):
            sample = [100 * b / a - 100 for a, b in zip(found[trees], found[ours], strict=True)]
            axes: dict[str, float] = {"nodes": n, "degree": degree, "subscribers": s}
            cells.append(cell(f"over {way}, {kind}", axes, "gain_percent", sample))
    return Study(cells, _verdicts(cells), _draw, (9.5, 4.6))


def _verdicts(cells: list[Cell]) -> list[Verdict]:
    def worst(series: str, *, least: int) -> Cell:
        return max(
            (
                c
                for c in cells
                if c.series == series and c.axes["nodes"] <= 100 and c.axes["subscribers"] >= least
            ),
            key=lambda c: c.mean,
        )

    def told(c: Cell) -> str:
        n, degree, s = (int(c.axes[axis]) for axis in ("nodes", "degree", "subscribers"))
        return f"{c.mean:.1f} ± {c.half:.1f} % (n = {n}, degree {degree}, s = {s}; {c.n} networks)"

    printed, literal = worst("over T_D, non-tree", least=10), worst("over T_D, all-links", least=10)
    at = {(c.series, *c.axes.values()): c for c in cells}
    lower = []
    for c in cells:
        if c.series.startswith("over T_S"):
            other = at["over T_D" + c.series.removeprefix("over T_S"), *c.axes.values()]
            if c.mean - c.half > other.mean + other.half:
                lower.append(c)
    sparse = [
        c
        for c in cells
        if c.series == "over T_S, non-tree" and (c.axes["subscribers"], c.axes["degree"]) == (1, 8)
    ]
    denser = [(c, at[c.series, c.axes["nodes"], 16, 1]) for c in sparse]
    falling = [
        c
        for c in cells
        if c.series == "over T_D, non-tree" and c.axes["subscribers"] == 40 and c.axes["nodes"] <= 100
        if c.mean >= at[c.series, c.axes["nodes"], c.axes["degree"], 10].mean
    ]
    return [
        Verdict(
            "for n ≤ 100 and s ≥ 10 the overhead of PSVR over T_D is less than 8 %",
            "PSVR §5, Fig. 7",
            f"at most {told(printed)} with the shortcuts of the paper's examples",
            judged(printed.mean - printed.half < 8),
            ""
            if printed.mean < 8
            else "a smaller network or a denser one than the paper shows may lie above",
        ),
        Verdict(
            "the same, with every link as a shortcut (Definition 2)",
            "PSVR §5 with Def. 2",
            f"at most {told(literal)}",
            judged(literal.mean - literal.half < 8),
            "tree links that lead past a subtree save messages too",
        ),
        Verdict(
            "the difference decreases with the number of subscribers",
            "PSVR §5",
            "from 10 to 40 subscribers it falls in every cell"
            if not falling
            else f"not in {told(falling[0])}",
            judged(not falling),
        ),
        Verdict(
            "the same trend, at a lower level, for T_S",
            "PSVR §5",
            "lower than T_D in every cell" if not lower else f"not in {told(lower[0])}",
            judged(not lower),
        ),
        Verdict(
            "with increasing density there are more shortcuts, allowing for shorter routing paths",
            "PSVR §5",
            "one subscriber, over T_S: " + "; ".join(f"{told(a)}, then {told(b)}" for a, b in denser[-1:]),
            judged(all(b.mean < a.mean for a, b in denser)),
        ),
    ]


def _draw(figure: Figure, cells: list[Cell]) -> None:
    size = max(c.axes["nodes"] for c in cells if c.axes["nodes"] <= 100)
    panels = figure.subplots(1, len(DEGREES), sharey=True)
    for axes, degree in zip(panels, DEGREES, strict=True):
        _panel(axes, [c for c in cells if c.axes["nodes"] == size and c.axes["degree"] == degree])
        axes.set_title(f"{size:g} nodes, mean degree {degree}", loc="left", fontsize=11)
    panels[0].set_ylabel("more messages than the tree (%)", color=GREY)


def _panel(axes: Axes, cells: list[Cell]) -> None:
    axes.axhline(0, color="#999999", linewidth=1)
    for (way, kind), colour in COLOURS.items():
        line = [c for c in cells if c.series == f"over {way}, {kind}"]
        x, y = [c.axes["subscribers"] for c in line], [c.mean for c in line]
        dashes = "-" if kind == "all-links" else "--"
        axes.plot(
            x, y, dashes, color=colour, marker="o", markersize=4, label=f"{way.replace('_', '')}, {kind}"
        )
        axes.fill_between(
            x, [c.mean - c.half for c in line], [c.mean + c.half for c in line], color=colour, alpha=0.2
        )
    axes.set(xscale="log", xlabel="subscribers")
    axes.set_xticks(SUBSCRIBERS, [str(s) for s in SUBSCRIBERS])
    quiet(axes)
    axes.legend(frameon=False, fontsize=9)
