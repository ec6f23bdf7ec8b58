"""Pieces of the papers' figures that can be worked out anywhere: functions of plain data, by name.

A figure asks for many at a time; who plays them (this process, or Spark's workers) makes no difference to what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.batch import run_batch
from engine.core.rng import Stream
from engine.kernels.studies import gains, messages
from engine.world.generators import geometric
from engine.world.topologies import Geometric

Hops = dict[str, list[int]]
"""By way of delivery: messages, or hops to the one subscriber, from every publisher."""


def batch(document: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The columns of `run_batch` on the compiled engine."""
    return run_batch(document, runs, engine="compiled")


def geometric_routes(
    nodes: int, mean_degree: float, seed: int, subscribers: int, ways: Sequence[str]
) -> Hops:
    """Routes on a random geometric network, see `routes_on`."""
    network = geometric(Geometric(kind="geometric", n=nodes, mean_degree=mean_degree), seed)
    return routes_on(nodes, network.links, seed, subscribers, ways)


def routes_on(
    nodes: int, links: Sequence[tuple[int, int]], seed: int, subscribers: int, ways: Sequence[str]
) -> Hops:
    """Messages from every node that does not subscribe (from every node, if all do), at a random root, by way of delivery.

    Raises: AssertionError for duplicates or misses, which a legitimate network has none of.
    """
    draw = Stream(seed, "routes")
    root = draw.below(nodes)
    order = sorted(range(nodes), key=lambda v: draw.word())
    others = order[subscribers:] or order
    found = messages(nodes, links, root, order[:subscribers], others, ways)
    if any(found["duplicates"]) or any(found["missed"]):
        raise AssertionError(f"{len(links)} links, seed {seed}: duplicates or misses on a legitimate network")
    return {way: found[way] for way in ways}


UNITS: dict[str, Callable[..., Any]] = {
    "batch": batch,
    "gains": lambda n, degree, s, publications, seeds, ways: gains(
        n, degree, s, publications, range(*seeds), ways
    ),
    "geometric_routes": geometric_routes,
    "routes_on": routes_on,
}
