"""The stack below a protocol on the virtual ring, ready made: its layers, messages, overlays and the root."""

from __future__ import annotations

from typing import Any, NamedTuple

from engine.core.declare import NONE, Env, Layer, Message, Param, ProtocolSpec
from engine.layers import on_tree
from engine.layers.neighbourhood import slots, up
from engine.layers.spanning_tree import is_tree
from engine.layers.virtual_ring import VIRTUAL_RING, Dcm, Positions, RingState, Ucm

LAYERS = (*on_tree.LAYERS, VIRTUAL_RING)
MESSAGES = (
    *on_tree.MESSAGES,
    Message(Ucm, "UCM", "structure", "So many nodes are in my subtree."),
    Message(Dcm, "DCM", "structure", "Your first ring position."),
    Message(Positions, "POS", "structure", "My ring positions."),
)
OVERLAYS = {
    **on_tree.OVERLAYS,
    "ring": {"length": "ring.length", "size": "ring.size", "positions": "ring.pos"},
}
NON_TREE = 1  # place in the list of choices
SHORTCUTS = Param(
    "shortcuts",
    "choice",
    "all-links",
    "Shortcuts",
    "Which links may be used to jump ahead on the ring.",
    choices=(
        ("all-links", "every link, tree links too (Definition 2)"),
        ("non-tree", "only links outside the tree (the paper's examples)"),
    ),
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
        params=(on_tree.ROOT,),
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


def closest(st: RingState, v: int, p: int, goal: int, length: int) -> tuple[int, int]:
    """getPosClosestTo of PSVR: slot and position of the neighbour farthest along (p, goal]; NONE, NONE: there is none."""
    ring = st.ring
    slot, farthest, best, limit = NONE, NONE, 0, (goal - p) % length
    for j in slots(st, v):
        if up(st, v, j):
            only_next = st.par.shortcuts == NON_TREE and is_tree(st, v, j)
            near = ring.near[v][j]
            for i in range(min(ring.near_size[v][j], len(near))):
                d = (near[i] - p) % length
                if best < d <= limit and (d == 1 or not only_next):
                    slot, farthest, best = j, near[i], d
    return slot, farthest
