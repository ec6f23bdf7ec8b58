"""Virtual ring: counts go up the tree (UCM), positions come down (DCM), neighbours hear the positions.

Source: slides, "Self-stabilizing Virtual Ring Layer"; PSVR Def. 1 and 2. Stabilises: yes, above a stable tree.
Deviations: none; everything is repeated every period, so it is soft state. L = 2(n-1) for the n nodes of the tree; a node
alone has the one position 0 and L = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple, Protocol

from engine.core.declare import NONE, Column, Cube, Int, Ints, Layer, Net, Param, Position, Table
from engine.layers.neighbourhood import slots
from engine.layers.spanning_tree import TreeState, is_parent, is_root


class Ring(NamedTuple):
    """What a node knows of the ring."""

    length: Annotated[Column[int], Position("ring length L")]
    first: Annotated[Column[int], Position("first own position")]
    below: Annotated[Table[int], "slot", Int("nodes under this child, 0: not reported", 0, "n")]
    size: Annotated[Column[int], Int("own positions", 0, "n")]
    pos: Annotated[Table[int], "pos", Position("own position")]
    near_size: Annotated[Table[int], "slot", Int("positions of the neighbour", 0, "n")]
    near: Annotated[Cube[int], "slot", "near", Position("position of the neighbour")]


class Ucm(NamedTuple):
    """To the parent: so many nodes are in my subtree, myself included."""

    nodes: Annotated[int, Int("nodes", 0, "n")]


class Dcm(NamedTuple):
    """To a child: your first position, and the length of the ring."""

    first: Annotated[int, Position("first position")]
    length: Annotated[int, Position("ring length")]


class Positions(NamedTuple):
    """To every neighbour: my positions."""

    size: Annotated[int, Int("positions", 0, "n")]
    pos: Annotated[Ints, Position("position")]


class RingState(TreeState, Protocol):
    """A stack with a virtual ring."""

    @property
    def ring(self) -> Ring: ...


def in_open(x: int, left: int, right: int, length: int) -> bool:
    """Whether x comes strictly after left and strictly before right; if left = right: every x but left."""
    return x != left and (left == right or (x - left) % length < (right - left) % length)


def in_half(x: int, left: int, right: int, length: int) -> bool:
    """The same, but x = right counts."""
    return x == right or in_open(x, left, right, length)


def number(st: RingState, net: Net, v: int) -> None:
    """Every period: count the subtree, report it, take the own positions, number the children, tell the neighbours."""
    ring, below, parent = st.ring, st.ring.below[v], st.tree.parent[v]
    child, in_use = st.tree.child[v], st.hood.up[v]
    nodes, complete, at_root = 1, True, is_root(st, v)
    for j in slots(st, v):
        if child[j] == 0 or in_use[j] == 0 or j == parent:  # not is_child, without the call
            below[j] = 0
        elif below[j] == 0:
            complete = False
        else:
            nodes += below[j]
    nodes = min(nodes, st.env.n)
    if at_root:
        ring.first[v], ring.length[v] = 0, 2 * (nodes - 1)
    elif complete and parent != NONE:
        net.unicast(v, parent, Ucm(nodes))
    ring.size[v] = 0
    if complete and ring.length[v] > 0 and (at_root or parent != NONE):
        place(st, net, v, at_root)
    elif at_root and nodes == 1:
        ring.pos[v][0], ring.size[v] = 0, 1
    net.broadcast(v, Positions(ring.size[v], ring.pos[v]))


def place(st: RingState, net: Net, v: int, at_root: bool) -> None:
    """p, p+2c1, p+2(c1+c2), …; the root's last visit is its first position again."""
    ring, length, p, k = st.ring, st.ring.length[v], st.ring.first[v], 0
    below, pos = ring.below[v], ring.pos[v]
    for j in slots(st, v):
        if below[j] > 0:  # a child, and it has reported
            pos[k] = p % length
            net.unicast(v, j, Dcm((p + 1) % length, length))
            p += 2 * below[j]
            k += 1
    if not at_root and k < len(pos):
        pos[k] = p % length
        k += 1
    ring.size[v] = k


def on_ucm(st: RingState, net: Net, v: int, j: int, m: Ucm) -> None:
    st.ring.below[v][j] = m.nodes


def on_dcm(st: RingState, net: Net, v: int, j: int, m: Dcm) -> None:
    if is_parent(st, v, j):
        st.ring.first[v], st.ring.length[v] = m.first, m.length


def on_positions(st: RingState, net: Net, v: int, j: int, m: Positions) -> None:
    near, size = st.ring.near[v][j], m.size
    if size > len(near):
        size = len(near)
    st.ring.near_size[v][j] = size
    for i in range(size):
        near[i] = m.pos[i]


def own(st: RingState, v: int) -> range:
    """The indices of v's own positions (a corrupt count is cut to what there is room for)."""
    return range(min(st.ring.size[v], len(st.ring.pos[v])))


def facts(st: RingState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help) for a reader."""
    positions = [st.ring.pos[v][k] for k in own(st, v)]
    listed = ", ".join(map(str, positions[:5])) + (
        f" and {len(positions) - 5} more" if len(positions) > 5 else ""
    )
    value = f"{listed} of {st.ring.length[v]}" if positions else "none yet"
    return [("Positions", value, ", ".join(map(str, positions)))]


VIRTUAL_RING = Layer(
    name="ring",
    key="ring",
    title="Ring",
    summary="A walk around the tree numbers the nodes: counts go up (UCM), positions come down (DCM).",
    state=Ring,
    every={number: "number_s"},
    on={Ucm: on_ucm, Dcm: on_dcm, Positions: on_positions},
    facts=facts,
    params=(
        Param(
            "number_s",
            "float",
            1.0,
            "Numbering period",
            "How often a node counts its subtree and tells positions.",
            0.1,
            60.0,
            "s",
        ),
    ),
)
