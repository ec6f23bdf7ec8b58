"""What there is to choose from: networks, protocols, examples, schemas; and checks of what a user brings along."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from backend import catalogue, examples, schemas
from backend.declaration import Protocol
from backend.documents import (
    BuiltinNetwork,
    CatalogueEntry,
    Caution,
    Checked,
    Document,
    Example,
    Health,
    ProtocolAsked,
    UploadedNetwork,
)
from backend.refusal import Refusal
from backend.state import Server, refusals
from engine import ENGINE_VERSION
from engine.api import Run
from engine.core.errors import ScenarioError
from engine.registry import describe, parameters, protocol, protocols, warnings
from engine.world.limits import MAX_COORDINATE
from engine.world.scenario import load_scenario
from engine.world.words import one_of

router = APIRouter(prefix="/api", tags=["catalogue"])
Name = Annotated[str, Path(max_length=100)]


@router.get("/health")
async def health(server: Server) -> Health:
    """The server is up, and how busy it is."""
    sessions = server.sessions
    return Health(
        version=ENGINE_VERSION,
        sessions=len(sessions.live),
        viewers=sessions.viewers,
        uptime_s=round(sessions.uptime(), 1),
    )


@router.get("/networks")
async def networks() -> list[CatalogueEntry]:
    """The networks that ship with the product."""
    return await asyncio.to_thread(catalogue.entries)


@router.get("/networks/{name}", responses=refusals(404))
async def network(
    name: Name, range_m: Annotated[float | None, Query(gt=0, le=MAX_COORDINATE)] = None
) -> BuiltinNetwork:
    """One of them, written out."""
    return await asyncio.to_thread(catalogue.network, name, range_m)


@router.post(
    "/networks",
    responses=refusals(413, 429),
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "the file as it is",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def read_network(
    server: Server,
    request: Request,
    filename: Annotated[
        str, Query(max_length=255, description="tells the format, where the content does not")
    ] = "",
) -> UploadedNetwork:
    """Read a network file: JSON, GraphML, GML, edge list, NetJSON, Freifunk, CSV of positions."""
    server.rates.take(request)
    data = await request.body()
    limits = server.settings
    return await asyncio.to_thread(catalogue.read, data, filename, limits.max_nodes, limits.max_body)


@router.get("/protocols")
async def all_protocols() -> list[Protocol]:
    """The protocols and their parameters."""
    return [Protocol.model_validate(describe(spec)) for spec in protocols().values()]


@router.post("/protocols/{name}/check", responses=refusals(404, 413))
async def check_parameters(name: Name, body: ProtocolAsked) -> list[Caution]:
    """What these parameters will not do as one might expect; a refusal where they cannot work together.

    Parameters that name a node are taken as they are: which nodes there are, only a scenario says.
    """
    if name not in protocols():
        known = list(protocols())
        raise Refusal(404, "protocol", name, one_of(name, known), "there is no such protocol")
    spec = protocol(name)
    nodes = [
        value
        for p in spec.all_params()
        if p.kind == "node" and isinstance(value := body.params.get(p.name), str)
    ]
    found = warnings(spec, parameters(spec, body.params, nodes))
    known = [p.name for p in spec.all_params()]
    return [Caution(text=text, params=named(text, known)) for text in found]


@router.get("/examples")
async def all_examples() -> list[Example]:
    """Scenarios to start from, the one for a first visit first."""
    return examples.listed()


@router.get("/examples/{name}", responses=refusals(404))
async def example(name: Name) -> Document:
    """One of them."""
    return examples.document(name)


@router.get("/schemas/{name}", responses=refusals(404))
async def schema(name: Name) -> dict[str, Any]:
    """The JSON schema of a document: scenario, topology, event, run-report or protocols."""
    return schemas.schema(name)


def named(text: str, names: list[str]) -> list[str]:
    """Those of the names that the text has, in its order."""
    return [word for word in dict.fromkeys(re.findall(r"\w+", text)) if word in names]


@router.post("/scenarios/check", responses=refusals(413, 429))
async def check(server: Server, request: Request, scenario: Document) -> Checked:
    """Whether a scenario can be run; a refusal says why not."""
    server.rates.take(request)
    run = await asyncio.to_thread(lambda: Run(load_scenario(scenario), trace="none"))
    n = len(run.network.ids)
    if n > server.settings.max_nodes:
        raise ScenarioError(
            "topology", n, f"at most {server.settings.max_nodes:,} nodes on this server", "too many nodes"
        )
    return Checked(nodes=n, links=len(run.network.links), events=len(run.scenario.events))
