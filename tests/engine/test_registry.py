"""Declarations as documents."""

from __future__ import annotations

import json

import pytest

from engine.core.declare import ProtocolSpec
from engine.core.errors import ScenarioError
from engine.registry import as_tuple, describe, parameters, protocol, protocols

ALL = list(protocols().values())


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: spec.name)
def test_a_protocol_describes_itself_completely(spec: ProtocolSpec) -> None:
    told = json.loads(json.dumps(describe(spec)))
    assert all(p["title"] and p["help"] for p in told["params"])
    assert all(f["label"] for layer in told["layers"] for f in layer["fields"])
    assert all(m["doc"] for m in told["messages"])
    known = {
        f"{layer.key}.{f['name']}"
        for layer, doc in zip(spec.layers, told["layers"], strict=True)
        for f in doc["fields"]
    }
    assert {path for overlay in told["overlays"].values() for path in overlay.values()} <= known


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: spec.name)
def test_defaults_are_allowed_and_become_numbers(spec: ProtocolSpec) -> None:
    values = parameters(spec, {}, ["a"])
    assert parameters(spec, {p.name: p.default for p in spec.all_params()}, ["a"]) == values
    assert all(isinstance(x, (int, float)) for x in as_tuple(spec, values))


def test_an_unknown_protocol_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ScenarioError, match="psvr"):
        protocol("gossip")
