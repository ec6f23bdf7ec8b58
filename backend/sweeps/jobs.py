"""The sweeps of one server: queued, handed to the batch process, followed to their end, kept until they are deleted.

Theory of operation. Everything here happens on the event loop, so nothing needs a lock; files and the database are for
threads. A job is *queued* until the batch process takes it, *running* until that says it has ended, and then *done*,
*failed* or *cancelled*. After each change, and twice a second, `_turn` looks at what there is to do: it starts the process
when somebody waits (or soon will: an estimate was asked for), hands out jobs, ends a process that is idle or silent, and
writes down what changed.

When the process dies, its jobs go back to the queue: what is finished is on disk and is not done again. A job under
which it died is a suspect and runs alone from then on, so that one that kills it takes no other along; after a few
deaths it has failed, with the process's last words. What the process itself calls trouble (no Java, a master that does
not answer) fails every job that waits, since the next try would end the same. A server that comes up finds *running*
jobs of the one before and queues them.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, TypeVar

from backend.refusal import Refusal
from backend.settings import Settings
from backend.store import Store
from backend.sweeps import folders, worker
from backend.sweeps.bodies import Job, SweepState
from backend.sweeps.live import Live
from backend.sweeps.room import check_kept, check_queue, check_room
from backend.sweeps.table import Table
from backend.sweeps.worker import Worker
from engine.sweeps import Sweep, sweep_id

log = logging.getLogger("ringcast")

T = TypeVar("T")

TICK_S = 0.5
WRITE_S = 2.0
"""How often progress goes to the database."""
CANCEL_S = 1.7
"""How long the batch process has for a cancel before it is killed."""
START_S = 120.0
SILENCE_S = 90.0
"""A process with jobs speaks each second; after so long without a word it hangs."""
MOST_TRIES = 3
AGAIN_S = 60.0
"""Until a process that could not start is tried again without a job that needs it."""


class Jobs:
    """The queue and the batch process behind it. Use it inside one running event loop, between `start` and `close`."""

    def __init__(self, settings: Settings, store: Store, command: Sequence[str] | None = None) -> None:
        self.settings = settings
        self.root = settings.data / "sweeps"
        self.all: dict[str, Live] = {}
        self.trouble: str | None = None  # why Spark could not be used the last time
        self.closing = False
        self.worker = Worker(
            command or worker.command_of(settings.master), self.root, self._heard, self._over
        )
        self._table = Table(store)
        self._database = ThreadPoolExecutor(1, "sweeps-database")
        self._reading = ThreadPoolExecutor(2, "sweeps-reading")
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._wanted_until = 0.0  # monotonic: somebody is about to start a sweep
        self._written_at = 0.0
        self._bad_starts = 0
        self._retry_at = 0.0
        self._blamed = True  # whether the death of the process speaks against its jobs

    # --- life

    async def start(self) -> None:
        """Take up what the server before left."""
        self.all = {entry.id: Live(entry) for entry in await self._on(self._database, self._found)}
        for live in self.all.values():
            if live.entry.state == "running":
                live.entry.state = "queued"
                live.dirty = True
        self._task = asyncio.create_task(self._look_after(), name="sweeps")

    def _found(self) -> list[Any]:
        known = self._table.all()
        return known + folders.strays(self.root, {entry.id for entry in known})

    async def close(self) -> None:
        """End the batch process; what runs is queued for the next server."""
        if self.closing:
            return
        self.closing = True
        if self._task is not None:
            self._task.cancel()
        await self.worker.stop()
        for live in self.all.values():
            live.tell()
        await self._write()
        for pool in (self._database, self._reading):
            pool.shutdown(wait=False, cancel_futures=True)

    def warm(self) -> None:
        """Somebody is about to start a sweep: have the batch process ready by then."""
        self._wanted_until = time.monotonic() + self.settings.sweeps_idle_s
        self._wake.set()

    async def read(self, reader: Callable[..., T], *args: Any) -> T:
        """Read results in a thread of the few that may."""
        return await self._on(self._reading, reader, *args)

    async def _on(self, pool: ThreadPoolExecutor, call: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(pool, call, *args)

    # --- what may be asked

    def find(self, id: str) -> Live:
        """The sweep of this id. Raises Refusal."""
        live = self.all.get(id)
        if live is None:
            raise unknown(id)
        return live

    def job(self, live: Live) -> Job:
        """How it stands, for the wire."""
        entry = live.entry
        queued = entry.state == "queued"
        return Job(
            id=entry.id,
            name=entry.name,
            state=entry.state,
            made=datetime.fromtimestamp(entry.made, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            runs=entry.runs,
            points=entry.points,
            done=entry.done,
            failed=entry.failed,
            per_s=live.per_s if entry.state == "running" else None,
            left_s=live.left_s if entry.state == "running" else None,
            doing=live.doing if entry.state == "running" else None,
            queue_place=self._waiting().index(live) + 1 if queued else None,
            reason=entry.reason or (self._waits_for(live) if queued else None),
            summary_version=entry.summary_version,
        )

    def listed(self) -> list[Job]:
        """All of them, the newest first."""
        return [self.job(live) for live in sorted(self.all.values(), key=lambda x: -x.entry.made)]

    async def submit(self, sweep: Sweep, mb: float) -> tuple[Live, bool]:
        """Queue a sweep, or find the same one; whether it is new. Raises Refusal where there is no room for it."""
        id = sweep_id(sweep)
        known = self.all.get(id)
        if known is not None:
            return known, False
        check_kept(self.settings, len(self.all))
        check_queue(self.settings, len(self._waiting()))
        await self._check_disk(mb)
        live = self.all.get(id)
        if live is not None:  # the same sweep came in beside this one
            return live, False
        live = Live.new(id, sweep, mb, time.time())
        self.all[id] = live
        try:
            await self._on(self._database, folders.make, self.root, id, sweep)
            await self._on(self._database, self._table.save, live.entry)
        except (OSError, sqlite3.Error) as error:
            del self.all[id]
            raise Refusal(503, "disk", str(self.root), "room on the disk", str(error), retry_s=60) from None
        live.dirty = False
        self._changed(live)
        return live, True

    async def resume(self, id: str) -> Live:
        """Go on with a sweep that was cancelled or failed; what is finished is kept. Raises Refusal."""
        live = self.find(id)
        if live.entry.state in ("cancelled", "failed"):
            check_queue(self.settings, len(self._waiting()))
            await self._check_disk(live.entry.mb * (1 - live.entry.done / live.entry.runs))
        if live.entry.state in ("cancelled", "failed"):
            live.entry.tries = 0
            live.entry.queued = time.time()
            self._set(live, "queued")
            self._retry_at = 0.0
        return live

    async def cancel(self, id: str) -> Live:
        """Stop a sweep; what is finished is kept. Returns when nothing of it is being worked on any more."""
        live = self.find(id)
        if live.entry.state == "queued":
            self._set(live, "cancelled")
        elif live.entry.state == "running":
            live.cancelling = True
            self.worker.say(do="cancel", job=id)
            if not await live.over(CANCEL_S):
                log.warning("the batch process did not cancel sweep %s in time: it is started again", id)
                self._blamed = False
                self.worker.kill()
                await live.over(CANCEL_S)
        return live

    async def delete(self, id: str) -> None:
        """Forget a sweep and its results."""
        live = await self.cancel(id)
        if self.all.pop(id, None) is None:
            raise unknown(id)
        live.gone = True
        live.tell()
        await self._on(self._database, self._table.delete, id)
        await self.read(folders.remove, self.root, id)
        self._all_changed()

    async def _check_disk(self, mb: float) -> None:
        waiting = sum(
            x.entry.mb * (1 - x.entry.done / x.entry.runs)
            for x in self.all.values()
            if x.entry.state in ("queued", "running")
        )
        used, free = await self.read(folders.megabytes, self.root)
        check_room(self.settings, mb, waiting, used, free)

    # --- what the batch process says

    def _heard(self, said: worker.Line) -> None:
        if isinstance(said, worker.Trouble):
            self.trouble = said.reason
            return
        if isinstance(said, worker.Ready):
            self.trouble = None
            self._bad_starts = 0
            self._all_changed()
            return
        live = self.all.get(said.job)
        if live is None or live.entry.state != "running":
            return  # deleted or cancelled meanwhile
        if isinstance(said, worker.Progress):
            live.progress(said)
        elif isinstance(said, worker.Summary):
            live.entry.summary_version += 1
        else:
            self._end(live, said)
        live.dirty = True
        live.tell()

    def _end(self, live: Live, said: worker.Ended) -> None:
        if said.state == "cancelled" and not live.cancelling:
            self._set(live, "queued", "the batch process gave it back")  # it was told to stop
        else:
            self._set(live, said.state, said.reason)
            if said.state == "done":
                live.entry.done = live.entry.runs
        live.entry.summary_version += 1

    def _over(self) -> None:
        """The process is gone."""
        stopped, self._wanted_until = self.worker.stopping, 0.0
        words = self.worker.last_words()
        running = self._of("running")
        for live in running:
            if live.cancelling:
                self._set(live, "cancelled")
            elif stopped or self.closing or not self._blamed:
                self._set(live, "queued")
            else:
                self._died_under(live, words)
        started_badly = not (self.worker.came_up or stopped or self.closing)
        self._blamed = True
        if self.trouble is None and started_badly:
            self._bad_starts += 1
            if self._bad_starts >= MOST_TRIES:
                self.trouble = f"the batch process cannot be started; its last words: {words}"
        if self.trouble is not None and not (stopped or self.closing):
            self._bad_starts = 0
            for live in self._of("queued"):
                self._set(live, "failed", self.trouble)
            self._retry_at = time.monotonic() + AGAIN_S
        self._wake.set()

    def _died_under(self, live: Live, words: str) -> None:
        live.entry.tries += 1
        log.warning("the batch process died (%s) under sweep %s", words, live.entry.id)
        if live.entry.tries >= MOST_TRIES:
            why = f"the batch process died {live.entry.tries} times under this sweep; its last words: {words}"
            self._set(live, "failed", why)
        else:
            self._set(live, "queued")

    # --- turns

    def _of(self, state: SweepState) -> list[Live]:
        return [live for live in self.all.values() if live.entry.state == state]

    def _waiting(self) -> list[Live]:
        return sorted(self._of("queued"), key=lambda x: (x.entry.queued, x.entry.id))

    def _waits_for(self, live: Live) -> str | None:
        if not self.worker.ready:
            return "Spark is starting"
        if live.entry.tries:
            return "it runs alone, since the batch process died under it"
        return "other sweeps run" if self._of("running") else None

    async def _look_after(self) -> None:
        while True:
            try:
                async with asyncio.timeout(TICK_S):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()
            try:
                await self._turn(time.monotonic())
            except Exception as error:  # the next turn may do better
                log.error("looking after the sweeps failed", exc_info=error)

    async def _turn(self, now: float) -> None:
        waiting, running = self._waiting(), self._of("running")
        if not self.worker.on:
            if waiting or (now < self._wanted_until and now >= self._retry_at):
                self.worker.start()
        elif self.worker.ready:
            self._hand_out(waiting, running)
            busy = self._of("running")
            if busy and now - max(self.worker.heard_at, *(x.given_at for x in busy)) > SILENCE_S:
                log.error("the batch process has not said a word for %g s: it is killed", SILENCE_S)
                self.worker.kill()
            elif not busy and not waiting and now - self._idle_since() > self.settings.sweeps_idle_s:
                self.worker.ask_to_stop()
        elif now - max(self.worker.started_at, self.worker.heard_at) > START_S:
            log.error(
                "the batch process did not %s: it is killed", "stop" if self.worker.stopping else "start"
            )
            self.worker.kill()
        if now - self._written_at > WRITE_S:
            self._written_at = now
            await self._write()

    def _idle_since(self) -> float:
        return max(self.worker.heard_at, self._wanted_until - self.settings.sweeps_idle_s)

    def _hand_out(self, waiting: list[Live], running: list[Live]) -> None:
        for live in waiting:
            alone = live.entry.tries > 0 or any(x.entry.tries for x in running)
            if len(running) >= (1 if alone else self.settings.sweeps_at_once):
                return  # nobody overtakes
            self._set(live, "running")
            live.given_at = time.monotonic()
            self.worker.say(do="run", job=live.entry.id, out=str(self.root / live.entry.id))
            running.append(live)

    def _set(self, live: Live, state: SweepState, reason: str | None = None) -> None:
        live.entry.state, live.entry.reason = state, reason
        live.cancelling = live.cancelling and state == "running"
        self._changed(live)

    def _changed(self, live: Live) -> None:
        live.dirty = True
        live.tell()
        self._all_changed()

    def _all_changed(self) -> None:
        """Places in the queue may be others now."""
        for live in self._of("queued"):
            live.tell()
        self._wake.set()

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


def unknown(id: str) -> Refusal:
    """There is no such sweep."""
    return Refusal(404, "sweep", id, "the id of a sweep on this server", "there is no such sweep")
