"""What the figures that need a radio have in common: networks by who hears whom, and many compiled runs on them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backend.figures import apart
from backend.figures.study import NORMAL_95, Cell, cell
from engine.batch import varied
from engine.world.network import Network, components
from engine.world.radio import heard_network
from engine.world.scenario import load_scenario
from engine.world.topology import build_network

THREADS = min(os.cpu_count() or 1, 8)
SETTLED = {
    "hello_s": 2.0,
    "hello_timeout_s": 20.0,
    "quality_in": 0.95,
    "quality_out": 0.2,
    "beacon_s": 2.0,
}
"""Parameters of the layers below, in all of these runs: links are used from good quality on, and not given up lightly."""

STUDENT_95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""Student's t for a 95 % interval, by degrees of freedom from 1."""

Run = Mapping[str, Any]


class Few(Cell):
    """The cell of a small sample."""

    @property
    def half(self) -> float:
        """Half the width of the confidence interval of the mean, by Student's t."""
        free = self.n - 1
        if free < 1:
            return math.nan
        t = STUDENT_95[free - 1] if free <= len(STUDENT_95) else NORMAL_95
        return t * self.sd / math.sqrt(self.n)


def few(
    series: str, axes: dict[str, float], metric: str, sample: Sequence[float], *, box: bool = False
) -> Cell:
    """The cell of a sample that may be small."""
    return Few(**vars(cell(series, axes, metric, sample, box=box)))


def heard(document: Mapping[str, Any]) -> Network:
    """The network of a document as its radio makes it."""
    scenario = load_scenario(dict(document))
    built = build_network(scenario.topology, scenario.seed, drawn=True)
    return heard_network(scenario.radio, scenario.seed, built)


def connected(network: Network, least: float = 0.0) -> bool:
    """Whether links of at least this quality (0…1) join all nodes."""
    assert network.quality is not None
    near: list[list[int]] = [[] for _ in network.ids]
    for (a, b), (there, back) in zip(network.links, network.quality, strict=True):
        if min(there, back) >= least:
            near[a].append(b)
            near[b].append(a)
    return len(components(network.n, near)) == 1


def connected_networks(document: Mapping[str, Any], count: int, least: float = 0.0) -> dict[int, Network]:
    """By seed: the first networks, from seed 0, that are connected by links of at least this quality."""
    found: dict[int, Network] = {}
    seed = 0
    while len(found) < count:
        network = heard(varied(document, {"seed": seed}))
        if connected(network, least):
            found[seed] = network
        seed += 1
    return found


def played(
    document: Mapping[str, Any], runs: Sequence[Run], told: Callable[[int], None] = lambda done: None
) -> dict[str, list[Any]]:
    """The columns of `run_batch`; also `ratio`, the share delivered of what was expected."""
    columns = apart.batch(document, runs, THREADS, told)
    for run, error in zip(runs, columns["error"], strict=True):
        if error is not None:
            raise AssertionError(f"{dict(run)}: {error}")
    if not all(columns["expected"]):
        raise AssertionError("a run in which nobody is expected to get a publication: it is too short")
    pairs = zip(columns["delivered"], columns["expected"], strict=True)
    columns["ratio"] = [delivered / expected for delivered, expected in pairs]
    return columns
