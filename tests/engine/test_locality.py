"""Locality and layering of every layer of every protocol, from the source; and that the check can fail."""

from __future__ import annotations

import inspect
import sys

import pytest

from engine.core.declare import Layer
from engine.core.locality import violations
from engine.layers import on_ring
from engine.registry import protocols

LAYERS = {id(layer): layer for spec in protocols().values() for layer in spec.layers}


@pytest.mark.parametrize("layer", LAYERS.values(), ids=lambda layer: layer.name)
def test_rules_stay_at_their_node_and_in_their_layer(layer: Layer) -> None:
    module = sys.modules[layer.state.__module__]
    assert violations(inspect.getsource(module), layer.key, module.__name__) == []


def test_what_protocols_on_the_ring_share_writes_nothing() -> None:
    assert violations(inspect.getsource(on_ring), "", on_ring.__name__) == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("st.tree.dist[j] = 0", "another node's state"),
        ("x = st.tree.dist[st.hood.peer[v][j]]", "another node's state"),
        ("st.ring.size[v] = 0", "writes layer ring"),
        ("near = st.ring.near[v][j]; near[0] = 1", "writes layer ring"),
        ("ring = st.ring; ring.size[v] = 1", "writes layer ring"),
        ("x = min(st.tree.dist)", "used whole"),
    ],
)
def test_breaches_are_named(line: str, complaint: str) -> None:
    source = f"def rule(st, net, v, j, m):\n    {line}\n"
    (found,) = violations(source, "tree", "rule.py")
    assert found.startswith("rule.py:2: ")
    assert complaint in found
