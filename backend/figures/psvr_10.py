"""PSVR Fig. 10: messages saved per subscription against routing on the tree (Shen), by communication range.

One box a range: one network and one subscription each, all other nodes publish (`backend.figures.routes`). Saved =
100 - 100·B/A, B messages of PSVR and A on the tree, which is the paper's gain (§5) with the sign turned.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from matplotlib.figure import Figure

from backend.figures.routes import COLOURS, NODES, Hops, routes, routes_on
from backend.figures.study import Cell, Study, Verdict, cell, judged, overlap
from backend.plots import GREY, quiet
from engine.world.generators import geometric, is_connected, range_for_degree
from engine.world.radio import LogDistance, heard_network, link_quality, mean_power
from engine.world.topologies import Geometric

DEGREES = (8, 10, 12, 16, 20, 25, 30)
NETWORKS = {"quick": 100, "full": 1000}
GOOD = 0.95  # the quality of a link from which on it is used
KINDS = ("PSVR, all links", "PSVR, non-tree")


def ideal(degree: float, networks: int) -> list[Hops]:
    """Routes of legitimate networks whose radio loses nothing."""
    return routes(degree, range(networks))


def log_distance(degree: float, networks: int) -> list[Hops]:
    """Routes over the links that a neighbourhood would trust under a CC2420 with shadowing (`GOOD` frames of 30 bytes in
    silence), on the same positions, stretched so that its reach without shadowing is the range. A network that they do not
    connect gives way to the next seed.
    """
    radio = LogDistance(kind="log-distance")
    reach = 1.0
    while link_quality(radio, mean_power(calm(radio), 0, (0.0, 0.0, 0.0), (reach + 0.1, 0.0, 0.0))) >= GOOD:
        reach += 0.1
    side = reach / range_for_degree(NODES, degree)
    found: list[tuple[int, list[tuple[int, int]]]] = []
    seed = 0
    while len(found) < networks:
        placed = geometric(
            Geometric(kind="geometric", n=NODES, range_m=reach, side_m=side, allow_disconnected=True), seed
        )
        heard = heard_network(radio, seed, placed)
        assert heard.quality is not None
        links = [pair for pair, (q, _) in zip(heard.links, heard.quality, strict=True) if q >= GOOD]
        if is_connected(NODES, tuple(links)):
            found.append((seed, links))
        seed += 1
    return routes_on(found)


def calm(radio: LogDistance) -> LogDistance:
    """The same radio without shadowing."""
    return radio.model_copy(update={"shadowing_db": 0.0})


RADIOS: dict[str, tuple[Callable[[float, int], list[Hops]], float]] = {
    "ideal": (ideal, 1.0),
    "log-distance": (log_distance, 0.1),
}
"""Who finds the hops of all publishers, network by network, for a mean degree and a number of networks; and which share
of the networks is enough."""


def study(scale: str, told: Callable[[float], None]) -> Study:
    """Measure every network. `quick` takes seconds."""
    cells: list[Cell] = []
    done, total = 0, len(RADIOS) * len(DEGREES)
    for radio, (find, part) in RADIOS.items():
        for degree in DEGREES:
            saved: dict[str, list[float]] = {name: [] for name in KINDS}
            for hops in find(degree, int(part * NETWORKS[scale])):
                told(done / total)
                for name, sample in saved.items():
                    sample.append(100 - 100 * sum(hops[name]) / sum(hops["tree"]))
            done += 1
            axes = {"degree": degree, "range": round(range_for_degree(NODES, degree), 4)}
            for name, sample in saved.items():
                cells.append(cell(f"{name}, {radio}", axes, "saved_percent", sample, box=True))
    return Study(cells, _verdicts(cells), _draw, (8.0, 4.4))


def _verdicts(cells: list[Cell]) -> list[Verdict]:
    lines = {
        series: [c for c in cells if c.series == series] for series in dict.fromkeys(c.series for c in cells)
    }
    ends = [
        f"{series}: from {a.mean:.1f} ± {a.half:.1f} % to {b.mean:.1f} ± {b.half:.1f} %"
        for series, (a, *_, b) in lines.items()
    ]
    printed = lines["PSVR, non-tree, ideal"]
    steps = [a.mean < b.mean and not overlap(a, b) for a, b in pairwise(printed)]
    others = [series for series in lines if not series.endswith("ideal")]
    return [
        Verdict(
            "the denser the network, the more messages are saved",
            "PSVR §5, Fig. 10",
            f"degree {DEGREES[0]} to {DEGREES[-1]}, {'; '.join(ends)}",
            judged(
                all(
                    line[0].mean < line[-1].mean and not overlap(line[0], line[-1]) for line in lines.values()
                )
            ),
            f"{sum(steps)} of {len(steps)} steps from one range to the next are beyond their confidence intervals",
        ),
        Verdict(
            "the gain varies substantially depending on the density",
            "PSVR §5, Fig. 10",
            "; ".join(
                f"degree {c.axes['degree']:g}: 90 % of subscriptions save {c.spread[0]:.0f} to {c.spread[-1]:.0f} %"
                for c in (printed[0], printed[-1])
            ),
            judged(printed[-1].spread[2] > printed[0].spread[3]),
            "agrees if the densest network's median lies above the sparsest one's upper quartile",
        ),
        Verdict(
            "this also holds with a radio model",
            "PSVR §5, Fig. 10",
            f"links of quality {GOOD:g} or better under a CC2420 with shadowing: {', '.join(others)}",
            judged(all(lines[x][0].mean < lines[x][-1].mean for x in others)) if others else "not-tested",
            "routes once settled: fading would only take links away for a while",
        ),
    ]


def _draw(figure: Figure, cells: list[Cell]) -> None:
    axes = figure.subplots()
    series = list(dict.fromkeys(c.series for c in cells))
    width = 0.8 / len(series)
    for k, name in enumerate(series):
        line = [c for c in cells if c.series == name]
        colour = COLOURS[name.rpartition(", ")[0]]
        boxes = [
            {
                "whislo": c.spread[0],
                "q1": c.spread[1],
                "med": c.spread[2],
                "q3": c.spread[3],
                "whishi": c.spread[4],
            }
            for c in line
        ]
        axes.bxp(
            boxes,
            positions=[i + (k - (len(series) - 1) / 2) * width for i in range(len(line))],
            widths=0.8 * width,
            showfliers=False,
            patch_artist=True,
            boxprops={
                "facecolor": colour if name.endswith("ideal") else "#ffffff",
                "alpha": 0.55,
                "edgecolor": colour,
                "hatch": None if name.endswith("ideal") else "////",
            },
            medianprops={"color": "#000000"},
            whiskerprops={"color": colour},
            capprops={"color": colour},
            label=name,
        )
    axes.axhline(0, color="#999999", linewidth=1)
    ranges = [c for c in cells if c.series == series[0]]
    ticks = [f"{c.axes['range']:.2f}\n{c.axes['degree']:g}" for c in ranges]
    axes.set_xticks(range(len(ranges)), ticks)
    axes.set_xlabel("range (in sides of the square), mean degree")
    axes.set_ylabel("messages saved against the tree (%)", color=GREY)
    quiet(axes)
    axes.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(series))
