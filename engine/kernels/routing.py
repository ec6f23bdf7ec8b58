"""How many messages a publication takes on a legitimate network: PSVR, RingPS, and trees, followed hop by hop.

The event engine gives the same counts once a run is legitimate; tests compare the two.

Sources: PSVR Alg. 2 with erratum 2 (PSVR), §5 (T_D, T_S); slides (RingPS).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.compiled.machine import called
from engine.core.declare import NONE
from engine.kernels.bits import ALL_BITS, NO_BITS, ONE, count, has, highest, lowest, put
from engine.kernels.structure import Graph, first_common


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
def farthest(row: Any, goal: int) -> int:
    """The last position of a set at or before `goal`, once around."""
    k = goal >> 6
    rest = row[k] & (ALL_BITS >> np.uint64(63 - (goal & 63)))
    while rest == NO_BITS:
        k = k - 1 if k > 0 else len(row) - 1
        rest = row[k]
    return 64 * k + highest(rest)


@called
def psvr(g: Graph, length: int, publisher: int, rows: Any) -> tuple[int, int]:
    """Messages that a publication takes, and deliveries beyond the first; `hops[v]`: to the first one at v (NONE: no)."""
    first, pos, owner, hops, subscribed, stack = g.first, g.pos, g.owner, g.hops, g.subscribed, g.stack
    for v in range(len(hops)):
        hops[v] = NONE
    messages, duplicates, depth = 0, 0, 1
    stack[0] = stack[1] = pos[first[publisher]]
    stack[2] = 0
    while depth > 0:
        depth -= 1
        cur, ep, h = stack[3 * depth], stack[3 * depth + 1], stack[3 * depth + 2]
        v = owner[cur]
        if h > 0 and subscribed[v] == 1:
            duplicates += hops[v] != NONE
            hops[v] = h if hops[v] == NONE else min(hops[v], h)
        for k in range(first[v], first[v + 1]):
            p, after = pos[k], pos[k + 1 if k + 1 < first[v + 1] else first[v]]
            if cur == ep or p == cur or in_open(p, cur, ep, length):
                new_ep = after if p == ep or in_open(after, p, ep, length) else ep
                ns = g.next[p]
                if ns != NONE and in_open(ns, p, new_ep, length):
                    at = 3 * depth
                    stack[at], stack[at + 1], stack[at + 2] = farthest(rows[v], ns), new_ep, h + 1
                    messages += 1
                    depth += 1
    return messages, duplicates


@called
def ring_walk(g: Graph, length: int, publisher: int) -> int:
    """RingPS: messages of the one walk around the ring, from subscriber to subscriber, until the next hop would reach or
    pass where it began (PSVR §4.2, Fig. 6). Where no other subscriber is known, the next hop is the next position.
    """
    p, gone, messages = g.pos[g.first[publisher]], 0, 0
    while length > 0:
        ns = g.next[p] if g.next[p] != NONE else (p + 1) % length
        goal = farthest(g.jumps[g.owner[p]], ns)
        gone += goal - p if goal > p else goal - p + length
        if gone >= length:
            break
        p = goal
        messages += 1
    return messages


@called
def pruned(g: Graph, level: Any, depth: int, publisher: int) -> int:
    """Links of the smallest part of a breadth-first tree (given by its levels) that holds publisher and subscribers."""
    held, size, ends, links = g.seen, len(g.seen), 0, 0
    for k in range(size):
        held[k] = NO_BITS
    put(held, publisher)
    for i in range(len(g.subscribers)):
        put(held, g.subscribers[i])
    for k in range(size):
        ends += count(held[k])
    while ends > 1:  # the deepest ends give way to their parents, until they have met
        for k in range(size):
            rest = held[k] & level[depth][k]
            while rest != NO_BITS and ends > 1:
                u = first_common(g.near[64 * k + lowest(rest)], level[depth - 1])
                rest &= rest - ONE
                links += 1
                ends -= has(held, u)
                put(held, u)
        depth -= 1
    return links
