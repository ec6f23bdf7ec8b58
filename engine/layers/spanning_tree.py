"""Self-stabilising BFS tree, one in every connected part of the network.

Source: slides, "Self-stabilizing Spanning Tree Layer"; PSVR §3. Stabilises: yes. Deviations: the papers take a dedicated
root. Here a beacon also names the root, as is usual for such trees: the configured root ranks first, then the smallest
node, so a part that has lost the root grows a tree (and a ring) of its own. Or no root is dedicated (`leader = smallest`):
then the smallest node of a part leads, the next takes over when it fails and gives way when it is back. A ghost, a root
that no longer exists, dies because no distance may exceed `max_depth`, and sooner because nobody takes a parent that named
it as its own. Ties are broken by node order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, Protocol

from engine.core.declare import NONE, Column, Flag, Hops, Layer, Net, NodeId, Param, Slot, Table
from engine.core.errors import ScenarioError
from engine.layers.neighbourhood import HoodState, slots, up


class Tree(NamedTuple):
    """What a transient fault may corrupt."""

    root: Annotated[Column[int], NodeId("root", start="self")]
    dist: Annotated[Column[int], Hops("distance to the root", start=0)]
    parent: Annotated[Column[int], Slot("parent")]
    heard_root: Annotated[Table[int], "slot", NodeId("root last heard")]
    heard: Annotated[Table[int], "slot", Hops("distance last heard")]
    child: Annotated[Table[int], "slot", Flag("named me as its parent")]


class Beacon(NamedTuple):
    """My root, how far it is, and whom I take as parent (node or NONE)."""

    root: Annotated[int, NodeId("root")]
    dist: Annotated[int, Hops("distance to it")]
    parent: Annotated[int, NodeId("parent")]


class TreeState(HoodState, Protocol):
    """A stack with a spanning tree."""

    @property
    def tree(self) -> Tree: ...


def is_child(st: TreeState, v: int, j: int) -> bool:
    return up(st, v, j) and j != st.tree.parent[v] and st.tree.child[v][j] == 1


def is_parent(st: TreeState, v: int, j: int) -> bool:
    return j == st.tree.parent[v] and up(st, v, j)


def is_tree(st: TreeState, v: int, j: int) -> bool:
    return is_parent(st, v, j) or is_child(st, v, j)


def from_parent(st: TreeState, v: int, j: int) -> bool:
    """Whether slot j leads one hop up, by what both ends last said of their distances."""
    return is_parent(st, v, j) and st.tree.heard[v][j] + 1 == st.tree.dist[v]


def from_child(st: TreeState, v: int, j: int) -> bool:
    """Whether slot j leads one hop down."""
    return is_child(st, v, j) and st.tree.heard[v][j] == st.tree.dist[v] + 1


def is_root(st: TreeState, v: int) -> bool:
    return st.tree.parent[v] == NONE and st.tree.root[v] == v


def seniority(st: TreeState, root: int) -> int:
    """Roots in order: the configured one, then by node."""
    return NONE if root == st.env.root else root


def beacon(st: TreeState, net: Net, v: int) -> None:
    """Every period: choose the parent, tell the neighbours."""
    tree, hood = st.tree, st.hood
    heard_root, heard, child, in_use = tree.heard_root[v], tree.heard[v], tree.child[v], hood.up[v]
    root, dist, parent, deepest = v, 0, NONE, st.par.max_depth
    for j in slots(st, v):
        if in_use[j] == 1 and child[j] == 0 and heard[j] < deepest:
            other = heard_root[j]
            if other == root:
                if heard[j] + 1 < dist:
                    dist, parent = heard[j] + 1, j
            elif other != NONE and seniority(st, other) < seniority(st, root):
                root, dist, parent = other, heard[j] + 1, j
    tree.root[v], tree.dist[v], tree.parent[v] = root, dist, parent
    net.broadcast(v, Beacon(root, dist, hood.peer[v][parent] if parent != NONE else NONE))


def on_beacon(st: TreeState, net: Net, v: int, j: int, m: Beacon) -> None:
    tree = st.tree
    tree.heard_root[v][j] = m.root
    tree.heard[v][j] = m.dist
    tree.child[v][j] = 1 if m.parent == v else 0


def facts(st: TreeState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help) for a reader."""
    tree, parent = st.tree, st.tree.parent[v]
    children = [name(st.hood.peer[v][j]) for j in slots(st, v) if is_child(st, v, j)]
    more = f" and {len(children) - 2} more" if len(children) > 2 else ""
    above = "none, I am the root" if is_root(st, v) else "none"
    if parent != NONE:
        above = f"{name(st.hood.peer[v][parent])}, distance {tree.dist[v]}"
    return [
        ("Parent", above, f"root: {name(tree.root[v])}" if tree.root[v] != NONE else "knows no root"),
        ("Children", ", ".join(children[:2]) + more if children else "none", ", ".join(children)),
    ]


def check(par: Mapping[str, Any]) -> list[str]:
    """Raises ScenarioError: a root that would not lead."""
    if par["leader"] == "smallest" and par["root"]:
        problem = "the smallest node leads, whatever the root"
        raise ScenarioError("protocol.params.root", par["root"], 'none with leader = "smallest"', problem)
    return []


SPANNING_TREE = Layer(
    name="tree",
    key="tree",
    title="Tree",
    summary="Beacons spread the distance to the root; each node takes the neighbour closest to the root as its parent.",
    state=Tree,
    every={beacon: "beacon_s"},
    on={Beacon: on_beacon},
    facts=facts,
    check=check,
    params=(
        Param(
            "leader",
            "choice",
            "dedicated",
            "Who leads",
            "Who is the root of the tree, and so of the ring. Either way the next one in line takes over when it fails.",
            choices=(
                ("dedicated", "the configured root; the smallest node of a part that is cut off from it"),
                ("smallest", "the smallest node: the first in the document of those that can be reached"),
            ),
        ),
        Param(
            "beacon_s",
            "float",
            1.0,
            "Beacon period",
            "How often a node tells its distance to the root.",
            0.1,
            60.0,
            "s",
        ),
        Param(
            "max_depth",
            "int",
            0,
            "Deepest tree",
            "No node believes in a root farther away than this many hops, so that a root that is gone is forgotten. "
            "0: twice the depth of the network's tree, plus 8.",
            0,
            20000,
            "hops",
        ),
    ),
)
