"""Scenarios to start from: `examples/*.json`, each a title, a sentence, and a scenario document."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from backend.documents import Example
from backend.refusal import Refusal
from engine.world.words import one_of

FOLDER = Path(__file__).parent / "examples"
ORDER = (
    "first-visit",
    "psvr-fig5",
    "psvr-fig4",
    "end-point",
    "own-channels",
    "old-candidate",
    "ringps-walk",
    "shen-loss",
)


@cache
def _all() -> dict[str, dict[str, Any]]:
    return {name: json.loads((FOLDER / f"{name}.json").read_text("utf-8")) for name in ORDER}


def listed() -> list[Example]:
    """All of them, the one for a first visit first."""
    return [
        Example(name=name, title=found["title"], summary=found["summary"]) for name, found in _all().items()
    ]


def document(name: str) -> dict[str, Any]:
    """The scenario document of one. Raises Refusal."""
    if name not in _all():
        raise Refusal(404, "example", name, one_of(name, ORDER), "there is no such example")
    scenario: dict[str, Any] = _all()[name]["scenario"]
    return scenario
