"""Places for nodes that have none: pure Python, deterministic, good to look at.

Theory of operation. A good drawing of a mesh shows hop distances as distances (stress). Per component:

1. *Pivots.* A few nodes spread over the graph; hop distances from them to everything give a first drawing by
   classical scaling (PivotMDS).
2. *Stress by gradient steps.* Each term is a pair of nodes with a wished distance; visiting the terms with a
   shrinking step width settles the drawing in some twenty rounds. Small graphs use all pairs; larger ones
   links, pivot pairs and some two-hop pairs, so that the work stays below a million steps at any size.
3. *Elbow room.* Nodes closer than a fraction of a link push each other away, so that siblings do not
   coincide.

Then each component is turned to lie flat, components are packed side by side, and everything is scaled to
links of about 100. Only + - * / and square roots are used, which are exact everywhere: same graph, same
drawing.

Sources: Brandes, Pich: Eigensolver methods for progressive multidimensional scaling of large data (2006);
Zheng, Pawar, Goodman: Graph drawing by stochastic gradient descent (2018); Ortmann, Klimenta, Brandes: A
sparse stress model (2017).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.core.rng import Stream
from engine.world.network import Pairs, components, hops_from
from engine.world.packing import flat, pack, roomy
from engine.world.shapes import STEP, Spots

ALL_PAIRS = 70_000
"""All pairs of nodes are terms while size of the part × size of the whole is below this."""
BIG = 2_000
"""Beyond this size fewer pivots, fewer pairs and fewer rounds, so that ten thousand nodes take seconds."""
STEPS = 600_000
"""Gradient steps in all, less than half a second."""

Point = tuple[float, float]
Term = tuple[int, int, float, float]
"""(i, j, wished distance in links, weight)."""


def place(n: int, links: Pairs) -> Spots:
    """Drawing coordinates for a whole network; linked nodes are about 100 apart."""
    adjacency: list[list[int]] = [[] for _ in range(n)]
    for i, j in links:
        adjacency[i].append(j)
        adjacency[j].append(i)
    drawn = []
    for part in components(n, adjacency):
        index = {v: k for k, v in enumerate(part)}
        inner = [[index[w] for w in adjacency[v]] for v in part]
        spots = flat(_draw(inner, n))
        drawn.append((part, spots))
    x, y = [0.0] * n, [0.0] * n
    offsets = pack([spots for _, spots in drawn])
    for (part, spots), (ox, oy) in zip(drawn, offsets, strict=True):
        for v, (px, py) in zip(part, spots, strict=True):
            x[v] = round((px + ox) * STEP, 2)
            y[v] = round((py + oy) * STEP, 2)
    return tuple(x), tuple(y)


def _draw(adjacency: list[list[int]], whole: int) -> list[Point]:
    """One component, a link being 1 long; `whole` is the size of the network it shares the effort with."""
    n = len(adjacency)
    if n <= 2:
        return [(float(i), 0.0) for i in range(n)]
    draw = Stream(n, "layout")
    pivots = _pivots(adjacency, min(n, 50 if whole <= BIG else 8))
    spots = _first_drawing(n, pivots, draw)
    mutual, drawn = _terms(adjacency, pivots, whole, draw)
    _shuffle(mutual, draw)
    _shuffle(drawn, draw)
    rounds = max(5, min(24, STEPS * n // whole // (len(mutual) + len(drawn))))
    x, y = [p[0] for p in spots], [p[1] for p in spots]
    _settle(x, y, mutual, drawn, rounds)
    return roomy(x, y, 24 if whole <= BIG else 3)


def _pivots(adjacency: list[list[int]], count: int) -> list[tuple[int, dict[int, int]]]:
    """Nodes far from one another, each with its hop distances: next is always the farthest so far."""
    n = len(adjacency)
    nearest = [n] * n
    pivot = max(range(n), key=lambda v: (len(adjacency[v]), -v))
    chosen = []
    for _ in range(count):
        hops = hops_from(pivot, adjacency)
        chosen.append((pivot, hops))
        for v, d in hops.items():
            nearest[v] = min(nearest[v], d)
        # Among equally far nodes the better linked: a hub says more about the graph than a leaf.
        pivot = max(range(n), key=lambda v: (nearest[v], len(adjacency[v]), -v))
        if nearest[pivot] == 0:
            break
    return chosen


def _first_drawing(n: int, pivots: list[tuple[int, dict[int, int]]], draw: Stream) -> list[Point]:
    """PivotMDS: double-centred squared distances, projected on their two main directions."""
    k = min(len(pivots), 24)
    square = [[float(hops[v]) ** 2 for _, hops in pivots[:k]] for v in range(n)]
    by_row = [sum(r) / k for r in square]
    by_col = [sum(square[v][c] for v in range(n)) / n for c in range(k)]
    mean = sum(by_row) / n
    centred = [
        [-(d - by_row[v] - by_col[c] + mean) / 2 for c, d in enumerate(r)] for v, r in enumerate(square)
    ]
    product = [[0.0] * k for _ in range(k)]
    for r in centred:
        for a in range(k):
            ra, row = r[a], product[a]
            for b in range(a, k):
                row[b] += ra * r[b]
    for a in range(k):
        for b in range(a):
            product[a][b] = product[b][a]
    axes: list[list[float]] = []
    for _ in range(2):
        axes.append(_main_direction(product, axes, draw))
    flat_spots = []
    for r in centred:
        px, py = (sum(c * u for c, u in zip(r, axis, strict=True)) for axis in axes)
        flat_spots.append((px, py))
    return _scaled(flat_spots, square, draw)


def _scaled(spots: list[Point], square: list[list[float]], draw: Stream) -> list[Point]:
    """Scaled to a mean distance from the middle that fits the hop distances, and shaken a little."""
    n = len(spots)
    spread = math.sqrt(sum(px * px + py * py for px, py in spots) / n) or 1.0
    wished = math.sqrt(sum(sum(r) for r in square) / (2 * n * len(square[0]))) or 1.0
    s = wished / spread
    return [(px * s + draw.uniform() * 0.4 - 0.2, py * s + draw.uniform() * 0.4 - 0.2) for px, py in spots]


def _main_direction(matrix: list[list[float]], found: list[list[float]], draw: Stream) -> list[float]:
    """The eigenvector of the largest eigenvalue that is at right angles to those found; power iteration."""
    k = len(matrix)
    v = [draw.uniform() - 0.5 for _ in range(k)]
    for _ in range(60):
        for u in found:
            along = sum(a * b for a, b in zip(u, v, strict=True))
            v = [b - along * a for a, b in zip(u, v, strict=True)]
        v = [sum(a * b for a, b in zip(r, v, strict=True)) for r in matrix]
        size = math.sqrt(sum(a * a for a in v))
        if size < 1e-12:
            return [0.0] * k
        v = [a / size for a in v]
    return v


def _terms(
    adjacency: list[list[int]], pivots: list[tuple[int, dict[int, int]]], whole: int, draw: Stream
) -> tuple[list[Term], list[Term]]:
    """Pairs of nodes and the distances they wish for: those that move both, those that move only i."""
    n = len(adjacency)
    if n <= 60 or n * whole <= ALL_PAIRS:
        return [
            (i, j, float(d), 1.0 / (d * d))
            for i in range(n)
            for j, d in hops_from(i, adjacency).items()
            if i < j
        ], []
    mutual = [(i, j, 1.0, 1.0) for i in range(n) for j in adjacency[i] if i < j]
    linked = [set(a) for a in adjacency]
    for i in range(n):
        for _ in range(min(6, len(adjacency[i]) * 2) if n <= BIG else 1):
            via = adjacency[i][draw.below(len(adjacency[i]))]
            j = adjacency[via][draw.below(len(adjacency[via]))]
            if j != i and j not in linked[i]:
                mutual.append((i, j, 2.0, 0.25))
    return mutual, _pivot_terms(n, pivots)


def _pivot_terms(n: int, pivots: list[tuple[int, dict[int, int]]]) -> list[Term]:
    """A pivot speaks for the nodes that are nearest to it and less than half-way off."""
    nearest = [min(range(len(pivots)), key=lambda k: (pivots[k][1][v], k)) for v in range(n)]
    terms = []
    for k, (p, hops) in enumerate(pivots):
        within = [0] * (max(hops.values()) + 1)
        for v, d in hops.items():
            if nearest[v] == k:
                within[d] += 1
        for d in range(1, len(within)):
            within[d] += within[d - 1]
        terms += [(v, p, float(d), within[d // 2] / (d * d)) for v, d in hops.items() if d > 1]
    return terms


def _shuffle(terms: list[Term], draw: Stream) -> None:
    for i in range(len(terms) - 1, 0, -1):
        j = draw.below(i + 1)
        terms[i], terms[j] = terms[j], terms[i]


def _settle(
    x: list[float], y: list[float], mutual: Sequence[Term], drawn: Sequence[Term], rounds: int
) -> None:
    """Stress by gradient steps, the step width shrinking geometrically."""
    least = min(w for terms in (mutual, drawn) for _, _, _, w in terms)
    first, last = 1.0 / least, 0.1
    shrink = (last / first) ** (1.0 / max(rounds - 1, 1))
    width = first
    root = math.sqrt
    for r in range(rounds):
        # Alternating directions through a list shuffled once: as good as shuffling again, and free.
        for i, j, d, w in drawn if r % 2 == 0 else reversed(drawn):
            dx = x[i] - x[j]
            dy = y[i] - y[j]
            apart = root(dx * dx + dy * dy) + 1e-9
            push = min(w * width, 1.0) * (apart - d) / apart
            x[i] -= dx * push
            y[i] -= dy * push
        for i, j, d, w in mutual if r % 2 == 0 else reversed(mutual):
            dx = x[i] - x[j]
            dy = y[i] - y[j]
            apart = root(dx * dx + dy * dy)
            if apart < 1e-6:
                dx, dy, apart = 1e-3 * (i - j), 1e-3, 1e-3 * abs(i - j)
            mu = w * width
            if mu > 1.0:
                mu = 1.0
            push = mu * (apart - d) / (2.0 * apart)
            dx *= push
            dy *= push
            x[i] -= dx
            y[i] -= dy
            x[j] += dx
            y[j] += dy
        width *= shrink
