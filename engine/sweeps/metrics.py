"""The numbers that a sweep can tell of a run: the columns of `engine.batch.run_batch`, and ratios of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.core.declare import ProtocolSpec
from engine.core.errors import ScenarioError
from engine.core.trace import REASONS
from engine.oracle.legitimacy import Judge
from engine.world.words import one_of

BOOKS = ("publications", "expected", "delivered", "duplicates", "transmissions", "hops")
DERIVED = {
    "delivery_ratio": ("delivered", "expected"),
    "hops_per_delivery": ("hops", "delivered"),
    "messages_per_publication": ("messages", "publications"),
    "transmissions_per_delivery": ("transmissions", "delivered"),
}
"""Each a quotient of two others; none where the lower one is 0."""
ON_ROUTES = (*BOOKS, *DERIVED, "messages")
"""What the static kernels tell: `messages` are then those of publications."""


def known(specs: Iterable[ProtocolSpec]) -> list[str]:
    """Every metric that one of these protocols has, the plainest first."""
    names = dict.fromkeys([*DERIVED, "messages", *BOOKS, "events", "end_s"])
    for spec in specs:
        layers = Judge(spec).layers
        for kind in ("stabilised_s", "stabilised_rounds", "legitimate_s", "wrong"):
            names |= dict.fromkeys(f"{kind}.{layer}" for layer in layers)
        names |= dict.fromkeys(f"sent.{m.name}" for m in spec.messages if m.shape != "local")
    names |= dict.fromkeys(f"dropped.{reason}" for reason in REASONS)
    return list(names)


def usual(specs: Sequence[ProtocolSpec], *, routes: bool) -> list[str]:
    """What is told when a sweep names no metrics: of delivery where there is any, of stabilisation where it is judged."""
    names = ["delivery_ratio", "hops_per_delivery", "transmissions_per_delivery", "duplicates"]
    if not any("publish" in spec.services for spec in specs):
        names = []
    if routes:
        return names
    layers = dict.fromkeys(layer for spec in specs for layer in Judge(spec).layers)
    return [*names, *(f"stabilised_s.{layer}" for layer in layers), "messages"]


def check(metrics: Sequence[str], specs: Sequence[ProtocolSpec], *, routes: bool) -> None:
    """Raises: ScenarioError for a name that no run of these protocols has."""
    names = list(ON_ROUTES) if routes else known(specs)
    for k, name in enumerate(metrics):
        if name not in names:
            where = "a metric of method routes" if routes else "a metric of these protocols"
            raise ScenarioError(f"metrics[{k}]", name, one_of(name, names, 40), f"not {where}")
        if name in metrics[:k]:
            raise ScenarioError(f"metrics[{k}]", name, "each metric once", "metric given twice")


def with_ratios(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of `run_batch` with `messages` and the ratios."""
    sent = [count for name, count in row.items() if name.startswith("sent.")]
    told = dict(row)
    told.setdefault("messages", sum(sent) if sent else None)
    for name, (above, below) in DERIVED.items():
        a, b = told.get(above), told.get(below)
        told[name] = a / b if a is not None and b else None
    return told
