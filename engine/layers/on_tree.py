"""The stack below a protocol on the spanning tree, ready made: its layers, messages, overlays and the root."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.core.declare import Message, Param
from engine.layers.neighbourhood import NEIGHBOURHOOD, Hello, slots
from engine.layers.spanning_tree import SPANNING_TREE, Beacon, TreeState, is_child, is_tree

LAYERS = (NEIGHBOURHOOD, SPANNING_TREE)
MESSAGES = (
    Message(Hello, "HELLO", "structure", "I am here, and these are the nodes I hear."),
    Message(Beacon, "BEACON", "structure", "My root, my distance to it, my parent."),
)
OVERLAYS = {
    "neighbourhood": {"up": "hood.up"},
    "tree": {"root": "tree.root", "depth": "tree.dist", "parent": "tree.parent"},
}
ROOT = Param(
    "root",
    "node",
    "",
    "Root",
    "The dedicated root of the tree. Empty: a node at the centre of the network.",
)


def has_child(st: TreeState, v: int) -> bool:
    """Whether v is no leaf. A plain loop: the compiled subset has no generators."""
    for j in slots(st, v):
        if is_child(st, v, j):
            return True
    return False


def branch_table(st: TreeState, v: int, c: int, behind: Sequence[int], note: str) -> dict[str, Any]:
    """For a reader, the tree neighbours behind which channel c is wanted; `behind` has a set of channels by slot."""
    rows = []
    for j in slots(st, v):
        if is_tree(st, v, j):
            w = st.hood.peer[v][j]
            rows.append((j, w, (w, "yes" if behind[j] >> c & 1 else "no")))
    columns = (("Neighbour", "node"), ("Subscribers behind", ""))
    return {"title": "Branches of the tree", "columns": columns, "rows": rows, "note": note}
