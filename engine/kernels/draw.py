"""Random networks and workloads in compiled code: the same numbers as the interpreted generators draw."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from engine.compiled.machine import called, mix, unit
from engine.core.declare import NONE
from engine.core.rng import GOLD
from engine.kernels.bits import NO_BITS, count, has, lowest, put
from engine.kernels.structure import Graph, search

CANDIDATES = 32


class Draw(NamedTuple):
    """A stream: its key, and in `drawn[0]` how many numbers have been taken."""

    key: Any
    drawn: Any


@called
def word(draw: Draw) -> Any:
    """64 random bits."""
    draw.drawn[0] += np.uint64(1)
    return mix(draw.key + draw.drawn[0] * np.uint64(GOLD))


@called
def below(draw: Draw, n: int) -> Any:
    """The upper half of word · n, for n below 2^32."""
    drawn, times, half = word(draw), np.uint64(n), np.uint64(32)
    low = (drawn & np.uint64(0xFFFFFFFF)) * times
    return np.int64(((drawn >> half) * times + (low >> half)) >> half)


@called
def gnp(g: Graph, p: float, draw: Draw) -> int:
    """G(n, p) as `engine.world.generators` draws it; how many links."""
    near, n, links = g.near, len(g.near), 0
    for v in range(n):
        for k in range(len(g.seen)):
            near[v][k] = NO_BITS
    per_skip = 0.0 if p >= 1.0 else 1.0 / math.log1p(-p)
    v, w = 1, -1
    while v < n:
        w += 1 if p >= 1.0 else 1 + int(math.log(1.0 - unit(word(draw))) * per_skip)
        while w >= v and v < n:
            w -= v
            v += 1
        if v < n:
            put(near[v], w)
            put(near[w], v)
            links += 1
    return links


@called
def workload(g: Graph, draw: Draw) -> None:
    """Who subscribes, and who publishes: as `engine.kernels.studies.workload`, but subscribers as they are drawn."""
    n, people, many = len(g.near), g.people, len(g.subscribers)
    for v in range(n):
        people[v], g.subscribed[v] = v, 0
    for i in range(many):
        j = i + below(draw, n - i)
        people[i], people[j] = people[j], people[i]
        g.subscribers[i] = people[i]
        g.subscribed[people[i]] = 1
    for i in range(len(g.publishers)):
        g.publishers[i] = people[many + below(draw, n - many)] if many < n else below(draw, n)


@called
def centre(g: Graph) -> int:
    """`engine.world.network.central_node` of a connected network."""
    length = search(g, 0, g.from_b)
    a = _first(g.from_b[length])
    length = search(g, a, g.from_a)
    search(g, _first(g.from_a[length]), g.from_b)
    middle, halves = g.level[0], (length // 2, (length + 1) // 2)
    many = 0
    for k in range(len(middle)):
        middle[k] = NO_BITS
        for half in halves:
            middle[k] |= g.from_a[half][k] & g.from_b[length - half][k]
        many += count(middle[k])
    step, i = (many + CANDIDATES - 1) // CANDIDATES, 0
    best, reach = NONE, len(g.near)
    for v in range(len(g.near)):
        if has(middle, v):
            if i % step == 0 and reach > halves[1]:  # none reaches all in fewer hops than that
                farthest = search(g, v, g.from_a)
                if farthest < reach:
                    best, reach = v, farthest
            i += 1
    return best


@called
def _first(row: Any) -> int:
    k = 0
    while row[k] == NO_BITS:
        k += 1
    return 64 * k + lowest(row[k])
