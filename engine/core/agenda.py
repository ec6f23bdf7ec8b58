"""What will happen, in order of (time, sequence): a small heap of what is near, and buckets of time for the rest.

Theory of operation. A timer that starts anew comes about a period later, behind the timers of all other nodes. In one heap
it would sink through all of them at every turn. Here it is put at the end of a list, the bucket of its time, and goes into
a heap only when that bucket's turn has come; the heap then holds about NEAR events, however large the network is.

A bucket's number is a time times `inverse`, rounded down. `near` holds what falls into buckets up to number `at`, `far`
the others; `near` is empty only if everything is. Buckets do not change the order: a later one is a later time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import Any, TypeAlias

Event: TypeAlias = tuple[float, int, int, int, int, Any]
"""time, sequence, node, slot (or what stands in its place), kind, message"""

NEAR = 64
LATEST = 1 << 62  # the bucket of all that comes later than can be counted


class Agenda:
    """The events to come, where about `rate` fall into a second."""

    __slots__ = ("at", "far", "inverse", "near")

    def __init__(self, rate: float) -> None:
        self.near: list[Event] = []
        self.far: defaultdict[int, list[Event]] = defaultdict(list)
        self.inverse = max(rate / NEAR, 1e-3)
        self.at = 0

    def __len__(self) -> int:
        return len(self.near) + sum(map(len, self.far.values()))

    def __iter__(self) -> Iterator[Event]:
        """All events, in no order."""
        return chain(self.near, *self.far.values())

    def push(self, event: Event) -> None:
        """One event more."""
        place = event[0] * self.inverse
        bucket = int(place) if place < LATEST else LATEST
        if bucket <= self.at:
            heappush(self.near, event)
        elif self.near:
            self.far[bucket].append(event)
        else:
            self.at = bucket
            self.near.append(event)

    def pop(self) -> Event:
        """Take the first event. Raises IndexError if there is none."""
        event = heappop(self.near)
        if not self.near:
            self.refill()
        return event

    def refill(self) -> None:
        """`near` is empty: the next bucket's turn."""
        if self.far:
            self.at += 1
            if self.at not in self.far:
                self.at = min(self.far)
            self.near += self.far.pop(self.at)
            heapify(self.near)

    def replace(self, events: Iterable[Event]) -> None:
        """These events instead of all there were."""
        self.near.clear()
        self.far.clear()
        self.at = 0
        for event in sorted(events, key=lambda event: event[:2]):
            self.push(event)
