"""Slides, "Comparison vs Flooding": messages of PSVR and RingPS beside flooding, on grids, by density and subscribers.

What a publication takes is counted by the static kernels on legitimate grids of 10 × 10 nodes, the tree rooted at a centre;
what flooding takes, by the event engine. Structure overhead are the messages a second of all nodes in the layers below
(neighbourhood, tree and ring), counted by the event engine with default periods once the run is legitimate. Renewals of
subscriptions are counted beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backend.figures.study import Cell, Study, Verdict, cell, judged
from backend.plots import GREY, quiet
from engine.api import Run
from engine.kernels.studies import messages, workload
from engine.world.network import Network, central_node, linked_within
from engine.world.scenario import load_scenario

SIDE = 10
NODES = SIDE * SIDE
RANGES = {
    4: 1.0,
    8: 2.0,
    12: 4.0,
    20: 5.0,
}  # nodes in range, away from the border: squared range in grid steps
SUBSCRIBERS = (1, 2, 5, 10, 20, 40, 80)
PUBLICATIONS = 10
WORKLOADS = {"quick": 40, "full": 1000}
WAYS = {"PSVR": "psvr_all_links", "RingPS": "ringps"}
LAYERS = ("neighbourhood", "tree", "ring")
COUNTED_SUBSCRIBERS = 10
SETTLED_S, UNTIL_S = 40.0, {"quick": 60.0, "full": 240.0}  # virtual: counted between the two
RATES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # publications a second in the whole network
COLOURS = {4: "#0072B2", 8: "#009E73", 12: "#E69F00", 20: "#D55E00"}


def grid(in_range: int) -> Network:
    """The grid whose inner nodes have this many neighbours."""
    x = tuple(float(i % SIDE) for i in range(NODES))
    y = tuple(float(i // SIDE) for i in range(NODES))
    ids = tuple(map(str, range(NODES)))
    return Network(ids, ids, x, y, linked_within(x, y, RANGES[in_range] ** 0.5 + 1e-9))


def study(scale: str, told: Callable[[float], None]) -> Study:
    """Measure every cell. `quick` takes some twenty seconds, most of them for the event engine's counts."""
    cells: list[Cell] = []
    for k, in_range in enumerate(RANGES):
        network = grid(in_range)
        for s in SUBSCRIBERS:
            told((k + SUBSCRIBERS.index(s) / len(SUBSCRIBERS) / 2) / len(RANGES))
            cells += _publications(network, in_range, s, WORKLOADS[scale])
        cells += _structure(network, in_range, UNTIL_S[scale])
        cells.append(_flooded(network, in_range))
    return Study(cells, _verdicts(cells), _draw, (10.5, 4.4))


def _publications(network: Network, in_range: int, subscribers: int, workloads: int) -> list[Cell]:
    """Messages a publication, and what they save against flooding, a workload a sample."""
    root = central_node(network)
    taken: dict[str, list[float]] = {name: [] for name in WAYS}
    for seed in range(workloads):
        found = messages(
            NODES,
            network.links,
            root,
            *workload(NODES, subscribers, PUBLICATIONS, seed),
            list(WAYS.values()),
        )
        for name, way in WAYS.items():
            taken[name].append(sum(found[way]) / PUBLICATIONS)
    axes: dict[str, float] = {"in_range": in_range, "subscribers": subscribers}
    cells = []
    for name, sample in taken.items():
        cells.append(cell(name, axes, "messages", sample))
        cells.append(cell(name, axes, "saved_percent", [100 - 100 * x / NODES for x in sample]))
    return cells


def _structure(network: Network, in_range: int, until: float) -> list[Cell]:
    """Messages a second by layer, and those that renew subscriptions, in samples of ten seconds."""
    cells = []
    axes: dict[str, float] = {"in_range": in_range, "subscribers": COUNTED_SUBSCRIBERS}
    for name, protocol in (("PSVR", "psvr"), ("RingPS", "ringps")):
        run = Run(load_scenario(_document(network, protocol, until)), trace="none", drawn=False)
        run.advance(SETTLED_S)
        if None in run.since:
            raise AssertionError(f"{protocol} on the grid with {in_range} in range is not legitimate in time")
        homes = {
            m.name: layer.name
            for layer in run.protocol.layers
            for m in run.protocol.messages
            if m.type in layer.on
        }
        rates: dict[str, list[float]] = {layer: [] for layer in dict.fromkeys(homes.values())}
        while run.now < until:
            before = dict(run.counts)
            run.advance(run.now + 10.0)
            for layer, sample in rates.items():
                sent = sum(n - before[m] for m, n in run.counts.items() if homes[m] == layer)
                sample.append(sent / 10.0)
        for layer, sample in rates.items():
            if layer not in LAYERS:
                cells.append(cell(f"{name}, renewals", axes, "messages_per_second", sample))
            elif protocol == "psvr":  # the layers below are the same ones
                cells.append(cell(layer, axes, "messages_per_second", sample))
    return cells


def _flooded(network: Network, in_range: int) -> Cell:
    """Messages of flooded publications, counted by the event engine once nodes know their neighbours."""
    run = Run(load_scenario(_document(network, "flooding", SETTLED_S)), trace="none", drawn=False)
    run.advance(10.0)
    for v in range(PUBLICATIONS):
        run.command({"do": "publish", "node": str(v), "channel": "c"})
        run.advance(run.now + 2.0)
    sample = [float(p.messages) for p in run.publications]
    return cell("flooding", {"in_range": in_range, "subscribers": COUNTED_SUBSCRIBERS}, "messages", sample)


def _document(network: Network, protocol: str, until: float) -> dict[str, Any]:
    subscribers, _ = workload(NODES, COUNTED_SUBSCRIBERS, PUBLICATIONS, 0)
    return {
        "version": 1,
        "topology": {
            "kind": "explicit",
            "nodes": [{"id": v} for v in network.ids],
            "links": [[str(a), str(b)] for a, b in network.links],
        },
        "protocol": {"name": protocol},
        "events": [{"t": 0.0, "do": "subscribe", "node": str(v), "channel": "c"} for v in subscribers],
        "duration_s": until,
    }


def _taken(cells: list[Cell], metric: str = "messages") -> dict[tuple[str, int, int], Cell]:
    return {
        (c.series, int(c.axes["in_range"]), int(c.axes["subscribers"])): c
        for c in cells
        if c.metric == metric
    }


def structure_rate(cells: list[Cell], in_range: int) -> float:
    """Messages a second of all nodes in the layers below."""
    rates = _taken(cells, "messages_per_second")
    return sum(rates[layer, in_range, COUNTED_SUBSCRIBERS].mean for layer in LAYERS)


def _verdicts(cells: list[Cell]) -> list[Verdict]:
    at, rates = _taken(cells), _taken(cells, "messages_per_second")
    lines = {(name, r): [at[name, r, s] for s in SUBSCRIBERS] for name, r in product(WAYS, RANGES)}
    rising = all(a.mean < b.mean for line in lines.values() for a, b in pairwise(line))
    cheaper = all(at["PSVR", r, s].mean < at["RingPS", r, s].mean for r, s in product(RANGES, SUBSCRIBERS))
    dearest = max((c for c in at.values() if c.series == "RingPS"), key=lambda c: c.mean)
    ends = [
        f"{name}, {r} in range: {line[0].mean:.1f} ± {line[0].half:.1f} with {SUBSCRIBERS[0]}, "
        f"{line[-1].mean:.1f} ± {line[-1].half:.1f} with {SUBSCRIBERS[-1]}"
        for (name, r), line in lines.items()
        if r in (4, 20)
    ]
    flooded = {r: at["flooding", r, COUNTED_SUBSCRIBERS] for r in RANGES}
    densities = list(RANGES)
    denser = all(
        at[name, densities[-1], s].mean < at[name, densities[0], s].mean
        for name in WAYS
        for s in SUBSCRIBERS[:4]
    )
    even = {r: structure_rate(cells, r) / (NODES - at["PSVR", r, COUNTED_SUBSCRIBERS].mean) for r in RANGES}
    renewals = [f"{name} {rates[f'{name}, renewals', 20, COUNTED_SUBSCRIBERS].mean:.0f}" for name in WAYS]
    return [
        Verdict(
            "more subscribers, increased routing efforts, less gain",
            "slides, Comparison vs Flooding",
            f"messages a publication: {'; '.join(ends)}; flooding {NODES}",
            judged(rising),
            f"RingPS takes up to {dearest.mean:.0f}, more than flooding: its walk may be as long as the ring"
            if dearest.mean > NODES
            else "",
        ),
        Verdict(
            "with broadcast the number of messages is constant (not considering message loss)",
            "slides, Message overhead",
            "flooding takes " + ", ".join(f"{c.mean:g} ± {c.half:g} with {r} in range" for r, c in flooded.items()),
            judged(all((c.mean, c.sd) == (NODES, 0) for c in flooded.values())),
            "every node sends once, whoever subscribes",
        ),
        Verdict(
            "PSVR needs fewer messages than RingPS",
            "PSVR §4.2, Resolving drawbacks of [14]",
            "in every cell" if cheaper else "not in every cell",
            judged(cheaper),
            "a publication branches, and ends at the last subscriber",
        ),
        Verdict(
            "in denser networks shortcuts make paths shorter",
            "slides, Shorter Path; PSVR §5",
            f"up to 10 subscribers, {densities[-1]} in range against {densities[0]}: "
            + ("fewer messages in every cell" if denser else "not fewer in every cell"),
            judged(denser),
        ),
        Verdict(
            "rebuilding the routing structure more often than publications are sent increases overhead",
            "slides, Message overhead",
            "structure, messages a second: "
            + ", ".join(f"{r} in range {structure_rate(cells, r):.0f}" for r in RANGES)
            + "; PSVR with its structure costs less than flooding from "
            + ", ".join(f"{x:.1f}" for x in even.values())
            + f" publications a second on, with {COUNTED_SUBSCRIBERS} subscribers",
            judged(all(x > 1 for x in even.values())),
            f"agrees if one publication a second, about a structure's period, does not pay for it; {COUNTED_SUBSCRIBERS} "
            f"subscribers' renewals add, messages a second: {', '.join(renewals)}",
        ),
        Verdict(
            "with collisions and fading",
            "slides, Complete System Assessment",
            "nothing: the radio here is ideal",
            "not-tested",
        ),
    ]  # fmt: skip


def _draw(figure: Figure, cells: list[Cell]) -> None:
    left, right = figure.subplots(1, 2)
    at = _taken(cells)
    for r, colour in COLOURS.items():
        for name, dashes in (("PSVR", "-"), ("RingPS", "--")):
            line = [at[name, r, s] for s in SUBSCRIBERS]
            y = [c.mean for c in line]
            left.plot(
                SUBSCRIBERS,
                y,
                dashes,
                color=colour,
                marker="o",
                markersize=3.5,
                label=f"{name}, {r} in range",
            )
            left.fill_between(
                SUBSCRIBERS,
                [c.mean - c.half for c in line],
                [c.mean + c.half for c in line],
                color=colour,
                alpha=0.2,
            )
            rate, taken = structure_rate(cells, r), at[name, r, COUNTED_SUBSCRIBERS].mean
            right.plot(RATES, [taken + rate / x for x in RATES], dashes, color=colour)
    _finish(left, "without structure", "subscribers", SUBSCRIBERS)
    _finish(right, f"with structure, {COUNTED_SUBSCRIBERS} subscribers", "publications a second", RATES)
    left.set_ylabel("messages a publication", color=GREY)
    left.set_ylim(0)
    right.set_yscale("log")
    right.yaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    left.legend(frameon=False, fontsize=8, ncols=2, loc="upper left")
    quiet(right)


def _finish(axes: Axes, title: str, label: str, ticks: tuple[float, ...]) -> None:
    axes.axhline(NODES, color="#000000", linewidth=1.4)
    axes.annotate("flooding", (ticks[0], NODES), xytext=(0, 3), textcoords="offset points", fontsize=9)
    axes.set(xscale="log", xlabel=label)
    axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
    axes.set_title(title, loc="left", fontsize=11)
    quiet(axes)
