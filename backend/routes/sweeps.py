"""Sweeps over HTTP: what one would cost, start it, follow it, look at what it found, take that away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, WebSocket
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel
from starlette.websockets import WebSocketDisconnect

from backend.refusal import Refusal
from backend.state import Server, refusals
from backend.sweeps import estimate as estimates
from backend.sweeps import folders, networks, results
from backend.sweeps.bodies import (
    Job,
    SweepDocument,
    SweepDots,
    SweepEstimate,
    SweepFailure,
    SweepGone,
    SweepNetwork,
    SweepRun,
    SweepSummary,
)
from backend.sweeps.checking import checked
from backend.sweeps.live import Live
from backend.viewer import reason
from backend.visitor import Visitor, named
from backend.wire import Close

router = APIRouter(prefix="/api/sweeps", tags=["sweeps"])
Id = Annotated[str, Path(max_length=64, description="the sweep's id")]

LIVE_S = 0.2
"""Between two messages of the socket."""


@router.post("/estimate", responses=refusals(413, 429, 503))
async def estimate(server: Server, request: Request, document: SweepDocument) -> SweepEstimate:
    """What a sweep would cost; a refusal says what is wrong with it. Also makes Spark start, if it does not run."""
    server.rates.take(request)
    sweep = await checked(document, server.settings)
    server.jobs.foreman.warm(sweep)
    found = await estimates.within(sweep, server.settings.master, server.jobs.foreman.worker.ready)
    trouble = server.jobs.foreman.trouble
    if trouble is not None:
        found.warnings.insert(0, f"Spark could not be used the last time: {trouble}")
    return found


@router.post(
    "",
    status_code=201,
    responses={
        200: {"model": Job, "description": "This very sweep was here already."},
        **refusals(413, 429, 503),
    },
)
async def create(
    server: Server, request: Request, response: Response, document: SweepDocument, visitor: Visitor = None
) -> Job:
    """Queue a sweep. The same document again is the same sweep: it is not done twice."""
    server.rates.take(request)
    sweep = await checked(document, server.settings)
    owner = named(visitor, request, response)
    live, new = await server.jobs.submit(sweep, estimates.megabytes(sweep), owner)
    response.status_code = 201 if new else 200
    return server.jobs.job(live, owner)


@router.get("")
async def listed(server: Server, visitor: Visitor = None) -> list[Job]:
    """All sweeps on this server, the newest first."""
    return server.jobs.listed(visitor)


@router.get("/{id}", responses=refusals(404))
async def info(server: Server, id: Id, visitor: Visitor = None) -> Job:
    """How a sweep stands."""
    return server.jobs.job(server.jobs.find(id), visitor)


@router.post("/{id}/cancel", responses=refusals(403, 404))
async def cancel(server: Server, id: Id, visitor: Visitor = None) -> Job:
    """Stop a sweep; the runs that are finished are kept. One that has ended stays as it is."""
    server.jobs.check_owner(id, visitor)
    return server.jobs.job(await server.jobs.cancel(id), visitor)


@router.post("/{id}/resume", responses=refusals(403, 404, 503))
async def resume(server: Server, id: Id, visitor: Visitor = None) -> Job:
    """Go on with a sweep that was cancelled or failed: runs that are finished are not done again."""
    server.jobs.check_owner(id, visitor)
    return server.jobs.job(await server.jobs.resume(id), visitor)


@router.delete("/{id}", responses=refusals(403, 404))
async def delete(server: Server, id: Id, visitor: Visitor = None) -> SweepGone:
    """Delete a sweep with its results."""
    server.jobs.check_owner(id, visitor)
    await server.jobs.delete(id)
    return SweepGone(id=id)


# --- what it found


def _of(model: Any) -> dict[int | str, dict[str, Any]]:
    """Answers of a route that puts them into JSON in a thread: they may be long."""
    return {200: {"model": model}, **refusals(404)}


@router.get("/{id}/document", responses=_of(SweepDocument), response_model=None)
async def document(server: Server, id: Id) -> Response:
    """The sweep document, in its canonical form."""
    return _json(await server.jobs.read(id, folders.document))


@router.get("/{id}/summary", responses=_of(SweepSummary), response_model=None)
async def summary(server: Server, id: Id) -> Response:
    """Statistics of the runs finished so far, by point, and differences between points that are compared."""
    found = await server.jobs.read(id, folders.summary)
    if found is None:
        return _json(SweepSummary(truncated=False).model_dump_json())
    return _json(found)


@router.get("/{id}/dots", responses=_of(SweepDots), response_model=None)
async def dots(
    server: Server,
    id: Id,
    metric: Annotated[str, Query(max_length=100)],
    limit: Annotated[int, Query(ge=1, le=50_000)] = 5_000,
) -> Response:
    """Single runs by one metric, to be drawn."""
    return _json(await server.jobs.read(id, _dumped(results.dots), metric, limit))


@router.get("/{id}/runs/{run}", responses=_of(SweepRun), response_model=None)
async def run(server: Server, id: Id, run: int) -> Response:
    """One run, and the document that plays it again."""
    return _json(await server.jobs.read(id, _dumped(results.run), run))


@router.get("/{id}/runs/{run}/network", responses=_of(SweepNetwork), response_model=None)
async def network(server: Server, id: Id, run: int) -> Response:
    """The network that a run starts on, with its tree where that can be told beforehand; drawn unless it is large."""
    return _json(await server.jobs.read(id, _dumped(networks.network), run))


@router.get("/{id}/failures", responses=refusals(404))
async def failures(
    server: Server, id: Id, limit: Annotated[int, Query(ge=1, le=1_000)] = 20
) -> list[SweepFailure]:
    """The first runs that ended with an error."""
    if server.jobs.find(id).entry.failed == 0:
        return []
    return await server.jobs.read(id, results.failures, limit)


def _file(kind: str) -> dict[int | str, dict[str, Any]]:
    schema = {"type": "string", "format": "binary"} if "parquet" in kind else {"type": "string"}
    return {200: {"content": {kind: {"schema": schema}}, "description": "The file."}, **refusals(404)}


CSV, PARQUET = "text/csv", "application/vnd.apache.parquet"


@router.get("/{id}/rows.csv", responses=_file(CSV), response_class=StreamingResponse)
async def rows_csv(server: Server, id: Id) -> Response:
    """All finished runs, a line each."""
    return await _rows(server, id, "csv", CSV)


@router.get("/{id}/rows.parquet", responses=_file(PARQUET), response_class=StreamingResponse)
async def rows_parquet(server: Server, id: Id) -> Response:
    """All finished runs in one Parquet file."""
    return await _rows(server, id, "parquet", PARQUET)


@router.get("/{id}/summary.csv", responses=_file(CSV), response_class=StreamingResponse)
async def summary_csv(server: Server, id: Id) -> Response:
    """The statistics, a line for each point and metric."""
    return _attached(await server.jobs.read(id, results.summary), CSV, f"sweep-{id}-summary.csv")


async def _rows(server: Server, id: str, form: str, kind: str) -> Response:
    pieces = await server.jobs.read(id, results.rows, form)
    return _attached(pieces, kind, f"sweep-{id}.{form}")


def _attached(pieces: Iterator[bytes], kind: str, name: str) -> Response:
    return StreamingResponse(
        pieces, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def _json(text: str | bytes) -> Response:
    return Response(text, media_type="application/json")


def _dumped(reader: Callable[..., BaseModel]) -> Callable[..., str]:
    """The reader, with its answer as JSON."""
    return lambda *args: reader(*args).model_dump_json()


# --- as it happens


@router.websocket("/{id}/live")
async def live(server: Server, websocket: WebSocket, id: str, visitor: Visitor = None) -> None:
    """A sweep's Job on every change, until it has ended."""
    await websocket.accept()
    try:
        try:
            found = server.jobs.find(id)
            if found.watchers >= server.settings.max_viewers:
                await websocket.close(Close.FULL, "too many watch this sweep")
                return
        except Refusal as refusal:
            await websocket.close(Close.UNKNOWN_SESSION, reason(str(refusal)))
            return
        listening = asyncio.create_task(_gone(websocket))
        telling = asyncio.create_task(_tell(server, websocket, found, visitor))
        try:
            await asyncio.wait({listening, telling}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (listening, telling):
                task.cancel()
            await asyncio.gather(listening, telling, return_exceptions=True)
    except (WebSocketDisconnect, RuntimeError):
        pass


async def _gone(websocket: WebSocket) -> None:
    """Until the viewer has left; what it says is of no interest."""
    while (await websocket.receive())["type"] != "websocket.disconnect":
        pass


async def _tell(server: Server, websocket: WebSocket, live: Live, visitor: str | None) -> None:
    sent = None
    with live.watched() as changed:
        while True:
            await changed.wait()
            changed.clear()
            if live.gone:
                await websocket.close(Close.UNKNOWN_SESSION, "the sweep was deleted")
                return
            text = server.jobs.job(live, visitor).model_dump_json()
            if text != sent:
                async with asyncio.timeout(server.settings.stuck_s):
                    await websocket.send_text(text)
                sent = text
            if live.ended:
                await websocket.close(1000, "the sweep has ended")
                return
            if server.jobs.closing:
                await websocket.close(Close.RESTARTING, "the server stops; the sweep goes on with it")
                return
            await asyncio.sleep(LIVE_S)
