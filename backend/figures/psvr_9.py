"""PSVR Fig. 9: how long routes are, with one subscriber while every node publishes, beside those on the tree (Shen).

From the static kernels, see `backend.figures.routes`. A sample is one value a network, so intervals are over networks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise, product
from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backend.figures.routes import COLOURS, NODES, WAYS, routes, share
from backend.figures.study import Cell, Study, Verdict, cell, judged, overlap
from backend.plots import GREY, quiet

DEGREES = (8, 16, 30)
NOMINAL = {30: 24}  # degree told with a reference: at which its numbers are met; measured as well, not drawn
NETWORKS = {"quick": 150, "full": 1000}
SUBSCRIBERS = (1, 5, 20, NODES)  # of the dense row: how the gain fades
FADING_DEGREE = 16
LONGEST = 16  # hops; what is longer shares a bar
SHORT = 3  # hops: "short routes" in the paper's words
REFERENCE = {
    ("mean_hops", 8): (5.8, 6.2, 6.8),
    ("mean_hops", 16): (3.6, 3.9, 4.7),
    ("mean_hops", 30): (2.8, 3.0, 4.0),
    ("share_short", 16): (0.50, 0.47, 0.23),
}
"""What an independent model of the paper gave, to the digits told, for the series of `WAYS`."""
REFERENCE_NETWORKS = 60  # not told for these; as many as for its numbers of Fig. 7


def study(scale: str, told: Callable[[float], None]) -> Study:
    """Measure every network. `quick` takes seconds."""
    cells: list[Cell] = []
    networks = NETWORKS[scale]
    measured = (*DEGREES, *NOMINAL.values())
    for k, degree in enumerate(measured):

        def part(done: int, k: int = k) -> None:
            told((k + done / networks) / (len(measured) + 1))

        found = routes(degree, range(networks), told=part)
        for name in WAYS:
            axes: dict[str, float] = {"degree": degree, "subscribers": 1}
            hops = [row[name] for row in found]
            cells.append(cell(name, axes, "mean_hops", [fmean(row) for row in hops]))
            cells.append(cell(name, axes, "share_short", [share(row, 0, SHORT) for row in hops]))
            for h in range(1, LONGEST + 1):
                most = h if h < LONGEST else NODES
                cells.append(cell(name, axes | {"hops": h}, "share", [share(row, h, most) for row in hops]))
    for s in SUBSCRIBERS:
        told((len(measured) + SUBSCRIBERS.index(s) / len(SUBSCRIBERS)) / (len(measured) + 1))
        found = routes(FADING_DEGREE, range(networks // 4), s)
        for name in WAYS:
            sample = [fmean(row[name]) for row in found]
            cells.append(cell(name, {"degree": FADING_DEGREE, "subscribers": s}, "messages", sample))
    return Study(cells, _verdicts(cells), _draw, (11.0, 3.9))


def _verdicts(cells: list[Cell]) -> list[Verdict]:
    at = {(c.metric, c.series, c.axes["degree"], c.axes["subscribers"], c.axes.get("hops")): c for c in cells}

    def one(metric: str, name: str, degree: int, subscribers: int = 1) -> Cell:
        return at[metric, name, degree, subscribers, None]

    def beside(metric: str, scale: float, places: int) -> str:
        told = []
        for degree in DEGREES:
            row = [one(metric, name, degree) for name in WAYS]
            numbers = " / ".join(f"{scale * c.mean:.{places}f} ± {scale * c.half:.{places}f}" for c in row)
            told.append(f"degree {degree}: {numbers}")
        return f"{' / '.join(WAYS)}: " + "; ".join(told)

    def better(metric: str, sign: int) -> bool:
        """Whether both kinds of PSVR differ from the tree in this direction, beyond their intervals."""
        tree = {degree: one(metric, "tree", degree) for degree in DEGREES}
        pairs = [(one(metric, name, d), tree[d]) for name, d in product(list(WAYS)[:2], DEGREES)]
        return all(sign * (a.mean - b.mean) > 0 and not overlap(a, b) for a, b in pairs)

    faded = {}
    for s in SUBSCRIBERS:
        ours, tree = (one("messages", name, FADING_DEGREE, s).mean for name in ("PSVR, all links", "tree"))
        faded[s] = 100 - 100 * ours / tree
    falling = list(faded.values())
    everybody = [one("messages", name, FADING_DEGREE, NODES) for name in WAYS]
    return [
        Verdict(
            "PSVR constructs more short routes (up to 3 hops) than Shen's approach",
            "PSVR §5, Fig. 9",
            f"% of routes, {beside('share_short', 100, 0)}",
            judged(better("share_short", 1)),
            "ideal radio; Shen's approach routes on the same tree",
        ),
        Verdict(
            "its routes are shorter on average",
            "PSVR §5, Fig. 9",
            f"hops, {beside('mean_hops', 1, 2)}",
            judged(better("mean_hops", -1)),
        ),
        Verdict(
            "more subscribers diminish the gain, until all nodes subscribe and PSVR takes no shortcut any more",
            "PSVR §5",
            f"messages saved at degree {FADING_DEGREE}: "
            + ", ".join(f"{saved:.1f} % with {s}" for s, saved in faded.items()),
            judged(
                all(a > b for a, b in pairwise(falling))
                and all((c.mean, c.sd) == (NODES - 1, 0) for c in everybody)
            ),
            f"with all {NODES} nodes every way takes exactly {NODES - 1} messages",
        ),
        *(_same(one, metric, degree, expected) for (metric, degree), expected in REFERENCE.items()),
    ]


def _same(
    one: Callable[[str, str, int], Cell], metric: str, degree: int, expected: tuple[float, ...]
) -> Verdict:
    """Whether the means are those of the reference: within its last digit and the sampling error of both."""

    def near(c: Cell, x: float) -> bool:
        digit = 0.05 if metric == "mean_hops" else 0.005
        return abs(c.mean - x) <= digit + c.half * math.sqrt(1 + c.n / REFERENCE_NETWORKS)

    def told(degree: int) -> tuple[str, bool]:
        row = [one(metric, name, degree) for name in WAYS]
        right = all(near(c, x) for c, x in zip(row, expected, strict=True))
        return " / ".join(f"{c.mean:.2f} ± {c.half:.2f}" for c in row), right

    what = "mean hops" if metric == "mean_hops" else f"share of routes of up to {SHORT} hops"
    measured, right = told(degree)
    why = f"allowed: the last digit told, and the sampling error here and of {REFERENCE_NETWORKS} networks there"
    if not right and degree in NOMINAL and told(NOMINAL[degree])[1]:
        other = NOMINAL[degree]
        why = f"all three are met at degree {other}: {told(other)[0]}: its networks probably were sparser than told"
    return Verdict(
        f"{what} at degree {degree}: {' / '.join(f'{x:g}' for x in expected)} ({' / '.join(WAYS)})",
        "a reference model of PSVR §4 on the same kind of networks",
        measured,
        judged(right),
        why,
    )


def _draw(figure: Figure, cells: list[Cell]) -> None:
    panels = figure.subplots(1, len(DEGREES), sharey=True)
    for axes, degree in zip(panels, DEGREES, strict=True):
        _panel(axes, [c for c in cells if c.axes["degree"] == degree and c.axes["subscribers"] == 1])
        axes.set_title(f"mean degree {degree}", loc="left", fontsize=11)
    panels[0].set_ylabel("routes (%)", color=GREY)
    panels[0].set_ylim(0, 1.2 * panels[0].get_ylim()[1])
    panels[-1].legend(frameon=False, fontsize=9, loc="center right")


def _panel(axes: Axes, cells: list[Cell]) -> None:
    width = 0.28
    for k, (name, colour) in enumerate(COLOURS.items()):
        bars = [c for c in cells if c.metric == "share" and c.series == name]
        x = [c.axes["hops"] + (k - 1) * width for c in bars]
        errors = [100 * c.half for c in bars]
        axes.bar(
            x,
            [100 * c.mean for c in bars],
            width,
            color=colour,
            label=name,
            yerr=errors,
            error_kw={"elinewidth": 0.7, "ecolor": "#333333"},
        )
        (mean,) = (c for c in cells if c.metric == "mean_hops" and c.series == name)
        axes.axvline(mean.mean, color=colour, linewidth=1.2, linestyle=":", zorder=0)
        axes.text(
            mean.mean + (-0.12 if k == 0 else 0.12),
            0.98 - 0.07 * k,
            f"{mean.mean:.1f}",
            transform=axes.get_xaxis_transform(),
            color=colour,
            fontsize=9,
            ha="right" if k == 0 else "left",
            va="top",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    axes.set(xlabel="hops to the subscriber", xlim=(0.4, LONGEST + 0.6))
    ticks = range(1, LONGEST + 1, 3)
    axes.set_xticks(ticks, [f"{h}+" if h == LONGEST else str(h) for h in ticks])
    quiet(axes)
