"""The event loop of the compiled engine. The builder copies this text behind a stack's own `fire`, `serve`, `local`, `opens`
and `sample`, so that all of it is compiled into one function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.compiled.machine import (
    AT,
    BEST,
    CAUSE,
    COUNT,
    CURRENT,
    DELAY,
    DEPTH,
    E_KIND,
    E_NODE,
    E_SEQ,
    E_SLOT,
    EVENTS,
    F_DEPTH,
    F_KIND,
    F_NODE,
    F_PUBLICATION,
    F_SEQ,
    F_SLOT,
    FAULT,
    FREE,
    HEAD,
    LOSSY,
    NOW,
    OBSERVE,
    P_LOSS,
    P_TIMER,
    SAMPLE_S,
    SAMPLES,
    SAMPLING,
    SEQ,
    SERVING,
    STOP_AT,
    TAIL,
    TICKS,
    TIMER,
    TIMERS,
    earliest,
    inlined,
    low,
    push,
    take,
    uniform,
    word,
)
from engine.compiled.reference import reference
from engine.core.simulator import JITTER
from engine.core.trace import DEAD_LINK, DEAD_NODE, FILTERED, LOSS

LOW, SPAN = 1 - JITTER, 2 * JITTER
DONE, ROOM, STOPPED, FAULTY = range(4)
"""Why `advance` came back: all played, room needed, the budget is spent, a handler broke a bound."""


def fire(st: Any, net: Any, kind: int, v: int) -> None:
    """Timer `kind` of node v."""
    raise NotImplementedError


def serve(st: Any, net: Any, f: int) -> bool:
    """Hand the frame at f to the receivers that are left; False if it came to a stop before the last."""
    raise NotImplementedError


def local(st: Any, net: Any, x: int, v: int, j: int, kind: int) -> None:
    """Hand the message of entry x to node v."""
    raise NotImplementedError


def opens(st: Any, gate: int, place: int) -> bool:
    """Whether gate number `gate` lets messages through at a slot."""
    raise NotImplementedError


def sample(st: Any, net: Any, truth: Any, t: float) -> None:
    """Let the judge write a row."""
    raise NotImplementedError


# --- copied from here


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
    gate, observe = net.gates[kind], k[OBSERVE] == 1
    if observe:
        word(net, row[F_SEQ])
    count = 0
    for e in range(first, last):
        w, place = net.near[e], net.back[e]
        reason = -1
        if net.opened[e] == 0:
            reason = DEAD_LINK if net.alive[w] else DEAD_NODE
        elif k[LOSSY] == 1 and net.loss[e] > 0.0 and uniform(net, P_LOSS, v) < net.loss[e]:
            reason = LOSS
        elif gate >= 0 and not opens(st, gate, place):
            reason = FILTERED
        if observe:
            word(net, w)
        if reason < 0:
            net.reached[count, 0] = w
            net.reached[count, 1] = place - net.offset[w]
            count += 1
        else:
            net.dropped[reason] += 1
            if observe:
                word(net, ~reason)
    k[AT], k[COUNT], k[SERVING], k[CAUSE] = 0, count, 1, row[F_SEQ]
    k[CURRENT], k[DEPTH] = row[F_PUBLICATION], row[F_DEPTH]
    net.clock[NOW] = net.frame_t[f]


@inlined
def play(st: Any, net: Any, x: int) -> None:
    """Entry x: a timer, which starts anew, or a message of a node to itself or made up by a fault."""
    k, row = net.k, net.entry[x]
    t, v, j, kind = net.entry_t[x], row[E_NODE], row[E_SLOT], row[E_KIND]
    net.clock[NOW] = t
    k[CAUSE], k[CURRENT] = row[E_SEQ], 0
    k[EVENTS] += 1
    if j == TIMER:
        if net.alive[v]:
            fire(st, net, kind, v)
        u = uniform(net, P_TIMER, v)
        net.entry_t[x] = t + net.periods[kind] * (LOW + SPAN * u)
        row[E_SEQ] = k[SEQ]
        k[SEQ] += 1
        push(net, x)
    else:
        if net.alive[v]:
            gate = net.gates[kind]
            degree = net.offset[v + 1] - net.offset[v]
            if j >= 0 and (j >= degree or (gate >= 0 and not opens(st, gate, net.offset[v] + j))):
                net.dropped[FILTERED] += 1
            else:
                local(st, net, x, v, j, kind)
        net.free[k[FREE]] = x
        k[FREE] += 1


def advance(state: Any, arrays: Any, known: Any, until: float, sample_until: float) -> int:
    """Play all events up to and including `until`, and take the samples that are due up to `sample_until`."""
    st, net, truth = reference(state), reference(arrays), reference(known)
    k = net.k
    while True:
        if k[FAULT] != 0:
            return FAULTY
        if low(net):
            return ROOM
        if k[SERVING] == 1:
            if not serve(st, net, k[HEAD] & (len(net.frame_t) - 1)):
                continue
            k[HEAD] += 1
            k[SERVING] = 0
        x, f, t = earliest(net), -1, np.inf
        if x >= 0:
            t = net.entry_t[x]
        if k[TAIL] > k[HEAD]:
            f = k[HEAD] & (len(net.frame_t) - 1)
            s = net.frame_t[f]
            if s < t or (s == t and net.frame[f, F_SEQ] < net.entry[x, E_SEQ]):
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
            return DONE
        if k[EVENTS] >= k[STOP_AT]:
            return STOPPED
        if f >= 0:
            settle(st, net, f)
        else:
            take(net, x)
            play(st, net, x)
