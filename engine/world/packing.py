"""The last steps of a drawing: room between nodes, lying flat, parts side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.world.shapes import ASPECT

BESIDE = ((1, 0), (-1, 1), (0, 1), (1, 1))
"""Half of a bucket's eight neighbours: visiting these from every bucket sees each pair of buckets once."""

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
    """Turned so that the longest direction is horizontal, and centred."""
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


def pack(parts: Sequence[Sequence[Point]]) -> list[Point]:
    """An offset for each part (largest first) so that none overlap and all together suit a wide stage."""
    gap = 1.5 if len(parts) <= 20 else 0.6
    boxes = []
    for spots in parts:
        left, top = min(p[0] for p in spots), min(p[1] for p in spots)
        boxes.append((left, top, max(p[0] for p in spots) - left + gap, max(p[1] for p in spots) - top + gap))
    widest = max(w for _, _, w, _ in boxes)
    usual = math.sqrt(sum(w * h for _, _, w, h in boxes) * ASPECT)
    tries = [_rows(boxes, max(widest, usual * (0.8 + 0.1 * k))) for k in range(8)]
    # The smallest stage of the wished shape that holds everything; equal ones by order.
    return min(tries, key=lambda t: max(t[1], t[2] * ASPECT))[0]


def _rows(
    boxes: Sequence[tuple[float, float, float, float]], wished: float
) -> tuple[list[Point], float, float]:
    """Offsets, width and height with rows about `wished` wide; low boxes stack within a row."""
    out: list[Point] = []
    top_of_row = height = column = width = y = farthest = 0.0
    for left, top, w, h in boxes:
        if not (width > 0 and y + h <= top_of_row + height + 1e-9 and w <= width + 1e-9):
            column += width
            y, width = top_of_row, w
            if column > 0 and column + w > wished + 1e-9:
                top_of_row += height
                y, column, height = top_of_row, 0.0, 0.0
        out.append((column - left, y - top))
        y += h
        height = max(height, y - top_of_row)
        farthest = max(farthest, column + w)
    return out, farthest, top_of_row + height
