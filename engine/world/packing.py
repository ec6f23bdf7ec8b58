"""The last steps of a drawing: room between nodes, lying flat, parts side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.world.shapes import ASPECT

Point = tuple[float, float]


def roomy(x: list[float], y: list[float], rounds: int, most: float = 0.42) -> list[Point]:
    """Push apart what is too close, a share of the overlap each round; buckets keep it linear.

    Too close is `most`, or less where the nodes stand so dense that there is no such room for all.
    """
    room = min(most, 0.6 * math.sqrt(_extent(x) * _extent(y) / len(x)))
    for _ in range(rounds):
        buckets: dict[tuple[int, int], list[int]] = {}
        for i in range(len(x)):
            buckets.setdefault((int(x[i] // room), int(y[i] // room)), []).append(i)
        calm = True
        for (cx, cy), here in buckets.items():
            around = [
                j for o in ((1, 0), (-1, 1), (0, 1), (1, 1)) for j in buckets.get((cx + o[0], cy + o[1]), ())
            ]
            for k, i in enumerate(here):
                for j in here[k + 1 :] + around:
                    dx, dy = x[j] - x[i], y[j] - y[i]
                    apart = math.sqrt(dx * dx + dy * dy)
                    if apart >= room:
                        continue
                    if apart < 1e-6:
                        dx, dy, apart = 1e-3, 1e-3 * (1 + (i + j) % 3), 2e-3
                    push = 0.25 * (room - apart) / apart
                    x[i] -= dx * push
                    y[i] -= dy * push
                    x[j] += dx * push
                    y[j] += dy * push
                    calm = False
        if calm:
            break
    return list(zip(x, y, strict=True))


def _extent(values: list[float]) -> float:
    """How far values spread, outliers left out."""
    ordered = sorted(values)
    tail = len(ordered) // 20
    return max(ordered[-1 - tail] - ordered[tail], 1.0)


def flat(spots: Sequence[Point]) -> list[Point]:
    """Turned so that the longest direction is horizontal, and centred; square roots only, so exact everywhere."""
    n = len(spots)
    mx, my = sum(p[0] for p in spots) / n, sum(p[1] for p in spots) / n
    moved = [(px - mx, py - my) for px, py in spots]
    xx = sum(px * px for px, _ in moved)
    yy = sum(py * py for _, py in moved)
    xy = sum(px * py for px, py in moved)
    spread = math.sqrt((xx - yy) ** 2 / 4 + xy * xy)
    if spread < 1e-9:
        return moved
    cos2 = (xx - yy) / 2 / spread
    c = math.sqrt(max(0.0, (1 + cos2) / 2))
    s = math.sqrt(max(0.0, (1 - cos2) / 2)) * (1 if xy >= 0 else -1)
    return [(px * c + py * s, py * c - px * s) for px, py in moved]


def pack(parts: Sequence[Sequence[Point]], gap: float = 1.2) -> list[Point]:
    """An offset for each part (largest first) so that none overlap and all together fill a wide rectangle.

    Rows of boxes: a new row starts where the wished width is reached.
    """
    boxes = []
    for spots in parts:
        left, top = min(p[0] for p in spots), min(p[1] for p in spots)
        boxes.append((left, top, max(p[0] for p in spots) - left + gap, max(p[1] for p in spots) - top + gap))
    area = sum(w * h for _, _, w, h in boxes)
    wished = max(max(w for _, _, w, _ in boxes), math.sqrt(area * ASPECT * 1.15))
    out: list[Point] = []
    x = y = high = 0.0
    for left, top, w, h in boxes:
        if x > 0 and x + w > wished + 1e-9:
            x, y, high = 0.0, y + high, 0.0
        out.append((x - left, y - top))
        x += w
        high = max(high, h)
    return out
