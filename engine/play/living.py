"""The network of a running scenario: it starts as the document says and grows with commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.world.radio import Spot


class Living:
    """Nodes in node order, links as (smaller, larger) in order of appearance. `epoch` rises with every change.

    Where links follow from positions, `audible` says between which, or `range_m` how far.
    """

    def __init__(
        self,
        ids: list[str],
        names: list[str],
        x: list[float],
        y: list[float],
        links: list[tuple[int, int]],
        range_m: float | None = None,
        z: list[float] | None = None,
        audible: Callable[[Spot, Spot], bool] | None = None,
    ) -> None:
        self.ids, self.names, self.x, self.y = ids, names, x, y
        self.z = z
        self.links = links
        self.range_m, self.audible = range_m, audible
        self.epoch = 1
        self._index = {name: v for v, name in enumerate(ids)}
        self._link = {pair: k for k, pair in enumerate(links)}

    def index(self, node_id: str) -> int:
        """The node of this id. Raises KeyError."""
        return self._index[node_id]

    def __contains__(self, node_id: str) -> bool:
        return node_id in self._index

    def link(self, a: int, b: int) -> int | None:
        """The number of the link between two nodes; None if there is none."""
        return self._link.get((min(a, b), max(a, b)))

    def peers(self) -> list[list[int]]:
        """Per node: the nodes in radio reach, in node order."""
        rows: list[list[int]] = [[] for _ in self.ids]
        for a, b in self.links:
            rows[a].append(b)
            rows[b].append(a)
        return [sorted(row) for row in rows]

    def add_node(self, node_id: str, x: float, y: float) -> int:
        """A new node without links; returns its index."""
        v = len(self.ids)
        self.ids.append(node_id)
        self.names.append(node_id)
        self.x.append(x)
        self.y.append(y)
        if self.z is not None:
            self.z.append(0.0)
        self._index[node_id] = v
        self.epoch += 1
        return v

    def add_link(self, a: int, b: int) -> None:
        """A new link between two nodes that have none."""
        pair = (min(a, b), max(a, b))
        self._link[pair] = len(self.links)
        self.links.append(pair)
        self.epoch += 1

    def move(self, v: int, x: float, y: float) -> None:
        """Node v is somewhere else; its links are the caller's business."""
        self.x[v], self.y[v] = x, y
        self.epoch += 1

    def in_reach(self, v: int, w: int) -> bool:
        """Whether two nodes hear each other: `audible`, or at most `range_m` apart; always, where links are given."""
        if self.audible is not None:
            return self.audible(self.spot(v), self.spot(w))
        if self.range_m is None:
            return True
        dx, dy = self.x[w] - self.x[v], self.y[w] - self.y[v]
        dz = 0.0 if self.z is None else self.z[w] - self.z[v]
        # Squares, as where the network was built: equal to the bit at the very edge.
        return dx**2 + dy**2 + dz * dz <= self.range_m * self.range_m

    def within_range(self, v: int) -> list[int]:
        """The other nodes in reach (none if links do not follow from positions)."""
        if self.range_m is None and self.audible is None:
            return []
        return [w for w in range(len(self.ids)) if w != v and self.in_reach(v, w)]

    def spot(self, v: int) -> Spot:
        """Where node v is, in metres if the network is in metres."""
        return self.x[v], self.y[v], 0.0 if self.z is None else self.z[v]

    def as_plain(self) -> dict[str, Any]:
        """Plain data, for snapshots."""
        return {
            "ids": list(self.ids),
            "names": list(self.names),
            "x": list(self.x),
            "y": list(self.y),
            "z": None if self.z is None else list(self.z),
            "links": [list(pair) for pair in self.links],
            "range_m": self.range_m,
            "epoch": self.epoch,
        }

    @classmethod
    def from_plain(cls, saved: dict[str, Any]) -> Living:
        """The network that `as_plain` saved."""
        links = [(a, b) for a, b in saved["links"]]
        made = cls(saved["ids"], saved["names"], saved["x"], saved["y"], links, saved["range_m"], saved["z"])
        made.epoch = saved["epoch"]
        return made
