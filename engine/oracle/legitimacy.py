"""Distance to legitimacy: how many variables of each layer are wrong, node by node.

Judged from outside against `structure`: nodes cannot know. Counted are the variables that the layer's rules read or that
others rely on; entries about neighbours not in use are nobody's business. Messages in the air are not looked at.

Judged are the layers that declare a judge, and those the oracle knows by their name, key and fields: neighbourhood, tree,
ring, and pubsub where it keeps next subscribers (as PSVR) or the branches that lead to subscribers (as the single tree),
maybe with an entry of its own (as Shen).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import compress
from operator import ne
from typing import Any, NamedTuple

from engine.core.declare import NONE, Layer, ProtocolSpec, fields
from engine.oracle.structure import Truth, branches, next_subscribers, structure


class Judge:
    """Compares the layers of a stack with the truth.

    `layers` are the judged ones, bottom up; `wrong[k]` is the number of wrong variables of layer k of these, `bits[v]` has
    bit k set if some of them are node v's.
    """

    def __init__(self, spec: ProtocolSpec) -> None:
        has = {f"{layer.key}.{f.name}" for layer in spec.layers for f in fields(layer.state)}
        found = [(layer, "" if layer.judge else _known(layer, has)) for layer in spec.layers]
        self._judged = [(layer, way) for layer, way in found if layer.judge or way]
        self.layers = [layer.name for layer, _ in self._judged]
        self.ways = [
            way for _, way in self._judged
        ]  # how each is judged: a name in KNOWN; empty: by a judge of its own
        self._routes = next((way for way in self.ways if way in ("next", "branches", "table")), "")
        self.truth: Truth | None = None
        self.wants: list[int] = []
        self.expected: dict[str, list[Any]] = {}
        self.next: list[list[list[int]]] = []
        self.behind: list[list[int]] = []
        self.wrong = [0] * len(self.layers)
        self.bits: list[int] = []

    def world_changed(self) -> None:
        """A node or link failed, came back or is new: the truth must be worked out again."""
        self.truth = None

    def look(self, st: Any, peers: list[list[int]], works: list[list[bool]], alive: list[bool]) -> Truth:
        """The truth for the present network and subscriptions."""
        if self.truth is None:
            most = getattr(st.par, "max_neighbours", st.env.n)
            self.truth = structure(peers, works, alive, root=st.env.root, most_neighbours=most)
            self.expected = _tree_columns(self.truth, peers) if "tree" in self.ways else {}
            self.expected |= _ring_columns(st, self.truth, peers) if "ring" in self.ways else {}
            self.wants = []
        if self._routes and self.wants != st.pubsub.wants:
            self.wants = list(st.pubsub.wants)
            if self._routes == "next":
                self.next = self._routing(st, self.truth)
            else:
                self.behind = _branch_column(self.truth, self.wants, peers)
        return self.truth

    def _routing(self, st: Any, truth: Truth) -> list[list[list[int]]]:
        """Per node, channel and position (padded to the row's room): the true next subscriber."""
        room = [len(row) for row in st.ring.pos]
        nobody = [[NONE] * k for k in room]
        by_channel = []
        for c in range(st.env.channels):
            if any(w >> c & 1 for w in self.wants):
                found = next_subscribers(truth, [bool(w >> c & 1) for w in self.wants])
                by_channel.append([row + [NONE] * (k - len(row)) for row, k in zip(found, room, strict=True)])
            else:
                by_channel.append(nobody)
        return [[rows[v] for rows in by_channel] for v in range(st.env.n)]

    def judge(self, st: Any, peers: list[list[int]], works: list[list[bool]], alive: list[bool]) -> list[int]:
        """Count the wrong variables of each layer; failed nodes have none."""
        truth = self.look(st, peers, works, alive)
        self.bits = [0] * st.env.n
        self.wrong = [0] * len(self.layers)
        for k, (layer, way) in enumerate(self._judged):
            for v, wrong in self._of_layer(layer, way, st, truth, peers):
                if wrong and alive[v]:
                    self.wrong[k] += wrong
                    self.bits[v] |= 1 << k
        return self.wrong

    def _of_layer(
        self, layer: Layer, way: str, st: Any, truth: Truth, peers: list[list[int]]
    ) -> Iterator[tuple[int, int]]:
        """(node, wrong variables of this layer) wherever there may be some."""
        if layer.judge is not None:
            yield from enumerate(layer.judge(truth, st))
            return
        compared, count = KNOWN[way].compared, KNOWN[way].wrong
        pairs = [(actual, right) for actual, right in compared(self, st, truth) if actual != right]
        if not pairs:
            return  # whole columns agree: in a calm network that is all there is to do
        for v in range(st.env.n):
            if any(actual[v] != right[v] for actual, right in pairs):
                yield v, count(self, st, truth, v, peers[v])

    def at(self, st: Any, v: int, peers: list[int], alive: bool) -> dict[str, int]:
        """The wrong variables at node v right now, by judged layer (`look` must have been called)."""
        truth = self.truth
        if not alive or truth is None:
            return dict.fromkeys(self.layers, 0)
        return {
            layer.name: KNOWN[way].wrong(self, st, truth, v, peers)
            if layer.judge is None
            else layer.judge(truth, st)[v]
            for layer, way in self._judged
        }

    def entries(self, st: Any, v: int, c: int) -> list[bool]:
        """Whether each entry of node v's routing table is wrong for channel c: by own position, or by slot.

        Empty where the oracle does not know the table (`look` must have been called).
        """
        if self._routes == "next" and v < len(self.next):
            return list(map(ne, st.pubsub.ns[v][c], self.next[v][c]))
        if self._routes in ("branches", "table") and v < len(self.behind):
            return [bool((x ^ y) >> c & 1) for x, y in zip(st.pubsub.behind[v], self.behind[v], strict=True)]
        return []


Pairs = list[tuple[list[Any], list[Any]]]
Compared = Callable[[Judge, Any, Truth], Pairs]
Count = Callable[[Judge, Any, Truth, int, list[int]], int]


def _neighbourhood_pairs(judge: Judge, st: Any, truth: Truth) -> Pairs:
    return [(st.hood.up, truth.up)]


def _tree_pairs(judge: Judge, st: Any, truth: Truth) -> Pairs:
    tree, x = st.tree, judge.expected
    return [
        (tree.root, truth.root),
        (tree.dist, truth.dist),
        (tree.parent, x["parent"]),
        (tree.heard_root, x["root"]),
        (tree.heard, x["dist"]),
        (tree.child, x["child"]),
    ]


def _ring_pairs(judge: Judge, st: Any, truth: Truth) -> Pairs:
    ring, x = st.ring, judge.expected
    return [
        (ring.length, truth.length),
        (ring.size, x["size"]),
        (ring.first, x["first"]),
        (ring.pos, x["pos"]),
        (ring.below, x["below"]),
        (ring.near_size, x["near_size"]),
        (ring.near, x["near"]),
    ]


def _routing_pairs(judge: Judge, st: Any, truth: Truth) -> Pairs:
    return [(st.pubsub.ns, judge.next)]


def _branch_pairs(judge: Judge, st: Any, truth: Truth) -> Pairs:
    return [(st.pubsub.behind, judge.behind)]


def _table_pairs(judge: Judge, st: Any, truth: Truth) -> Pairs:
    return [(st.pubsub.own, judge.wants), (st.pubsub.behind, judge.behind)]


def _neighbourhood(judge: Judge, st: Any, truth: Truth, v: int, peers: list[int]) -> int:
    return _differ(st.hood.up[v], truth.up[v])


def _tree(judge: Judge, st: Any, truth: Truth, v: int, peers: list[int]) -> int:
    tree, x, up = st.tree, judge.expected, truth.up[v]
    wrong = (
        (tree.root[v] != truth.root[v]) + (tree.dist[v] != truth.dist[v]) + (tree.parent[v] != x["parent"][v])
    )
    for actual, right in ((tree.heard_root, x["root"]), (tree.heard, x["dist"]), (tree.child, x["child"])):
        if actual[v] != right[v]:
            wrong += _differ(actual[v], right[v], up)
    return int(wrong)


def _ring(judge: Judge, st: Any, truth: Truth, v: int, peers: list[int]) -> int:
    ring, x, pos, up = st.ring, judge.expected, truth.pos[v], truth.up[v]
    wrong = (ring.length[v] != truth.length[v]) + (ring.size[v] != len(pos))
    if ring.pos[v] != x["pos"][v]:
        wrong += _differ(ring.pos[v], pos)
    if truth.length[v]:
        wrong += ring.first[v] != pos[0]
    if ring.below[v] != x["below"][v]:
        wrong += _differ(ring.below[v], x["below"][v], up)
    near, size = ring.near[v], ring.near_size[v]
    # Not whole columns: where there is a lot of room, comparing all of it takes its time.
    for j, w in compress(enumerate(peers), up):
        known, theirs = near[j][: size[j]], truth.pos[w]
        if known != theirs or size[j] != len(theirs):
            wrong += abs(size[j] - len(theirs)) + _differ(known, theirs)
    return int(wrong)


def _next(judge: Judge, st: Any, truth: Truth, v: int, peers: list[int]) -> int:
    size = len(truth.pos[v])
    rows = zip(st.pubsub.ns[v], judge.next[v], strict=True)
    return sum(_differ(actual[:size], right[:size]) for actual, right in rows if actual != right)


def _branches(judge: Judge, st: Any, truth: Truth, v: int, peers: list[int]) -> int:
    kin = [
        truth.parent[w] == v or truth.parent[v] == w for w in peers
    ]  # others are not in the tree: no branches
    return _differ(st.pubsub.behind[v], judge.behind[v], kin)


def _table(judge: Judge, st: Any, truth: Truth, v: int, peers: list[int]) -> int:
    return int(st.pubsub.own[v] != judge.wants[v]) + _branches(judge, st, truth, v, peers)


def _differ(actual: Sequence[int], right: Sequence[int], where: Sequence[int] | None = None) -> int:
    """How many entries differ, of those marked (all if None)."""
    wrong = map(ne, actual, right)
    return sum(wrong if where is None else compress(wrong, where))


class Known(NamedTuple):
    """A layer that the oracle can judge: its name, the fields that it must have, and how its variables are compared."""

    layer: str
    needs: frozenset[str]
    compared: Compared
    wrong: Count


def _fields(key: str, names: str) -> frozenset[str]:
    return frozenset(f"{key}.{name}" for name in names.split())


KNOWN = {
    "neighbourhood": Known("neighbourhood", _fields("hood", "up"), _neighbourhood_pairs, _neighbourhood),
    "tree": Known("tree", _fields("tree", "root dist parent heard_root heard child"), _tree_pairs, _tree),
    "ring": Known("ring", _fields("ring", "length first below size pos near_size near"), _ring_pairs, _ring),
    "next": Known("pubsub", _fields("pubsub", "wants ns") | {"ring.pos"}, _routing_pairs, _next),
    "table": Known("pubsub", _fields("pubsub", "wants own behind") | {"tree.parent"}, _table_pairs, _table),
    "branches": Known(
        "pubsub", _fields("pubsub", "wants behind") | {"tree.parent"}, _branch_pairs, _branches
    ),
}


def _known(layer: Layer, has: set[str]) -> str:
    """The way in which the oracle can judge this layer of a stack with these fields; empty: it cannot."""
    return next((way for way, x in KNOWN.items() if x.layer == layer.name and x.needs <= has), "")


def _tree_columns(truth: Truth, peers: list[list[int]]) -> dict[str, list[Any]]:
    """The true tree as whole columns of the state."""
    return {
        "parent": [NONE if p == NONE else peers[v].index(p) for v, p in enumerate(truth.parent)],
        "root": _theirs(truth.root, peers),
        "dist": _theirs(truth.dist, peers),
        "child": _of_children([1] * len(peers), truth, peers),
    }


def _theirs(column: list[Any], peers: list[list[int]]) -> list[list[Any]]:
    """Per slot: the neighbour's entry."""
    return [list(map(column.__getitem__, row)) for row in peers]


def _of_children(column: list[int], truth: Truth, peers: list[list[int]]) -> list[list[int]]:
    """Per slot: the entry of the child there; 0 where there is none."""
    rows = [[0] * len(row) for row in peers]
    for v, p in enumerate(truth.parent):
        if p != NONE:
            rows[p][peers[p].index(v)] = column[v]
    return rows


def _ring_columns(st: Any, truth: Truth, peers: list[list[int]]) -> dict[str, list[Any]]:
    """The true ring as whole columns of the state, unused room as it is at power-on."""

    def padded(row: list[int], room: int) -> list[int]:
        return (row + [0] * (room - len(row)))[:room]

    pos = [padded(p, len(st.ring.pos[v])) for v, p in enumerate(truth.pos)]
    size, near = [len(p) for p in truth.pos], _theirs(pos, peers)
    for row, cells in zip(near, st.ring.near, strict=True):
        if any(map(ne, map(len, row), map(len, cells))):
            row[:] = [padded(p, len(cell)) for p, cell in zip(row, cells, strict=True)]
    return {
        "size": size,
        "first": [p[0] if p else 0 for p in truth.pos],
        "pos": pos,
        "below": _of_children(truth.below, truth, peers),
        "near_size": _theirs(size, peers),
        "near": near,
    }


def _branch_column(truth: Truth, wants: list[int], peers: list[list[int]]) -> list[list[int]]:
    """Per slot: the channels wanted behind it; 0 where it is no link of the tree."""
    inside, outside, parent = *branches(truth, wants), truth.parent
    return [
        [inside[w] if parent[w] == v else outside[v] if parent[v] == w else 0 for w in row]
        for v, row in enumerate(peers)
    ]
