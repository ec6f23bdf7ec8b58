"""How far a sweep is, by what lies in its folder: the only truth that survives every kind of end."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.sweeps import Folder, Plan
from spark_batch.chunks import failed_in

WINDOW_S = 30.0
"""The rate is that of the latest so many seconds."""


@dataclass(frozen=True)
class Progress:
    """done, failed, of: runs. doing: in words, where runs are not what is done."""

    done: int
    failed: int
    of: int
    per_s: float | None = None
    left_s: float | None = None
    doing: str | None = None


class Counted:
    """Counts whole chunks; looks only at those that may have come since the last time."""

    def __init__(self, folder: Folder, plan: Plan, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder, self.plan, self._clock = folder, plan, clock
        self.chunks: set[int] = set()
        self.done = self.failed = 0
        self._waiting: list[int] = []
        self._times: deque[tuple[float, int]] = deque()
        for number in folder.chunks():
            self._take(number)
        self._note()

    def _take(self, number: int) -> None:
        if number not in self.chunks:
            first, behind = self.plan.chunk(number)
            self.chunks.add(number)
            self.done += behind - first
            self.failed += failed_in(self.folder.chunk(number))

    def _note(self) -> None:
        now = self._clock()
        self._times.append((now, self.done))
        while len(self._times) > 2 and now - self._times[0][0] > WINDOW_S:
            self._times.popleft()

    def expect(self, chunks: Sequence[int]) -> None:
        """These are played next, in about this order."""
        self._waiting = [number for number in chunks if number not in self.chunks]

    def look(self, ahead: int = 200) -> Progress:
        """Take what has come since; only the next `ahead` chunks can have."""
        for number in self._waiting[:ahead]:
            if self.folder.chunk(number).exists():
                self._take(number)
        self._waiting = [
            number for number in self._waiting[:ahead] if number not in self.chunks
        ] + self._waiting[ahead:]
        self._note()
        return self.progress()

    def progress(self, doing: str | None = None) -> Progress:
        """As it was at the last look."""
        (t0, n0), (t1, n1) = self._times[0], self._times[-1]
        rate = (n1 - n0) / (t1 - t0) if n1 > n0 and t1 > t0 else None
        left = (self.plan.runs - self.done) / rate if rate else None
        return Progress(self.done, self.failed, self.plan.runs, rate, left, doing)
