"""Many random networks in one call: the numbers behind PSVR Fig. 7, a row a network.

    rows = gains(n=100, mean_degree=8, subscribers=10, publications=10, seeds=range(1000))

The networks are those that a scenario with `{"kind": "gnp", …}` and the same seed builds, the root is its default root, and
the workload is drawn from the seed (`workload`), so any row can be opened as a run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from engine.compiled.cache import compiled, folder
from engine.compiled.machine import called, mix, unit
from engine.compiled.rows import reference
from engine.core.declare import NONE
from engine.core.errors import ScenarioError
from engine.core.rng import GOLD, Stream, stream_base, stream_key
from engine.kernels import routing
from engine.kernels.routing import Graph

by_reference: Any = reference  # in compiled code it takes one argument
PURPOSE = "workload"
COLUMNS = (
    "links",
    "psvr_all_links",
    "psvr_non_tree",
    "ringps",
    "tree_of_publisher",
    "tree_of_root",
    "duplicates",
    "missed",
)
ATTEMPTS = 100


def workload(n: int, subscribers: int, publications: int, seed: int) -> tuple[list[int], list[int]]:
    """Who subscribes (ascending, each once) and who publishes (no subscriber where there are others), by seed."""
    draw = Stream(seed, PURPOSE)
    order = list(range(n))
    for i in range(subscribers):
        j = i + draw.below(n - i)
        order[i], order[j] = order[j], order[i]
    others = n - subscribers
    publishers = [
        order[subscribers + draw.below(others)] if others else draw.below(n) for _ in range(publications)
    ]
    return sorted(order[:subscribers]), publishers


def gains(
    n: int, mean_degree: float, subscribers: int, publications: int, seeds: Sequence[int]
) -> dict[str, list[int]]:
    """Messages summed over the publications of each network, by way of delivery: `COLUMNS`, a row a seed.

    `duplicates` and `missed` are PSVR's, with both kinds of shortcuts, and should be zero. `links`: of the network. A way's
    gain over PSVR is 100·PSVR/way - 100 (PSVR §5). Raises ScenarioError when a network does not get connected.
    """
    if n < 2 or not 1 <= subscribers <= n or publications < 1:
        raise ScenarioError("subscribers", subscribers, f"1 to n = {n}, n at least 2", "no such study")
    found = np.zeros((len(seeds), len(COLUMNS)), np.int64)
    bases = np.array([stream_base(seed, "gnp") for seed in seeds], np.uint64)
    works = np.array([stream_key(seed, PURPOSE) for seed in seeds], np.uint64)
    p = min(1.0, mean_degree / (n - 1))
    pairs = n * (n - 1) / 2
    room = int(
        min(pairs, pairs * p + 12 * math.sqrt(pairs * p + 1) + 64)
    )  # links: twelve standard deviations above the mean
    graph = routing.blank(n, room)
    space = _space(n, room, publications)
    at = kernel()(n, p, subscribers, publications, bases, works, graph, space, found)
    if at >= 0:
        problem = f"no connected network in {ATTEMPTS} draws"
        raise ScenarioError(
            "mean_degree", mean_degree, f"a larger one, or another seed than {seeds[at]}", problem
        )
    return {name: column.tolist() for name, column in zip(COLUMNS, found.T, strict=True)}


@cache
def kernel() -> Any:
    """The compiled study; kept with the engine's own code."""
    return compiled(_gains, folder([]), _nrt=False)


# --- compiled


class Space(NamedTuple):
    """Scratch: an entry a node, unless said otherwise."""

    ends: Any  # a row a link
    people: Any
    publishers: Any  # one a publication
    subscribed: Any
    from_a: Any
    from_b: Any
    hops: Any
    reached: Any
    ahead: Any
    drawn: Any  # one number


def _space(n: int, links: int, publications: int) -> Space:
    whole = [np.zeros(size, np.int64) for size in (n, publications, n, n, n, n)]
    bits = [np.zeros(size, np.uint64) for size in (n, n, 1)]
    return Space(np.zeros((links, 2), np.int64), *whole, *bits)


class Draw(NamedTuple):
    """A stream in compiled code: its key, and in `drawn[0]` how many numbers have been taken."""

    key: Any
    drawn: Any


@called
def _word(draw: Draw) -> Any:
    draw.drawn[0] += np.uint64(1)
    return mix(draw.key + draw.drawn[0] * np.uint64(GOLD))


@called
def _below(draw: Draw, n: int) -> Any:
    """The upper half of word · n, for n below 2^32."""
    word, times, half = _word(draw), np.uint64(n), np.uint64(32)
    low = (word & np.uint64(0xFFFFFFFF)) * times
    return np.int64(((word >> half) * times + (low >> half)) >> half)


@called
def _draw_links(n: int, p: float, draw: Draw, ends: Any) -> int:
    """G(n, p) as `engine.world.generators` draws it: rows (smaller, larger) in `ends`; how many."""
    count, per_skip = 0, 0.0 if p >= 1.0 else 1.0 / math.log1p(-p)
    v, w = 1, -1
    while v < n:
        w += 1 if p >= 1.0 else 1 + int(math.log(1.0 - unit(_word(draw))) * per_skip)
        while w >= v and v < n:
            w -= v
            v += 1
        if v < n:
            if count == len(ends):
                return -1
            ends[count][0], ends[count][1] = w, v
            count += 1
    return count


@called
def _adjacency(g: Graph, ends: Any, count: int) -> None:
    """Links, drawn in order of (larger, smaller), as sorted rows of neighbours."""
    n, at = len(g.dist), g.spare
    for v in range(n + 1):
        g.offset[v] = 0
    for i in range(count):
        g.offset[ends[i][0] + 1] += 1
        g.offset[ends[i][1] + 1] += 1
    for v in range(n):
        g.offset[v + 1] += g.offset[v]
        at[v] = g.offset[v]
    for i in range(count):  # first the smaller neighbours of each node, which come in order
        v = ends[i][1]
        g.near[at[v]] = ends[i][0]
        at[v] += 1
    for i in range(count):  # then the larger ones, which do too
        v = ends[i][0]
        g.near[at[v]] = ends[i][1]
        at[v] += 1


@called
def _farthest_node(dist: Any) -> int:
    best = 0
    for v in range(len(dist)):
        if dist[v] > dist[best]:
            best = v
    return best


@called
def _centre(g: Graph, from_a: Any, from_b: Any, reached: Any, ahead: Any) -> Any:
    """`engine.world.network.central_node` of a connected network. The last step tries all candidates at once: bit c of
    `reached[v]` says that candidate c has reached v.
    """
    n = len(g.dist)
    routing.distances(g, 0, from_b)
    a = _farthest_node(from_b)
    routing.distances(g, a, from_a)
    b = _farthest_node(from_a)
    routing.distances(g, b, from_b)
    length, middle, count = from_a[b], g.order, 0
    for v in range(n):
        half = from_a[v] == length // 2 or from_a[v] == (length + 1) // 2
        if half and from_a[v] + from_b[v] == length:
            middle[count] = v
            count += 1
    step = max(1, (count + 31) // 32)
    for v in range(n):
        reached[v] = np.uint64(0)
    for c in range(0, count, step):
        reached[middle[c]] |= np.uint64(1) << np.uint64(c // step)
    while True:
        everywhere = ~np.uint64(0)
        for v in range(n):
            everywhere &= reached[v]
        if everywhere != np.uint64(0):
            c = 0
            while (everywhere >> np.uint64(c)) & np.uint64(1) == np.uint64(0):
                c += 1
            return middle[c * step]
        for v in range(n):
            bits = reached[v]
            for e in range(g.offset[v], g.offset[v + 1]):
                bits |= reached[g.near[e]]
            ahead[v] = bits
        for v in range(n):
            reached[v] = ahead[v]


def _gains(
    n: int,
    p: float,
    subscribers: int,
    publications: int,
    bases: Any,
    works: Any,
    graph: Graph,
    space: Space,
    found: Any,
) -> int:
    """Fill in a row of `found` for each of `bases`; the first network that does not get connected, or NONE."""
    g: Any = by_reference(graph)
    room: Any = by_reference(space)
    ends, people, publishers, drawn = room.ends, room.people, room.publishers, room.drawn
    from_a, from_b, hops, subscribed = room.from_a, room.from_b, room.hops, room.subscribed
    for row in range(len(bases)):
        connected = False
        for k in range(ATTEMPTS):
            drawn[0] = np.uint64(0)
            count = _draw_links(n, p, Draw(mix(bases[row] + np.uint64(k) * np.uint64(GOLD)), drawn), ends)
            if count >= n - 1:
                _adjacency(g, ends, count)
                connected = routing.distances(g, 0, from_a) == n
            if connected:
                break
        if not connected:
            return row
        drawn[0] = np.uint64(0)
        draw = Draw(works[row], drawn)
        for v in range(n):
            people[v], subscribed[v] = v, 0
        for i in range(subscribers):
            j = i + _below(draw, n - i)
            people[i], people[j] = people[j], people[i]
            subscribed[people[i]] = 1
        others = n - subscribers
        for i in range(publications):
            publishers[i] = people[subscribers + _below(draw, others)] if others > 0 else _below(draw, n)
        root = _centre(g, from_a, from_b, room.reached, room.ahead)
        routing.breadth_first(g, root)
        length = routing.ring(g, root)
        routing.next_subscribers(g, length, subscribed)
        sums = found[row]
        sums[0] = count
        for i in range(publications):
            v = publishers[i]
            for non_tree in range(2):
                messages, duplicates = routing.psvr(g, length, v, subscribed, non_tree == 1, hops)
                sums[1 + non_tree] += messages
                sums[6] += duplicates
                for w in range(n):
                    if subscribed[w] == 1 and w != v and hops[w] == NONE:
                        sums[7] += 1
            sums[3] += routing.ring_walk(g, length, v, False)
            sums[5] += routing.tree_of_root(g, v, subscribed)
        for i in range(publications):
            sums[4] += routing.tree_of_publisher(g, publishers[i], subscribed)
    return NONE
