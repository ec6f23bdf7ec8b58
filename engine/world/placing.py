"""Partly placed networks: the placed nodes stay, the others join them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.core.rng import Stream
from engine.world.layout import place
from engine.world.network import Pairs
from engine.world.shapes import STEP, Spots

Point = tuple[float, float]


def place_rest(given: Sequence[Point | None], links: Pairs) -> Spots:
    """Coordinates for all; what was given is kept exactly."""
    n = len(given)
    if all(p is None for p in given):
        return place(n, links)
    spots: list[Point | None] = list(given)
    if any(p is None for p in given):
        adjacency: list[list[int]] = [[] for _ in range(n)]
        for i, j in links:
            adjacency[i].append(j)
            adjacency[j].append(i)
        length = _link_length(given, links)
        _join(spots, adjacency, length)
        _relax(spots, given, adjacency, length)
        _set_aside(spots, links, length)
    placed = [p for p in spots if p is not None]
    return tuple(p[0] for p in placed), tuple(p[1] for p in placed)


def _link_length(given: Sequence[Point | None], links: Pairs) -> float:
    """The typical length of a link: the median of the placed ones, or a share of the extent."""
    lengths = sorted(
        math.dist(a, b)
        for a, b in ((given[i], given[j]) for i, j in links)
        if a is not None and b is not None
    )
    if lengths and lengths[len(lengths) // 2] > 0:
        return lengths[len(lengths) // 2]
    xs = [p[0] for p in given if p is not None]
    ys = [p[1] for p in given if p is not None]
    extent = max(max(xs) - min(xs), max(ys) - min(ys))
    return extent / math.sqrt(len(xs)) if extent > 0 else STEP


def _join(spots: list[Point | None], adjacency: list[list[int]], length: float) -> None:
    """Ring by ring outwards: each unplaced node beside the mean of its placed neighbours."""
    draw = Stream(len(spots), "placing")
    wave = [v for v, p in enumerate(spots) if p is not None]
    while wave:
        border = sorted({w for v in wave for w in adjacency[v] if spots[w] is None})
        found = []
        for v in border:
            near = [p for w in adjacency[v] if (p := spots[w]) is not None]
            dx, dy = draw.uniform() - 0.5, draw.uniform() - 0.5
            size = math.sqrt(dx * dx + dy * dy) or 1.0
            reach = length if len(near) == 1 else length / 3
            mx, my = sum(p[0] for p in near) / len(near), sum(p[1] for p in near) / len(near)
            found.append((v, (mx + dx / size * reach, my + dy / size * reach)))
        for v, spot in found:
            spots[v] = spot
        wave = border


def _relax(
    spots: list[Point | None], given: Sequence[Point | None], adjacency: list[list[int]], length: float
) -> None:
    """Springs along links and push among close nodes, for the nodes that are free to move."""
    free = [v for v in range(len(spots)) if given[v] is None and spots[v] is not None]
    rounds = 80 if len(spots) <= 2_000 else 8
    near = 1.5 * length
    for r in range(rounds):
        step = 0.3 * (1 - r / rounds)
        buckets: dict[tuple[int, int], list[Point]] = {}
        for p in spots:
            if p is not None:
                buckets.setdefault((int(p[0] // near), int(p[1] // near)), []).append(p)
        for v in free:
            here = spots[v]
            assert here is not None
            fx = fy = 0.0
            for w in adjacency[v]:
                other = spots[w]
                if other is not None:
                    dx, dy = other[0] - here[0], other[1] - here[1]
                    apart = math.sqrt(dx * dx + dy * dy) or 1e-9
                    pull = (apart - length) / apart
                    fx, fy = fx + dx * pull, fy + dy * pull
            cx, cy = int(here[0] // near), int(here[1] // near)
            for bx in (cx - 1, cx, cx + 1):
                for by in (cy - 1, cy, cy + 1):
                    for px, py in buckets.get((bx, by), ())[:40]:
                        dx, dy = here[0] - px, here[1] - py
                        apart = math.sqrt(dx * dx + dy * dy)
                        if 0 < apart < near:
                            push = 0.6 * (near - apart) / apart
                            fx, fy = fx + dx * push, fy + dy * push
            size = math.sqrt(fx * fx + fy * fy)
            most = min(step, length / size if size else step)
            spots[v] = (here[0] + fx * most, here[1] + fy * most)


def _set_aside(spots: list[Point | None], links: Pairs, length: float) -> None:
    """Parts without any placed node are drawn by themselves, below the rest."""
    rest = [v for v, p in enumerate(spots) if p is None]
    if rest:
        index = {v: k for k, v in enumerate(rest)}
        inner = tuple((index[i], index[j]) for i, j in links if i in index and j in index)
        x, y = place(len(rest), inner)
        scale = length / STEP
        left = min(p[0] for p in spots if p is not None) - min(x) * scale
        below = max(p[1] for p in spots if p is not None) + 1.5 * length - min(y) * scale
        for k, v in enumerate(rest):
            spots[v] = (left + x[k] * scale, below + y[k] * scale)
