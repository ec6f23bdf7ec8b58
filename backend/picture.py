"""The state of a run as viewers see it: columns compared with those sent before, curves thinned, the world as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backend import frames
from backend.wire import MAX_HISTORY, History, Reached, World
from engine.api import Run


class Columns:
    """Node columns, links and ring positions as of the last frame."""

    def __init__(self, run: Run) -> None:
        self.nodes = {name: list(values) for name, values in run.node_columns().items()}
        self.links = bytes(run.link_bytes())
        self.positions = [tuple(row) for row in run.positions()]

    def full(self) -> list[bytes]:
        """Sections that replace everything."""
        sections = [frames.column_full(k, values) for k, values in enumerate(self.nodes.values())]
        return [*sections, frames.links_full(self.links), frames.positions_full(self.positions)]

    def since(self, before: Columns) -> list[bytes]:
        """Sections that turn `before`, of the same network, into this."""
        found: list[bytes | None] = [
            frames.column_changes(k, before.nodes[name], values)
            for k, (name, values) in enumerate(self.nodes.items())
        ]
        found.append(frames.links_changes(before.links, self.links))
        found.append(frames.positions_changes(before.positions, self.positions))
        return [section for section in found if section is not None]


class Curves:
    """The layers' wrong-variable counts over a whole run, in bounded room.

    When full, neighbours in time are merged two by two; the worse counts stay, so that a short fault remains visible.
    """

    def __init__(self, limit: int = MAX_HISTORY) -> None:
        self.limit = limit
        self.stride = 1
        self.rows: list[tuple[float, tuple[int, ...]]] = []
        self._fill = 0

    def add(self, t: float, wrong: Sequence[int]) -> None:
        """Append a sample; its t must not lie before the last one."""
        row = tuple(wrong)
        if 0 < self._fill < self.stride:
            self.rows[-1] = (t, _worse(self.rows[-1][1], row))
            self._fill += 1
        else:
            self.rows.append((t, row))
            self._fill = 1
        if len(self.rows) > self.limit:
            pairs = [self.rows[i : i + 2] for i in range(0, len(self.rows), 2)]
            self.rows = [(pair[-1][0], _worse(pair[0][1], pair[-1][1])) for pair in pairs]
            self.stride *= 2
            self._fill = self.stride if len(pairs[-1]) == 2 else self.stride // 2

    def cut(self, t: float) -> None:
        """Forget what lies after t."""
        while self.rows and self.rows[-1][0] > t:
            self.rows.pop()
        self._fill = 0

    def as_plain(self) -> dict[str, Any]:
        """Plain data."""
        return {"stride": self.stride, "rows": [[t, list(row)] for t, row in self.rows]}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Curves:
        """The curves that `as_plain` wrote."""
        curves = cls()
        curves.stride = plain["stride"]
        curves.rows = [(t, tuple(row)) for t, row in plain["rows"]]
        return curves

    def message(self, run: Run) -> History:
        """For the wire, with what became of the run's publications."""
        wrong = [[row[k] for _, row in self.rows] for k in range(len(run.layers))]
        return History(
            t=[t for t, _ in self.rows], wrong=wrong, since=list(run.since), publications=reached(run)
        )


def reached(run: Run) -> Reached:
    """How many of those expected got each of the latest publications."""
    latest = run.publications[-MAX_HISTORY:]
    return Reached(
        first=latest[0].number if latest else 1,
        t=[p.t for p in latest],
        expected=[len(p.expected) for p in latest],
        reached=[len(p.expected & p.delivered.keys()) for p in latest],
    )


def _worse(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    return tuple(max(x, y) for x, y in zip(a, b, strict=True))


def world_message(run: Run, epoch: int) -> World:
    """The network as it is now."""
    net = run.network
    return World(
        epoch=epoch,
        ids=list(net.ids),
        names=list(net.names),
        x=[_short(x) for x in net.x],
        y=[_short(y) for y in net.y],
        links=[end for link in net.links for end in link],
        root=run.root,
        channels=list(run.channels),
        components=component_sizes(len(net.ids), net.links),
        quality=[round(q, 3) for pair in run.link_quality() for q in pair],
    )


def _short(x: float) -> float:
    return float(f"{x:.7g}")


def component_sizes(n: int, links: Sequence[Sequence[int]]) -> list[int]:
    """Sizes of the connected parts, largest first."""
    leader = list(range(n))

    def find(v: int) -> int:
        while leader[v] != v:
            leader[v] = leader[leader[v]]
            v = leader[v]
        return v

    for a, b in links:
        leader[find(a)] = find(b)
    sizes: dict[int, int] = {}
    for v in range(n):
        root = find(v)
        sizes[root] = sizes.get(root, 0) + 1
    return sorted(sizes.values(), reverse=True)


def event_of(run: Run, index: int) -> tuple[int | None, dict[str, Any]]:
    """Command `index` as a document writes it, and the event of the document that it belongs to; None: the workload."""
    of, event = run.event(index)
    return of, dict(event.model_dump(mode="json", by_alias=True, exclude_none=True))
