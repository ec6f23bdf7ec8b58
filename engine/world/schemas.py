"""JSON schemas of the documents this package reads, made from their models."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from engine.core.errors import ScenarioError
from engine.world.events import AnyEvent
from engine.world.scenario import Scenario
from engine.world.topologies import Topology
from engine.world.words import one_of

_MODELS: dict[str, Any] = {"scenario": Scenario, "topology": Topology, "event": AnyEvent}
NAMES = tuple(_MODELS)


def schema(name: str) -> dict[str, Any]:
    """The JSON schema of a document.

    Raises: ScenarioError for an unknown name.
    """
    if name not in _MODELS:
        raise ScenarioError("schema", name, one_of(name, NAMES), "unknown schema")
    return TypeAdapter(_MODELS[name]).json_schema(by_alias=True)
