"""A legitimate network for static analyses, compiled: its breadth-first tree, its ring, and who can send to where.

Theory of operation. Sets of nodes and of ring positions are rows of bits, one row a node (`Graph`). A breadth-first search
then takes a few words a node, a node's parent is the lowest bit of its row among the nodes one level up, and the farthest
shortcut not beyond the next subscriber is the highest bit at or before it, once around. So a network of 100 nodes fits
into the nearest cache, and hardly a branch is guessed wrong.

Sources: PSVR Def. 1 and 2 (ring, shortcuts), Alg. 1 (next subscribers).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiled.machine import called
from engine.core.declare import NONE
from engine.kernels.bits import NO_BITS, ONE, count, lowest, put, words

Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]


class Graph(NamedTuple):
    """A connected network of n nodes, its tree and its ring of L = 2(n - 1) positions; what else an analysis needs."""

    near: Bits  # of a node: its neighbours
    level: Bits  # by distance to the root: nodes
    parent: Ints
    below: Ints  # nodes of the subtree
    first: Ints  # where the positions of a node begin in `pos`; it has first[v + 1] - first[v]
    pos: Ints
    owner: Ints  # of a position: its node
    next: Ints  # of a position: where the next other subscriber is, or NONE
    jumps: Bits  # of a node: positions of its neighbours
    leaps: Bits  # the same without tree links, but for those to the very next position
    subscribers: Ints
    publishers: Ints
    subscribed: Ints  # 1 or 0, one a node
    hops: Ints  # of a publication, one a node
    people: Ints  # scratch from here on: one a node
    spare: Ints  # one a position
    stack: Ints  # rows of 3
    seen: Bits  # a set of nodes
    from_a: Bits  # like `level`
    from_b: Bits
    drawn: Bits  # one number


def blank(n: int, subscribers: int, publications: int) -> Graph:
    """Room for a network of n nodes and its workload."""
    length = 2 * n

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def bits(rows: int, size: int) -> Bits:
        return np.zeros((rows, words(size)), np.uint64)

    return Graph(
        near=bits(n, n),
        level=bits(n + 1, n),
        parent=ints(n),
        below=ints(n),
        first=ints(n + 1),
        pos=ints(length),
        owner=ints(length),
        next=ints(length),
        jumps=bits(n, length),
        leaps=bits(n, length),
        subscribers=ints(subscribers),
        publishers=ints(publications),
        subscribed=ints(n),
        hops=ints(n),
        people=ints(n),
        spare=ints(length),
        stack=ints(12 * n + 12),
        seen=bits(1, n)[0],
        from_a=bits(n + 1, n),
        from_b=bits(n + 1, n),
        drawn=np.zeros(1, np.uint64),
    )


@called
def search(g: Graph, start: int, level: Any) -> int:
    """Breadth first: row d of `level` gets the nodes d hops away. The greatest distance; NONE if not all are reached."""
    near, seen, size = g.near, g.seen, len(g.seen)
    for k in range(size):
        seen[k] = level[0][k] = NO_BITS
    put(seen, start)
    put(level[0], start)
    d, found = 0, 1
    while True:
        for k in range(size):
            level[d + 1][k] = NO_BITS
        for k in range(size):
            rest = level[d][k]
            while rest != NO_BITS:
                row = near[64 * k + lowest(rest)]
                rest &= rest - ONE
                for i in range(size):
                    level[d + 1][i] |= row[i]
        new = 0
        for k in range(size):
            level[d + 1][k] &= ~seen[k]
            seen[k] |= level[d + 1][k]
            new += count(level[d + 1][k])
        if new == 0:
            return d if found == len(near) else NONE
        found += new
        d += 1


@called
def first_common(row: Any, other: Any) -> int:
    """The smallest member of two sets that have one in common."""
    k = 0
    while row[k] & other[k] == NO_BITS:
        k += 1
    return 64 * k + lowest(row[k] & other[k])


@called
def ring(g: Graph, root: int, depth: int) -> int:
    """The breadth-first tree of `level`, ties by node order, and its ring: p, p+2c1, p+2(c1+c2), …; how long that is."""
    level, parent, below, first, pos, owner = g.level, g.parent, g.below, g.first, g.pos, g.owner
    n, size, at, filled = len(parent), len(g.seen), g.spare, g.people
    for v in range(n):
        below[v], first[v + 1] = 1, 1
    first[0], first[root + 1], parent[root] = 0, 0, NONE
    for d in range(depth, 0, -1):
        for k in range(size):
            rest = level[d][k]
            while rest != NO_BITS:
                v = 64 * k + lowest(rest)
                rest &= rest - ONE
                u = first_common(g.near[v], level[d - 1])
                parent[v] = u
                below[u] += below[v]
                first[u + 1] += 1
    for v in range(n):
        filled[v] = first[v]
        first[v + 1] += first[v]
    at[root] = 0
    for d in range(1, depth + 1):
        for k in range(size):
            rest = level[d][k]
            while rest != NO_BITS:
                v = 64 * k + lowest(rest)
                rest &= rest - ONE
                u = parent[v]
                pos[filled[u]], owner[at[u]] = at[u], u
                filled[u] += 1
                at[v] = at[u] + 1
                at[u] += 2 * below[v]
    for v in range(n):
        if v != root:
            pos[filled[v]], owner[at[v]] = at[v], v
    return 2 * (n - 1)


@called
def shortcuts(g: Graph, length: int, rows: Any, non_tree: bool) -> None:
    """`rows`: for each node, to which positions it can send; a tree link serves only for the very next one if `non_tree`.

    From position p only those up to the node's own next position count, so that p + 1 for every own p does no harm.
    """
    near, parent, first, pos = g.near, g.parent, g.first, g.pos
    for v in range(len(near)):
        row = rows[v]
        for k in range(len(row)):
            row[k] = NO_BITS
        if non_tree:
            for i in range(first[v], first[v + 1]):
                put(row, pos[i] + 1 if pos[i] + 1 < length else 0)
    for w in range(len(near)):
        for k in range(len(g.seen)):
            rest = near[w][k]
            while rest != NO_BITS:
                v = 64 * k + lowest(rest)
                rest &= rest - ONE
                if not non_tree or (parent[v] != w and parent[w] != v):
                    row = rows[v]
                    for i in range(first[w], first[w + 1]):
                        put(row, pos[i])


@called
def next_subscribers(g: Graph, length: int) -> None:
    """For each position: the next position of another subscriber, strictly after it; NONE if there is none."""
    following, owner, subscribed, last = g.spare, g.owner, g.subscribed, NONE
    for p in range(length - 1, -1, -1):
        if subscribed[owner[p]] == 1:
            last = p
    for p in range(length - 1, -1, -1):
        following[p] = last
        if subscribed[owner[p]] == 1:
            last = p
    for p in range(length):
        v, found = owner[p], following[p]
        tries = g.first[v + 1] - g.first[v]
        while found != NONE and owner[found] == v:
            found = following[found] if tries > 0 else NONE
            tries -= 1
        g.next[p] = found
