"""Where the nodes of regular networks are drawn: rows, circles, lattices. Neighbours are about 100 apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

Spots = tuple[tuple[float, ...], tuple[float, ...]]
STEP = 100.0
ASPECT = 1.3
"""Width over height of a stage, roughly."""
GOLDEN = math.pi * (3 - math.sqrt(5))


def _spots(pairs: Sequence[tuple[float, float]]) -> Spots:
    # Two decimals: no picture shows more, and mathematical libraries may differ in the sixteenth.
    return tuple(round(x, 2) for x, _ in pairs), tuple(round(y, 2) for _, y in pairs)


def row(n: int) -> Spots:
    """A straight row; a long one goes back and forth so that it stays readable."""
    if n <= 24:
        return _spots([(i * STEP, 0.0) for i in range(n)])
    cols = max(2, round(math.sqrt(n * ASPECT)))
    out = []
    for i in range(n):
        r, c = divmod(i, cols)
        out.append(((c if r % 2 == 0 else cols - 1 - c) * STEP, r * STEP))
    return _spots(out)


def circle(n: int) -> Spots:
    """A circle, the first node on top, clockwise."""
    radius = STEP / (2 * math.sin(math.pi / n)) if n > 2 else STEP / 2
    return _spots([_polar(radius, 2 * math.pi * i / n) for i in range(n)])


def around(n: int) -> Spots:
    """A centre, then n spots around it: one circle, or a disc of evenly spread spots where there are many."""
    if n <= 40:
        radius = max(2 * STEP, 0.5 * STEP * n / math.pi)
        return _spots([(0.0, 0.0), *(_polar(radius, 2 * math.pi * i / n) for i in range(n))])
    return _spots([(0.0, 0.0), *(_polar(STEP * (1 + math.sqrt(i + 1)) * 0.6, i * GOLDEN) for i in range(n))])


def lattice(n: int, cols: int) -> Spots:
    """Rows of `cols` spots."""
    return _spots([(i % cols * STEP, i // cols * STEP) for i in range(n)])


def zones(side: int, homes: Sequence[int]) -> Spots:
    """A lattice of routers, then each client near the router it lives at, spread within the zone."""
    out = [(i % side * STEP, i // side * STEP) for i in range(side * side)]
    crowd = [0] * (side * side)
    for home in homes:
        crowd[home] += 1
    placed = [0] * (side * side)
    for home in homes:
        k, m = placed[home], crowd[home]
        placed[home] += 1
        radius = 26.0 if m <= 8 else 16 + 28 * math.sqrt((k + 0.5) / m)
        # Turned by an eighth, so that no client lies on a link between routers.
        angle = math.pi / 4 + (2 * math.pi * k / max(m, 4) if m <= 8 else k * GOLDEN)
        dx, dy = _polar(radius, angle)
        out.append((out[home][0] + dx, out[home][1] + dy))
    return _spots(out)


def _polar(radius: float, angle: float) -> tuple[float, float]:
    """Clockwise from the top."""
    return radius * math.sin(angle), -radius * math.cos(angle)
