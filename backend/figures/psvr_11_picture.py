"""The picture of PSVR Fig. 11: boxes by number of nodes, and the long runs with the times of interference."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backend.figures.study import Cell
from backend.plots import GREY, quiet

COLOURS = ("#0072B2", "#E69F00", "#D55E00", "#009E73")
KINDS = {"connected": "#56B4E9", "well connected": "#009E73"}


def results(cells: list[Cell], kind: str) -> list[Cell]:
    """The tests of a kind of draw, by number of nodes."""
    return [c for c in cells if c.series == kind and c.metric == "ratio"]


def episodes_of(cells: list[Cell]) -> list[Cell]:
    """The times of interference."""
    return [c for c in cells if c.series == "interference"]


def draw(figure: Figure, cells: list[Cell]) -> None:
    """Both panels."""
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1.6))
    _sizes(left, cells)
    _over_time(right, cells)
    left.set_ylabel("publications delivered (%)", color=GREY)
    left.set_ylim(0, 104)


def _sizes(axes: Axes, cells: list[Cell]) -> None:
    width = 0.36
    for k, (kind, colour) in enumerate(KINDS.items()):
        found = results(cells, kind)
        boxes = []
        for c in found:
            low, q1, middle, q3, high = (100 * x for x in c.spread)
            box = {"whislo": low, "q1": q1, "med": middle, "q3": q3, "whishi": high, "mean": 100 * c.mean}
            boxes.append(box)
        axes.bxp(
            boxes,
            positions=[i + (k - 0.5) * width for i in range(len(found))],
            widths=0.85 * width,
            showfliers=False,
            showmeans=True,
            patch_artist=True,
            boxprops={"facecolor": colour, "alpha": 0.5, "edgecolor": colour},
            medianprops={"color": "#000000"},
            meanprops={
                "marker": "D",
                "markersize": 4,
                "markerfacecolor": "#000000",
                "markeredgecolor": "none",
            },
            whiskerprops={"color": colour},
            capprops={"color": colour},
            label=kind,
        )
    ticks = [f"{c.axes['nodes']:g}" for c in results(cells, "connected")]
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set_xlabel("nodes")
    axes.set_title(f"{results(cells, 'connected')[0].n} tests each; mean ◆", loc="left", fontsize=11)
    quiet(axes)
    axes.legend(frameon=False, fontsize=9, loc="lower right")


def _over_time(axes: Axes, cells: list[Cell]) -> None:
    for k, c in enumerate(episodes_of(cells)):
        start, end = c.axes["t_s"] / 3600, c.axes["t_end_s"] / 3600
        label = "interference" if k == 0 else None
        axes.axvspan(start, end, color="#bbbbbb", alpha=0.55, linewidth=0, label=label)
    lines = dict.fromkeys(c.series for c in cells if c.series.endswith("long run"))
    for series, colour in zip(lines, COLOURS, strict=False):
        found = [c for c in cells if c.series == series]
        t = [(c.axes["t_s"] + c.axes["t_end_s"]) / 7200 for c in found]
        name = series.removesuffix(", long run")
        y = [100 * c.mean for c in found]
        axes.plot(t, y, color=colour, marker="o", markersize=3, linewidth=1.3, label=name)
    axes.set(xlabel="hours", xlim=0)
    axes.set_title("one test each", loc="left", fontsize=11)
    quiet(axes)
    axes.legend(frameon=False, fontsize=9, loc="lower right", ncols=4, bbox_to_anchor=(1, 1))
