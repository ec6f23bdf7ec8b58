"""JSON schemas of the documents that leave or enter the product."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from backend.declaration import Protocol
from backend.refusal import Refusal
from backend.report import Report
from engine.sweeps import schema as sweep
from engine.world import schemas as world
from engine.world.words import one_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"

SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    **{name: partial(world.schema, name) for name in world.NAMES},
    "sweep": sweep,
    "run-report": lambda: Report.model_json_schema(by_alias=True),
    "protocols": lambda: TypeAdapter(list[Protocol]).json_schema(),
}


def schema(name: str) -> dict[str, Any]:
    """The schema called `name`. Raises Refusal."""
    if name not in SCHEMAS:
        raise Refusal(404, "schema", name, one_of(name, list(SCHEMAS)), "there is no such schema")
    return {"$schema": DIALECT, **SCHEMAS[name]()}
