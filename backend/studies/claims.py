"""What every study has: random networks, the protocols it is about, counts put into words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.core.declare import ProtocolSpec
from engine.core.errors import ScenarioError
from engine.core.rng import Stream
from engine.registry import protocol, protocols

Told = Callable[[float], None]
Document = dict[str, Any]
MOST_NODES = 60
AT_ONCE = 50  # cases between two reports of progress
BARS = 12
BAR_WIDTH = 40


@dataclass
class Outcome:
    """What came out: lines to read, and the documents of the cases that failed."""

    lines: list[str] = field(default_factory=list)
    failed: list[Document] = field(default_factory=list)


def claiming(
    names: Sequence[str], needs: Sequence[str], fits: Callable[[ProtocolSpec], bool]
) -> list[ProtocolSpec]:
    """The protocols of these names, or all that fit; each must offer the services it needs. Raises ScenarioError."""
    able = [spec for spec in protocols().values() if set(needs) <= spec.services.keys()]
    if not names:
        return [spec for spec in able if fits(spec)]
    for name in names:
        if protocol(name) not in able:
            allowed = ", ".join(spec.name for spec in able)
            raise ScenarioError("--protocol", name, allowed, f"it has no {' and '.join(needs)}")
    return [protocol(name) for name in names]


def network(stream: Stream, smallest: int = 2) -> Document:
    """A random network of up to MOST_NODES nodes: line, ring, star, grid, G(n, p) or random geometric."""
    n = smallest + stream.below(MOST_NODES - smallest + 1)
    degree = min(float(n - 1), 4.0 + 6.0 * stream.uniform())
    kind = ("line", "ring", "star", "grid", "gnp", "gnp", "geometric", "geometric")[stream.below(8)]
    match kind:
        case "ring":
            return {"kind": kind, "n": max(3, n)}
        case "grid":
            cols = 1 + stream.below(8)
            return {"kind": kind, "rows": max(1, n // cols), "cols": cols}
        case "gnp" | "geometric":
            return {"kind": kind, "n": n, "mean_degree": degree, "allow_disconnected": True}
        case _:
            return {"kind": kind, "n": n}


def size(topology: Document) -> int:
    """How many nodes it has; they are called 0, 1, …"""
    found: int = topology["n"] if "n" in topology else topology["rows"] * topology["cols"]
    return found


def several(stream: Stream, n: int, most: int) -> list[str]:
    """One to `most` different nodes of n."""
    nodes = [str(v) for v in range(n)]
    return [nodes.pop(stream.below(len(nodes))) for _ in range(min(n, 1 + stream.below(most)))]


def spread(values: Sequence[int], unit: str) -> list[str]:
    """The distribution of whole numbers as a histogram in lines of text."""
    ordered = sorted(values)
    middle, rare = ordered[len(ordered) // 2], ordered[(len(ordered) * 99) // 100]
    width = max(1, -(-(ordered[-1] + 1) // BARS))
    bars = Counter(x // width for x in ordered)
    most = max(bars.values())
    lines = [f"  {unit}: median {middle}, 99 % at most {rare}, all at most {ordered[-1]}"]
    for k in range(ordered[0] // width, ordered[-1] // width + 1):
        share = f"{k * width}" if width == 1 else f"{k * width}…{(k + 1) * width - 1}"
        lines.append(f"  {share:>9} {bars[k]:>6} {'█' * -(-bars[k] * BAR_WIDTH // most)}".rstrip())
    return lines
