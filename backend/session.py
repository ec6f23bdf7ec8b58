"""One live session: one run, stepped at the chosen speed, and its viewers.

Theory of operation. A session is one asyncio task, and only that task touches the run. What viewers ask for arrives in an
inbox and is done between two slices of a few milliseconds, so that many sessions share a process and a click is
answered at once. After each change, and some twenty times a second while time passes, `backend.broadcast` puts what differs
from the last frame into every viewer's queue, which never blocks.

A run gets on in one of three ways: *playing*, paced by the wall clock; *stepping* through one round; *replaying*, as
fast as it goes up to `goal`: an opened link, a parked session without a usable snapshot, an undo. While replaying,
commands are refused, since "now" is not a moment the user sees.
"""

from __future__ import annotations

import asyncio
import logging
import marshal
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from backend import wire
from backend.broadcast import Broadcast
from backend.declaration import Protocol
from backend.origin import Origin
from backend.pace import Load, Pace, Slices
from backend.past import Past
from backend.picture import Curves
from backend.settings import Settings
from backend.store import Parked
from backend.viewer import Viewer
from engine import ENGINE_VERSION
from engine.api import Run
from engine.core.errors import ScenarioError, shown
from engine.registry import describe
from engine.world.scenario import Scenario, as_document

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
        self.own = list(origin.own)  # places in the document of the owner's commands
        self.goal = origin.goal
        self.playing = False
        self.play_first = origin.play  # as soon as somebody watches
        self.left_at = self.clock()  # when the last viewer went
        self.arriving = 0  # viewers that will join in a moment
        self.changed = True  # since it was last written to disk
        self.noted_at = self.clock()
        self.broken: str | None = None

        self._inbox: deque[Action] = deque()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._stepping = False
        self._then: Action | None = None  # when a replay is done
        self._document = (run.scenario, as_document(run.scenario))
        self._past = Past(settings.undo_nodes, self.clock)
        self._pace = Pace(origin.speed)
        self._slices = Slices(settings.slice_s, load)
        self._next_frame = 0.0
        self.run = run
        self.protocol = Protocol.model_validate(describe(run.protocol))
        self.told = Broadcast(run, self.state, lambda k: k in self.own)
        self._adopt(run, origin.curves)

    @property
    def viewers(self) -> list[Viewer]:
        return self.told.viewers

    @property
    def watched(self) -> bool:
        """Somebody is here or at the door."""
        return bool(self.viewers or self.arriving)

    @property
    def task(self) -> asyncio.Task[None]:
        """The session's work; done when the session has ended."""
        assert self._task is not None, "the session was not started"
        return self._task

    @property
    def speed(self) -> float:
        return self._pace.speed

    def _adopt(self, run: Run, curves: Curves) -> None:
        """Take on another run: at the start, after reset and after undo."""
        self.run = run
        self.told.adopt(run, curves)
        self._watch()
        self._pace.start(self.clock(), run.now)
        self._next_frame = 0.0

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
                if (self.playing or busy) and self.clock() >= self._next_frame:
                    self._emit()
                if self.goal is None:
                    self._past.keep(self.run, self.playing)
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
            async with asyncio.timeout(max(0.0, self._next_frame - self.clock()) if self.playing else None):
                await self._wake.wait()
        except TimeoutError:
            pass

    # --- time

    def _go_on(self) -> bool:
        """One slice of whatever is under way; True if there is more to do at once."""
        if self.goal is not None:
            if self._slice(self.goal):
                self._arrived()
            return True
        if self._stepping:
            self._stepping = not self._timed(self.run.step_round)
            if not self._stepping:
                self._emit(at_once=True)
            return self._stepping
        if not self.playing:
            return False
        end = self.settings.max_virtual_s
        target = min(self._pace.target(self.clock(), self.run.now), end)
        due = self._slice(target)
        if self.run.now >= end:
            self.playing = False
            self._emit(at_once=True)
        return not due and self.playing

    def _slice(self, until: float) -> bool:
        return self._timed(lambda budget: self.run.advance(until, budget))

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
        if self.expected is not None and self.verified is None:
            self.verified = self.run.digest == self.expected
        self._watch()
        self.told.resync(now)
        self._pace.start(now, self.run.now)
        if self._then is not None:
            self.post(self._then)
            self._then = None

    def _emit(self, at_once: bool = False) -> None:
        now = self.clock()
        if self.playing:
            self._pace.mark(now, self.run.now)
        start = time.perf_counter()
        self.told.emit(now, replaying=self.goal is not None, at_once=at_once)
        took = time.perf_counter() - start
        pause = REPLAY_FRAME_S if self.goal is not None else self.settings.frame_s
        # On time with the last frame, so that the pace is even, but never right behind it.
        self._next_frame = max(self._next_frame + pause, now + max(0.6 * pause, FRAME_SHARE * took))

    def pause(self) -> None:
        """Hold virtual time, since nobody watches; to be posted."""
        if not self.viewers:
            self._play(False)

    def _play(self, on: bool) -> None:
        self._stepping = False
        if self.playing != on:
            self.playing = on and self.run.now < self.settings.max_virtual_s
            self._pace.start(self.clock(), self.run.now)
            self._emit(at_once=True)

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
            speed=self._pace.speed,
            achieved=round(self._pace.achieved(), 3) if self.playing and self.goal is None else 0.0,
            digest=run.digest,
            events=run.events,
            viewers=len(self.viewers),
            counts=run.counts,
            dropped=run.dropped,
            ended=run.now >= self.settings.max_virtual_s,
            replaying=self.goal,
            verified=self.verified,
            undoable=len(self._own_applied()),
        )

    # --- viewers

    def join(self, viewer: Viewer) -> None:
        """Welcome a viewer; to be posted."""
        if self.play_first:
            self.play_first = False
            self.playing = True
            self._pace.start(self.clock(), self.run.now)
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
            self._watch()
            self.told.tell_run(self.clock())

    def drained(self, viewer: Viewer) -> None:
        """A viewer that lagged can take more; to be posted."""
        if viewer in self.viewers and viewer.wants_full:
            self.told.caught_up(viewer)

    def _watch(self) -> None:
        """Trace what somebody may want to see, and no more."""
        messages = self.run.protocol.messages
        wanted = {m.name for m in messages if m.shape == "subscription"}
        curious = len(self.run.network.ids) <= WATCH_ALL or any(v.selected is not None for v in self.viewers)
        if self.goal is None:
            wanted |= {messages[k].name for viewer in self.viewers for k in viewer.show}
        self.run.watch("all" if curious and self.goal is None else ",".join(sorted(wanted)))

    # --- what viewers ask for

    def handle(self, viewer: Viewer, message: Any) -> Awaitable[None] | None:
        """Do what a viewer asks for; to be posted."""
        ref = getattr(message, "ref", None)
        if viewer.role != "owner" and not isinstance(message, wire.WATCHERS_MAY):
            self._refuse(
                viewer, ref, message.type, viewer.role, "the session's owner", "only the owner can do that"
            )
            return None
        if self.goal is not None and isinstance(message, wire.Command | wire.Undo | wire.Step | wire.Reset):
            allowed = "the same once the replay is done"
            self._refuse(
                viewer,
                ref,
                message.type,
                f"replaying to {self.goal:g} s",
                allowed,
                "the run is being replayed",
            )
            return None
        match message:
            case wire.Play() | wire.Pause():
                self._play(isinstance(message, wire.Play))
            case wire.Speed(value=value):
                self._pace.speed = value
                self._pace.start(self.clock(), self.run.now)
                self.told.tell_run(self.clock())
            case wire.Step(what=what):
                self._step(what)
            case wire.Command(ref=ref, event=event):
                self._command(viewer, ref, event)
            case wire.Undo(ref=ref):
                return self._undo(viewer, ref)
            case wire.Reset():
                return self._reset()
            case wire.Select(node=node, channel=channel):
                self._select(viewer, node, channel)
            case wire.Show(messages=names):
                self._show(viewer, names)
        return None

    def _refuse(
        self, viewer: Viewer, ref: int | None, path: str, value: object, allowed: str, message: str
    ) -> None:
        viewer.send(
            wire.ErrorMessage(ref=ref, path=path, value=shown(value), allowed=allowed, message=message)
        )

    def _step(self, what: str) -> None:
        if self.playing:
            self._play(False)
        if self.run.now >= self.settings.max_virtual_s:
            return
        if what == "round":
            self._stepping = True
        else:
            self.run.step_event()
            self._emit(at_once=True)
        self.changed = True

    def _select(self, viewer: Viewer, node: str | None, channel: str | None) -> None:
        if node is not None and node not in self.run.network:
            self._refuse(viewer, None, "select.node", node, "a node of this network", "there is no such node")
            return
        viewer.selected = None if node is None else self.run.network.index(node)
        viewer.channel = channel
        viewer.inspected = 0.0
        self._watch()
        if viewer.selected is not None:
            viewer.send(self.told.inspection(viewer.selected, channel), "inspect")

    def _show(self, viewer: Viewer, names: list[str]) -> None:
        kinds = {m.name: k for k, m in enumerate(self.run.protocol.messages) if m.shape != "local"}
        for name in names:
            if name not in kinds:
                self._refuse(
                    viewer, None, "show.messages", name, ", ".join(kinds), "there is no such message"
                )
                return
        viewer.show = frozenset(kinds[name] for name in names)
        self._watch()

    def _command(self, viewer: Viewer, ref: int, event: dict[str, Any]) -> None:
        if self.playing:
            self._slice(min(self._pace.target(self.clock(), self.run.now), self.settings.max_virtual_s))
        try:
            self._check_limits(event)
            index = self.run.command(event)
        except ScenarioError as error:
            viewer.send(wire.ErrorMessage(ref=ref, **error.as_dict()))
            return
        self.own.append(index)
        self.changed = True
        self._emit(at_once=True)
        viewer.send(wire.Done(ref=ref, index=index))
        self._past.keep_soon()

    def _check_limits(self, event: dict[str, Any]) -> None:
        if "t" in event:
            raise ScenarioError(
                "event.t", event["t"], "no time: a command takes effect now", "not allowed here"
            )
        most, nodes = self.settings.max_events, self.settings.max_nodes
        if len(self.run.scenario.events) >= most:
            raise ScenarioError(
                "event", len(self.run.scenario.events), f"at most {most:,} events", "the document is full"
            )
        if event.get("do") == "add-node" and len(self.run.network.ids) >= nodes:
            raise ScenarioError("event", event.get("id"), f"at most {nodes:,} nodes", "the network is full")

    # --- back in time

    def _own_applied(self) -> list[int]:
        """The owner's commands that have taken effect, the latest last."""
        applied = set(self.run.applied) if self.own else set()
        return [k for k in self.own if k in applied]

    async def _undo(self, viewer: Viewer, ref: int) -> None:
        commands = self._own_applied()
        if not commands:
            allowed = "a command given in this session and not undone yet"
            self._refuse(viewer, ref, "undo", None, allowed, "there is nothing to undo")
            return
        index = max(commands, key=lambda k: (self.run.scenario.events[k].t, k))
        t = self.run.scenario.events[index].t
        document = _without(self.run.scenario, index)
        self.own = [k - (k > index) for k in self.own if k != index]
        curves = self.told.curves
        saved = self._past.before(index)
        run = await asyncio.to_thread(_back, document, saved)
        curves.cut(run.now)
        self.changed = True
        self._stepping = False
        self.goal, self._then = t, lambda: viewer.send(wire.Done(ref=ref, index=index))
        self._adopt(run, curves if saved is not None else Curves())
        self._next_frame = self.clock() + REPLAY_FRAME_S  # most often it is there by then
        self.told.tell_run(self.clock())

    async def _reset(self) -> None:
        run = await asyncio.to_thread(Run, self.run.scenario, trace="none")
        self._past.clear()
        self._stepping = False
        self.changed = True
        self._adopt(run, Curves())
        self.told.resync(self.clock())

    # --- at rest

    def parked(self, snapshot: bool) -> Parked:
        """What is kept on disk. `snapshot`: with the engine's whole state, so that coming back is quick."""
        origin = Origin(
            note=self.note,
            goal=self.goal,
            expected=self.expected,
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


def _back(document: Scenario, saved: bytes | None) -> Run:
    """A run of this document: from a kept moment if there is one, else from the start."""
    if saved is None:
        return Run(document, trace="none")
    return Run.resume({**marshal.loads(saved), "scenario": as_document(document)}, trace="none")


def _without(scenario: Scenario, index: int) -> Scenario:
    events = scenario.events[:index] + scenario.events[index + 1 :]
    return scenario.model_copy(update={"events": events})
