"""The `inspect` message: a node from inside, in words and numbers a reader can take in."""

from __future__ import annotations

from backend.wire import Inspect, LayerFacts, Table
from engine.api import Run


def inspection(run: Run, v: int, channel: str | None) -> Inspect:
    """Node v without its log lines."""
    found = run.inspect(v, channel)
    return Inspect(
        node=found["node"],
        t=found["t"],
        name=found["name"],
        layers=[LayerFacts.model_validate(layer) for layer in found["layers"]],
        table=None if found["table"] is None else Table.model_validate(found["table"]),
        messages=[],
    )
