"""How long the layers take to become legitimate again after each fault, and what that costs.

A fault is any command but a publication: it may make variables wrong. Faults of one moment count as one. A layer is
stable since the beginning of the legitimate stretch that lasts to the next fault: one right at the fault and upset
later, by the layers below, is stable when it is right again. Times are those of the judge's samples.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

KEPT = 1_000
"""The latest faults are remembered."""


@dataclass
class Repair:
    """What followed a fault at `t`. since: by layer, legitimate since; None: it is not.

    before, after: messages sent by kind, at the fault and when all layers had become legitimate.
    """

    t: float
    before: list[int]
    since: list[float | None]
    caused_by: dict[str, int] = field(default_factory=dict)  # commands, by what they do; none: power-on
    after: list[int] | None = None

    @property
    def end(self) -> float | None:
        """When all layers had become legitimate; None: they are not."""
        times = [t for t in self.since if t is not None]
        return max(times, default=self.t) if len(times) == len(self.since) else None

    def seconds(self) -> list[float | None]:
        """From the fault to legitimacy, by layer."""
        return [None if t is None else t - self.t for t in self.since]


class Repairs:
    """The faults of a run so far, power-on the first."""

    def __init__(self, layers: int, kinds: int) -> None:
        self.layers = layers
        self.all: deque[Repair] = deque([Repair(0.0, [0] * kinds, [None] * layers)], KEPT)

    @property
    def last(self) -> Repair:
        """What followed the latest fault."""
        return self.all[-1]

    def fault(self, t: float, do: str, counts: Sequence[int]) -> None:
        """A command took effect after so many messages."""
        if not (self.last.t == t and self.last.caused_by):
            self.all.append(Repair(t, list(counts), [None] * self.layers))
        repair = self.last
        repair.caused_by[do] = repair.caused_by.get(do, 0) + 1

    def note(self, t: float, wrong: Sequence[int], counts: Sequence[int]) -> None:
        """The judge found so many wrong variables by layer; `counts` messages had been sent by kind."""
        repair = self.last
        for k, count in enumerate(wrong):
            if count:
                repair.since[k] = None
            elif repair.since[k] is None:
                repair.since[k] = t
        if any(wrong):
            repair.after = None
        elif repair.after is None:
            repair.after = list(counts)

    def as_plain(self) -> list[list[Any]]:
        """Plain data, for snapshots."""
        return [[r.t, r.before, r.since, r.caused_by, r.after] for r in self.all]

    def fill(self, saved: Sequence[Sequence[Any]]) -> None:
        """Remember what `as_plain` wrote."""
        self.all.clear()
        for t, before, since, caused_by, after in saved:
            self.all.append(Repair(t, list(before), list(since), dict(caused_by), after))


def rounds(seconds: float | None, round_s: float) -> int | None:
    """How many rounds of this length, the last begun one counted."""
    return None if seconds is None else ceil(round(seconds / round_s, 9))
