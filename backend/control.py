"""What viewers ask of a session, done between two slices: play, step, commands, undo, reset, what they want to see."""

from __future__ import annotations

import asyncio
import marshal
from collections.abc import Awaitable
from math import sqrt
from typing import Any

from backend import wire
from backend.news import EVERY_LOSS
from backend.picture import Curves
from backend.session import REPLAY_FRAME_S, Session
from backend.viewer import Viewer
from engine.api import Run
from engine.core.errors import ScenarioError, shown
from engine.world.scenario import Scenario, as_document

NOT_WHILE_REPLAYING = (wire.Command, wire.Undo, wire.Step, wire.Reset)


def handle(session: Session, viewer: Viewer, message: Any) -> Awaitable[None] | None:
    """Do what a viewer asks for; to be posted to the session."""
    ref = getattr(message, "ref", None)
    if viewer.role != "owner" and not isinstance(message, wire.WATCHERS_MAY):
        problem = "only the owner can do that"
        refuse(viewer, ref, message.type, viewer.role, "the session's owner", problem)
        return None
    if session.goal is not None and isinstance(message, NOT_WHILE_REPLAYING):
        found, allowed = f"replaying to {session.goal:g} s", "the same once the replay is done"
        refuse(viewer, ref, message.type, found, allowed, "the run is being replayed")
        return None
    match message:
        case wire.Play() | wire.Pause():
            session.play(isinstance(message, wire.Play))
        case wire.Speed(value=value):
            session.set_speed(value)
        case wire.Step(what=what):
            session.step(what)
        case wire.Command(ref=number, event=event):
            _command(session, viewer, number, event)
        case wire.Undo(ref=number):
            return _undo(session, viewer, number)
        case wire.Reset():
            return _reset(session, viewer)
        case wire.Select(node=node, channel=channel):
            _select(session, viewer, node, channel)
        case wire.Show(messages=names, losses=losses):
            _show(session, viewer, names, losses)
    return None


def refuse(viewer: Viewer, ref: int | None, path: str, value: object, allowed: str, message: str) -> None:
    """Tell a viewer why not."""
    error = wire.ErrorMessage(ref=ref, path=path, value=shown(value), allowed=allowed, message=message)
    viewer.send(error)


def _mistake(viewer: Viewer, ref: int | None, error: ScenarioError) -> None:
    viewer.send(wire.ErrorMessage(ref=ref, **error.as_dict()))


def _select(session: Session, viewer: Viewer, node: str | None, channel: str | None) -> None:
    network = session.run.network
    if node is not None and node not in network:
        refuse(viewer, None, "select.node", node, "a node of this network", "there is no such node")
        return
    viewer.selected = None if node is None else network.index(node)
    viewer.channel = channel
    viewer.inspected = 0.0
    session.watch()
    if viewer.selected is not None:
        viewer.send(session.told.inspection(viewer.selected, channel), "inspect")


def _show(session: Session, viewer: Viewer, names: list[str], losses: bool) -> None:
    kinds = {m.name: k for k, m in enumerate(session.run.protocol.messages) if m.shape != "local"}
    for name in names:
        if name not in kinds:
            refuse(viewer, None, "show.messages", name, ", ".join(kinds), "there is no such message")
            return
    viewer.show = frozenset([*(kinds[name] for name in names), *((EVERY_LOSS,) if losses else ())])
    session.watch()


def _command(session: Session, viewer: Viewer, ref: int, event: dict[str, Any]) -> None:
    if session.playing:
        session.play_on()
    try:
        _check_limits(session, event)
        index = session.run.command(event)
    except ScenarioError as error:
        _mistake(viewer, ref, error)
        return
    session.own.append(index)
    session.changed = True
    session.emit(at_once=True)
    viewer.send(wire.Done(ref=ref, index=index))
    session.past.keep_soon()


def _check_limits(session: Session, event: dict[str, Any]) -> None:
    if "t" in event:
        raise ScenarioError("event.t", event["t"], "no time: a command takes effect now", "not allowed here")
    events, nodes = len(session.run.scenario.events), len(session.run.network.ids)
    most_events, most_nodes = session.settings.max_events, session.settings.max_nodes
    if events >= most_events:
        raise ScenarioError("event", events, f"at most {most_events:,} events", "the document is full")
    if event.get("do") == "add-node" and nodes >= most_nodes:
        raise ScenarioError("event", event.get("id"), f"at most {most_nodes:,} nodes", "the network is full")
    if event.get("do") == "storm":
        joins = _joins(event)
        if nodes + joins > most_nodes:
            allowed = f"at most {most_nodes:,} nodes: a shorter storm, or fewer joins_per_s"
            raise ScenarioError(
                "event.joins_per_s", event["joins_per_s"], allowed, "too many nodes would join"
            )


def _joins(event: dict[str, Any]) -> float:
    """How many nodes a storm may add, generously; whatever is no number is refused later."""
    rate, duration = event.get("joins_per_s", 0.0), event.get("duration_s", 0.0)
    if not all(isinstance(x, int | float) for x in (rate, duration)):
        return 0.0
    expected = float(rate * duration)
    return expected + 5 * sqrt(max(0.0, expected))


async def _undo(session: Session, viewer: Viewer, ref: int) -> None:
    commands = session.own_applied()
    if not commands:
        allowed = "a command given in this session and not undone yet"
        refuse(viewer, ref, "undo", None, allowed, "there is nothing to undo")
        return
    events = session.run.scenario.events
    index = max(commands, key=lambda k: (events[k].t, k))
    document = _without(session.run.scenario, index)
    saved = session.past.before(index)
    try:
        run = await asyncio.to_thread(_back, document, saved)
    except ScenarioError as error:  # a later event needs this one: a node that joined, for instance
        _mistake(viewer, ref, error)
        return
    session.own = [k - (k > index) for k in session.own if k != index]
    curves = session.told.curves if saved is not None else Curves()
    curves.cut(run.now)
    session.stepping = False
    session.goal = events[index].t
    session.then = lambda: viewer.send(wire.Done(ref=ref, index=index))
    session.adopt(run, curves)
    session.next_frame = session.clock() + REPLAY_FRAME_S  # most often it is there by then
    session.told.tell_run(session.clock())


def _back(document: Scenario, saved: bytes | None) -> Run:
    """A run of this document: from a kept moment if there is one, else from the start."""
    if saved is None:
        return Run(document, trace="none")
    return Run.resume({**marshal.loads(saved), "scenario": as_document(document)}, trace="none")


def _without(scenario: Scenario, index: int) -> Scenario:
    events = scenario.events[:index] + scenario.events[index + 1 :]
    return scenario.model_copy(update={"events": events})


async def _reset(session: Session, viewer: Viewer) -> None:
    try:
        run = await asyncio.to_thread(Run, session.run.scenario, trace="none")
    except ScenarioError as error:
        _mistake(viewer, None, error)
        return
    session.past.clear()
    session.stepping = False
    session.adopt(run, Curves())
    session.told.resync(session.clock())
