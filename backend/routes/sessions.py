"""Sessions over HTTP: make one, look at it, take its document, report or share link away."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request

from backend import examples, sharing
from backend.documents import Created, Document, NewSession, SessionInfo, SharedLink
from backend.origin import Origin
from backend.report import Report
from backend.session import Session
from backend.state import Server, refusals
from engine.core.errors import ScenarioError
from engine.world.scenario import load_scenario

router = APIRouter(prefix="/api/sessions", tags=["sessions"])
Id = Annotated[str, Path(max_length=64, description="the session's id")]


@router.post("", status_code=201, responses=refusals(413, 429, 503))
async def create(server: Server, request: Request, body: NewSession) -> Created:
    """Make a session from a scenario, a share link or an example."""
    server.rates.take(request)
    if body.link is not None:
        scenario, origin = await sharing.open_link(body.link, server.settings.max_virtual_s)
    elif body.example is not None:
        scenario, origin = load_scenario(examples.document(body.example)), Origin(play=True)
    else:
        scenario = await asyncio.to_thread(load_scenario, body.scenario or {})
        origin = Origin(play=True)
    if body.link is None:
        origin.goal = from_s(body.from_s, server.settings.max_virtual_s)
        origin.expected, origin.expected_s = body.digest, scenario.duration_s
    if body.play is not None:
        origin.play = body.play
    if len(scenario.events) > server.settings.max_events:
        most = f"at most {server.settings.max_events:,} events on this server"
        raise ScenarioError("events", len(scenario.events), most, "too many events")
    session = await server.sessions.create(scenario, origin)
    return Created(id=session.id, token=session.token, ws=f"/ws/{session.id}", note=session.note)


def from_s(asked: float | None, most_s: float) -> float | None:
    """The time to play to first, if any. Raises ScenarioError."""
    if asked is not None and asked > most_s:
        allowed = f"at most {most_s:,g} virtual seconds on this server"
        raise ScenarioError("from_s", asked, allowed, "too far to be played to")
    return asked or None


@router.get("/{id}", responses=refusals(404))
async def info(server: Server, id: Id) -> SessionInfo:
    """What anybody may know about a session. Does not wake a parked one."""
    found = await server.sessions.look(id)
    if isinstance(found, Session):
        run = found.run
        return SessionInfo(
            id=id,
            name=run.scenario.name,
            protocol=run.scenario.protocol.name,
            nodes=len(run.network.ids),
            t=run.now,
            digest=run.digest,
            viewers=len(found.viewers),
            playing=found.playing,
            parked=False,
        )
    scenario = found.scenario
    return SessionInfo(
        id=id,
        name=scenario.get("name", ""),
        protocol=scenario["protocol"]["name"],
        nodes=found.extra.get("nodes", 0),
        t=found.t,
        digest=found.digest,
        viewers=0,
        playing=False,
        parked=True,
    )


@router.get("/{id}/scenario", responses=refusals(404))
async def scenario(server: Server, id: Id) -> Document:
    """The document so far, every command in it. Does not wake a parked session."""
    found = await server.sessions.look(id)
    return found.document if isinstance(found, Session) else found.scenario


@router.get("/{id}/report", responses=refusals(404, 503))
async def report(server: Server, id: Id) -> Report:
    """The run report so far; GET /api/schemas/run-report describes it."""

    def make(session: Session) -> Any:
        session.run.advance(session.run.now)  # what is left of this very moment
        return session.run.report()

    return Report.model_validate(await server.sessions.on(id, make))


@router.get("/{id}/link", responses=refusals(404, 503))
async def link(server: Server, id: Id) -> SharedLink:
    """The run so far as a share link, which replays to this very moment."""
    return await server.sessions.on(id, lambda session: sharing.make_link(session.run))
