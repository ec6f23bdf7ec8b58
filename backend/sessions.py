"""All sessions of a server: made, visited, paused and parked when nobody watches, brought back on the next visit.

A session is in memory (`live`) or on disk, never both in use: whatever moves it between the two holds the session's
lock. Building a run takes seconds for a big network, so that happens in worker threads, two at a time.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

from backend.origin import Origin
from backend.pace import Load
from backend.picture import Curves
from backend.refusal import Refusal
from backend.session import Ended, Session
from backend.settings import Settings
from backend.store import Parked, Store
from backend.wire import Close
from engine import ENGINE_VERSION
from engine.api import Run
from engine.core.errors import ScenarioError
from engine.world.scenario import Scenario, load_scenario

log = logging.getLogger("ringcast")

T = TypeVar("T")

JANITOR_S = 1.0
NOTE_S = 5.0
"""A changed session is written to disk, without its snapshot, at most this often: what survives a power cut."""
PLAYING_NOTE_S = 30.0
PRUNE_S = 3_600.0


class Sessions:
    """The sessions of one server."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self.live: dict[str, Session] = {}
        self.started = time.monotonic()
        self.closing = False
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.load = Load()
        self._coming = 0
        self._building = asyncio.Semaphore(2)
        self._janitor: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look after the sessions; inside a running event loop."""
        self._prune()
        self._janitor = asyncio.create_task(self._look_after(), name="janitor")

    @property
    def viewers(self) -> int:
        return sum(len(session.viewers) for session in self.live.values())

    def uptime(self) -> float:
        """Seconds since the server came up."""
        return time.monotonic() - self.started

    # --- coming

    async def create(self, scenario: Scenario, origin: Origin) -> Session:
        """A new session. Raises ScenarioError for what cannot be played, Refusal when there is no room."""
        async with self._place():
            run = await self._build(lambda: Run(scenario, trace="none"))
            self._check_size(run)
            session = Session(
                secrets.token_urlsafe(9), secrets.token_urlsafe(24), run, self.settings, origin, self.load
            )
            session.changed = not await self._write(session, snapshot=False)
            return self._admit(session)

    async def visit(self, id: str) -> Session:
        """The session of this id, brought back from disk if need be. Raises Refusal if it is unknown."""
        session = self.live.get(id)
        if session is not None and session.broken is None:
            return session
        self._check_open()
        async with self._lock(id):
            session = self.live.get(id)
            if session is not None and session.broken is None:
                return session
            self.live.pop(id, None)
            parked = await asyncio.to_thread(self.store.load, id)
            if parked is None:
                raise unknown(id)
            async with self._place():
                return self._admit(await self._revive(parked))

    async def look(self, id: str) -> Session | Parked:
        """The session as it is, wherever it is. Raises Refusal if it is unknown."""
        session = self.live.get(id)
        if session is not None:
            return session
        parked = await asyncio.to_thread(self.store.load, id, False)
        if parked is None:
            raise unknown(id)
        return parked

    async def on(self, id: str, action: Callable[[Session], T]) -> T:
        """Visit a session and do something with its run. Raises Refusal also while it is being replayed."""
        session = await self.visit(id)
        if session.goal is not None:
            session.noticed()
            message = "the run is being replayed"
            raise Refusal(503, "session", id, "the same in a few seconds", message, retry_s=2)
        try:
            return await session.call(lambda: action(session))
        except Ended:
            raise Refusal(
                503, "session", id, "the same in a moment", "the session was just put to rest", retry_s=1
            ) from None

    def _admit(self, session: Session) -> Session:
        if self.closing:
            raise Refusal(
                503, "server", None, "the same in a few seconds", "the server is stopping", retry_s=5
            )
        self.live[session.id] = session
        session.start()
        return session

    def _check_open(self) -> None:
        if self.closing:
            raise Refusal(
                503, "server", None, "the same in a few seconds", "the server is stopping", retry_s=5
            )

    async def _build(self, make: Callable[[], Run]) -> Run:
        async with self._building:
            return await asyncio.to_thread(make)

    def _check_size(self, run: Run) -> None:
        n, most = len(run.network.ids), self.settings.max_nodes
        if n > most:
            raise ScenarioError("topology", n, f"at most {most:,} nodes on this server", "too many nodes")

    async def _revive(self, parked: Parked) -> Session:
        origin = Origin.from_plain(parked.extra)
        run = None
        if parked.snapshot is not None and Run.can_resume(parked.snapshot):
            run = await self._resume(parked)
        if run is None:
            run = await self._build(lambda: Run(load_scenario(parked.scenario), trace="none"))
            origin.goal, origin.curves = parked.t, Curves()
            if parked.engine != ENGINE_VERSION:
                origin.note = (
                    f"This run was made with engine {parked.engine}; engine {ENGINE_VERSION} plays the same document, "
                    "perhaps differently."
                )
        return Session(parked.id, parked.token, run, self.settings, origin, self.load)

    async def _resume(self, parked: Parked) -> Run | None:
        """The run from its snapshot; None if that does not lead to the very same run."""
        snapshot = parked.snapshot or {}
        try:
            run = await self._build(lambda: Run.resume(snapshot, trace="none"))
        except Exception:  # a damaged file can be damaged in any way; the document is still there
            log.warning(
                "the snapshot of session %s is damaged: it will be replayed", parked.id, exc_info=True
            )
            return None
        if run.digest != parked.digest or run.now != parked.t:
            log.warning("the snapshot of session %s is of another moment: it will be replayed", parked.id)
            return None
        return run

    def _lock(self, id: str) -> asyncio.Lock:
        lock = self._locks.get(id)
        if lock is None:
            lock = self._locks[id] = asyncio.Lock()
        return lock

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """A place in memory for one more session."""
        await self._make_room()
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    async def _make_room(self) -> None:
        """Park the session that has been alone the longest when there are as many as may be."""
        while len(self.live) + self._coming >= self.settings.max_sessions:
            alone = [s for s in self.live.values() if not s.watched]
            if not alone:
                most = self.settings.max_sessions
                message = f"all {most} places on this server are taken"
                raise Refusal(503, "sessions", most, "the same in a few minutes", message, retry_s=60)
            await self.park(min(alone, key=lambda s: s.left_at))

    # --- going

    async def park(self, session: Session) -> None:
        """Put a session on disk and out of memory; the next visit brings it back."""
        async with self._lock(session.id):
            if self.live.get(session.id) is not session:
                return
            del self.live[session.id]  # first, so that no visitor walks into a session that is ending
            await session.stop("the session rests; open it again to go on", Close.GOING_AWAY)
            if session.broken is None and not await self._write(session, snapshot=True):
                session.left_at = time.monotonic()  # better in memory than lost; the next try is a while off
                self.live[session.id] = session
                session.start()

    async def _look_after(self) -> None:
        noted = pruned = time.monotonic()
        while True:
            await asyncio.sleep(JANITOR_S)
            now = time.monotonic()
            try:
                for session in list(self.live.values()):
                    await self._look_at(session, now)
                if now - noted >= NOTE_S:
                    noted = now
                    await self._note()
                if now - pruned >= PRUNE_S:
                    pruned = now
                    await asyncio.to_thread(self._prune)
            except Exception as error:  # the next round may do better
                log.error("looking after the sessions failed", exc_info=error)

    async def _look_at(self, session: Session, now: float) -> None:
        if session.broken is not None:
            self.live.pop(session.id, None)
        elif not session.watched and now - session.left_at > self.settings.park_s:
            await self.park(session)
        elif session.deserted and session.playing:
            session.post(session.pause)

    async def _note(self) -> None:
        """Write down every changed session's document, so that a crash costs no more than a replay."""
        now = time.monotonic()
        for session in list(self.live.values()):
            stale = session.playing and now - session.noted_at > PLAYING_NOTE_S
            if (session.changed or stale) and session.broken is None:
                async with self._lock(session.id):
                    if self.live.get(session.id) is session:
                        session.changed, session.noted_at = False, now
                        session.changed |= not await self._write(session, snapshot=False)

    def _prune(self) -> None:
        s = self.settings
        self.store.prune(s.keep_links_days, s.keep_sessions_days, s.max_parked)

    async def close(self) -> None:
        """Park everything, the quick ones first; what does not fit into the time is kept as a document to replay."""
        self.closing = True
        if self._janitor is not None:
            self._janitor.cancel()
        end = time.monotonic() + self.settings.stop_s
        sessions = sorted(self.live.values(), key=lambda s: len(s.run.network.ids))
        self.live.clear()
        message = "the server stops; the session is kept and comes back with it"
        await asyncio.gather(*(session.stop(message, Close.RESTARTING) for session in sessions))
        for session in sessions:
            if session.broken is None:
                await self._write(session, snapshot=time.monotonic() < end)

    async def _write(self, session: Session, snapshot: bool) -> bool:
        """Put a session on disk; one with a snapshot must not be at work. False when the disk refused."""
        parked = await asyncio.to_thread(session.parked, True) if snapshot else session.parked(False)
        try:
            await asyncio.to_thread(self.store.save, parked)
        except sqlite3.Error as error:
            log.error("session %s could not be written to %s: %s", session.id, self.store.path, error)
            return False
        return True


def unknown(id: str) -> Refusal:
    """There is no such session."""
    return Refusal(404, "session", id, "the id of a session of this server", "there is no such session")
