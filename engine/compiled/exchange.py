"""From the compiled engine's state to the interpreted engine's, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.compiled import machine
from engine.compiled.airborne import M_DEPTH, M_PUBLICATION
from engine.compiled.machine import (
    E_KIND,
    E_SIZE,
    E_SLOT,
    EVENTS,
    F_DEPTH,
    F_FIELDS,
    F_KIND,
    F_LIST,
    F_PUBLICATION,
    F_SEQ,
    F_SIZE,
    FREE,
    HEAD,
    INVERSE,
    LIST_AT,
    LISTS,
    LOGGED,
    LOSSY,
    NEED_LIST,
    NEED_LOCAL,
    NEED_WORDS,
    OBSERVE,
    PUBLICATIONS,
    SAMPLE_S,
    SAMPLES,
    SAMPLING,
    SENT,
    SEQ,
    TAIL,
    TIMER,
    TIMERS,
    WORDS,
)
from engine.compiled.room import longer, more_local, wider_air
from engine.core import radio, storage
from engine.core.declare import NONE
from engine.core.medium import AIR, BEHIND, FIFO, M_KIND, M_NEXT, M_NODE, M_SEQ, M_STATE, ON, ORDER, UNUSED
from engine.core.simulator import Simulator

if TYPE_CHECKING:
    from engine.compiled.simulator import CompiledSimulator


def saved(mine: CompiledSimulator) -> dict[str, Any]:
    """The checkpoint that the interpreted engine would make here (`engine.core.checkpoint.save`)."""
    mine.settle()
    net, k = mine.net, mine.k
    frames, numbers = (None, {}) if mine.medium is None else flights(mine)
    return {
        "n": mine.n,
        "root": mine.env.root,
        "peers": mine.peers,
        "alive": mine.alive,
        "works": mine.works,
        "loss": mine.loss,
        "lossy": mine.lossy,
        "now": mine.now,
        "seq": mine.seq,
        "events": mine.events,
        "digest": [mine.value, net.words[: k[WORDS]].tolist()],
        "counts": mine.counts,
        "dropped": mine.dropped,
        "drawn": net.drawn.tolist(),
        "agenda": sorted(pending(mine, numbers)),
        "air": [in_air(mine, i) for i in range(k[HEAD], k[TAIL])],
        "partial": None,
        "radio": frames,
        "columns": mine.columns(),
    }


def pending(mine: CompiledSimulator, frames: dict[int, int]) -> list[list[Any]]:
    """The events to come; `frames` is what each of them is called."""
    net, timers, count = mine.net, int(mine.k[TIMERS]), len(mine.periods)
    due = net.due.tolist()
    found: list[list[Any]] = [
        [t, int(seq), x // count, TIMER, x % count, None] for x, (t, seq) in enumerate(due[:timers])
    ]
    unused = set(net.free[: mine.k[FREE]].tolist())
    for x in range(timers, len(due)):
        row = net.local[x - timers].tolist()
        if x not in unused and row[E_SLOT] == AIR:
            state = net.flight[x - timers, M_STATE]
            if state not in (UNUSED, BEHIND):
                found.append([due[x][0], int(due[x][1]), row[0], AIR, frames[x - timers], None])
        elif x not in unused:
            held = net.local_list[x - timers, : row[E_SIZE]].tolist()
            numbers = fields(mine, row[E_KIND], row[E_SIZE + 1 :], held)
            found.append([due[x][0], int(due[x][1]), *row[:E_SIZE], numbers])
    return found


def flights(mine: CompiledSimulator) -> tuple[dict[str, Any], dict[int, int]]:
    """What `engine.core.radio.Radio.saved` would give."""
    net, flight = mine.net, mine.net.flight.tolist()
    messages = []
    for x, frame in enumerate(flight):
        held = net.local_list[x, : net.local[x, E_SIZE]].tolist()
        messages.append(fields(mine, frame[M_KIND], net.local[x, E_SIZE + 1 :].tolist(), held))
    on, stamp = int(net.mac[ON]), None if net.mac[ORDER] == FIFO else net.stamp.tolist()
    tx, tx_t = net.tx[:on].tolist(), net.tx_t[:on].tolist()
    return radio.plain(flight, net.began.tolist(), messages, net.queue.tolist(), tx, tx_t, stamp)


def in_air(mine: CompiledSimulator, i: int) -> list[Any]:
    f = i & (len(mine.net.frame_t) - 1)
    row = mine.net.frame[f].tolist()
    held = mine.net.lists[row[F_LIST] : row[F_LIST] + row[F_SIZE]].tolist()
    return [
        float(mine.net.frame_t[f]),
        *row[: F_KIND + 1],
        fields(mine, row[F_KIND], row[F_FIELDS:], held),
    ]


def fields(mine: CompiledSimulator, kind: int, numbers: list[int], held: list[int]) -> list[Any]:
    whole: list[Any] = numbers[: len(mine.stack.fields[kind])]
    return [*whole, held] if mine.listed[kind] else whole


def adopt(mine: CompiledSimulator, sim: Simulator) -> None:
    """Go on from the state of an interpreted engine of the same stack and seed; delivery books are kept."""
    old_net, old_k = mine.net, mine.k
    publications = carried(mine)
    mine.n, mine.peers = sim.n, [list(row) for row in sim.peers]
    mine.alive, mine.works = list(sim.alive), [list(row) for row in sim.works]
    mine.loss = [list(row) for row in sim.loss]
    mine.lay_out(mine.env._replace(n=sim.n))
    net, k = mine.net, mine.k
    for number in (PUBLICATIONS, LOGGED, SENT, SAMPLES, machine.TICKS, SAMPLING):
        k[number] = old_k[number]
    kept = {x: getattr(old_net, x) for x in ("book_n", "book_t", "log", "log_t", "sends", "sends_t")}
    kept |= {x: getattr(old_net, x) for x in ("sample", "sample_t")}
    seen = np.zeros((len(old_net.seen), net.seen.shape[1]), np.uint8)
    seen[:, : old_net.seen.shape[1]] = old_net.seen
    mine.net = net = net._replace(**kept, seen=seen)
    net.clock[:] = [sim.now, mine.delay_s, net.clock[INVERSE], old_net.clock[SAMPLE_S]]
    k[SEQ], k[EVENTS], k[OBSERVE], k[LOSSY] = sim.seq, sim.events, sim.observing, sim.lossy
    net.counts[:], net.dropped[:] = sim.counts, sim.dropped
    net.drawn[:] = [streams.drawn for streams in sim.streams]
    for v, row in enumerate(mine.loss):
        net.loss[mine.links.offset[v] : mine.links.offset[v + 1]] = row
        mine.listen(v)
    columns = storage.plain(sim.st)
    for column in mine.held:
        column.data[:] = list(flat(columns[f"{column.layer}.{column.field.name}"], len(column.offsets)))
    mine.value, words = sim.digest.value, sim.digest.words
    if len(words) + k[NEED_WORDS] > len(net.words):
        mine.net = net = net._replace(words=np.zeros(2 * len(words) + int(k[NEED_WORDS]), np.int64))
    net.words[: len(words)] = words
    k[WORDS] = len(words)
    take_over(mine, sim, publications)


def take_over_flights(
    mine: CompiledSimulator, sim: Simulator, carried: dict[int, tuple[int, int]]
) -> dict[int, int]:
    """The frames of the interpreted engine's radio; its number -> ours."""
    theirs, k = sim.radio, mine.k
    assert theirs is not None
    fresh: dict[int, int] = {NONE: NONE}
    for x, m in enumerate(theirs.messages):
        if m is None:
            continue
        frame = theirs.flight[x]
        held = list(m[-1]) if mine.listed[frame[M_KIND]] else []
        mine.allow(len(held))
        if k[FREE] < k[NEED_LOCAL]:
            mine.net = mine.net._replace(**more_local(mine))
        entry = machine.start_local(mine.net, frame[M_NODE], frame[M_KIND], 0.0, len(held))
        mine.fill_entry(entry, AIR, m, held)
        fresh[x] = int(entry - k[TIMERS])
        mine.net.flight[fresh[x]] = [*frame, *carried.get(frame[M_SEQ], (0, 0))]
        mine.net.began[fresh[x]] = theirs.began[x]
    net = mine.net
    for x in fresh.values():
        if x != NONE:
            net.flight[x, M_NEXT] = fresh[int(net.flight[x, M_NEXT])]
    for v, (first, last, count) in enumerate(theirs.queue):
        net.queue[v] = (fresh[first], fresh[last], count) if count else (NONE, NONE, 0)
    on = theirs.mac[ON]
    if on + 2 > len(net.tx):
        mine.net = net = net._replace(tx=longer(net.tx, 2 * on), tx_t=longer(net.tx_t, 2 * on))
    net.tx[:on] = theirs.tx[:on]
    net.tx_t[:on] = np.array(theirs.tx_t[:on]).reshape(on, 2)
    net.mac[ON] = on
    if net.mac[ORDER] != FIFO and len(theirs.stamp) == len(
        net.stamp
    ):  # else a link is new: `retune` comes next
        net.stamp[:] = theirs.stamp
    return fresh


def carried(mine: CompiledSimulator) -> dict[int, tuple[int, int]]:
    """For each frame in the air that carries a publication: sequence number -> (publication, hops)."""
    rows = mine.net.frame[np.arange(mine.k[HEAD], mine.k[TAIL]) & (len(mine.net.frame_t) - 1)]
    found = {int(r[F_SEQ]): (int(r[F_PUBLICATION]), int(r[F_DEPTH])) for r in rows if r[F_PUBLICATION]}
    if mine.medium is not None:
        flying = mine.net.flight[mine.net.flight[:, M_STATE] != UNUSED].tolist()
        found |= {r[M_SEQ]: (r[M_PUBLICATION], r[M_DEPTH]) for r in flying if r[M_PUBLICATION]}
    return found


def take_over(mine: CompiledSimulator, sim: Simulator, carried: dict[int, tuple[int, int]]) -> None:
    """Pending events and frames of `sim`."""
    k, count = mine.k, len(mine.periods)
    queued = []
    fresh = take_over_flights(mine, sim, carried) if sim.radio is not None else {}
    for t, seq, v, slot, kind, m in sim.agenda:
        if slot == TIMER:
            x = v * count + kind
        elif slot == AIR:
            x = fresh[kind] + int(k[TIMERS])
        else:
            held = list(m[-1]) if mine.listed[kind] else []
            mine.allow(len(held))
            if k[FREE] < k[NEED_LOCAL]:
                mine.net = mine.net._replace(**more_local(mine))
            x = machine.start_local(mine.net, v, kind, 0.0, len(held))
            mine.fill_entry(x, slot, m, held)
        mine.net.due[x] = t, seq
        queued.append(x)
    for t, seq, v, slot, kind, m in sim.air:
        if k[TAIL] + 1 >= len(mine.net.frame_t):
            mine.net = mine.net._replace(**wider_air(mine))
        held = list(m[-1]) if mine.listed[kind] else []
        mine.allow(len(held))
        if k[LIST_AT] + len(held) + k[NEED_LIST] > k[LISTS]:
            k[LISTS] = 2 * (k[LISTS] + len(held) + k[NEED_LIST])
            wider = int(k[LISTS]) + mine.net.local_list.shape[1]
            mine.net = mine.net._replace(lists=longer(mine.net.lists, wider))
        whole = list(m[:-1]) if mine.listed[kind] else list(m)
        row = mine.net.frame[k[TAIL]]
        row[:F_FIELDS] = seq, v, slot, kind, *carried.get(seq, (0, 0)), k[LIST_AT], len(held)
        row[F_FIELDS : F_FIELDS + len(whole)] = whole
        mine.net.lists[k[LIST_AT] : k[LIST_AT] + len(held)] = held
        mine.net.frame_t[k[TAIL]] = t
        k[LIST_AT] += len(held)
        k[TAIL] += 1
    k[SEQ] = sim.seq
    mine.enqueue(np.array(queued, np.int64))


def flat(column: Any, depth: int) -> Any:
    """Entries of nested lists, in order."""
    if depth == 0:
        return column
    return (x for row in column for x in flat(row, depth - 1))
