"""Drawing a real mesh: geography pulled apart by force until downtown and hubs can be read.

Theory of operation. On a true map a city mesh is one black blot with a few far outliers. So each connected
part is drawn by itself: ranks of latitude and longitude, mixed with the distances themselves squeezed, spread
the nodes over the sheet while north stays up (a node's anchor). Springs along links, repulsion among near
nodes and a weak pull to the anchors then settle it; hubs get the room that their leaves need.

Slow (minutes for the biggest network), so it runs when the data is baked, never in the product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.core.rng import Stream
from engine.world.packing import BESIDE, roomy
from engine.world.shapes import ASPECT

Point = tuple[float, float]


def draw_mapped(
    adjacency: Sequence[Sequence[int]], where: Sequence[Point | None], rounds: int = 300
) -> list[Point]:
    """One connected part, about 1 × 1 of room a node. where: (longitude, latitude) scaled alike, or None."""
    n = len(adjacency)
    if n == 1:
        return [(0.0, 0.0)]
    # The anchors lie wider than the stage: repulsion alone would make a disc.
    width = math.sqrt(n * ASPECT * 1.6)
    height = n / width
    anchors = _anchors(adjacency, where, width, height)
    x, y = [p[0] for p in anchors], [p[1] for p in anchors]
    known = [p is not None for p in where]
    degree = [len(a) for a in adjacency]
    for r in range(rounds):
        heat = 1.2 * (1 - r / rounds) ** 1.5 + 0.02
        fx, fy = _repulsion(x, y, degree)
        for v in range(n):
            for w in adjacency[v]:
                dx, dy = x[w] - x[v], y[w] - y[v]
                apart = math.sqrt(dx * dx + dy * dy)
                # A hub's link may be long: its leaves need a disc, not a point.
                length = 1.0 + 0.35 * math.sqrt(max(degree[v], degree[w]))
                pull = 0.5 * apart / length / math.sqrt(min(degree[v], degree[w]))
                fx[v], fy[v] = fx[v] + dx * pull, fy[v] + dy * pull
            hold = 0.2 if known[v] else 0.02
            fx[v] += (anchors[v][0] - x[v]) * hold
            fy[v] += (anchors[v][1] - y[v]) * hold
        for v in range(n):
            force = math.sqrt(fx[v] ** 2 + fy[v] ** 2)
            step = min(0.12 * force, heat) / force if force > 0 else 0.0
            x[v] += fx[v] * step
            y[v] += fy[v] * step
    return roomy(x, y, 60, 0.62)


def _repulsion(x: list[float], y: list[float], degree: Sequence[int]) -> tuple[list[float], list[float]]:
    """Inverse distance up to five units, through buckets; hubs push harder."""
    reach = 5.0
    n = len(x)
    fx, fy = [0.0] * n, [0.0] * n
    mass = [1 + 0.12 * min(d, 40) for d in degree]
    buckets: dict[tuple[int, int], list[int]] = {}
    for v in range(n):
        buckets.setdefault((int(x[v] // reach), int(y[v] // reach)), []).append(v)
    for (cx, cy), here in buckets.items():
        around = [j for o in BESIDE for j in buckets.get((cx + o[0], cy + o[1]), ())]
        for k, i in enumerate(here):
            xi, yi, mi = x[i], y[i], mass[i]
            for j in here[k + 1 :] + around:
                dx, dy = x[j] - xi, y[j] - yi
                square = dx * dx + dy * dy + 1e-4
                if square < reach * reach:
                    push = mi * mass[j] * (1 / square - 1 / (reach * reach))
                    dx, dy = dx * push, dy * push
                    fx[i], fy[i] = fx[i] - dx, fy[i] - dy
                    fx[j], fy[j] = fx[j] + dx, fy[j] + dy
    return fx, fy


def _anchors(
    adjacency: Sequence[Sequence[int]], where: Sequence[Point | None], width: float, height: float
) -> list[Point]:
    """Where each node is drawn towards, within width × height around the origin, y downwards."""
    known = [v for v, p in enumerate(where) if p is not None]
    spots: list[Point | None] = [None] * len(where)
    if known:
        xs = _spread([where[v][0] for v in known], width)  # type: ignore[index]
        ys = _spread([-where[v][1] for v in known], height)  # type: ignore[index]
        for v, px, py in zip(known, xs, ys, strict=True):
            spots[v] = (px, py)
    draw = Stream(len(where), "mapped")
    wave = [v for v, p in enumerate(spots) if p is not None] or [0]
    spots[wave[0]] = spots[wave[0]] or (0.0, 0.0)
    while wave:
        border = sorted({w for v in wave for w in adjacency[v] if spots[w] is None})
        near = {v: [p for w in adjacency[v] if (p := spots[w]) is not None] for v in border}
        for v in border:
            mx, my = (sum(p[a] for p in near[v]) / len(near[v]) for a in (0, 1))
            spots[v] = (mx + draw.uniform() - 0.5, my + draw.uniform() - 0.5)
        wave = border
    return [p for p in spots if p is not None]


def _spread(values: list[float], length: float) -> list[float]:
    """Half by rank, half by squeezed distance from the median, together about `length` long."""
    n = len(values)
    order = sorted(range(n), key=lambda i: (values[i], i))
    rank = [0.0] * n
    for k, i in enumerate(order):
        rank[i] = (k + 0.5) / n - 0.5
    middle = values[order[n // 2]]
    usual = sorted(abs(v - middle) for v in values)[int(n * 0.7)] or 1.0
    squeezed = [math.asinh((v - middle) / usual) for v in values]
    most = sorted(abs(s) for s in squeezed)[int(n * 0.97)] or 1.0
    return [
        length * (0.6 * r + 0.4 * max(-0.6, min(0.6, 0.5 * s / most)))
        for r, s in zip(rank, squeezed, strict=True)
    ]
