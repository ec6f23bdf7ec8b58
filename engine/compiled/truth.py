"""The legitimate structure and the judge, compiled: what `engine.oracle` computes on lists, on flat arrays, to the bit.

`structure` fills a `Truth` for the present network; `count_…` count a layer's wrong variables at one node, as the methods
of `engine.oracle.legitimacy.Judge` do.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from engine.compiled.arrays import Ints, Links, Offsets, ends
from engine.compiled.cache import compiled as cached
from engine.compiled.cache import folder
from engine.compiled.machine import L_NODE, inlined
from engine.compiled.rows import reference
from engine.core.declare import NONE


class Truth(NamedTuple):
    """Per node unless said otherwise; slots and ring positions lie as in the state."""

    up: NDArray[np.int8]  # per slot: 1 if both ends use the link
    part: Ints  # connected part, 0 the largest; NONE: failed
    root: Ints
    dist: Ints
    parent: Ints  # node, or NONE
    slot: Ints  # of the parent, or NONE
    below: Ints
    length: Ints
    first: Offsets  # where the own positions begin in `pos`
    size: Ints  # how many there are
    pos: Ints
    wants: Ints  # the subscriptions that `next` or `inside` and `outside` were made for
    room: Ints  # positions that there is room for
    next: Ints  # per node, channel and position: the next subscriber
    inside: Ints  # channels wanted in the node's subtree
    outside: Ints  # channels wanted beyond the link to its parent
    ring: Ints  # per part: where its positions begin in `owner`
    owner: Ints  # per ring position of each part: the node there
    order: Ints  # scratch: nodes part by part, from the root down
    spare: Ints  # scratch
    scratch: Ints  # scratch, rows with an entry a node and two more
    numbers: Ints  # how many parts, and whether what depends on `wants` is up to date


PARTS, FRESH = range(2)


def blank(links: Links, channels: int) -> Truth:
    """Room for the truth about a network."""
    n, m = len(links.offset) - 1, len(links.near)
    room = np.maximum(1, links.degree)
    first = ends(room)

    def each(size: int, kind: Any = np.int64) -> Any:
        return np.zeros(size, kind)

    return Truth(
        up=each(m, np.int8),
        part=each(n),
        root=each(n),
        dist=each(n),
        parent=each(n),
        slot=each(n),
        below=each(n),
        length=each(n),
        first=first,
        size=each(n),
        pos=each(int(first[-1])),
        wants=each(n),
        room=room,
        next=each(channels * int(first[-1])),
        inside=each(n),
        outside=each(n),
        ring=each(n + 1),
        owner=each(2 * n + 1),
        order=each(n),
        spare=each(2 * n + 1),
        scratch=np.zeros((4, n + 2), np.int64),
        numbers=each(2),
    )


@cache
def kernel() -> Any:
    """`structure`, compiled; kept with the engine's own code."""
    return cached(structure, folder([]), _nrt=False)


def structure(
    offset: Ints,
    near: NDArray[np.int32],
    back: Ints,
    works: NDArray[np.int8],
    alive: NDArray[np.int8],
    root: int,
    most: int,
    known: Truth,
) -> None:
    """The legitimate structure of this network: one tree and one ring in every connected part.

    `works`: per slot, whether frames get through; `root`: the configured one or NONE; `most`: links that a node may use.
    """
    truth = reference(known)
    n = len(alive)
    _links_in_use(offset, near, back, works, alive, most, truth)
    parts = _parts(offset, near, alive, truth)
    truth.numbers[PARTS], truth.numbers[FRESH] = parts, 0
    at, places = 0, 0
    for v in range(n):
        truth.dist[v], truth.parent[v], truth.slot[v], truth.root[v] = 0, NONE, NONE, v
        truth.length[v], truth.below[v], truth.size[v] = 0, 1, 0
    for part in range(parts):
        size = truth.ring[part]  # as _parts leaves it
        top = truth.order[at]
        for i in range(at, at + size):
            if truth.order[i] == root:
                top = root
        for i in range(at, at + size):
            v = truth.order[i]
            truth.root[v], truth.length[v] = top, 2 * (size - 1)
        _tree(offset, near, truth, at, size, top)
        truth.ring[part] = places
        _walk(offset, near, truth, at, size, top, places)
        places += max(1, 2 * (size - 1))
        at += size
    truth.ring[parts] = places


@register_jitable
def _links_in_use(offset: Any, near: Any, back: Any, works: Any, alive: Any, most: int, truth: Truth) -> None:
    """Links that work both ways; where nodes have too many, the greedy choice in order of (smaller, larger node)."""
    n, too_many = len(alive), False
    for v in range(n):
        used = 0
        for e in range(offset[v], offset[v + 1]):
            truth.up[e] = alive[v] & alive[near[e]] & works[e] & works[back[e]]
            used += truth.up[e]
        too_many = too_many or used > most
    if too_many:
        left = truth.scratch[0]
        for v in range(n):
            left[v] = most
        for v in range(n):
            for e in range(offset[v], offset[v + 1]):
                w = near[e]
                if v < w and truth.up[e] == 1:
                    chosen = left[v] > 0 and left[w] > 0
                    truth.up[e] = truth.up[back[e]] = 1 if chosen else 0
                    if chosen:
                        left[v] -= 1
                        left[w] -= 1


@register_jitable
def _parts(offset: Any, near: Any, alive: Any, truth: Truth) -> int:
    """Number the parts, the largest first, then by smallest node; `order` holds them one after the other, smallest node
    first, `ring` their sizes.
    """
    n, found, parts = len(alive), 0, 0
    begin, nodes, rank_of, by_size = truth.scratch[0], truth.scratch[1], truth.scratch[2], truth.scratch[3]
    for v in range(n):
        truth.part[v] = NONE
    for v in range(n):
        if alive[v] == 0 or truth.part[v] != NONE:
            continue
        begin[parts] = found
        nodes[found], truth.part[v] = v, parts
        at, found = found, found + 1
        while at < found:
            x = nodes[at]
            at += 1
            for e in range(offset[x], offset[x + 1]):
                w = near[e]
                if truth.up[e] == 1 and truth.part[w] == NONE:
                    nodes[found], truth.part[w] = w, parts
                    found += 1
        parts += 1
    begin[parts] = found
    for size in range(n + 2):
        rank_of[size] = 0  # by size, the largest first: where parts of a size begin
    for part in range(parts):
        rank_of[begin[part + 1] - begin[part] - 1] += 1
    for size in range(n - 1, -1, -1):
        rank_of[size] += rank_of[size + 1]
    for part in range(parts):
        size = begin[part + 1] - begin[part]
        by_size[rank_of[size]] = part
        rank_of[size] += 1
    at = 0
    for rank in range(parts):
        part = by_size[rank]
        truth.ring[rank] = begin[part + 1] - begin[part]
        for i in range(begin[part], begin[part + 1]):
            truth.order[at] = nodes[i]
            truth.part[nodes[i]] = rank
            at += 1
    return parts


@register_jitable
def _tree(offset: Any, near: Any, truth: Truth, at: int, size: int, top: int) -> None:
    """Distances and parents (the first neighbour in node order that is closer); `order` by distance then."""
    for i in range(at, at + size):
        truth.dist[truth.order[i]] = NONE
    truth.order[at], truth.dist[top] = top, 0
    i, found = at, at + 1
    while i < found:
        v = truth.order[i]
        i += 1
        for e in range(offset[v], offset[v + 1]):
            w = near[e]
            if truth.up[e] == 1 and truth.dist[w] == NONE:
                truth.dist[w] = truth.dist[v] + 1
                truth.order[found] = w
                found += 1
    for i in range(at + 1, at + size):
        v = truth.order[i]
        e = offset[v]
        while truth.up[e] == 0 or truth.dist[near[e]] != truth.dist[v] - 1:
            e += 1
        truth.parent[v], truth.slot[v] = near[e], e - offset[v]
    for i in range(at + size - 1, at, -1):
        v = truth.order[i]
        truth.below[truth.parent[v]] += truth.below[v]


@register_jitable
def _walk(offset: Any, near: Any, truth: Truth, at: int, size: int, top: int, places: int) -> None:
    """Positions by p, p+2c1, p+2(c1+c2), …; the node at each position."""
    truth.spare[top] = 0
    truth.owner[places] = top
    for i in range(at, at + size):
        v = truth.order[i]
        p, first, k = truth.spare[v], truth.first[v], 0
        for e in range(offset[v], offset[v + 1]):
            w = near[e]
            if truth.up[e] == 1 and truth.parent[w] == v:
                truth.pos[first + k] = p
                truth.spare[w] = p + 1
                k += 1
                p += 2 * truth.below[w]
        if v != top or k == 0:
            truth.pos[first + k] = p
            k += 1
        truth.size[v] = k
        for i_own in range(k):
            truth.owner[places + truth.pos[first + i_own]] = v


@inlined
def renewed(wants: Any, truth: Truth) -> bool:
    """Note the subscriptions; whether they, or the network, have changed since the last call."""
    changed = truth.numbers[FRESH] == 0
    for v in range(len(truth.part)):
        if truth.wants[v] != wants[v]:
            truth.wants[v] = wants[v]
            changed = True
    truth.numbers[FRESH] = 1
    return changed


@inlined
def refresh_next(wants: Any, truth: Truth, channels: int) -> None:
    """Bring `next` up to date with the subscriptions; does nothing if they have not changed."""
    if not renewed(wants, truth):
        return
    for i in range(len(truth.next)):
        truth.next[i] = NONE
    for c in range(channels):
        for part in range(truth.numbers[PARTS]):
            begin = truth.ring[part]
            length = truth.ring[part + 1] - begin
            if length > 1:
                next_subscribers(truth, begin, length, c, channels)


@inlined
def next_subscribers(truth: Truth, begin: int, length: int, c: int, channels: int) -> None:
    """For each position of a ring: the next position of another subscriber, strictly after it (NONE: there is none)."""
    following = truth.spare  # per position: the next subscriber's, whoever it is
    last = NONE
    for p in range(length - 1, -1, -1):
        if truth.wants[truth.owner[begin + p]] >> c & 1:
            last = p
    if last == NONE:
        return
    for p in range(length - 1, -1, -1):  # `last` is the first of all, which comes after the end
        following[p] = last
        if truth.wants[truth.owner[begin + p]] >> c & 1:
            last = p
    for p in range(length):
        v = truth.owner[begin + p]
        k = 0
        while truth.pos[truth.first[v] + k] != p:
            k += 1
        candidate = following[p]
        for _ in range(truth.size[v] + 1):
            if truth.owner[begin + candidate] != v:
                truth.next[channels * truth.first[v] + c * truth.room[v] + k] = candidate
                break
            candidate = following[candidate]


@inlined
def refresh_branches(wants: Any, truth: Truth, channels: int) -> None:
    """Bring `inside` and `outside` up to date with the subscriptions; does nothing if they have not changed."""
    if not renewed(wants, truth):
        return
    n, live, once, twice = len(truth.part), 0, truth.scratch[0], truth.scratch[1]
    for v in range(n):
        live += truth.part[v] != NONE
        truth.inside[v], truth.outside[v], once[v], twice[v] = wants[v], 0, 0, 0
    for i in range(live - 1, -1, -1):
        v = truth.order[i]
        p = truth.parent[v]
        if p != NONE:
            truth.inside[p] |= truth.inside[v]
            twice[p] |= once[p] & truth.inside[v]
            once[p] |= truth.inside[v]
    for i in range(live):
        v = truth.order[i]
        p = truth.parent[v]
        if p != NONE:
            truth.outside[v] = twice[p] | once[p] & ~truth.inside[v]
        rest = wants[v] | truth.outside[v]
        twice[v] |= once[v] & rest
        once[v] |= rest


# --- the judge


@inlined
def count_neighbourhood(hood: Any, truth: Truth, net: Any, v: int) -> int:
    wrong, begin = 0, net.offset[v]
    for j in range(net.offset[v + 1] - begin):
        wrong += hood.up[v][j] != truth.up[begin + j]
    return wrong


@inlined
def count_tree(tree: Any, truth: Truth, net: Any, v: int) -> int:
    begin = net.offset[v]
    wrong = (
        (tree.root[v] != truth.root[v]) + (tree.dist[v] != truth.dist[v]) + (tree.parent[v] != truth.slot[v])
    )
    for j in range(net.offset[v + 1] - begin):
        if truth.up[begin + j] == 1:
            w = net.link[begin + j][L_NODE]
            wrong += (tree.heard_root[v][j] != truth.root[w]) + (tree.heard[v][j] != truth.dist[w])
            wrong += tree.child[v][j] != (truth.parent[w] == v)
    return wrong


@inlined
def count_ring(ring: Any, truth: Truth, net: Any, v: int) -> int:
    begin, first, size = net.offset[v], truth.first[v], truth.size[v]
    wrong = (ring.length[v] != truth.length[v]) + (ring.size[v] != size)
    for k in range(size):
        wrong += ring.pos[v][k] != truth.pos[first + k]
    if truth.length[v] != 0:
        wrong += ring.first[v] != truth.pos[first]
    for j in range(net.offset[v + 1] - begin):
        if truth.up[begin + j] == 1:
            w = net.link[begin + j][L_NODE]
            wrong += ring.below[v][j] != (truth.below[w] if truth.parent[w] == v else 0)
            near, known, theirs = ring.near[v][j], ring.near_size[v][j], truth.size[w]
            wrong += abs(known - theirs)
            for i in range(min(known, theirs, len(near))):
                wrong += near[i] != truth.pos[truth.first[w] + i]
    return wrong


@inlined
def count_next(pubsub: Any, truth: Truth, net: Any, v: int) -> int:
    wrong, room = 0, truth.room[v]
    for c in range(len(pubsub.ns[v])):
        right = len(pubsub.ns[v]) * truth.first[v] + c * room
        for k in range(truth.size[v]):
            wrong += pubsub.ns[v][c][k] != truth.next[right + k]
    return wrong


@inlined
def count_branches(pubsub: Any, truth: Truth, net: Any, v: int) -> int:
    wrong, begin = 0, net.offset[v]
    for j in range(net.offset[v + 1] - begin):
        if truth.up[begin + j] == 1:
            w = net.link[begin + j][L_NODE]
            if truth.parent[w] == v:
                wrong += pubsub.behind[v][j] != truth.inside[w]
            elif truth.parent[v] == w:
                wrong += pubsub.behind[v][j] != truth.outside[v]
    return wrong


@inlined
def count_table(pubsub: Any, truth: Truth, net: Any, v: int) -> int:
    return int(pubsub.own[v] != truth.wants[v]) + count_branches(pubsub, truth, net, v)
