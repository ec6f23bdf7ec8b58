"""The `inspect` message: a node from inside, in words and numbers a reader can take in."""

from __future__ import annotations

from typing import Any

from backend.wire import Inspect, LayerFacts, Row, Table
from engine.api import Run

NOTHING = "–"


def inspection(run: Run, v: int, channel: str | None) -> Inspect:
    """Node v without its log lines."""
    found = run.inspect(v, channel)
    return Inspect(
        node=found["node"],
        t=found["t"],
        name=found["name"],
        layers=[LayerFacts.model_validate(layer) for layer in found["layers"]],
        table=None if found["table"] is None else _table(found["table"]),
        messages=[],
    )


def _table(found: dict[str, Any]) -> Table:
    """The routing table for one channel, a row for each position."""
    rows = [
        Row(
            cells=[
                str(r["position"]),
                _place(r["next"], r["next_node"]),
                _age(r),
                _place(r["candidate"], r["candidate_node"]),
            ],
            wrong=r["wrong"],
            in_use=r["in_use"],
        )
        for r in found["rows"]
    ]
    note = f"Channel {found['channel']}. An entry not renewed for {found['forget_s']:g} s gives way to its candidate."
    if found["publication"] is not None and any(row.in_use for row in rows):
        note += f" {found['publication']} used the marked entry."
    return Table(
        title=found["title"], columns=["Position", "Next", "Renewed", "Candidate"], rows=rows, note=note
    )


def _place(position: int | None, node: str | None) -> str:
    if position is None:
        return NOTHING
    return f"{position} ({node})" if node is not None else str(position)


def _age(row: dict[str, Any]) -> str:
    age = row["age_s"]
    if age is None:
        return NOTHING
    return f"{max(0.0, age):.1f} s ago" + (", stale" if row["stale"] else "")
