"""A network as a run starts on it: nodes in order, where they are drawn, and which are linked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.core.errors import ScenarioError
from engine.world.words import one_of

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Network:
    """Nodes and links; node order is document order, which settles every tie in the protocols.

    x, y: drawing coordinates, y growing downwards; in metres where `metric`.
    links: (i, j) with i < j, sorted.
    quality: per link, transmit quality i → j and j → i, 0…1, 0 where not reported.
    range_m: set where links follow from positions, so that moving a node changes them.
    z: heights in metres, which count towards the range.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    links: Pairs
    quality: tuple[tuple[float, float], ...] | None = None
    range_m: float | None = None
    metric: bool = False
    z: tuple[float, ...] | None = None

    @property
    def n(self) -> int:
        """How many nodes."""
        return len(self.ids)

    @cached_property
    def places(self) -> dict[str, int]:
        """Index by id."""
        return {name: i for i, name in enumerate(self.ids)}

    @cached_property
    def adjacency(self) -> tuple[tuple[int, ...], ...]:
        """Neighbours by node, each sorted."""
        # Links are sorted, so first all smaller neighbours arrive in order, then all larger ones.
        smaller: list[list[int]] = [[] for _ in self.ids]
        larger: list[list[int]] = [[] for _ in self.ids]
        for i, j in self.links:
            larger[i].append(j)
            smaller[j].append(i)
        return tuple(tuple(a + b) for a, b in zip(smaller, larger, strict=True))

    def index(self, node: str, path: str = "node") -> int:
        """The index of an id.

        Raises: ScenarioError at `path`, with the nearest known ids.
        """
        found = self.places.get(node)
        if found is None:
            raise self.unknown(node, path)
        return found

    def unknown(self, node: str, path: str) -> ScenarioError:
        """The error for an id this network does not have; a display name is recognised."""
        if node in self.names:
            named = self.ids[self.names.index(node)]
            return ScenarioError(
                path, node, f"a node id; the node named {node!r} has the id {named!r}", "unknown node"
            )
        return ScenarioError(path, node, one_of(node, self.ids), "unknown node")

    def neighbours(self, i: int) -> tuple[int, ...]:
        """The nodes linked to `i`, sorted."""
        return self.adjacency[i]

    def components(self) -> list[list[int]]:
        """The connected parts, each sorted; largest first, equal sizes by their first node."""
        return components(self.n, self.adjacency)

    def to_networkx(self) -> Any:
        """The same as a networkx Graph: nodes are ids, with name, x, y; links with quality where known."""
        # Imported here: a third of a second that most runs do not need.
        import networkx as nx

        graph: Any = nx.Graph()
        for i, node in enumerate(self.ids):
            graph.add_node(node, name=self.names[i], x=self.x[i], y=self.y[i])
        for k, (i, j) in enumerate(self.links):
            extra = {} if self.quality is None else {"tq": self.quality[k][0], "tq_back": self.quality[k][1]}
            graph.add_edge(self.ids[i], self.ids[j], **extra)
        return graph


def components(n: int, adjacency: Sequence[Sequence[int]]) -> list[list[int]]:
    """The connected parts of a graph, each sorted; largest first, equal sizes by their first node."""
    seen = bytearray(n)
    parts = []
    for start in range(n):
        if seen[start]:
            continue
        seen[start] = 1
        part = [start]
        for v in part:
            for w in adjacency[v]:
                if not seen[w]:
                    seen[w] = 1
                    part.append(w)
        parts.append(sorted(part))
    return sorted(parts, key=lambda p: (-len(p), p[0]))


def sorted_links(pairs: Iterable[tuple[int, int]]) -> Pairs:
    """Links as (i, j) with i < j, sorted, each once."""
    return tuple(sorted({(i, j) if i < j else (j, i) for i, j in pairs}))


def hops_from(start: int, adjacency: Sequence[Sequence[int]]) -> dict[int, int]:
    """Hop distance to everything reachable, in breadth-first order."""
    hops = {start: 0}
    queue = deque([start])
    while queue:
        v = queue.popleft()
        for w in adjacency[v]:
            if w not in hops:
                hops[w] = hops[v] + 1
                queue.append(w)
    return hops


def levels(start: int, adjacency: Sequence[Sequence[int]]) -> Iterator[set[int]]:
    """The nodes 0, 1, 2 … hops away."""
    level, seen = {start}, {start}
    while level:
        yield level
        level = set().union(*[adjacency[v] for v in level]) - seen
        seen |= level


def central_node(network: Network) -> int:
    """An approximate centre of the largest component; ties by node order.

    Two breadth-first sweeps find a longest-looking path; of the nodes half-way along any such path the one
    whose farthest node is nearest wins (at most 32 are tried).
    """
    adjacency = network.adjacency
    *_, farthest = levels(network.components()[0][0], adjacency)
    from_a = list(levels(min(farthest), adjacency))
    from_b = list(levels(min(from_a[-1]), adjacency))
    length = len(from_a) - 1
    halves = {length // 2, (length + 1) // 2}
    middle = sorted(v for half in halves for v in from_a[half] & from_b[length - half])
    step = -(-len(middle) // 32)
    return _nearest_to_all(middle[::step], adjacency)


def _nearest_to_all(starts: Sequence[int], adjacency: Sequence[Sequence[int]]) -> int:
    """The start whose farthest node is nearest, the first of several."""
    # Breadth-first from all of them at once: bit k of a node says that start k has reached it.
    reached = [0] * len(adjacency)
    coming = {v: 1 << k for k, v in enumerate(starts)}
    every = (1 << len(starts)) - 1
    while True:
        moving = 0
        for bits in coming.values():
            moving |= bits
        if moving != every:
            done = every & ~moving
            return starts[(done & -done).bit_length() - 1]
        for v, bits in coming.items():
            reached[v] |= bits
        fresh, coming = coming, {}
        if 4 * len(fresh) < len(adjacency):
            for v, bits in fresh.items():
                for w in adjacency[v]:
                    if new := bits & ~reached[w]:
                        coming[w] = coming.get(w, 0) | new
            continue
        # The same from the other side, which costs less where many move.
        last = [fresh.get(v, 0) for v in range(len(adjacency))]
        for w, row in enumerate(adjacency):
            if (before := reached[w]) != every:
                bits = 0
                for v in row:
                    bits |= last[v]
                if new := bits & ~before:
                    coming[w] = new


def linked_within(
    x: Sequence[float],
    y: Sequence[float],
    range_m: float,
    z: Sequence[float] | None = None,
    most: int | None = None,
) -> Pairs:
    """All pairs at most `range_m` apart, (i, j) with i < j, sorted; buckets about as wide as the range.

    Raises: ScenarioError when there are more than `most`.
    """
    buckets: dict[tuple[int, int], list[int]] = {}
    # A hair wider than the range, so that a rounded distance cannot reach over a whole bucket.
    width = range_m * (1 + 1e-9)
    for i in range(len(x)):
        buckets.setdefault((int(x[i] // width), int(y[i] // width)), []).append(i)
    reach = range_m * range_m
    found: list[tuple[int, int]] = []
    for (cx, cy), here in buckets.items():
        # This bucket and four of its eight neighbours: every pair of buckets once.
        around = [
            j
            for other in ((1, 0), (-1, 1), (0, 1), (1, 1))
            for j in buckets.get((cx + other[0], cy + other[1]), ())
        ]
        for k, i in enumerate(here):
            xi, yi = x[i], y[i]
            for j in here[k + 1 :] + around:
                dx, dy = x[j] - xi, y[j] - yi
                apart = dx * dx + dy * dy
                if z is not None:
                    apart += (z[j] - z[i]) ** 2
                if apart <= reach:
                    found.append((i, j) if i < j else (j, i))
            if most is not None and len(found) > most:
                allowed = f"a range that gives at most {most:,} links"
                raise ScenarioError("topology.range_m", range_m, allowed, "too many links")
    return tuple(sorted(found))
