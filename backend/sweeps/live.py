"""A sweep in memory: its entry, how fast it goes, and who wants to know of every change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from backend.sweeps.table import Entry
from backend.sweeps.worker import Progress
from engine.sweeps import Sweep

ENDED = ("done", "failed", "cancelled")


class Live:
    """One sweep of a server."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.per_s: float | None = None
        self.left_s: float | None = None
        self.doing: str | None = None
        self.given_at = 0.0  # to the batch process, on the monotonic clock
        self.ready = True  # its folder is there
        self.cancelling = False
        self.stop: str | None = None  # why the server itself is cancelling it
        self.gone = False  # deleted
        self.dirty = False  # not yet in the database
        self._watchers: set[asyncio.Event] = set()

    @classmethod
    def new(cls, id: str, sweep: Sweep, mb: float, now: float, owner: str) -> Live:
        """A sweep just asked for."""
        live = cls(Entry(id, sweep.name, "queued", now, now, sweep.runs, sweep.points, mb=mb, owner=owner))
        live.ready = False
        return live

    @property
    def to_come_mb(self) -> float:
        """What it has yet to write, about."""
        return self.entry.mb * (1 - self.entry.done / self.entry.runs)

    @property
    def ended(self) -> bool:
        """Nothing more will happen to it, unless it is resumed."""
        return self.entry.state in ENDED

    @property
    def watchers(self) -> int:
        return len(self._watchers)

    def progress(self, said: Progress) -> None:
        """Take over how far it has got."""
        if said.done or said.doing is None:  # before that it has not yet looked what there is
            self.entry.done = min(said.done, self.entry.runs)
            self.entry.failed = said.failed
        self.per_s, self.left_s, self.doing = said.per_s, said.left_s, said.doing

    def tell(self) -> None:
        """It has changed."""
        for event in self._watchers:
            event.set()

    @contextmanager
    def watched(self) -> Iterator[asyncio.Event]:
        """An event that is set on every change; set at first."""
        event = asyncio.Event()
        event.set()
        self._watchers.add(event)
        try:
            yield event
        finally:
            self._watchers.discard(event)

    async def over(self, within_s: float) -> bool:
        """Wait until the batch process has let go of it; False if it has not in time."""
        with self.watched() as changed:
            try:
                async with asyncio.timeout(within_s):
                    while self.entry.state == "running":
                        changed.clear()
                        await changed.wait()
            except TimeoutError:
                return False
        return True
