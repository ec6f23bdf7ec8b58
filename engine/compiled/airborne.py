"""The compiled engine's side of the medium (engine.core.medium): frames as entries of the queue of events.

A frame is a local entry whose slot says `AIR`; its place there is its number in `flight`. Sending writes it beside the air,
like a message that is being served, and `launch` makes an entry of it, or one for each receiver where the scheduler is
unfair. What follows the mark is copied into the generated module of a stack whose frames share a medium.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from engine.compiled.machine import (
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
    L_NODE,
    L_PLACE,
    NO_SLOT,
    NOW,
    OBSERVE,
    SEQ,
    TIMERS,
    TOO_MANY_LOCAL,
    Whole,
    begin_frame,
    called,
    fault,
    inlined,
    mix,
    push,
    uniform,
    word,
)
from engine.core import medium
from engine.core.declare import NONE
from engine.core.medium import (
    ACKS,
    AIR,
    COMING,
    FIFO,
    M_BITS,
    M_GOT,
    M_KIND,
    M_NEXT,
    M_NODE,
    M_SEQ,
    M_SLOT,
    M_STATE,
    M_WHY,
    ON,
    ORDER,
    UNUSED,
    bits_of,
    delay,
    due,
    enqueue,
    over,
    received,
)
from engine.core.rng import GOLD, P_LOSS
from engine.core.trace import FILTERED

FIELDS = (
    *("radio", "mac", "steps", "hazards", "decay", "fades", "fade_base"),
    *("flight", "began", "queue", "tx", "tx_t"),
    *("far_at", "far", "far_level", "mean", "level", "hazard", "stamp"),
)
"""Of `net`, beside those of the machine; see engine.core.radio."""
M_PUBLICATION, M_DEPTH, FRAME = 12, 13, 14  # of `flight`, beside those of the medium; and its width
STAGED = 1  # the row beside the air, behind the one that is being served
_GOLD = np.uint64(GOLD)

for _name in (
    *(
        "hazard",
        "fading",
        "span_at",
        "survival",
        "refresh",
        "power",
        "exposed",
        "received",
        "busy",
        "transmit",
    ),
    *("ready", "leave", "give_up", "answered", "attempt", "over", "due", "enqueue", "delay", "bits_of"),
):
    register_jitable(_nrt=False)(getattr(medium, _name))


# --- what the medium asks of `net`


@inlined
def chance(net: Any, v: int) -> float:
    return uniform(net, P_LOSS, v)


@inlined
def fade(net: Any, pair: int, span: int) -> int:
    key = mix(net.fade_base[0] + np.uint64(pair) * _GOLD)
    found: Whole = np.int64(mix(key + np.uint64(span + 1) * _GOLD) >> np.uint64(56))
    return found


@called
def rank(net: Any, ratio: float) -> int:
    low, high = 0, len(net.steps)
    if ratio >= net.steps[high - 1]:
        return high
    while low < high:
        middle = (low + high) // 2
        if net.steps[middle] <= ratio:
            low = middle + 1
        else:
            high = middle
    return low


@called
def reach(net: Any, v: int, w: int) -> int:
    low, high = net.far_at[v], net.far_at[v + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if net.far[middle] < w:
            low = middle + 1
        else:
            high = middle
    found: Whole = low if low < end and net.far[low] == w else NONE
    return found


@called
def call_at(net: Any, x: int, t: float) -> None:
    k = net.k
    entry = x + k[TIMERS]
    net.due[entry][D_TIME], net.due[entry][D_SEQ] = t, k[SEQ]
    k[SEQ] += 1
    push(net, entry)


@inlined
def release(net: Any, x: int) -> None:
    net.flight[x][M_STATE] = UNUSED
    net.free[net.k[FREE]] = x + net.k[TIMERS]
    net.k[FREE] += 1


@called
def lose(net: Any, x: int) -> None:
    row = net.flight[x]
    v, j, reason, observe = row[M_NODE], row[M_SLOT], row[M_WHY], net.k[OBSERVE] == 1
    if observe:
        word(net, row[M_SEQ])
    for e in range(net.offset[v], net.offset[v + 1]):
        if j == NONE or e == net.offset[v] + j:
            net.dropped[reason] += 1
            if observe:
                word(net, net.link[e][L_NODE])
                word(net, ~reason)


# --- sending


@called
def start_flight(net: Any, v: int, j: int, kind: int, size: int) -> int:
    """As `machine.start_frame`: a frame beside the air, without its fields; its place."""
    k, degree = net.k, net.offset[v + 1] - net.offset[v]
    if j >= degree:
        fault(net, NO_SLOT, kind, j, degree)
    if k[FREE] < 1 or (net.mac[ORDER] != FIFO and k[FREE] < degree):
        fault(net, TOO_MANY_LOCAL, kind, 1, 0)
    f = len(net.frame_t) + STAGED
    begin_frame(net, f, v, j, kind, size)
    return f


@called
def launch(net: Any, f: int, numbers: int, carries: int) -> None:
    """The frame beside the air is complete: into its node's queue, or into the scheduler's hands."""
    row, t = net.frame[f], net.clock[NOW]
    v, j = row[F_NODE], row[F_SLOT]
    if net.mac[ORDER] == FIFO:
        enqueue(net, taken_off(net, row, j, numbers, carries), t)
        return
    for e in range(net.offset[v], net.offset[v + 1]):
        if j == NONE or e == net.offset[v] + j:
            x = taken_off(net, row, e - net.offset[v], numbers, carries)
            net.flight[x][M_STATE] = COMING
            call_at(net, x, t + delay(net, v, e, t))


@called
def taken_off(net: Any, row: Any, j: int, numbers: int, carries: int) -> Any:
    """A new frame for slot j with what the row holds."""
    k = net.k
    k[FREE] -= 1
    entry = np.int64(net.free[k[FREE]])
    x = entry - k[TIMERS]
    local, frame, size = net.local[x], net.flight[x], row[F_SIZE]
    local[E_NODE], local[E_SLOT], local[E_KIND], local[E_SIZE] = row[F_NODE], AIR, row[F_KIND], size
    for a in range(numbers):
        local[E_SIZE + 1 + a] = row[F_FIELDS + a]
    for i in range(size):
        net.local_list[x][i] = net.lists[row[F_LIST] + i]
    for a in range(len(frame)):
        frame[a] = 0
    frame[M_NODE], frame[M_SLOT], frame[M_KIND], frame[M_SEQ] = row[F_NODE], j, row[F_KIND], row[F_SEQ]
    frame[M_BITS] = bits_of(net, numbers, size, carries)
    frame[M_WHY], frame[M_NEXT] = NONE, NONE
    frame[M_PUBLICATION], frame[M_DEPTH] = row[F_PUBLICATION], row[F_DEPTH]
    return x


def closed(net: Any, e: int, v: int) -> int:
    """See engine.compiled.loop."""
    raise NotImplementedError


def write_down(net: Any, e: int, reason: int, count: int) -> int:
    """See engine.compiled.loop."""
    raise NotImplementedError


def cramped(net: Any) -> bool:
    """See engine.compiled.machine.low."""
    raise NotImplementedError


def opens(st: Any, gate: int, place: int) -> bool:
    """Whether gate number `gate` lets messages through at a slot."""
    raise NotImplementedError


def to_oneself(net: Any, x: int) -> None:
    """See engine.compiled.loop."""
    raise NotImplementedError


# --- copied from here


@inlined
def low(net: Any) -> bool:
    """Whether there may be too little room: for what rules send, or on the air."""
    return cramped(net) or net.mac[ON] + 2 > len(net.tx)


@called
def fly(st: Any, net: Any, x: int) -> None:
    """It is a frame's time. If it has ended: who hears it, in slot order; for the others, why not."""
    k, t = net.k, net.clock[NOW]
    place = x - k[TIMERS]
    if due(net, place, t) == 0:
        return
    frame = net.flight[place]
    v, j, kind, seq = frame[M_NODE], frame[M_SLOT], frame[M_KIND], frame[M_SEQ]
    coming, again = frame[M_STATE] == COMING, frame[M_GOT] == 1
    awaited = not coming and j != NONE and net.mac[ACKS] == 1
    first, last = net.offset[v], net.offset[v + 1]
    if j >= 0:
        first += j
        last = first + 1
    k[EVENTS] += last - first
    gate, observe = net.gates[kind], k[OBSERVE] == 1
    if observe and not awaited:
        word(net, seq)
    to_oneself(net, x)
    count, heard = 0, 0
    for e in range(first, last):
        link = net.link[e]
        w, back = link[L_NODE], link[L_PLACE]
        reason = closed(net, e, v)
        if reason == NONE and not coming:
            reason = received(net, v, w, e, net.began[place], t, frame[M_BITS])
        if awaited:
            heard = 1 if reason == NONE else 0
            if again or heard == 0:
                frame[M_WHY] = reason
                break
            if observe:
                word(net, seq)
        if reason == NONE and gate >= 0 and not opens(st, gate, back):
            reason = FILTERED
        count = write_down(net, e, reason, count)
    k[AT], k[COUNT], k[CAUSE] = 0, count, seq
    k[CURRENT], k[DEPTH] = frame[M_PUBLICATION], frame[M_DEPTH]
    over(net, place, first, t, heard)
