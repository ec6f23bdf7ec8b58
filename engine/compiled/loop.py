"""The event loop of the compiled engine. The builder copies this text behind a stack's own `fire`, `serve`, `opens`,
`touch` and `sample`, so that all of it is compiled into one function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.compiled.folding import fold
from engine.compiled.machine import (
    AHEAD,
    AT,
    CAUSE,
    COUNT,
    CURRENT,
    D_SEQ,
    D_TIME,
    DEPTH,
    E_KIND,
    E_NODE,
    E_SIZE,
    E_SLOT,
    EVENTS,
    F_DEPTH,
    F_FIELDS,
    F_KIND,
    F_LIST,
    F_NODE,
    F_PUBLICATION,
    F_SEQ,
    F_SIZE,
    F_SLOT,
    FREE,
    HEAD,
    HEAPED,
    L_NODE,
    L_OPEN,
    L_PLACE,
    L_SLOT,
    LAP,
    LISTS,
    LOSSY,
    NONE,
    NOW,
    OBSERVE,
    SAMPLE_NOW,
    SAMPLE_S,
    SAMPLES,
    SAMPLING,
    SEQ,
    SERVING,
    STOP_AT,
    TAIL,
    TICKS,
    TIMERS,
    Whole,
    bucket_at,
    called,
    earliest,
    inlined,
    low,
    push,
    take,
    uniform,
    word,
)
from engine.compiled.rows import prefetch, prefetch_row, reference
from engine.core.medium import AIR
from engine.core.rng import P_LOSS, P_TIMER
from engine.core.simulator import JITTER
from engine.core.trace import DEAD_LINK, DEAD_NODE, FILTERED, LOSS

BESIDE = 2  # SERVING: not the first frame of the air but the row behind all
LOW, SPAN = 1 - JITTER, 2 * JITTER
DONE, ROOM, STOPPED = range(3)
"""Why `advance` came back: all played, room needed, the budget is spent."""


def fire(st: Any, net: Any, kind: int, v: int) -> None:
    """Timer `kind` of node v."""
    raise NotImplementedError


def serve(st: Any, net: Any, f: int) -> bool:
    """Hand the frame at f to the receivers that are left; False if it came to a stop before the last."""
    raise NotImplementedError


def opens(st: Any, gate: int, place: int) -> bool:
    """Whether gate number `gate` lets messages through at a slot."""
    raise NotImplementedError


def touch(st: Any, kind: int, place: int) -> None:
    """Ask for the memory of a slot, and for where its rows begin if a message of this kind uses them."""
    raise NotImplementedError


def touch_rows(st: Any, kind: int, place: int) -> None:
    """Ask for the rows of a slot, if a message of this kind uses them."""
    raise NotImplementedError


def touch_offsets(st: Any, v: Whole) -> None:
    """Ask for where the tables of a node begin that `touch_node` will ask for."""
    raise NotImplementedError


def touch_node(st: Any, timer: Whole, v: Whole) -> None:
    """Ask for the memory of a node that this timer uses."""
    raise NotImplementedError


def sample(st: Any, net: Any, truth: Any, t: float) -> None:
    """Let the judge write a row."""
    raise NotImplementedError


def fly(st: Any, net: Any, x: int) -> None:
    """Entry x is a frame, and due (see engine.compiled.airborne); in silence where frames share no medium."""
    raise NotImplementedError


# --- copied from here


@inlined
def look_ahead(st: Any, net: Any) -> None:
    """Ask for the memory that the next frames will need, each part some frames before it is read: the frame itself, the
    links that it takes, the slots at their ends, the rows of these slots. In large networks that is what time goes into.
    """
    k, mask = net.k, len(net.frame_t) - 1
    waiting = k[TAIL] - k[HEAD]
    if waiting > 4:
        prefetch_row(net.frame, (k[HEAD] + 4) & mask)
    if waiting > 3:
        first = net.offset[net.frame[(k[HEAD] + 3) & mask][F_NODE]]
        prefetch_row(net.link, first)
        prefetch_row(net.link, first + 4)
    for ahead in range(1, min(3, waiting)):
        row = net.frame[(k[HEAD] + ahead) & mask]
        v, j = row[F_NODE], row[F_SLOT]
        first, last = net.offset[v], net.offset[v + 1]
        if j >= 0:
            first += j
            last = first + 1
        for e in range(first, last):
            if ahead == 1:
                touch_rows(st, row[F_KIND], net.link[e][L_PLACE])
            else:
                touch(st, row[F_KIND], net.link[e][L_PLACE])


@inlined
def look_at_timers(st: Any, net: Any) -> None:
    """The same for the entries of the next buckets of time."""
    k, mask, timers = net.k, len(net.bucket) - 1, len(net.periods)
    ahead = max(k[AHEAD], k[LAP])
    while ahead < k[LAP] + 4:
        ahead += 1
        x = np.int64(net.bucket[(ahead + 2) & mask])
        if x >= 0:
            prefetch_row(net.due, x)
            prefetch(net.chain, x)
            if x < k[TIMERS]:
                touch_offsets(st, x // timers)
        x = np.int64(net.bucket[ahead & mask])
        while x >= 0:
            prefetch_row(net.due, x)
            if x < k[TIMERS]:
                v = x // timers
                prefetch(net.drawn[P_TIMER], v)
                prefetch(net.streams[P_TIMER], v)
                touch_node(st, x - v * timers, v)
                for e in range(net.offset[v], net.offset[v + 1]):
                    touch(st, NONE, e)
            x = np.int64(net.chain[x])
    k[AHEAD] = ahead


@inlined
def closed(net: Any, e: int, v: int) -> int:
    """Why nothing that v sends now comes through link e; NONE if it does."""
    link = net.link[e]
    if link[L_OPEN] == 0:
        return DEAD_LINK if net.alive[link[L_NODE]] else DEAD_NODE
    if net.k[LOSSY] == 1 and net.loss[e] > 0.0 and uniform(net, P_LOSS, v) < net.loss[e]:
        return LOSS
    return NONE


@inlined
def write_down(net: Any, e: int, reason: int, count: int) -> int:
    """What has become of a frame at the end of link e; how many it has reached by then."""
    link, observe = net.link[e], net.k[OBSERVE] == 1
    if observe:
        word(net, link[L_NODE])
    if reason == NONE:
        net.reached[count][0] = link[L_NODE]
        net.reached[count][1] = link[L_SLOT]
        return count + 1
    net.dropped[reason] += 1
    if observe:
        word(net, ~reason)
    return count


@inlined
def settle(st: Any, net: Any, f: int) -> None:
    """The end of a frame's way: who hears it, in slot order; for the others, why not."""
    k, row = net.k, net.frame[f]
    v, j, kind = row[F_NODE], row[F_SLOT], row[F_KIND]
    first, last = net.offset[v], net.offset[v + 1]
    if j >= 0:
        first += j
        last = first + 1
    k[EVENTS] += last - first
    gate = net.gates[kind]
    if k[OBSERVE] == 1:
        word(net, row[F_SEQ])
    count = 0
    for e in range(first, last):
        reason = closed(net, e, v)
        if reason == NONE and gate >= 0 and not opens(st, gate, net.link[e][L_PLACE]):
            reason = FILTERED
        count = write_down(net, e, reason, count)
    look_ahead(st, net)
    k[AT], k[COUNT], k[SERVING], k[CAUSE] = 0, count, 1, row[F_SEQ]
    k[CURRENT], k[DEPTH] = row[F_PUBLICATION], row[F_DEPTH]
    net.clock[NOW] = net.frame_t[f]


@called
def to_oneself(net: Any, x: int) -> None:
    """Make the message of entry x ready to be served: in the row behind the air's, its list behind the lists."""
    k, entry, row = net.k, net.local[x - net.k[TIMERS]], net.frame[len(net.frame_t)]
    row[F_KIND], row[F_LIST], row[F_SIZE] = entry[E_KIND], k[LISTS], entry[E_SIZE]
    for a in range(len(net.frame[0]) - F_FIELDS):
        row[F_FIELDS + a] = entry[E_SIZE + 1 + a]
    for i in range(entry[E_SIZE]):
        net.lists[k[LISTS] + i] = net.local_list[x - k[TIMERS]][i]
    net.reached[0][0], net.reached[0][1] = entry[E_NODE], entry[E_SLOT]
    k[AT], k[COUNT], k[SERVING] = 0, 1, BESIDE


@inlined
def play(st: Any, net: Any, x: int) -> None:
    """Entry x: a timer, which starts anew, or a message of a node to itself or made up by a fault."""
    k, due = net.k, net.due[x]
    t = due[D_TIME]
    net.clock[NOW] = t
    k[CAUSE], k[CURRENT] = np.int64(due[D_SEQ]), 0
    k[EVENTS] += 1
    if x < k[TIMERS]:
        timers = len(net.periods)
        v = x // timers
        kind = x - v * timers
        again = t + net.periods[kind] * (LOW + SPAN * uniform(net, P_TIMER, v))
        prefetch(net.bucket, bucket_at(net, again) & (len(net.bucket) - 1))
        if net.alive[v]:
            fire(st, net, kind, v)
        due[D_TIME], due[D_SEQ] = again, k[SEQ]
        k[SEQ] += 1
        push(net, x)
    else:
        row = net.local[x - k[TIMERS]]
        v, j = row[E_NODE], row[E_SLOT]
        if j == AIR:
            fly(st, net, x)
            return
        if net.alive[v]:
            gate = net.gates[row[E_KIND]]
            degree = net.offset[v + 1] - net.offset[v]
            if j >= 0 and (j >= degree or (gate >= 0 and not opens(st, gate, net.offset[v] + j))):
                net.dropped[FILTERED] += 1
            else:
                to_oneself(net, x)
        net.free[k[FREE]] = x
        k[FREE] += 1


def advance(state: Any, arrays: Any, known: Any, until: float, sample_until: float) -> int:
    """Play all events up to and including `until`, and take the samples that are due up to `sample_until`. Raises Fault."""
    st, net, truth = reference(state), reference(arrays), reference(known)
    k = net.k
    while True:
        if low(net):
            fold(net)
            if low(net):
                return ROOM
        if k[SERVING] != 0:
            last = len(net.frame_t)
            if not serve(st, net, last if k[SERVING] == BESIDE else k[HEAD] & (last - 1)):
                continue
            if k[SERVING] != BESIDE:
                k[HEAD] += 1
            k[SERVING] = 0
        x, f, t = earliest(net), -1, np.inf
        if x >= 0:
            t = net.due[x][D_TIME]
        if k[TAIL] > k[HEAD]:
            f = k[HEAD] & (len(net.frame_t) - 1)
            s = net.frame_t[f]
            if s < t or (s == t and net.frame[f][F_SEQ] < net.due[x][D_SEQ]):
                t = s
            else:
                f = -1
        if k[SAMPLING] == 1:
            due = (k[TICKS] + 1) * net.clock[SAMPLE_S]
            while due < t and due <= sample_until:
                if k[SAMPLES] == len(net.sample_t):
                    return ROOM
                sample(st, net, truth, due)
                k[TICKS] += 1
                due = (k[TICKS] + 1) * net.clock[SAMPLE_S]
        if t > until or (x < 0 and f < 0):
            if k[SAMPLE_NOW] == 1:
                if k[SAMPLES] == len(net.sample_t):
                    return ROOM
                sample(st, net, truth, until)
            return DONE
        if k[EVENTS] >= k[STOP_AT]:
            return STOPPED
        if f >= 0:
            settle(st, net, f)
        else:
            take(net, x)
            if k[HEAPED] == 0:
                look_at_timers(st, net)
            play(st, net, x)
