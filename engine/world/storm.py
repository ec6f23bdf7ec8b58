"""A storm written out: which link, node or subscription is hit when, and when it works again.

Times come from Poisson processes, one stream of the storm's seed for each kind of fault: more crashes leave the link flaps
when they were. What is hit is drawn from what works at that moment, as far as the document tells: a roster knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import TypeVar

from engine.core.rng import Stream
from engine.world.events import (
    AddNode,
    AnyEvent,
    Corrupt,
    FailLink,
    FailNode,
    RestoreLink,
    RestoreNode,
    Storm,
)
from engine.world.limits import MAX_NODES, MAX_TIME_S
from engine.world.roster import Roster
from engine.world.workload import changed, poisson, waiting

MOST_LINKS = 4  # of a node that joins, where links do not follow from a range
BESIDE = 60.0  # how far from its first neighbour it is drawn; neighbours are about 100 apart
TRIES = 32  # at drawing something that works, before all are looked through

T = TypeVar("T")


def expand(storm: Storm, roster: Roster, seed: int, place: int, taken: Iterable[str] = ()) -> list[AnyEvent]:
    """The commands of a storm that begins now, in order; `roster` is read only.

    seed: the scenario's, for a storm without its own, which then draws by its `place` in the document.
    taken: ids that no joining node may get, besides those the roster has.
    """
    return _Writer(storm, roster, seed, place, set(taken)).write()


class _Writer:
    """What fails and works again as the storm goes on."""

    def __init__(self, storm: Storm, roster: Roster, seed: int, place: int, taken: set[str]) -> None:
        self.storm, self.roster, self.taken = storm, roster, taken
        self.end = min(storm.t + storm.duration_s, MAX_TIME_S)
        self.seed, self.stream = (seed, place) if storm.seed is None else (storm.seed, 0)
        self.named = f"storm{place + 1}"
        self.nodes = roster.ids()
        self.links = roster.links()
        self.near: dict[str, list[str]] = {}
        for a, b in self.links:
            self.near.setdefault(a, []).append(b)
            self.near.setdefault(b, []).append(a)
        self.cut = {frozenset(pair) for pair in roster.cut}
        self.down = set(roster.failed)
        self.until: dict[object, float] = {}  # when a link or node that the storm hit works again
        self.wants = {channel: list(nodes) for channel, nodes in roster.wants.items()}
        self.events: list[AnyEvent] = []
        self.spots: dict[str, tuple[float, float, float]] = {}  # of those that join

    def write(self) -> list[AnyEvent]:
        hits: dict[str, Callable[[float, Stream], None]] = {
            "link_flaps_per_s": self._flap,
            "crashes_per_s": self._crash,
            "corruptions_per_s": self._corrupt,
            "joins_per_s": self._join,
            "leaves_per_s": self._leave,
            "churn_per_s": self._churn,
        }
        moments = []
        for order, (name, rate) in enumerate(self.storm.rates.items()):
            stream = Stream(self.seed, f"storm {name}", self.stream)
            drawn = Stream(self.seed, f"storm {name}, what", self.stream)
            moments += [(t, order, hits[name], drawn) for t in poisson(stream, rate, self.storm.t, self.end)]
        for t, _, hit, drawn in sorted(moments, key=lambda moment: moment[:2]):
            hit(t, drawn)
        return sorted(self.events, key=lambda event: event.t)

    def _works(self, node: str, t: float) -> bool:
        return node not in self.down and self.until.get(node, 0.0) <= t

    def _at(self, node: str) -> tuple[float, float, float]:
        return self.spots[node] if node in self.spots else self.roster.at(node)

    def _pick(self, stream: Stream, among: Sequence[T], fits: Callable[[T], bool]) -> T | None:
        """Any of those that fit; None if none does."""
        for _ in range(TRIES if among else 0):
            if fits(found := among[stream.below(len(among))]):
                return found
        left = [x for x in among if fits(x)]
        return left[stream.below(len(left))] if left else None

    def _repaired(self, t: float, stream: Stream) -> float | None:
        """When what fails at t works again; None: not within the storm."""
        back = round(t + waiting(stream, self.storm.repair_s), 6)
        if back <= self.end:
            return max(t, back)
        return self.end if self.storm.repair_all else None

    def _flap(self, t: float, stream: Stream) -> None:
        def works(link: tuple[str, str]) -> bool:
            key = frozenset(link)
            ends = self._works(link[0], t) and self._works(link[1], t)
            return ends and key not in self.cut and self.until.get(key, 0.0) <= t

        link, back = self._pick(stream, self.links, works), self._repaired(t, stream)
        if link is None:
            return
        self.events.append(FailLink.model_construct(do="fail-link", t=t, link=link))
        self.until[frozenset(link)] = self.end if back is None else back
        if back is None:
            self.cut.add(frozenset(link))
        else:
            self.events.append(RestoreLink.model_construct(do="restore-link", t=back, link=link))

    def _crash(self, t: float, stream: Stream) -> None:
        node, back = self._pick(stream, self.nodes, lambda v: self._works(v, t)), self._repaired(t, stream)
        if node is None:
            return
        self.events.append(FailNode.model_construct(do="fail-node", t=t, node=node))
        if back is None:
            self.down.add(node)
        else:
            self.until[node] = back
            self.events.append(RestoreNode.model_construct(do="restore-node", t=back, node=node))

    def _corrupt(self, t: float, stream: Stream) -> None:
        node = self._pick(stream, self.nodes, lambda v: self._works(v, t))
        if node is not None:
            self.events.append(Corrupt.model_construct(do="corrupt", t=t, node=node, layer="*"))

    def _leave(self, t: float, stream: Stream) -> None:
        node = self._pick(stream, self.nodes, lambda v: self._works(v, t))
        if node is not None:
            self.events.append(FailNode.model_construct(do="fail-node", t=t, node=node))
            self.down.add(node)

    def _churn(self, t: float, stream: Stream) -> None:
        wants = {channel: [v for v in nodes if self._works(v, t)] for channel, nodes in self.wants.items()}
        working = [v for v in self.nodes if self._works(v, t)]
        events = changed(wants, working, t, stream)
        for event in events:
            if event.do == "subscribe":
                self.wants[event.channel].append(event.node)
            else:
                self.wants[event.channel].remove(event.node)
        self.events += events

    def _join(self, t: float, stream: Stream) -> None:
        """A node joins beside one that works: on a link of it where links follow from places, else linked to it."""
        by_place, reach = self.roster.by_place, self.roster.network.range_m or inf
        first = self._pick(stream, self.nodes, lambda v: self._works(v, t) and self._at(v)[2] < reach)
        if first is None or len(self.nodes) >= MAX_NODES:
            return
        node = f"{self.named}-{len(self.spots) + 1}"
        while self.roster.has(node) or node in self.taken:
            node += "'"
        near = self.near.get(first, [])
        x, y, _ = self._at(first)
        if by_place and near:
            there = self._at(near[stream.below(len(near))])
            part = 0.2 + 0.6 * stream.uniform()
            x, y = x + part * (there[0] - x), y + part * (there[1] - y)
        else:
            x += BESIDE * (2.0 * stream.uniform() - 1.0)
            y += BESIDE * (2.0 * stream.uniform() - 1.0)
        linked = [first]
        for other in () if by_place else near:
            if len(linked) < MOST_LINKS and stream.uniform() < 0.5:
                linked.append(other)
        links = () if by_place else tuple(linked)
        self.events.append(AddNode.model_construct(do="add-node", t=t, id=node, x=x, y=y, links=links))
        self.nodes.append(node)
        self.spots[node] = (x, y, 0.0)
        self.taken.add(node)
        self.links += [(node, other) for other in links]
        self.near[node] = list(links)
        for other in links:
            self.near.setdefault(other, []).append(node)
