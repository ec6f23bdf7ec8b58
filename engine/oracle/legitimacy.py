"""Distance to legitimacy: how many variables of each layer are wrong, node by node.

Judged from outside against `structure`: nodes cannot know. Counted are the variables that the layer's rules read or that
others rely on; entries about neighbours not in use are nobody's business. Messages in the air are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from operator import ne
from typing import Any

from engine.core.declare import NONE
from engine.oracle.structure import Truth, next_subscribers, structure

LAYERS = ("neighbourhood", "tree", "ring", "pubsub")


class Judge:
    """Compares a stack of neighbourhood, tree, ring and routing table with the truth.

    `wrong[k]` is the number of wrong variables of layer k, `bits[v]` has bit k set if some of them are node v's.
    """

    def __init__(self) -> None:
        self.truth: Truth | None = None
        self.wants: list[int] = []
        self.expected: dict[str, list[Any]] = {}
        self.next: list[list[list[int]]] = []
        self.wrong = [0] * len(LAYERS)
        self.bits: list[int] = []

    def world_changed(self) -> None:
        """A node or link failed, came back or is new: the truth must be worked out again."""
        self.truth = None

    def look(self, st: Any, peers: list[list[int]], works: list[list[bool]], alive: list[bool]) -> Truth:
        """The truth for the present network and subscriptions."""
        if self.truth is None:
            most = st.par.max_neighbours
            self.truth = structure(peers, works, alive, root=st.env.root, most_neighbours=most)
            self.expected = _columns(st, self.truth, peers)
            self.wants = []
        if self.wants != st.pubsub.wants:
            self.wants = list(st.pubsub.wants)
            self.next = self._routing(st, self.truth)
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
        truth, x = self.look(st, peers, works, alive), self.expected
        hood, tree, ring = st.hood, st.tree, st.ring
        layers: list[tuple[list[tuple[list[Any], list[Any]]], Count]] = [
            ([(hood.up, truth.up)], _neighbourhood),
            (
                [
                    (tree.root, truth.root),
                    (tree.dist, truth.dist),
                    (tree.parent, x["parent"]),
                    (tree.heard_root, x["root"]),
                    (tree.heard, x["dist"]),
                    (tree.child, x["child"]),
                ],
                _tree,
            ),
            (
                [
                    (ring.length, truth.length),
                    (ring.size, x["size"]),
                    (ring.first, x["first"]),
                    (ring.pos, x["pos"]),
                    (ring.below, x["below"]),
                    (ring.near_size, x["near_size"]),
                    (ring.near, x["near"]),
                ],
                _ring,
            ),
            ([(st.pubsub.ns, self.next)], _pubsub),
        ]
        self.bits = [0] * st.env.n
        self.wrong = [0] * len(LAYERS)
        for k, (pairs, count) in enumerate(layers):
            pairs = [(actual, right) for actual, right in pairs if actual != right]
            if not pairs:
                continue  # whole columns agree: in a calm network that is all there is to do
            for v in range(st.env.n):
                if alive[v] and any(actual[v] != right[v] for actual, right in pairs):
                    wrong = count(self, st, truth, v, peers[v])
                    if wrong:
                        self.wrong[k] += wrong
                        self.bits[v] |= 1 << k
        return self.wrong

    def at(self, st: Any, v: int, peers: list[int], alive: bool) -> list[int]:
        """The wrong variables of each layer at node v right now (`look` must have been called)."""
        if not alive or self.truth is None:
            return [0] * len(LAYERS)
        return [count(self, st, self.truth, v, peers) for count in (_neighbourhood, _tree, _ring, _pubsub)]


Count = Callable[[Judge, Any, Truth, int, list[int]], int]


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
    if near != x["near"][v] or size != x["near_size"][v]:
        for j, w in enumerate(peers):
            known, theirs = near[j], truth.pos[w]
            if up[j] and (size[j] != len(theirs) or known[: size[j]] != theirs):
                wrong += abs(size[j] - len(theirs)) + _differ(known[: size[j]], theirs)
    return int(wrong)


def _pubsub(judge: Judge, st: Any, truth: Truth, v: int, peers: list[int]) -> int:
    size = len(truth.pos[v])
    rows = zip(st.pubsub.ns[v], judge.next[v], strict=True)
    return sum(_differ(actual[:size], right[:size]) for actual, right in rows if actual != right)


def _differ(actual: Sequence[int], right: Sequence[int], where: Sequence[int] | None = None) -> int:
    """How many entries differ, of those marked (all if None)."""
    wrong = map(ne, actual, right)
    return sum(wrong if where is None else compress(wrong, where))


def _columns(st: Any, truth: Truth, peers: list[list[int]]) -> dict[str, list[Any]]:
    """The truth as whole columns of the state, unused room as it is at power-on."""
    slot = [{w: j for j, w in enumerate(row)} for row in peers]

    def padded(row: list[int], room: int) -> list[int]:
        return (row + [0] * (room - len(row)))[:room]

    return {
        "parent": [slot[v].get(p, NONE) for v, p in enumerate(truth.parent)],
        "root": [[truth.root[w] for w in row] for row in peers],
        "dist": [[truth.dist[w] for w in row] for row in peers],
        "child": [[int(truth.parent[w] == v) for w in row] for v, row in enumerate(peers)],
        "size": [len(p) for p in truth.pos],
        "first": [p[0] if p else 0 for p in truth.pos],
        "pos": [padded(p, len(st.ring.pos[v])) for v, p in enumerate(truth.pos)],
        "below": [
            [truth.below[w] if truth.parent[w] == v else 0 for w in row] for v, row in enumerate(peers)
        ],
        "near_size": [[len(truth.pos[w]) for w in row] for row in peers],
        "near": [
            [padded(truth.pos[w], len(st.ring.near[v][j])) for j, w in enumerate(row)]
            for v, row in enumerate(peers)
        ],
    }
