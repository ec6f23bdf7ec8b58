"""What every layer should hold, computed from the whole network at once: the target that legitimacy is judged against.

Source: specs of the layers themselves: links used by both ends; BFS tree (ties by node order) under the configured root or
else the smallest node of each part; ring = depth-first walk of *that* tree; next subscriber on that ring.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

from engine.core.declare import NONE


@dataclass(frozen=True)
class Truth:
    """The legitimate structure; per node unless said otherwise. Slots index `peers[v]`."""

    up: list[list[int]]  # per slot: 1 if both ends use the link
    part: list[int]  # connected part over those links, 0 the largest; NONE: failed
    parts: list[list[int]]  # the nodes of each part
    root: list[int]
    dist: list[int]
    parent: list[int]  # node, or NONE
    children: list[list[int]]
    pos: list[list[int]]
    length: list[int]
    below: list[int]  # nodes in the subtree
    owner: list[list[int]] = field(default_factory=list)  # per part: the node at each ring position
    notes: dict[str, Any] = field(
        default_factory=dict, compare=False
    )  # what judges of layers worked out from it


def usable(
    peers: Sequence[Sequence[int]], works: Sequence[Sequence[bool]], alive: Sequence[bool]
) -> list[list[int]]:
    """Per slot: 1 if the link works both ways between live nodes. Rows of `peers` are in node order."""
    # Nodes are taken in order: what each has next is about the present one.
    back = [iter(row) for row in works]
    use = []
    for v, row in enumerate(peers):
        ways = zip(row, works[v], [next(back[w]) for w in row], strict=True)
        use.append([1 if x and y and alive[w] else 0 for w, x, y in ways] if alive[v] else [0] * len(row))
    return use


def limited(peers: Sequence[Sequence[int]], use: list[list[int]], most: int) -> list[list[int]]:
    """The greedy choice of at most `most` links a node, by the rank (smaller node, larger node)."""
    if all(sum(row) <= most for row in use):
        return use
    index = [{w: j for j, w in enumerate(row)} for row in peers]
    left = [most] * len(peers)
    chosen = [[0] * len(row) for row in peers]
    for v, row in enumerate(peers):
        for j, w in enumerate(row):
            if v < w and use[v][j] and left[v] > 0 and left[w] > 0:
                chosen[v][j] = chosen[w][index[w][v]] = 1
                left[v] -= 1
                left[w] -= 1
    return chosen


def structure(
    peers: Sequence[Sequence[int]],
    works: Sequence[Sequence[bool]],
    alive: Sequence[bool],
    *,
    root: int,
    most_neighbours: int,
) -> Truth:
    """The legitimate structure of this network: one tree and one ring in every connected part."""
    n = len(peers)
    up = limited(peers, usable(peers, works, alive), most_neighbours)
    near = [list(compress(row, use)) for row, use in zip(peers, up, strict=True)]
    parts = _parts(near, alive)
    part = [NONE] * n
    dist, parent, roots = [0] * n, [NONE] * n, list(range(n))
    children: list[list[int]] = [[] for _ in range(n)]
    pos: list[list[int]] = [[] for _ in range(n)]
    length, below = [0] * n, [1] * n
    owner: list[list[int]] = []
    for k, nodes in enumerate(parts):
        top = root if root in nodes else min(nodes)
        for v in nodes:
            part[v], roots[v], length[v] = k, top, 2 * (len(nodes) - 1)
        order = _breadth_first(near, top, dist, parent)
        for v in order[1:]:
            children[parent[v]].append(v)
        for v in nodes:
            children[v].sort()
        for v in reversed(order[1:]):
            below[parent[v]] += below[v]
        owner.append(_walk(order, children, below, pos, top))
    return Truth(up, part, parts, roots, dist, parent, children, pos, length, below, owner)


def _parts(near: list[list[int]], alive: Sequence[bool]) -> list[list[int]]:
    """Connected parts of live nodes, largest first, then by smallest node."""
    seen = [not x for x in alive]
    parts = []
    for v in range(len(near)):
        if seen[v]:
            continue
        seen[v] = True
        nodes = [v]
        for x in nodes:
            for w in near[x]:
                if not seen[w]:
                    seen[w] = True
                    nodes.append(w)
        parts.append(nodes)
    parts.sort(key=lambda nodes: -len(nodes))
    return parts


def _breadth_first(near: list[list[int]], top: int, dist: list[int], parent: list[int]) -> list[int]:
    """Fill in distances and parents (the first neighbour in node order that is closer); the nodes by distance."""
    dist[top], order, reached = 0, [top], {top}
    for v in order:
        for w in near[v]:
            if w not in reached:
                reached.add(w)
                dist[w] = dist[v] + 1
                order.append(w)
    for v in order[1:]:
        parent[v] = next(w for w in near[v] if dist[w] == dist[v] - 1)
    return order


def _walk(
    order: list[int], children: list[list[int]], below: list[int], pos: list[list[int]], top: int
) -> list[int]:
    """Positions by p, p+2c1, p+2(c1+c2), …; the node at each position."""
    length = 2 * (len(order) - 1)
    first = {top: 0}
    owner = [top] * max(1, length)
    for v in order:
        p = first[v]
        for w in children[v]:
            pos[v].append(p)
            first[w] = p + 1
            p += 2 * below[w]
        if v != top or not children[v]:
            pos[v].append(p)
        for p in pos[v]:
            owner[p] = v
    return owner


def next_subscribers(truth: Truth, subscribed: Sequence[bool]) -> list[list[int]]:
    """Per node and own position: the next position of another subscriber, strictly after it (NONE: there is none)."""
    result: list[list[int]] = [[NONE] * len(p) for p in truth.pos]
    for owner, nodes in zip(truth.owner, truth.parts, strict=True):
        length = len(owner)
        places = [p for p, v in enumerate(owner) if subscribed[v]]
        if not places or len(nodes) == 1:
            continue
        following, k = [0] * length, 0
        for p in range(length):
            while k < len(places) and places[k] <= p:
                k += 1
            following[p] = places[k % len(places)]
        for v in nodes:
            for i, p in enumerate(truth.pos[v]):
                candidate = following[p]
                for _ in range(len(truth.pos[v]) + 1):
                    if owner[candidate] != v:
                        result[v][i] = candidate
                        break
                    candidate = following[candidate]
    return result


def branches(truth: Truth, wants: Sequence[int]) -> tuple[list[int], list[int]]:
    """Per node: the channels wanted in its subtree (itself included), and those wanted beyond its link to the parent."""
    n, parent = len(wants), truth.parent
    inside, outside = list(wants), [0] * n
    once, twice = (
        [0] * n,
        [0] * n,
    )  # wanted by at least one, by more than one of: children's subtrees, the rest
    order = sorted((v for nodes in truth.parts for v in nodes), key=truth.dist.__getitem__)
    for v in reversed(order):
        p = parent[v]
        if p != NONE:
            inside[p] |= inside[v]
            twice[p] |= once[p] & inside[v]
            once[p] |= inside[v]
    for v in order:
        p = parent[v]
        if p != NONE:
            outside[v] = twice[p] | once[p] & ~inside[v]
        rest = wants[v] | outside[v]
        twice[v] |= once[v] & rest
        once[v] |= rest
    return inside, outside
