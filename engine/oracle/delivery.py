"""Delivery, from the trace: who should have got a publication, who did, how often, over how many hops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.core.trace import DELIVER, SEND, Record

KEPT_SENDS = 10_000  # a publication that goes in circles is still counted, but not listed without end


@dataclass
class Publication:
    """One publication and what became of it."""

    number: int
    t: float
    node: int
    channel: int
    data: str | None
    expected: set[int]  # subscribers alive and reachable when published, without the publisher
    delivered: dict[int, tuple[float, int]] = field(
        default_factory=dict
    )  # node: (time, hops), first delivery
    duplicates: int = 0
    messages: int = 0
    sends: list[tuple[float, int, int, Any]] = field(default_factory=list)  # (time, from, to, message)
    hops: dict[int, int] = field(default_factory=dict)  # of each frame, by its sequence number
    last: float = 0.0

    @property
    def id(self) -> str:
        """`p1`, `p2`, … in order of publishing."""
        return f"p{self.number}"

    def missing(self) -> set[int]:
        """Expected, but not delivered (yet)."""
        return self.expected - self.delivered.keys()


class Deliveries:
    """All publications of a run. Feed it every record of a publication kind."""

    def __init__(self, kinds: set[int]) -> None:
        self.kinds = kinds  # message kinds that carry publications
        self.all: list[Publication] = []
        self.changed: set[int] = set()  # numbers touched since somebody last cleared this

    def published(
        self, t: float, node: int, channel: int, data: str | None, expected: set[int], number: int
    ) -> Publication:
        """Note a new publication."""
        entry = Publication(number, t, node, channel, data, expected, last=t)
        self.all.append(entry)
        self.changed.add(number)
        return entry

    def get(self, number: int) -> Publication | None:
        """The publication of this number; None for a number that no one published (a corrupt message)."""
        return self.all[number - 1] if 1 <= number <= len(self.all) else None

    def tallies(self) -> dict[str, int]:
        """Sums over all publications; see `engine.batch.run_batch`."""
        return {
            "publications": len(self.all),
            "expected": sum(len(p.expected) for p in self.all),
            "delivered": sum(len(p.expected & p.delivered.keys()) for p in self.all),
            "duplicates": sum(p.duplicates for p in self.all),
            "transmissions": sum(p.messages for p in self.all),
            "hops": sum(hops for p in self.all for _, hops in p.delivered.values()),
        }

    def feed(self, record: Record) -> None:
        """Take one SEND or DELIVER record into account; others are ignored."""
        if record[0] == SEND and record[6] in self.kinds:
            _, t, seq, cause, v, to, _, m = record
            entry = self.get(m.publication)
            if entry is not None:
                entry.hops[seq] = entry.hops.get(cause, 0) + 1
                entry.messages += 1
                entry.last = t
                if len(entry.sends) < KEPT_SENDS:
                    entry.sends.append((t, v, to, m))
                self.changed.add(entry.number)
        elif record[0] == DELIVER:
            _, t, cause, v, _, number = record
            entry = self.get(number)
            if entry is not None:
                entry.last = t
                if v in entry.delivered:
                    entry.duplicates += 1
                else:
                    entry.delivered[v] = (t, entry.hops.get(cause, 0))
                self.changed.add(number)
