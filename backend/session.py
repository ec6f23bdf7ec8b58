"""One live session: one run, stepped at the chosen speed, and its viewers.

Theory of operation. A session is one asyncio task, and only that task touches the run. What viewers ask for arrives in an
inbox and is done between two slices of a few milliseconds, so that many sessions share a process and a click is
answered at once. After each change, and some twenty times a second while time passes, `backend.broadcast` puts what differs
from the last frame into every viewer's queue, which never blocks.

A run gets on in one of three ways: *playing*, paced by the wall clock; *stepping* through one round; *replaying*, as
fast as it goes up to `goal`: an opened link, a parked session without a usable snapshot, an undo. While replaying,
commands are refused, since "now" is not a moment the user sees. Nothing is played for nobody: what has been without a
viewer for a while pauses, and a replay waits until somebody comes.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from backend import wire
from backend.broadcast import Broadcast
from backend.declaration import Protocol
from backend.news import EVERY_LOSS
from backend.origin import Origin
from backend.pace import Load, Pace, Slices
from backend.past import Past
from backend.picture import Curves
from backend.settings import Settings
from backend.store import Parked
from backend.viewer import Viewer
from engine import ENGINE_VERSION
from engine.api import Run
from engine.oracle.repairs import rounds
from engine.registry import describe
from engine.world.scenario import as_document

log = logging.getLogger("ringcast")

REPLAY_FRAME_S = 0.25
FRAME_SHARE = 4.0
"""Frames may take a quarter of the time; on a big network they come less often."""
WATCH_ALL = 500
"""Up to so many nodes every message is traced, so that a node's last messages are there when it is selected."""

T = TypeVar("T")


class Ended(Exception):
    """The session's task is over: it was parked, or it broke."""


Action = Callable[[], Awaitable[None] | None]


class Session:
    """One run and its viewers. Make and `start` it inside a running event loop."""

    def __init__(
        self, id: str, token: str, run: Run, settings: Settings, origin: Origin, load: Load | None = None
    ) -> None:
        self.id, self.token, self.settings = id, token, settings
        self.clock: Callable[[], float] = time.monotonic
        self.note, self.expected, self.verified = origin.note, origin.expected, origin.verified
        self.expected_s = origin.expected_s
        self.own = list(origin.own)  # places in the document of the owner's commands
        self.goal = origin.goal
        self.playing = False
        self.play_first = origin.play  # as soon as somebody watches
        self.left_at = self.clock()  # when the last viewer went, or somebody else asked
        self.arriving = 0  # viewers that will join in a moment
        self.changed = True  # since it was last written to disk
        self.noted_at = self.clock()
        self.broken: str | None = None

        self._inbox: deque[Action] = deque()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self.stepping = False
        self.then: Action | None = None  # when a replay is done
        self._document = (run.scenario, as_document(run.scenario))
        self.past = Past(settings.undo_nodes, self.clock)
        self.pace = Pace(origin.speed)
        self._slices = Slices(settings.slice_s, load)
        self.next_frame = 0.0
        self.run = run
        self.protocol = Protocol.model_validate(describe(run.protocol))
        self.told = Broadcast(run, self.state, lambda k: k in self.own)
        self.adopt(run, origin.curves)

    @property
    def viewers(self) -> list[Viewer]:
        return self.told.viewers

    @property
    def watched(self) -> bool:
        """Somebody is here or at the door."""
        return bool(self.viewers or self.arriving)

    @property
    def deserted(self) -> bool:
        """Nobody has been here for a while."""
        return not self.watched and self.clock() - self.left_at > self.settings.pause_s

    def noticed(self) -> None:
        """Somebody asks for it, though not as a viewer: a replay that waits goes on for a while."""
        self.left_at = self.clock()
        self._wake.set()

    @property
    def task(self) -> asyncio.Task[None]:
        """The session's work; done when the session has ended."""
        assert self._task is not None, "the session was not started"
        return self._task

    @property
    def speed(self) -> float:
        return self.pace.speed

    def adopt(self, run: Run, curves: Curves) -> None:
        """Take on another run: at the start, after reset and after undo."""
        self.run = run
        self.changed = True
        self.told.adopt(run, curves)
        self.watch()
        self.pace.start(self.clock(), run.now)
        self.next_frame = 0.0

    # --- life

    def start(self) -> None:
        """Begin to work, or go on after a stop."""
        self._stopping = False
        self._task = asyncio.create_task(self._live(), name=f"session {self.id}")

    async def stop(self, message: str, code: int) -> None:
        """End the work and say bye to everybody; the run stays as it is."""
        self._stopping = True
        self._wake.set()
        for viewer in self.viewers:
            viewer.dismiss(message, code)
        if self._task is not None:
            await asyncio.wait([self._task])

    def post(self, action: Action) -> None:
        """Have something done by the session's own task, between two slices."""
        self._inbox.append(action)
        self._wake.set()

    async def call(self, action: Callable[[], T]) -> T:
        """The same, with its result. Raises what `action` raises, or Ended."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def act() -> None:
            if not future.done():
                try:
                    future.set_result(action())
                except Exception as error:
                    future.set_exception(error)

        self.post(act)
        waiting: set[asyncio.Future[Any]] = {future, self.task}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not future.done():
            raise Ended
        return future.result()

    async def _live(self) -> None:
        try:
            while not self._stopping:
                while self._inbox and not self._stopping:
                    doing = self._inbox.popleft()()
                    if doing is not None:
                        await doing
                busy = self._go_on()
                self._slices.busy(busy)
                if (self.playing or busy) and self.clock() >= self.next_frame:
                    self.emit()
                if self.goal is None:
                    self.past.keep(self.run, self.playing)
                if busy:
                    await asyncio.sleep(0)
                elif not self._inbox:
                    await self._rest()
        except Exception as error:  # ours: this session ends, the server goes on
            self.broken = secrets.token_hex(4)
            log.error("error %s in session %s", self.broken, self.id, exc_info=error)
            for viewer in self.viewers:
                viewer.dismiss(
                    f"the server made a mistake; its log calls it {self.broken}", wire.Close.MISTAKE
                )
        finally:
            self._slices.busy(False)

    async def _rest(self) -> None:
        """Until the next frame is due, or there is something to do."""
        self._wake.clear()
        try:
            passing = self.playing and self.goal is None
            async with asyncio.timeout(max(0.0, self.next_frame - self.clock()) if passing else None):
                await self._wake.wait()
        except TimeoutError:
            pass

    # --- time

    def _go_on(self) -> bool:
        """One slice of whatever is under way; True if there is more to do at once."""
        if self.goal is not None:
            if self.deserted:
                return False
            if self.play_to(self.goal):
                self._arrived()
            return True
        if self.stepping:
            self.stepping = not self._timed(self.run.step_round)
            if not self.stepping:
                self.emit(at_once=True)
            return self.stepping
        if not self.playing:
            return False
        due = self.play_on()
        if self.run.now >= self.settings.max_virtual_s:
            self.playing = False
            self.emit(at_once=True)
        return not due and self.playing

    def play_on(self) -> bool:
        """A slice towards what is due now; True when it is reached."""
        due = self.pace.target(self.clock(), self.run.now)
        return self.play_to(min(due, self.settings.max_virtual_s))

    def play_to(self, until: float) -> bool:
        """A slice towards this time; True when it is reached. Halts where a digest is to be compared."""
        check = self._to_check(until)
        if not self._timed(lambda budget: self.run.advance(until if check is None else check, budget)):
            return False
        if check is not None:
            self.verified = self.run.digest == self.expected
            self.changed = True
            self.told.tell_run(self.clock())
        return check is None or check >= until

    def _to_check(self, until: float) -> float | None:
        """Where the digest must be looked at on the way; None once it was, or a command made it another run."""
        end = self.expected_s
        if self.expected is None or end is None or self.verified is not None or self.own:
            return None
        return end if self.run.now <= end <= until else None

    def _timed(self, play: Callable[[int], bool]) -> bool:
        """Play a slice and learn how long it took."""
        before, start = self.run.events, time.perf_counter()
        done = play(self._slices.budget)
        self._slices.learn(self.run.events - before, time.perf_counter() - start)
        return done

    def _arrived(self) -> None:
        """A replay is done."""
        self.changed = True
        now = self.clock()
        self.told.emit(now, replaying=True)
        self.goal = None
        if self.expected is not None and self.expected_s is None and self.verified is None:
            self.verified = self.run.digest == self.expected
        self.watch()
        self.told.resync(now)
        self.pace.start(now, self.run.now)
        if self.then is not None:
            self.post(self.then)
            self.then = None

    def emit(self, at_once: bool = False) -> None:
        """A frame to everybody now; `at_once`: something was done, so everything else is told, too."""
        now = self.clock()
        if self.playing:
            self.pace.mark(now, self.run.now)
        start = time.perf_counter()
        self.told.emit(now, replaying=self.goal is not None, at_once=at_once)
        took = time.perf_counter() - start
        pause = REPLAY_FRAME_S if self.goal is not None else self.settings.frame_s
        # On time with the last frame, so that the pace is even, but never right behind it.
        self.next_frame = max(self.next_frame + pause, now + max(0.6 * pause, FRAME_SHARE * took))

    def pause(self) -> None:
        """Hold virtual time, since nobody watches; to be posted."""
        if not self.viewers:
            self.play(False)

    def play(self, on: bool) -> None:
        """Let virtual time pass, or hold it."""
        self.stepping = False
        if self.playing != on:
            self.playing = on and self.run.now < self.settings.max_virtual_s
            self.pace.start(self.clock(), self.run.now)
            self.emit(at_once=True)

    def set_speed(self, speed: float) -> None:
        """Virtual seconds a second, from now on."""
        self.pace.speed = speed
        self.pace.start(self.clock(), self.run.now)
        self.told.tell_run(self.clock())

    def step(self, what: str) -> None:
        """One engine event, or begin one round; holds virtual time first."""
        if self.playing:
            self.play(False)
        if self.run.now >= self.settings.max_virtual_s:
            return
        if what == "round":
            self.stepping = True
        else:
            self.run.step_event()
            self.emit(at_once=True)
        self.changed = True

    @property
    def document(self) -> dict[str, Any]:
        """The document so far; a big one takes a while to write out, so that is done once."""
        if self._document[0] is not self.run.scenario:
            self._document = (self.run.scenario, as_document(self.run.scenario))
        return self._document[1]

    def state(self) -> wire.RunState:
        """How the run stands."""
        run = self.run
        return wire.RunState(
            t=run.now,
            playing=self.playing,
            speed=self.pace.speed,
            achieved=round(self.pace.achieved(), 3) if self.playing and self.goal is None else 0.0,
            digest=run.digest,
            events=run.events,
            viewers=len(self.viewers),
            counts=run.counts,
            dropped=run.dropped,
            ended=run.now >= self.settings.max_virtual_s,
            replaying=self.goal,
            verified=self.verified,
            undoable=len(self.own_applied()),
            repair=self._repair(),
            warnings=run.warnings(),
        )

    def _repair(self) -> wire.Repair:
        last, round_s = self.run.repairs.last, self.run.round_s
        seconds = last.seconds()
        took = [rounds(x, round_s) for x in seconds]
        return wire.Repair(t=last.t, caused_by=last.caused_by, seconds=seconds, rounds=took)

    def own_applied(self) -> list[int]:
        """The owner's commands that have taken effect, as places in the document."""
        applied = set(self.run.applied) if self.own else set()
        return [k for k in self.own if k in applied]

    # --- viewers

    def join(self, viewer: Viewer) -> None:
        """Welcome a viewer; to be posted."""
        if self.play_first:
            self.play_first = False
            self.playing = True
            self.pace.start(self.clock(), self.run.now)
        self.told.emit(self.clock(), replaying=self.goal is not None)
        self.arriving -= 1
        self.viewers.append(viewer)
        viewer.send(
            wire.Welcome(
                v=wire.VERSION,
                session=self.id,
                role=viewer.role,
                engine=ENGINE_VERSION,
                scenario=self.document,
                protocol=self.protocol,
                columns=self.told.columns_now(),
                layers=list(self.run.layers),
                world=self.told.world(),
                run=self.state(),
                history=self.told.history(),
                publications=self.told.publications(),
                expected_digest=self.expected,
                note=self.note,
            )
        )
        self.told.send_full(viewer)
        self.told.tell_run(self.clock())

    def leave(self, viewer: Viewer) -> None:
        """A viewer is gone; to be posted."""
        if viewer in self.viewers:
            self.viewers.remove(viewer)
            self.left_at = self.clock()
            self.watch()
            self.told.tell_run(self.clock())

    def drained(self, viewer: Viewer) -> None:
        """A viewer that lagged can take more; to be posted."""
        if viewer in self.viewers and viewer.wants_full:
            self.told.caught_up(viewer)

    def watch(self) -> None:
        """Trace what somebody may want to see, and no more."""
        messages = self.run.protocol.messages
        wanted = {m.name for m in messages if m.shape == "subscription"}
        curious = len(self.run.network.ids) <= WATCH_ALL or any(v.selected is not None for v in self.viewers)
        if self.goal is None:
            shown = {k for viewer in self.viewers for k in viewer.show}
            curious |= EVERY_LOSS in shown
            wanted |= {messages[k].name for k in shown - {EVERY_LOSS}}
        self.run.watch("all" if curious and self.goal is None else ",".join(sorted(wanted)))

    # --- at rest

    def parked(self, snapshot: bool) -> Parked:
        """What is kept on disk. `snapshot`: with the engine's whole state, so that coming back is quick."""
        origin = Origin(
            note=self.note,
            goal=self.goal,
            expected=self.expected,
            expected_s=self.expected_s,
            verified=self.verified,
            play=self.play_first,
            speed=self.speed,
            own=self.own,
            curves=self.told.curves,
        )
        return Parked(
            id=self.id,
            token=self.token,
            engine=ENGINE_VERSION,
            scenario=self.document,
            t=self.run.now if self.goal is None else self.goal,
            digest=self.run.digest if self.goal is None else "",
            extra={**origin.as_plain(), "nodes": len(self.run.network.ids)},
            snapshot=self.run.snapshot() if snapshot and self.goal is None else None,
        )
