"""PSVR Fig. 8: delivery ratio by density, PSVR beside Shen's approach, on a log-distance radio (CC2420).

The event engine plays the complete stack. Network k of a density is the same in every series, with the same tree layer,
subscribers and publications, so series are compared network by network. Density is changed by the side of the square. The
networks are the first ones, by seed, that are connected. The paper's radio has slow fading too, but how much it does not
tell: here a radio without and one with 3 dB. A line with a later T_wb (`forget_s`), nothing else changed, tells how much is
lost because subscriptions are forgotten after two or three lost renewals.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from backend.figures.on_radio import SETTLED, connected_networks, few, played
from backend.figures.study import Cell, Study, Verdict, judged
from backend.plots import GREY, quiet
from engine.batch import varied
from engine.world.network import central_node, hops_from

NODES = 60
LATEST_S = 10.0  # before the end no publication is sent any more
NEARLY = 0.05  # a difference in the ratio that still counts as "close to identical"


class Plan(NamedTuple):
    """How much is measured: sides of the square (m), networks of each, and when publications begin and runs end (s)."""

    sides: tuple[float, ...]
    networks: int
    start_s: float
    end_s: float


PLANS = {
    "quick": Plan((200.0, 155.0, 120.0), 2, 180.0, 260.0),
    "full": Plan((200.0, 165.0, 140.0, 120.0, 100.0), 20, 300.0, 600.0),
}
SHEN = {"protocol.name": "shen"}
FADING = {"radio.fading_db": 3.0}
PATIENT = {"protocol.params": SETTLED | {"forget_s": 60.0}}  # by default 25 s, of renewals every 10 s
SERIES: dict[str, dict[str, Any]] = {
    "PSVR": {},
    "Shen": SHEN,
    "PSVR, forgetting after 60 s": PATIENT,
    "PSVR, slow fading": FADING,
    "Shen, slow fading": SHEN | FADING,
}
LAYERS = ("tree", "ring", "pubsub")  # whose wrong variables at the end of a run are told
PAIRS = {"without fading": ("PSVR", "Shen"), "slow fading": ("PSVR, slow fading", "Shen, slow fading")}
LOOKS = {
    "PSVR": ("#0072B2", "-"),
    "Shen": ("#D55E00", "-"),
    "PSVR, forgetting after 60 s": ("#56B4E9", ":"),
    "PSVR, slow fading": ("#0072B2", "--"),
    "Shen, slow fading": ("#D55E00", "--"),
}


def document(plan: Plan) -> dict[str, Any]:
    """A run of the first series: every node publishes in turn, about one a second in all, to a tenth of the nodes."""
    return {
        "version": 1,
        "topology": {
            "kind": "geometric",
            "n": NODES,
            "range_m": 40.0,  # for the drawing: links follow from the radio
            "side_m": plan.sides[0],
            "allow_disconnected": True,
        },
        "radio": {"kind": "log-distance"},
        "protocol": {"name": "psvr", "params": SETTLED},
        "workload": {
            "publishers": {"share": 1.0},
            "subscribers": {"share": 0.1},
            "publications": "periodic",
            "rate_per_s": 1.0 / NODES,
            "start_s": plan.start_s,
            "end_s": plan.end_s - LATEST_S,
        },
        "duration_s": plan.end_s,
    }


def study(scale: str, told: Callable[[float], None]) -> Study:
    """Measure every cell. `quick` takes under a minute on two cores once the code is compiled."""
    plan = PLANS[scale]
    base, cells = document(plan), []
    total, done = len(plan.sides) * len(SERIES), 0
    for side in plan.sides:
        there = varied(base, {"topology.side_m": side})
        found_networks = connected_networks(there, plan.networks)
        seeds, networks = list(found_networks), list(found_networks.values())
        degrees = [2 * len(network.links) / NODES for network in networks]
        depths = [max(hops_from(central_node(net), net.adjacency).values()) for net in networks]
        axes = {"side_m": side, "degree": fmean(degrees)}
        cells += [few("network", axes, "degree", degrees), few("network", axes, "tree_depth", depths)]
        ratios: dict[str, list[float]] = {}
        for name, given in SERIES.items():
            found = played(there, [given | {"seed": seed} for seed in seeds])
            done += 1
            told(done / total)
            ratios[name] = found["ratio"]
            sent = zip(found["transmissions"], found["publications"], strict=True)
            cells.append(few(name, axes, "ratio", found["ratio"]))
            cells.append(few(name, axes, "messages", [a / b for a, b in sent]))
            for layer in LAYERS:
                if f"wrong.{layer}" in found:
                    cells.append(few(name, axes, f"wrong_{layer}", found[f"wrong.{layer}"]))
        for name, (ours, theirs) in PAIRS.items():
            both = zip(ratios[ours], ratios[theirs], strict=True)
            cells.append(few(f"PSVR - Shen, {name}", axes, "difference", [a - b for a, b in both]))
    return Study(cells, _verdicts(cells), _draw, (7.5, 4.6))


def line(cells: list[Cell], series: str, metric: str) -> list[Cell]:
    """A series from the sparsest network to the densest."""
    found = [c for c in cells if (c.series, c.metric) == (series, metric)]
    return sorted(found, key=lambda c: c.axes["degree"])


def _told(cells: list[Cell]) -> str:
    return ", ".join(f"{c.mean:.2f} ± {c.half:.2f}" for c in cells)


def _wrong(cells: list[Cell], series: str) -> str:
    found = {layer: line(cells, series, f"wrong_{layer}") for layer in LAYERS}
    return ", ".join(f"{layer} {fmean(c.mean for c in row):.1f}" for layer, row in found.items() if row)


def _verdicts(cells: list[Cell]) -> list[Verdict]:
    depth, degree = line(cells, "network", "tree_depth"), line(cells, "network", "degree")
    places = "at degree " + ", ".join(f"{c.mean:.0f}" for c in degree)
    verdicts: list[Verdict] = []
    for name, (ours, theirs) in PAIRS.items():
        apart = line(cells, f"PSVR - Shen, {name}", "difference")
        verdicts.append(
            Verdict(
                f"the throughput of both approaches is close to identical ({name})",
                "PSVR §5, Fig. 8",
                f"delivery ratio {places}: PSVR {_told(line(cells, ours, 'ratio'))}; Shen "
                f"{_told(line(cells, theirs, 'ratio'))}; PSVR less Shen, network by network: {_told(apart)}",
                judged(all(abs(c.mean) <= NEARLY for c in apart)),
                f"agrees if the mean difference is at most {NEARLY:g} at every density. Variables wrong when a run "
                f"ends, on average: PSVR {_wrong(cells, ours)}; Shen {_wrong(cells, theirs)}",
            )
        )
    patient = line(cells, "PSVR, forgetting after 60 s", "ratio")
    base, tree = line(cells, "PSVR", "ratio"), line(cells, "Shen", "ratio")
    gained = fmean(a.mean - b.mean for a, b in zip(patient, base, strict=True))
    gap = fmean(a.mean - b.mean for a, b in zip(tree, base, strict=True))
    sent, on_tree = line(cells, "PSVR", "messages"), line(cells, "Shen", "messages")
    fewer = [a.mean < b.mean for a, b in zip(sent, on_tree, strict=True)]
    return [
        *verdicts,
        Verdict(
            "shorter routes compensate the handicap of maintaining the ring",
            "PSVR §5",
            f"messages a publication {places}: PSVR {_told(sent)}; Shen {_told(on_tree)}",
            judged(all(fewer) and gap <= NEARLY),
            f"agrees if it takes fewer messages at every density and the ratio is at most {NEARLY:g} lower; but a "
            f"publication that gets lost takes fewer messages too. On average the ratio is {gap:.2f} lower. Forgetting "
            f"subscriptions after 60 s instead of 25 s, nothing else changed, changes PSVR's ratio by {gained:+.2f}: "
            "so much is lost because entries are forgotten between renewals. The rest is not accounted for",
        ),
        Verdict(
            "publications go over several hops",
            "needed for the comparison to say something",
            f"depth of the tree {places}: {_told(depth)}",
            judged(all(c.mean > 1.5 for c in depth)),
            "from a central node; it is about half of the longest way",
        ),
    ]


def _draw(figure: Figure, cells: list[Cell]) -> None:
    axes = figure.subplots()
    for k, (name, (colour, dashes)) in enumerate(LOOKS.items()):
        found = line(cells, name, "ratio")
        axes.errorbar(
            [c.axes["degree"] + 0.15 * (k - 2) for c in found],  # beside each other
            [100 * c.mean for c in found],
            [100 * c.half for c in found],
            color=colour,
            linestyle=dashes,
            marker="o",
            markersize=4,
            capsize=2,
            elinewidth=0.8,
            label=name,
        )
    axes.set(xlabel=f"mean number of neighbours ({NODES} nodes)", ylim=(0, 104))
    axes.set_ylabel("publications delivered (%)", color=GREY)
    quiet(axes)
    axes.legend(frameon=False, fontsize=9, loc="best")
