"""The protocols there are, their parameters checked, and their declarations as documents."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

from engine.core.declare import Param, ProtocolSpec, fields
from engine.core.errors import ScenarioError
from engine.protocols.flooding import FLOODING
from engine.protocols.psvr import PSVR
from engine.protocols.ringps import RINGPS
from engine.protocols.shen import SHEN
from engine.protocols.single_tree import SINGLE_TREE
from engine.protocols.source_trees import SOURCE_TREES
from engine.protocols.token_ring import TOKEN_RING

PROTOCOLS: dict[str, ProtocolSpec] = {
    spec.name: spec for spec in (PSVR, RINGPS, SHEN, SINGLE_TREE, SOURCE_TREES, FLOODING, TOKEN_RING)
}
OUTSIDE = ("root", "leader", "channels")  # parameters that say what the network is rather than steer a rule


def protocols() -> dict[str, ProtocolSpec]:
    """All protocols by name."""
    return dict(PROTOCOLS)


def protocol(name: str) -> ProtocolSpec:
    """The protocol called `name`. Raises ScenarioError."""
    if name not in PROTOCOLS:
        raise ScenarioError("protocol.name", name, ", ".join(PROTOCOLS), "unknown protocol")
    return PROTOCOLS[name]


def parameters(spec: ProtocolSpec, given: Mapping[str, Any], ids: Sequence[str]) -> dict[str, Any]:
    """Every parameter of the protocol: the given value if it is allowed, else the default.

    Choices stay words; `ids` are the nodes a node parameter may name. Raises ScenarioError.
    """
    known = {p.name: p for p in spec.all_params()}
    for name in given:
        if name not in known:
            problem = f"{spec.title} has no such parameter"
            raise ScenarioError(f"protocol.params.{name}", given[name], ", ".join(known), problem)
    values = {name: _value(p, given.get(name, p.default), ids) for name, p in known.items()}
    warnings(spec, values)
    return values


def warnings(spec: ProtocolSpec, values: Mapping[str, Any]) -> list[str]:
    """What these parameters will not do as one might expect, in words.

    Raises ScenarioError if they cannot work together.
    """
    checks = [layer.check for layer in spec.layers] + [spec.check]
    return [word for check in checks if check is not None for word in check(values)]


def _value(p: Param, value: Any, ids: Sequence[str]) -> Any:
    path = f"protocol.params.{p.name}"
    if p.kind == "choice":
        words = [word for word, _ in p.choices]
        if value not in words:
            raise ScenarioError(path, value, " or ".join(words), "not one of the choices")
        return value
    if p.kind == "node":
        if value != "" and value not in ids:
            some = ", ".join(list(ids)[:8]) + (", …" if len(ids) > 8 else "")
            raise ScenarioError(path, value, f"a node of the network ({some}) or empty", "unknown node")
        return value
    unit = f" {p.unit}" if p.unit else ""
    allowed = f"{'a whole number' if p.kind == 'int' else 'a number'} from {p.lo:g} to {p.hi:g}{unit}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ScenarioError(path, value, allowed, "not a number")
    if not p.lo <= value <= p.hi:
        raise ScenarioError(path, value, allowed, "out of range")
    if p.kind == "int":
        if value != int(value):
            raise ScenarioError(path, value, allowed, "not a whole number")
        return int(value)
    return float(value)


def as_tuple(spec: ProtocolSpec, values: Mapping[str, Any]) -> Any:
    """The parameters as the handlers see them, `st.par`: numbers only, a choice as its place in the list."""
    steering = {p.name: p for p in spec.all_params() if p.name not in OUTSIDE}
    numbers = {
        name: [word for word, _ in p.choices].index(values[name]) if p.kind == "choice" else values[name]
        for name, p in steering.items()
    }
    return namedtuple("Par", numbers.keys())(**numbers)  # fields are known only here


def describe(spec: ProtocolSpec) -> dict[str, Any]:
    """The protocol's declaration as a document: parameters, layers with their state, messages, overlays."""
    return {
        "name": spec.name,
        "title": spec.title,
        "summary": spec.summary,
        "source": spec.source,
        "stabilises": spec.stabilises,
        "compiled": spec.compiled,
        "services": list(spec.services),
        "params": [_param(p, "") for p in spec.params]
        + [_param(p, layer.name) for layer in spec.layers for p in layer.params],
        "layers": [
            {
                "name": layer.name,
                "title": layer.title,
                "summary": layer.summary,
                "fields": [
                    {
                        "name": f.name,
                        "axes": list(f.axes),
                        "kind": f.kind.name,
                        "label": f.kind.label,
                        "unit": f.kind.unit,
                        "lo": f.kind.lo,
                        "hi": f.kind.hi,
                        "corruptible": f.kind.name != "input",
                    }
                    for f in fields(layer.state)
                ],
            }
            for layer in spec.layers
        ],
        "messages": [
            {
                "name": m.name,
                "shape": m.shape,
                "doc": m.doc,
                "over": m.over,
                "fields": [f.name for f in fields(m.type)],
            }
            for m in spec.messages
        ],
        "overlays": {name: dict(parts) for name, parts in spec.overlays.items()},
    }


def _param(p: Param, layer: str) -> dict[str, Any]:
    return {
        "name": p.name,
        "layer": layer,
        "kind": p.kind,
        "default": p.default,
        "title": p.title,
        "help": p.help,
        "lo": p.lo,
        "hi": p.hi,
        "unit": p.unit,
        "symbol": p.symbol,
        "choices": [{"value": value, "title": title} for value, title in p.choices],
    }
