"""The scenario document, version 1: the whole truth about a run.

Initial network, seed, protocol, parameters and every timed command; so a run is always a document that
replays exactly. `load_scenario` accepts what a person or a program wrote and refuses everything else with a
`ScenarioError`; `canonical` gives equal scenarios equal bytes.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from engine.core.errors import ScenarioError
from engine.world.events import AnyEvent
from engine.world.fields import Name, Number, Part, Text, Whole
from engine.world.jsonfile import check_tree, plain_tree
from engine.world.limits import MAX_DOCUMENT, MAX_EVENTS, MAX_SEED, MAX_TIME_S
from engine.world.radio import IdealRadio, Radio
from engine.world.refusals import explain
from engine.world.topologies import Explicit, Topology
from engine.world.words import one_of
from engine.world.workload import Workload


class Static(Part):
    """Nodes move only when an event says so."""

    kind: Literal["static"] = "static"


class ProtocolChoice(Part):
    """Which protocol runs, and its parameters; the protocol's own declaration checks those."""

    name: Name
    params: dict[Name, JsonValue] = Field(default={}, max_length=100)


class Scenario(Part):
    """A scenario document, version 1."""

    version: Literal[1]
    name: Annotated[str, Text(200)] = ""
    seed: Annotated[int, Whole(0, MAX_SEED)] = 1
    topology: Topology
    radio: Radio = IdealRadio()
    mobility: Static = Static()
    protocol: ProtocolChoice
    workload: Workload | None = None
    events: tuple[AnyEvent, ...] = Field(default=(), max_length=MAX_EVENTS)
    duration_s: Annotated[float, Number(0, MAX_TIME_S, "seconds", open_low=True)]

    def in_order(self) -> list[tuple[int, AnyEvent]]:
        """(document index, event) in the order they play: by time, equal times as written."""
        return sorted(enumerate(self.events), key=lambda pair: pair[1].t)

    def with_event(self, event: AnyEvent) -> Scenario:
        """The same document with one more event at its end."""
        return self.model_copy(update={"events": (*self.events, event)})


_EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)
_TOPOLOGY: TypeAdapter[Topology] = TypeAdapter(Topology)


def load_scenario(
    data: bytes | str | dict[str, Any], what: str = "scenario", max_size: int = MAX_DOCUMENT
) -> Scenario:
    """A checked scenario document.

    Raises: ScenarioError naming the path, the value found and what is allowed.
    """
    document = plain_tree(data, what, max_size)
    if not isinstance(document, dict):
        raise ScenarioError(
            what, document, "an object with version, topology, protocol, …", "not a scenario document"
        )
    version = document.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > 1:
        raise ScenarioError(
            "version", version, "1; this document needs a newer Ringcast", "a newer document version"
        )
    try:
        scenario = Scenario.model_validate(document)
    except ValidationError as e:
        raise explain(e, document, Scenario) from None
    check_explicit(scenario.topology, "topology")
    return scenario


def load_event(data: dict[str, Any], what: str = "event") -> AnyEvent:
    """One checked event, for a command on a running network; whether its nodes exist is checked elsewhere.

    Raises: ScenarioError
    """
    check_tree(data, what)
    try:
        return _EVENT.validate_python(data)
    except ValidationError as e:
        raise explain(e, data, AnyEvent, (what,)) from None


def load_topology(data: dict[str, Any], what: str = "topology") -> Topology:
    """One checked topology.

    Raises: ScenarioError
    """
    check_tree(data, what)
    try:
        topology = _TOPOLOGY.validate_python(data)
    except ValidationError as e:
        raise explain(e, data, Topology, (what,)) from None
    check_explicit(topology, what)
    return topology


def check_explicit(topology: Topology, at: str) -> None:
    """Refuse repeated ids, links to unknown nodes and repeated links in a network that is written down.

    Raises: ScenarioError
    """
    if not isinstance(topology, Explicit):
        return
    index: dict[str, int] = {}
    for i, node in enumerate(topology.nodes):
        if node.id == "*":
            raise ScenarioError(f"{at}.nodes[{i}].id", "*", 'another id; "*" means every node', "reserved id")
        if (first := index.setdefault(node.id, i)) != i:
            raise ScenarioError(
                f"{at}.nodes[{i}].id",
                node.id,
                f"ids that differ; nodes[{first}] has this one",
                "id given twice",
            )
    seen: dict[tuple[int, int], int] = {}
    for k, link in enumerate(topology.links):
        for end in link:
            if end not in index:
                raise ScenarioError(
                    f"{at}.links[{k}]", list(link), one_of(end, list(index)), f"unknown node {end!r}"
                )
        i, j = index[link[0]], index[link[1]]
        if (first := seen.setdefault((min(i, j), max(i, j)), k)) != k:
            raise ScenarioError(
                f"{at}.links[{k}]",
                list(link),
                f"each link once; links[{first}] is this one",
                "link given twice",
            )


def as_document(scenario: Scenario) -> dict[str, Any]:
    """The full readable document: every field, defaults too; only what means "not given" is left out."""
    return scenario.model_dump(mode="json", by_alias=True, exclude_none=True)


def canonical(scenario: Scenario) -> bytes:
    """Canonical JSON: sorted keys, no blanks, defaults dropped, whole numbers without a fraction."""
    return dump(canonical_tree(scenario))


def canonical_tree(scenario: Scenario) -> dict[str, Any]:
    """The document without what has its default value."""
    return scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def dump(tree: Any) -> bytes:
    """Plain data as canonical JSON in UTF-8."""
    text = json.dumps(
        _whole(tree), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode()


def _whole(tree: Any) -> Any:
    """The same data with 10.0 written as 10, since both mean the same scenario."""
    if isinstance(tree, float) and tree.is_integer() and abs(tree) < 2**53:
        return int(tree)
    if isinstance(tree, dict):
        return {k: _whole(v) for k, v in tree.items()}
    if isinstance(tree, list | tuple):
        return [_whole(v) for v in tree]
    return tree
