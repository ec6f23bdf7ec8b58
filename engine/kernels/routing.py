"""How many messages a publication takes on a legitimate network: PSVR, RingPS, and trees.

Theory of operation. Everything works on one network in flat arrays (`Graph`): a breadth-first tree with ties by node order,
the ring walked around it, the next subscriber of every position, and then each publication followed hop by hop. The event
engine gives the same counts once a run is legitimate; tests compare the two.

Sources: PSVR Def. 1 and 2 (ring, shortcuts), Alg. 2 with erratum 2 (PSVR), §5 (T_D, T_S); slides (RingPS).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiled.machine import called
from engine.core.declare import NONE

Ints = NDArray[np.int64]


class Graph(NamedTuple):
    """A connected network, its tree and its ring. v's neighbours are `near[offset[v]]` … `near[offset[v + 1] - 1]`."""

    offset: Ints
    near: Ints
    dist: Ints  # to the root
    parent: Ints
    order: Ints  # nodes by distance
    below: Ints  # nodes of the subtree
    first: Ints  # where the positions of a node begin in `pos`
    size: Ints  # how many they are
    pos: Ints
    owner: Ints  # per position: its node
    next: Ints  # per place in `pos`: the next subscriber's position, or NONE
    spare: Ints  # scratch, 4 n + 4
    stack: Ints  # scratch, rows of 4
    seen: Ints  # scratch, one a node


def blank(n: int, links: int) -> Graph:
    """Room for a network of n nodes and `links` links."""
    places = 2 * links + n
    return Graph(
        np.zeros(n + 1, np.int64),
        np.zeros(2 * links, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n + 1, np.int64),
        np.zeros(n, np.int64),
        np.zeros(places, np.int64),
        np.zeros(2 * n + 2, np.int64),
        np.zeros(places, np.int64),
        np.zeros(4 * n + 4, np.int64),
        np.zeros(16 * n + 16, np.int64),
        np.zeros(n, np.int64),
    )


@called
def distances(g: Graph, start: int, dist: Any) -> int:
    """Hops from a node, `order` by distance; how many nodes are reached."""
    for v in range(len(dist)):
        dist[v] = NONE
    dist[start], g.order[0], at, found = 0, start, 0, 1
    while at < found:
        v = g.order[at]
        at += 1
        for e in range(g.offset[v], g.offset[v + 1]):
            w = g.near[e]
            if dist[w] == NONE:
                dist[w] = dist[v] + 1
                g.order[found] = w
                found += 1
    return found


@called
def breadth_first(g: Graph, root: int) -> None:
    """Distances from the root, and parents: the first neighbour in node order that is closer. All must be reachable."""
    n = distances(g, root, g.dist)
    g.parent[root] = NONE
    for i in range(1, n):
        v = g.order[i]
        e = g.offset[v]
        while g.dist[g.near[e]] != g.dist[v] - 1:
            e += 1
        g.parent[v] = g.near[e]


@called
def ring(g: Graph, root: int) -> int:
    """Number the ring around the tree: p, p+2c1, p+2(c1+c2), …; its length."""
    n = len(g.dist)
    length = 2 * (n - 1)
    for v in range(n):
        g.below[v] = 1
    for i in range(n - 1, 0, -1):
        g.below[g.parent[g.order[i]]] += g.below[g.order[i]]
    start, places = g.spare, 0
    start[root] = 0
    for v in range(n):
        g.first[v] = places
        places += max(1, g.offset[v + 1] - g.offset[v])
    g.first[n] = places
    for i in range(n):
        v = g.order[i]
        p, k = start[v], 0
        for e in range(g.offset[v], g.offset[v + 1]):
            w = g.near[e]
            if g.parent[w] == v:
                g.pos[g.first[v] + k] = p
                g.owner[p] = v
                start[w] = p + 1
                k += 1
                p += 2 * g.below[w]
        if v != root or k == 0:
            g.pos[g.first[v] + k] = p
            g.owner[p] = v
            k += 1
        g.size[v] = k
    return length


@called
def next_subscribers(g: Graph, length: int, subscribed: Any) -> None:
    """For each position: the next position of another subscriber, strictly after it; NONE if there is none."""
    following, last = g.spare, NONE
    for p in range(length - 1, -1, -1):
        if subscribed[g.owner[p]]:
            last = p
    for p in range(length - 1, -1, -1):
        following[p] = last
        if last != NONE and subscribed[g.owner[p]]:
            last = p
    for v in range(len(g.dist)):
        for k in range(g.first[v], g.first[v] + g.size[v]):
            g.next[k] = NONE
            candidate = following[g.pos[k]]
            for _ in range(g.size[v] + 1):
                if candidate == NONE:
                    break
                if g.owner[candidate] != v:
                    g.next[k] = candidate
                    break
                candidate = following[candidate]


@called
def in_open(x: int, left: int, right: int, length: int) -> bool:
    """Whether x comes strictly after left and strictly before right; if left = right: every x but left."""
    if x == left:
        return False
    if left == right:
        return True
    to_x, to_right = x - left, right - left
    return (to_x if to_x >= 0 else to_x + length) < (to_right if to_right >= 0 else to_right + length)


@called
def farthest(g: Graph, v: int, p: int, goal: int, length: int, non_tree: bool) -> int:
    """The neighbour position farthest along (p, goal]; a tree link serves only for the very next one if `non_tree`."""
    limit = goal - p
    limit = limit if limit > 0 else limit + length
    best = 0
    for e in range(g.offset[v], g.offset[v + 1]):
        w = g.near[e]
        only_next = non_tree and (g.parent[w] == v or g.parent[v] == w)
        for k in range(g.first[w], g.first[w] + g.size[w]):
            d = g.pos[k] - p
            d = d if d >= 0 else d + length
            if best < d <= limit and (d == 1 or not only_next):
                best = d
    return p + best if p + best < length else p + best - length


@called
def psvr(
    g: Graph, length: int, publisher: int, subscribed: Any, non_tree: bool, hops: Any
) -> tuple[int, int]:
    """Messages that a publication takes, and deliveries beyond the first; `hops[v]`: to the first one at v (NONE: no)."""
    for v in range(len(g.dist)):
        hops[v] = NONE
    messages, duplicates = 0, 0
    stack, depth = g.stack, 1
    start = g.pos[g.first[publisher]]
    stack[0], stack[1], stack[2], stack[3] = publisher, start, start, 0
    while depth > 0:
        depth -= 1
        v, cur, ep, h = stack[4 * depth], stack[4 * depth + 1], stack[4 * depth + 2], stack[4 * depth + 3]
        if h > 0 and subscribed[v]:
            if hops[v] == NONE:
                hops[v] = h
            else:
                duplicates += 1
                hops[v] = min(hops[v], h)
        for k in range(g.size[v]):
            p, after = g.pos[g.first[v] + k], g.pos[g.first[v] + (k + 1) % g.size[v]]
            if cur == ep or p == cur or in_open(p, cur, ep, length):
                new_ep = after if p == ep or in_open(after, p, ep, length) else ep
                ns = g.next[g.first[v] + k]
                if ns != NONE and in_open(ns, p, new_ep, length):
                    goal = farthest(g, v, p, ns, length, non_tree)
                    messages += 1
                    at = 4 * depth
                    stack[at], stack[at + 1], stack[at + 2], stack[at + 3] = (
                        g.owner[goal],
                        goal,
                        new_ep,
                        h + 1,
                    )
                    depth += 1
    return messages, duplicates


@called
def ring_walk(g: Graph, length: int, publisher: int, non_tree: bool) -> int:
    """RingPS: messages of the single walk around the ring, from subscriber to subscriber, back to before where it began."""
    start = g.pos[g.first[publisher]]
    v, p, gone, messages = publisher, start, 0, 0
    while True:
        k = g.first[v]
        while g.pos[k] != p:
            k += 1
        ns = g.next[k]
        if ns == NONE:
            return messages
        ahead = ns - p if ns > p else ns - p + length
        if gone + ahead >= length:
            return messages
        goal = farthest(g, v, p, ns, length, non_tree)
        gone += goal - p if goal > p else goal - p + length
        v, p = g.owner[goal], goal
        messages += 1


@called
def tree_of_root(g: Graph, publisher: int, subscribed: Any) -> int:
    """T_S: links of the smallest subtree of the present tree that holds the publisher and all subscribers."""
    n, inside, total, links = len(g.dist), g.seen, 0, 0
    for v in range(n):
        inside[v] = 1 if subscribed[v] or v == publisher else 0
        total += inside[v]
    for i in range(n - 1, 0, -1):
        v = g.order[i]
        links += 0 < inside[v] < total
        inside[g.parent[v]] += inside[v]
    return links


@called
def tree_of_publisher(g: Graph, publisher: int, subscribed: Any) -> int:
    """T_D: links of the publisher's own breadth-first tree that lead to subscribers. Replaces the present tree."""
    breadth_first(g, publisher)
    return tree_of_root(g, publisher, subscribed)
