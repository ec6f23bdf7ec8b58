"""Messages of publications on legitimate networks, many in one call: the numbers behind PSVR Fig. 7, 9 and 10.

    rows = gains(n=100, mean_degree=8, subscribers=10, publications=10, seeds=range(1000))
    costs = messages(network.n, network.links, root, subscribers=[3, 14], publishers=range(network.n))

The networks of `gains` are those that a scenario with `{"kind": "gnp", …}` and the same seed builds, the root is its
default root, and the workload is drawn from the seed (`workload`), so any row can be opened as a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from engine.compiled.cache import compiled, folder
from engine.compiled.machine import called, mix
from engine.compiled.rows import reference
from engine.core.declare import NONE
from engine.core.errors import ScenarioError
from engine.core.rng import GOLD, Stream, stream_base, stream_key
from engine.kernels import draw, routing, structure
from engine.kernels.bits import NO_BITS, put
from engine.kernels.draw import Draw
from engine.kernels.structure import Graph

by_reference: Any = reference  # in compiled code it takes one argument
PURPOSE = "workload"
WAYS = ("psvr_all_links", "psvr_non_tree", "ringps", "tree_of_publisher", "tree_of_root")
COLUMNS = (*WAYS, "hops_all_links", "hops_non_tree", "duplicates", "missed")
ATTEMPTS = 100

Columns = dict[str, list[int]]


def workload(n: int, subscribers: int, publications: int, seed: int) -> tuple[list[int], list[int]]:
    """Who subscribes (ascending, each once) and who publishes (no subscriber where there are others), by seed."""
    stream = Stream(seed, PURPOSE)
    order = list(range(n))
    for i in range(subscribers):
        j = i + stream.below(n - i)
        order[i], order[j] = order[j], order[i]
    others = n - subscribers
    publishers = [
        order[subscribers + stream.below(others)] if others else stream.below(n) for _ in range(publications)
    ]
    return sorted(order[:subscribers]), publishers


def gains(
    n: int,
    mean_degree: float,
    subscribers: int,
    publications: int,
    seeds: Sequence[int],
    ways: Sequence[str] = WAYS,
) -> Columns:
    """Messages by way of delivery, summed over the publications of one G(n, p) for each seed; a row a seed.

    Columns: `ways` (of `WAYS`); for each PSVR among them its `hops_…`, summed over first deliveries; `duplicates` and
    `missed`, which are PSVR's and should be zero; `links` of the network. A way's gain over PSVR is 100·PSVR/way - 100
    (PSVR §5). Raises ScenarioError when a network does not get connected. Memory and time grow with n²/64.
    """
    if n < 2 or not 1 <= subscribers <= n or publications < 1:
        raise ScenarioError("subscribers", subscribers, f"1 to n = {n}, n at least 2", "no such study")
    found = np.zeros((len(seeds), len(COLUMNS)), np.int64)
    links = np.zeros(len(seeds), np.int64)
    bases = np.array([stream_base(seed, "gnp") for seed in seeds], np.uint64)
    works = np.array([stream_key(seed, PURPOSE) for seed in seeds], np.uint64)
    p = min(1.0, mean_degree / (n - 1))
    graph = structure.blank(n, subscribers, publications)
    at = kernel(_gains)(p, bases, works, _mask(ways), graph, links, found)
    if at >= 0:
        problem = f"no connected network in {ATTEMPTS} draws"
        raise ScenarioError(
            "mean_degree", mean_degree, f"a larger one, or another seed than {seeds[at]}", problem
        )
    return {"links": links.tolist(), **_columns(ways, found)}


def messages(
    n: int,
    links: Sequence[tuple[int, int]],
    root: int,
    subscribers: Sequence[int],
    publishers: Sequence[int],
    ways: Sequence[str] = WAYS,
) -> Columns:
    """The same columns without `links` for a given connected network, tree root and workload; a row a publication.

    With one subscriber, a way's messages are the hops of its route. Raises ScenarioError when it is not connected.
    """
    if n < 2 or not subscribers:
        raise ScenarioError(
            "subscribers", len(subscribers), "at least one, of two nodes or more", "no such study"
        )
    graph = structure.blank(n, len(subscribers), len(publishers))
    graph.subscribers[:] = subscribers
    graph.subscribed[list(subscribers)] = 1
    graph.publishers[:] = publishers
    found = np.zeros((len(publishers), len(COLUMNS)), np.int64)
    ends = np.array(links, np.int64).reshape(-1, 2)
    if not kernel(_messages)(ends, root, _mask(ways), graph, found):
        raise ScenarioError("links", len(links), "a connected network", "some nodes cannot be reached")
    return _columns(ways, found)


@cache
def kernel(function: Any) -> Any:
    """A compiled study; kept with the engine's own code."""
    return compiled(function, folder([]), _nrt=False)


def _mask(ways: Sequence[str]) -> int:
    for way in ways:
        if way not in WAYS:
            raise ScenarioError("ways", way, ", ".join(WAYS), "no such way of delivery")
    return sum(1 << WAYS.index(way) for way in set(ways))


def _columns(ways: Sequence[str], found: Any) -> Columns:
    asked = {*ways, *(f"hops_{way.removeprefix('psvr_')}" for way in ways), "duplicates", "missed"}
    return {name: column.tolist() for name, column in zip(COLUMNS, found.T, strict=True) if name in asked}


# --- compiled

(ALL_LINKS, NON_TREE, RINGPS, OF_PUBLISHER, OF_ROOT, HOPS, _, DUPLICATES, MISSED) = range(9)  # as COLUMNS


def _gains(p: float, bases: Any, works: Any, mask: int, graph: Graph, links: Any, found: Any) -> int:
    """Fill in `links` and a row of `found` for each of `bases`; the first network that is not connected, or NONE."""
    g: Any = by_reference(graph)
    for row in range(len(bases)):
        connected = False
        for k in range(ATTEMPTS):
            g.drawn[0] = NO_BITS
            links[row] = draw.gnp(g, p, Draw(mix(bases[row] + np.uint64(k) * np.uint64(GOLD)), g.drawn))
            connected = links[row] >= len(g.near) - 1 and structure.search(g, 0, g.level) != NONE
            if connected:
                break
        if not connected:
            return row
        g.drawn[0] = NO_BITS
        draw.workload(g, Draw(works[row], g.drawn))
        _publications(g, draw.centre(g), mask, found[row : row + 1])
    return NONE


def _messages(ends: Any, root: int, mask: int, graph: Graph, found: Any) -> bool:
    """Fill in a row of `found` for each publication; whether the network is connected."""
    g: Any = by_reference(graph)
    for i in range(len(ends)):
        put(g.near[ends[i][0]], ends[i][1])
        put(g.near[ends[i][1]], ends[i][0])
    if structure.search(g, root, g.level) == NONE:
        return False
    _publications(g, root, mask, found)
    return True


@called
def _publications(g: Any, root: int, mask: int, found: Any) -> None:
    """Add what each publication takes to a row of `found`, in turn."""
    depth = structure.search(g, root, g.level)
    length = structure.ring(g, root, depth)
    structure.next_subscribers(g, length)
    if mask & (1 << ALL_LINKS | 1 << RINGPS):
        structure.shortcuts(g, length, g.jumps, False)
    if mask & 1 << NON_TREE:
        structure.shortcuts(g, length, g.leaps, True)
    for i in range(len(g.publishers)):
        v, row = g.publishers[i], found[i % len(found)]
        if mask & 1 << ALL_LINKS:
            _publish(g, length, v, g.jumps, row, ALL_LINKS)
        if mask & 1 << NON_TREE:
            _publish(g, length, v, g.leaps, row, NON_TREE)
        if mask & 1 << RINGPS:
            row[RINGPS] += routing.ring_walk(g, length, v)
        if mask & 1 << OF_ROOT:
            row[OF_ROOT] += routing.pruned(g, g.level, depth, v)
        if mask & 1 << OF_PUBLISHER:
            row[OF_PUBLISHER] += routing.pruned(g, g.from_a, structure.search(g, v, g.from_a), v)


@called
def _publish(g: Any, length: int, publisher: int, rows: Any, row: Any, way: int) -> None:
    sent, again = routing.psvr(g, length, publisher, rows)
    row[way] += sent
    row[DUPLICATES] += again
    for i in range(len(g.subscribers)):
        v = g.subscribers[i]
        if g.hops[v] != NONE:
            row[HOPS + way] += g.hops[v]
        elif v != publisher:
            row[MISSED] += 1
