"""PSVR Fig. 11: delivery ratio on positions of the FIT IoT-LAB in Grenoble, by number of nodes and over ten hours.

The event engine plays the complete stack on a log-distance radio (CC2420). A test draws its nodes from
all of the testbed's by its seed; after ten minutes of set-up there is a publication every 20 s, from every node in turn, to
a fifth of the nodes.
At full power almost everybody hears everybody, so power is reduced until networks are several hops deep; what other powers
give is measured too. Few nodes in the same building may be far apart, so draws are of two kinds: the first seeds whose
nodes are connected by any links, and those connected by links good enough to be used at once (`quality_in`).

In the long run the testbed's other users interfere at random times: loss bursts, the same ones for every size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean, median_low
from typing import Any, NamedTuple

from backend.figures.on_radio import SETTLED, THREADS, connected_networks, few, heard, played
from backend.figures.psvr_11_picture import draw, episodes_of, results
from backend.figures.study import Cell, Study, Verdict, judged, overlap
from engine.api import Run
from engine.batch import varied
from engine.core.rng import Stream
from engine.oracle.delivery import Publication
from engine.world.network import central_node, hops_from
from engine.world.scenario import load_scenario
from engine.world.workload import waiting

SETUP_S, EVERY_S, LATEST_S = 600.0, 20.0, 60.0
WINDOW_S = 600.0  # of the long run
AGAIN_S = 180.0  # after an episode, until the ratio is asked to be back
TX_DBM = -10.0
DRAWS = {"connected": 0.0, "well connected": SETTLED["quality_in"]}  # the links that must join all nodes


class Plan(NamedTuple):
    """How much is measured; times in virtual seconds."""

    tests: int
    test_s: float
    sizes: tuple[int, ...]
    long_sizes: tuple[int, ...]
    long_s: float
    calm_s: float  # mean time between episodes
    episode_s: float  # their mean length
    powers: tuple[float, ...]  # dBm, beside TX_DBM
    power_size: int
    power_tests: int


PLANS = {
    "quick": Plan(3, 1500.0, (10, 20, 30), (10, 20, 30), 6000.0, 1200.0, 600.0, (0.0, -15.0), 30, 2),
    "full": Plan(
        20,
        7200.0,
        (10, 20, 30, 40, 50),
        (10, 20, 50),
        36_000.0,
        4200.0,
        900.0,
        (0.0, -5.0, -15.0),
        50,
        5,
    ),
}


class Episode(NamedTuple):
    """Others use the channel: from `start` to `end` (s) this share of all frames is lost besides."""

    start: float
    end: float
    loss: float


def document(n: int, duration_s: float, tx_dbm: float = TX_DBM) -> dict[str, Any]:
    """A test without its seed."""
    return {
        "version": 1,
        "topology": {"kind": "builtin", "name": "iotlab-grenoble", "range_m": 40.0, "n": n},
        "radio": {"kind": "log-distance", "tx_dbm": tx_dbm},
        "protocol": {"name": "psvr", "params": SETTLED},
        "workload": {
            "publishers": {"share": 1.0},
            "subscribers": {"share": 0.2},
            "publications": "periodic",
            "rate_per_s": 1.0 / (EVERY_S * n),
            "start_s": SETUP_S,
            "end_s": duration_s - LATEST_S,
        },
        "duration_s": duration_s,
    }


def episodes(plan: Plan) -> list[Episode]:
    """When others interfere, and how much: between calm times, for half the mean length and an exponential rest."""
    found: list[Episode] = []
    stream, t = Stream(1, "interference"), SETUP_S
    while True:
        start = round(t + plan.calm_s / 2 + waiting(stream, plan.calm_s / 2))
        t = round(start + plan.episode_s / 2 + waiting(stream, plan.episode_s / 2))
        if t + AGAIN_S + WINDOW_S > plan.long_s - LATEST_S:
            return found
        found.append(Episode(float(start), float(t), round(0.3 + 0.5 * stream.uniform(), 2)))


def study(scale: str, told: Callable[[float], None]) -> Study:
    """Measure every cell. `quick` takes under a minute on two cores once the code is compiled."""
    plan, cells = PLANS[scale], []
    representative: dict[int, int] = {}
    for k, n in enumerate(plan.sizes):
        base = document(n, plan.test_s)
        draws = {name: list(connected_networks(base, plan.tests, least)) for name, least in DRAWS.items()}
        seeds = sorted({seed for chosen in draws.values() for seed in chosen})

        def part(done: int, k: int = k, of: int = len(seeds)) -> None:
            told(0.5 * (k + done / of) / len(plan.sizes))

        found = played(base, [{"seed": seed} for seed in seeds], part)
        ratio = dict(zip(seeds, found["ratio"], strict=True))
        for name, chosen in draws.items():
            cells += [
                few(name, {"nodes": n, "tx_dbm": TX_DBM}, "ratio", [ratio[s] for s in chosen], box=True)
            ]
        middle = median_low([ratio[s] for s in draws["connected"]])
        representative[n] = next(s for s in draws["connected"] if ratio[s] == middle)
        if n == plan.power_size:
            chosen = draws["connected"][: plan.power_tests]
            cells += _power(n, TX_DBM, chosen, plan, [ratio[s] for s in chosen])
            for power in plan.powers:  # the same nodes; who cannot be reached is not expected
                again = played(document(n, plan.test_s, power), [{"seed": s} for s in chosen])
                cells += _power(n, power, chosen, plan, again["ratio"])
    told(0.7)
    return _with_long_runs(plan, cells, representative)


def _power(n: int, tx_dbm: float, seeds: Sequence[int], plan: Plan, ratios: list[float]) -> list[Cell]:
    """Delivery at this power, and how deep the networks are: hops from a central node to the farthest it can reach."""
    axes: dict[str, float] = {"nodes": n, "tx_dbm": tx_dbm}
    base = document(n, plan.test_s, tx_dbm)
    networks = [heard(varied(base, {"seed": seed})) for seed in seeds]
    depths = [max(hops_from(central_node(net), net.adjacency).values()) for net in networks]
    return [few("by power", axes, "ratio", ratios), few("by power", axes, "depth", depths)]


def _with_long_runs(plan: Plan, cells: list[Cell], representative: dict[int, int]) -> Study:
    episodic = episodes(plan)
    for e in episodic:
        axes = {"t_s": e.start, "t_end_s": e.end}
        cells.append(few("interference", axes, "loss", [e.loss]))
    with ThreadPoolExecutor(THREADS) as pool:
        order = sorted(plan.long_sizes, reverse=True)  # the longest first
        played_out = list(pool.map(lambda n: long_run(n, representative[n], plan), order))
    runs = dict(zip(order, played_out, strict=True))
    changes: dict[str, list[float]] = {"during - before": [], "after - before": [], "after - during": []}
    for n in plan.long_sizes:
        series, publications = f"{n} nodes, long run", runs[n]
        for k in range(int(plan.long_s // WINDOW_S)):
            sample = shares(publications, k * WINDOW_S, (k + 1) * WINDOW_S)
            if sample:
                axes = {"nodes": n, "tx_dbm": TX_DBM, "t_s": k * WINDOW_S, "t_end_s": (k + 1) * WINDOW_S}
                cells.append(few(series, axes, "ratio", sample))
        for e in episodic:
            before = fmean(shares(publications, e.start - WINDOW_S, e.start))
            during = fmean(shares(publications, e.start, e.end))
            after = fmean(shares(publications, e.end + AGAIN_S, e.end + AGAIN_S + WINDOW_S))
            changes["during - before"].append(during - before)
            changes["after - before"].append(after - before)
            changes["after - during"].append(after - during)
    cells += [few(f"episodes, {name}", {}, "change", sample) for name, sample in changes.items()]
    return Study(cells, _verdicts(cells), draw, (11.0, 4.4))


def long_run(n: int, seed: int, plan: Plan) -> list[Publication]:
    """The publications of one long run with its episodes."""
    bursts = [
        {"t": e.start, "do": "loss-burst", "loss": e.loss, "duration_s": e.end - e.start}
        for e in episodes(plan)
    ]
    given = varied(document(n, plan.long_s), {"seed": seed, "events": bursts})
    run = Run(load_scenario(given), trace="none", engine="compiled", drawn=False)
    run.advance(plan.long_s)
    return run.publications


def shares(publications: Sequence[Publication], start: float, end: float) -> list[float]:
    """Of every publication sent in this time: the share of those who should get it that did."""
    return [
        len(p.expected & p.delivered.keys()) / len(p.expected)
        for p in publications
        if start <= p.t < end and p.expected
    ]


def _told(cells: Sequence[Cell]) -> str:
    return ", ".join(f"{c.mean:.2f} ± {c.half:.2f} ({c.axes['nodes']:g})" for c in cells)


def _verdicts(cells: list[Cell]) -> list[Verdict]:
    powers = sorted((c for c in cells if c.series == "by power"), key=lambda c: -c.axes["tx_dbm"])
    told = [
        f"{a.axes['tx_dbm']:g} dBm {a.mean:.2f} ± {a.half:.2f} at depth {b.mean:.1f}"
        for a, b in zip(powers[::2], powers[1::2], strict=True)
    ]
    how = (
        f"at {TX_DBM:g} dBm, chosen because not everybody hears everybody then and draws of all sizes can be connected. "
        f"With {powers[0].axes['nodes']:g} nodes the ratio depends on power: {', '.join(told)} (depth: hops from a central "
        "node to the farthest). The testbed's power is not told"
    )
    verdicts = []
    for name in DRAWS:
        found = results(cells, name)
        average = fmean(c.mean for c in found)
        measured = f"ratio (nodes): {_told(found)}"
        verdicts += [
            Verdict(
                f"on average the delivery ratio stays between 80 % and 90 % ({name} nodes)",
                "PSVR §5.1, Fig. 11",
                f"{average:.2f} on average; {measured}",
                judged(0.8 <= average <= 0.9),
                how,
            ),
            Verdict(
                f"an increasing number of nodes is more demanding: less is delivered ({name} nodes)",
                "PSVR §5.1, Fig. 11 (left)",
                measured,
                judged(found[0].mean > found[-1].mean and not overlap(found[0], found[-1])),
                "agrees if the most nodes deliver less than the fewest, beyond the intervals. All are drawn from one "
                "building: few are far apart and may hang on single weak links, unless good ones join them",
            ),
        ]
    change = {c.series.removeprefix("episodes, "): c for c in cells if c.metric == "change"}
    drop, back, left = (change[k] for k in ("during - before", "after - during", "after - before"))
    return [
        *verdicts,
        Verdict(
            "when an error occurs the delivery ratio decreases, and in error-free phases it recovers",
            "PSVR §5.1, Fig. 11 (right)",
            f"over {drop.n} episodes: {drop.mean:+.2f} ± {drop.half:.2f} during one, then {back.mean:+.2f} ± "
            f"{back.half:.2f}; {left.mean:+.2f} ± {left.half:.2f} from before to after",
            judged(drop.mean + drop.half < 0 < back.mean - back.half),
            f"{len(episodes_of(cells))} episodes in every run; after: from {AGAIN_S:g} s after its end on, for "
            f"{WINDOW_S:g} s",
        ),
    ]
