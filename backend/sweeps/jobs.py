"""The sweeps of one server: what may be asked of them, and how they are kept.

Sweeps live in memory, on the event loop; files and the database are for threads. A server that comes up finds
*running* jobs of the one before and queues them. `backend.sweeps.foreman` tells how they get done.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, TypeVar

from backend.refusal import Refusal
from backend.settings import Settings
from backend.store import Store
from backend.sweeps import folders
from backend.sweeps.bodies import Job
from backend.sweeps.foreman import Foreman
from backend.sweeps.live import Live
from backend.sweeps.room import check_kept, check_queue, check_room
from backend.sweeps.table import Entry, Table
from backend.visitor import is_owner
from engine.sweeps import Sweep, sweep_id

log = logging.getLogger("ringcast")

T = TypeVar("T")

TICK_S = 0.5
WRITE_S = 2.0
"""How often progress goes to the database."""


class Jobs:
    """All sweeps of a server. Use it inside one running event loop, between `start` and `close`."""

    def __init__(self, settings: Settings, store: Store, command: Sequence[str] | None = None) -> None:
        self.settings = settings
        self.root = settings.data / "sweeps"
        self.all: dict[str, Live] = {}
        self.foreman = Foreman(settings, self.root, self.all, command)
        self.closing = False
        self._table = Table(store)
        self._database = ThreadPoolExecutor(1, "sweeps-database")
        self._reading = ThreadPoolExecutor(2, "sweeps-reading")
        self._task: asyncio.Task[None] | None = None
        self._written_at = 0.0

    # --- life

    async def start(self) -> None:
        """Take up what the server before left."""
        for entry in await self._on(self._database, self._found):
            live = self.all[entry.id] = Live(entry)
            if entry.state == "running":
                entry.state = "queued"
                live.dirty = True
        self._task = asyncio.create_task(self._look_after(), name="sweeps")

    def _found(self) -> list[Entry]:
        known = self._table.all()
        return known + folders.strays(self.root, {entry.id for entry in known})

    async def _look_after(self) -> None:
        while True:
            try:
                async with asyncio.timeout(TICK_S):
                    await self.foreman.wake.wait()
            except TimeoutError:
                pass
            self.foreman.wake.clear()
            try:
                now = time.monotonic()
                self.foreman.turn(now)
                if now - self._written_at > WRITE_S:
                    self._written_at = now
                    await self._write()
            except Exception as error:  # the next turn may do better
                log.error("looking after the sweeps failed", exc_info=error)

    async def close(self) -> None:
        """End the batch process; what runs is queued for the next server."""
        if self.closing:
            return
        self.closing = True
        if self._task is not None:
            self._task.cancel()
        await self.foreman.close()
        for live in self.all.values():
            live.tell()
        await self._write()
        for pool in (self._database, self._reading):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _write(self) -> None:
        """Put what changed into the database."""
        dirty = [live for live in self.all.values() if live.dirty]
        for live in dirty:
            live.dirty = False
        if not dirty:
            return
        try:
            await self._on(self._database, self._table.save, *[live.entry for live in dirty])
        except sqlite3.Error as error:
            log.error("how the sweeps stand could not be written down: %s", error)
            for live in dirty:
                live.dirty = True

    async def read(self, id: str, reader: Callable[..., T], *args: Any) -> T:
        """Read a sweep's results in a thread of the few that may. Raises Refusal for one that is not here."""
        self.find(id)
        try:
            return await self._on(self._reading, reader, self.root, id, *args)
        except FileNotFoundError:
            self.find(id)  # deleted meanwhile
            raise

    async def _on(self, pool: ThreadPoolExecutor, call: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(pool, call, *args)

    # --- how they stand

    def find(self, id: str) -> Live:
        """The sweep of this id. Raises Refusal."""
        live = self.all.get(id)
        if live is None:
            raise unknown(id)
        return live

    def check_owner(self, id: str, visitor: str | None) -> None:
        """Raises Refusal for whoever did not start it."""
        if not is_owner(self.find(id).entry.owner, visitor):
            allowed = (
                "the browser that it was started from; a changed copy of it can be started from anywhere"
            )
            raise Refusal(403, "sweep", id, allowed, "this sweep was started by somebody else")

    def job(self, live: Live, visitor: str | None) -> Job:
        """How it stands, for the wire and this visitor."""
        entry = live.entry
        queued, running = entry.state == "queued", entry.state == "running"
        return Job(
            id=entry.id,
            name=entry.name,
            state=entry.state,
            made=datetime.fromtimestamp(entry.made, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            runs=entry.runs,
            points=entry.points,
            done=entry.done,
            failed=entry.failed,
            per_s=live.per_s if running else None,
            left_s=live.left_s if running else None,
            doing=live.doing if running else None,
            queue_place=self.foreman.waiting().index(live) + 1 if queued else None,
            reason=entry.reason or (self.foreman.waits_for(live) if queued else None),
            summary_version=entry.summary_version,
            yours=is_owner(entry.owner, visitor),
        )

    def listed(self, visitor: str | None) -> list[Job]:
        """All of them, the newest first."""
        return [self.job(live, visitor) for live in sorted(self.all.values(), key=lambda x: -x.entry.made)]

    # --- what may be asked

    async def submit(self, sweep: Sweep, mb: float, owner: str) -> tuple[Live, bool]:
        """Queue a sweep, or find the same one; whether it is new. Raises Refusal where there is no room for it."""
        id = sweep_id(sweep)
        known = self.all.get(id)
        if known is not None:
            return known, False
        self._check_numbers()
        await self._check_disk(mb)
        known = self.all.get(id)
        if known is not None:  # the same sweep came in beside this one
            return known, False
        self._check_numbers()
        live = self.all[id] = Live.new(id, sweep, mb, time.time(), owner)
        try:
            await self._on(self._database, folders.make, self.root, id, sweep)
            await self._on(self._database, self._table.save, live.entry)
        except (OSError, sqlite3.Error) as error:
            self.all.pop(id, None)
            raise Refusal(503, "disk", str(self.root), "room on the disk", str(error), retry_s=60) from None
        if live.gone:  # deleted before it was quite there
            await self._forget(id)
            raise unknown(id)
        self._reading.submit(
            import_module, "backend.sweeps.parquet"
        )  # so that first results need not wait for it
        live.ready = True
        if live.entry.state == "queued":
            self.foreman.set(live, "queued")
        return live, True

    async def resume(self, id: str) -> Live:
        """Go on with a sweep that was cancelled or failed; what is finished is kept. Raises Refusal."""
        live = self.find(id)
        if live.entry.state in ("cancelled", "failed"):
            check_queue(self.settings, len(self.foreman.waiting()))
            await self._check_disk(live.to_come_mb)
        if live.entry.state in ("cancelled", "failed") and not live.gone:  # still, after that
            live.entry.tries = 0
            live.entry.queued = time.time()
            self.foreman.try_again()
            self.foreman.set(live, "queued")
        return live

    async def cancel(self, id: str) -> Live:
        """Stop a sweep; what is finished is kept. Returns when nothing of it is being worked on any more."""
        live = self.find(id)
        if live.entry.state == "queued":
            self.foreman.set(live, "cancelled")
        elif live.entry.state == "running":
            await self.foreman.cancel(live)
        return live

    async def delete(self, id: str) -> None:
        """Forget a sweep and its results."""
        live = await self.cancel(id)
        if self.all.pop(id, None) is None:
            raise unknown(id)
        live.gone = True
        live.tell()
        self.foreman.all_changed()
        await self._forget(id)

    async def _forget(self, id: str) -> None:
        await self._on(self._database, self._table.delete, id)
        await self._on(self._reading, folders.remove, self.root, id)

    def _check_numbers(self) -> None:
        check_kept(self.settings, len(self.all))
        check_queue(self.settings, len(self.foreman.waiting()))

    async def _check_disk(self, mb: float) -> None:
        waiting = sum(x.to_come_mb for x in self.all.values() if not x.ended)
        used, free = await self._on(self._reading, folders.megabytes, self.root)
        check_room(self.settings, mb, waiting, used, free)


def unknown(id: str) -> Refusal:
    """There is no such sweep."""
    return Refusal(404, "sweep", id, "the id of a sweep on this server", "there is no such sweep")
