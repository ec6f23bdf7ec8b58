"""The stack below a protocol on the virtual ring, ready made: its layers, messages, overlays and the root."""

from __future__ import annotations

from typing import Any, NamedTuple

from engine.core.declare import NONE, Env, Layer, Message, Param, ProtocolSpec
from engine.layers.neighbourhood import NEIGHBOURHOOD, Hello, slots, up
from engine.layers.spanning_tree import SPANNING_TREE, Beacon
from engine.layers.virtual_ring import VIRTUAL_RING, Dcm, Positions, RingState, Ucm

LAYERS = (NEIGHBOURHOOD, SPANNING_TREE, VIRTUAL_RING)
MESSAGES = (
    Message(Hello, "HELLO", "structure", "I am here, and these are the nodes I hear."),
    Message(Beacon, "BEACON", "structure", "My root, my distance to it, my parent."),
    Message(Ucm, "UCM", "structure", "So many nodes are in my subtree."),
    Message(Dcm, "DCM", "structure", "Your first ring position."),
    Message(Positions, "POS", "structure", "My ring positions."),
)
OVERLAYS = {
    "neighbourhood": {"up": "hood.up"},
    "tree": {"root": "tree.root", "depth": "tree.dist", "parent": "tree.parent"},
    "ring": {"length": "ring.length", "size": "ring.size", "positions": "ring.pos"},
}
ROOT = Param(
    "root",
    "node",
    "",
    "Root",
    "The dedicated root of the tree. Empty: a node at the centre of the network.",
)


def on_the_ring(name: str, layer: Layer, *messages: Message, source: str) -> ProtocolSpec:
    """A protocol of one self-stabilising layer on the virtual ring, with the layer's title, summary and messages."""
    layers = (*LAYERS, layer)
    parts: Any = [("env", Env), ("par", Any), *((part.key, part.state) for part in layers)]
    state: Any = NamedTuple("State", parts)  # type: ignore[misc]  # its fields are known only here
    return ProtocolSpec(
        name=name,
        title=layer.title,
        summary=layer.summary,
        source=source,
        state=state,
        layers=layers,
        messages=(*messages, *MESSAGES),
        params=(ROOT,),
        overlays=OVERLAYS,
        stabilises=True,
        compiled=True,
    )


def towards(st: RingState, v: int, goal: int) -> int:
    """The slot of the neighbour that has this position; NONE if none does."""
    for j in slots(st, v):
        near = st.ring.near[v][j]
        for i in range(min(st.ring.near_size[v][j], len(near))):
            if near[i] == goal and up(st, v, j):
                return j
    return NONE
