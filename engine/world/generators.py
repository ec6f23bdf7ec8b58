"""The regular and the random networks: links first, then where the nodes are drawn.

Random ones draw from streams of the scenario seed, so a seed means the same network on every machine. Node
ids are "0" … "n-1"; zones name theirs by place.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from engine.core.errors import ScenarioError
from engine.core.rng import Stream
from engine.world import shapes
from engine.world.layout import place
from engine.world.limits import MAX_LINKS
from engine.world.network import Network, Pairs, linked_within, sorted_links
from engine.world.topologies import Geometric, Gnp, Grid, Line, Ring, Star, Zones

ATTEMPTS = 100
"""How many times a random network is drawn again until it is connected."""


def line(topology: Line, seed: int) -> Network:
    """n nodes in a row."""
    n = topology.n
    return _numbered(tuple((i, i + 1) for i in range(n - 1)), shapes.row(n))


def ring(topology: Ring, seed: int) -> Network:
    """n nodes in a circle."""
    n = topology.n
    return _numbered(sorted_links((i, (i + 1) % n) for i in range(n)), shapes.circle(n))


def star(topology: Star, seed: int) -> Network:
    """Node 0 in the middle, all others linked to it."""
    n = topology.n
    return _numbered(tuple((0, i) for i in range(1, n)), shapes.around(n - 1))


def grid(topology: Grid, seed: int) -> Network:
    """Rows and columns; for a bare n as square as possible, the last row perhaps shorter."""
    if topology.n is not None:
        n, cols = topology.n, math.isqrt(topology.n - 1) + 1
    else:
        assert topology.rows is not None
        assert topology.cols is not None
        n, cols = topology.rows * topology.cols, topology.cols
    right = [(i, i + 1) for i in range(n - 1) if (i + 1) % cols]
    down = [(i, i + cols) for i in range(n - cols)]
    return _numbered(sorted_links(right + down), shapes.lattice(n, cols))


def zones(topology: Zones, seed: int) -> Network:
    """Routers r0-0 (column, row) … in rows, then clients c0 …, each in a zone drawn uniformly."""
    side, clients = topology.Z, topology.clients
    routers = side * side
    draw = Stream(seed, "zones")
    homes = [draw.below(routers) for _ in range(clients)]
    links = [(i, i + 1) for i in range(routers) if (i + 1) % side]
    links += [(i, i + side) for i in range(routers - side)]
    links += [(home, routers + k) for k, home in enumerate(homes)]
    ids = [f"r{i % side}-{i // side}" for i in range(routers)] + [f"c{k}" for k in range(clients)]
    x, y = shapes.zones(side, homes)
    return Network(tuple(ids), tuple(ids), x, y, sorted_links(links))


def gnp(topology: Gnp, seed: int, *, drawn: bool = True) -> Network:
    """Every pair linked with probability mean_degree / (n - 1); not `drawn`: all nodes at one place."""
    n = topology.n
    p = min(1.0, topology.mean_degree / max(n - 1, 1))

    def attempt(k: int) -> Pairs:
        return _random_pairs(n, p, Stream(seed, "gnp", k))

    links = _connected(attempt, n, topology.allow_disconnected, "topology.mean_degree", topology.mean_degree)
    return _numbered(links, place(n, links) if drawn else ((0.0,) * n, (0.0,) * n))


def geometric(topology: Geometric, seed: int) -> Network:
    """Uniform positions in a square, a link within the range."""
    n, side = topology.n, topology.side_m
    if topology.range_m is not None:
        field, given, reach = "topology.range_m", topology.range_m, topology.range_m
    else:
        assert topology.mean_degree is not None
        field, given = "topology.mean_degree", topology.mean_degree
        reach = side * range_for_degree(n, given)
    spots: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())

    def attempt(k: int) -> Pairs:
        nonlocal spots
        draw = Stream(seed, "geometric", k)
        both = [(round(draw.uniform() * side, 3), round(draw.uniform() * side, 3)) for _ in range(n)]
        spots = (tuple(x for x, _ in both), tuple(y for _, y in both))
        return linked_within(*spots, reach, most=MAX_LINKS)

    links = _connected(attempt, n, topology.allow_disconnected, field, given)
    ids = tuple(map(str, range(n)))
    return Network(ids, ids, *spots, links, range_m=reach, metric=True)


def range_for_degree(n: int, mean_degree: float) -> float:
    """The range in a unit square at which the expected degree is `mean_degree`, border effects counted in.

    Two uniform points are within r ≤ 1 with probability πr² - 8r³/3 + r⁴/2.
    """
    target = min(mean_degree / max(n - 1, 1), 1.0)
    if target > math.pi - 8 / 3 + 0.5:
        return _far_range(target)
    low, high = 0.0, 1.0
    for _ in range(60):
        r = (low + high) / 2
        if math.pi * r * r - 8 * r**3 / 3 + r**4 / 2 < target:
            low = r
        else:
            high = r
    return high


def _far_range(target: float) -> float:
    """Beyond r = 1 nearly all pairs are linked: 0.975 there, 1 at √2; a straight line is close enough."""
    at_one = math.pi - 8 / 3 + 0.5
    return 1 + (math.sqrt(2) - 1) * (target - at_one) / (1 - at_one)


def _random_pairs(n: int, p: float, draw: Stream) -> Pairs:
    """G(n, p) in time proportional to its links: skip lengths are geometric.

    Source: Batagelj, Brandes: Efficient generation of large random networks (2005).
    """
    if p >= 1.0:
        return tuple((i, j) for i in range(n) for j in range(i + 1, n))
    # Imported here: a tenth of a second that most networks do not need.
    import numpy as np

    # Pairs have numbers in the order (0, 1), (0, 2), (1, 2), (0, 3) …: pair (w, v) is number v (v - 1) / 2 + w.
    pairs, per_skip = n * (n - 1) // 2, 1.0 / math.log1p(-p)
    block = int(p * pairs + 6 * math.sqrt(p * pairs)) + 16
    found, last = [], -1
    while last < pairs:
        # Logarithms one by one, for numpy has its own and rounds them otherwise.
        skips = [min(math.log(1.0 - u) * per_skip, pairs) for u in draw.uniforms(block)]
        found.append(last + np.cumsum(1 + np.array(skips).astype(np.int64)))
        last = int(found[-1][-1])
    numbers = np.concatenate(found)
    numbers = numbers[numbers < pairs]
    v = ((1.0 + np.sqrt(8.0 * numbers + 1.0)) / 2).astype(np.int64)
    v -= v * (v - 1) // 2 > numbers
    v += v * (v + 1) // 2 <= numbers
    w = numbers - v * (v - 1) // 2
    order = np.lexsort((v, w))
    return tuple(zip(w[order].tolist(), v[order].tolist(), strict=True))


def _connected(
    attempt: Callable[[int], Pairs], n: int, allow_disconnected: bool, field: str, given: float
) -> Pairs:
    """The first connected attempt, or the very first one where disconnected is fine."""
    # An attempt costs time in proportion to n: about two seconds in all, whatever the size.
    tries = 1 if allow_disconnected else max(5, min(ATTEMPTS, 200_000 // n))
    for k in range(tries):
        links = attempt(k)
        if allow_disconnected or is_connected(n, links):
            return links
    enough = f"about {math.log(max(n, 2)) + 4:.0f} links per node suffice"
    raise ScenarioError(
        field,
        given,
        f"a larger {field.rpartition('.')[2]} ({enough}), another seed, or allow_disconnected: true",
        f"no connected network in {tries} draws",
    )


def is_connected(n: int, links: Pairs) -> bool:
    """Whether the links join all n nodes (union by halving paths)."""
    up = list(range(n))
    parts = n
    for i, j in links:
        while up[i] != i:
            up[i] = up[up[i]]
            i = up[i]
        while up[j] != j:
            up[j] = up[up[j]]
            j = up[j]
        if i != j:
            up[i] = j
            parts -= 1
    return parts == 1


def _numbered(links: Pairs, spots: tuple[tuple[float, ...], tuple[float, ...]]) -> Network:
    ids = tuple(map(str, range(len(spots[0]))))
    return Network(ids, ids, *spots, links)
