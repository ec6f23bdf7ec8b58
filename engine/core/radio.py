"""The interpreted engine's side of the medium: frames as rows of nested lists, their messages beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.core import medium, storage
from engine.core.declare import NONE, int_fields
from engine.core.medium import (
    AIR,
    CERTAIN,
    COMING,
    FIFO,
    GONE,
    HOPELESS,
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
    SENDING,
    UNUSED,
    Medium,
)
from engine.core.rng import GOLD, MASK, P_LOSS, mix, stream_base
from engine.core.trace import AIRBORNE, FADING, FILTERED

if TYPE_CHECKING:
    from engine.core.agenda import Event
    from engine.core.simulator import Simulator

FRAME = 12  # numbers of a row of `flight`
NEVER, SURE = -1.0, 2.0  # chances that are none


class Radio:
    """`net` for the functions of `engine.core.medium`, and what the simulator asks of a radio.

    `flight`, `began` and `messages` have an entry a frame; `free` lists the unused ones.
    """

    def __init__(self, sim: Simulator, given: Medium) -> None:
        self.sim = sim
        self.radio, self.mac = list(given.radio), list(given.mac)
        self.hazards, self.rank = given.hazards, given.rank
        self.decay, self.fades = given.decay, given.fades
        self.fade_base = stream_base(sim.seed, "fading")
        self.chance = sim.streams[P_LOSS].next
        """Of a node: the next number of its radio, in [0, 1)."""
        self.fields = [len(int_fields(m.type)) for m in sim.spec.messages]
        self.carries = [int(m.shape == "publication") for m in sim.spec.messages]
        self.flight: list[list[int]] = []
        self.began: list[float] = []
        self.messages: list[Any] = []
        self.free: list[int] = []
        self.queue = [[NONE, NONE, 0] for _ in range(sim.n)]
        self.tx: list[int] = []
        self.tx_t: list[list[float]] = []
        self.lay_out(given.gain)

    def lay_out(self, gain: list[list[tuple[int, float]]]) -> None:
        """Signals for the present network; frames under way stay."""
        sim = self.sim
        while len(self.queue) < sim.n:
            self.queue.append([NONE, NONE, 0])
        self.offset = [0]
        self.far: list[dict[int, int]] = []  # per node: who may hear it, and where in `far_level`
        self.far_level: list[float] = []
        self.link: list[tuple[int, int]] = []
        self.mean: list[float] = []
        for peers in sim.peers:
            self.offset.append(self.offset[-1] + len(peers))
        for v, peers in enumerate(sim.peers):
            levels = dict(gain[v]) if v < len(gain) else {}
            for w, slot in zip(peers, sim.back[v], strict=True):
                self.link.append((w, self.offset[w] + slot))
                self.mean.append(levels.get(w, 0.0))
            self.far.append({w: len(self.far_level) + i for i, w in enumerate(levels)})
            self.far_level += levels.values()
        self.level = [0.0] * len(self.link)
        self.hazard = [0.0] * len(self.link)
        self.stamp = [NONE] * len(self.link)
        # Per node: a coherence time, and by bits of a frame the chances over all its links then.
        self.odds: list[tuple[int, dict[int, list[float]]]] = [(NONE, {})] * sim.n

    # --- what the medium asks for

    def reach(self, v: int, w: int) -> int:
        """Where in `far_level` what w hears of v is; NONE: nothing."""
        return self.far[v].get(w, NONE)

    def fade(self, pair: int, span: int) -> int:
        """Which of the 256 factors holds between two nodes for a coherence time."""
        key = mix((self.fade_base + pair * GOLD) & MASK)
        return mix((key + (span + 1) * GOLD) & MASK) >> 56

    def at(self, x: int, t: float) -> None:
        """Frame x is due at t."""
        sim = self.sim
        sim.agenda.push((t, sim.seq, self.flight[x][M_NODE], AIR, x, None))
        sim.seq += 1

    def release(self, x: int) -> None:
        """Frame x is over."""
        self.flight[x][M_STATE] = UNUSED
        self.messages[x] = None
        self.free.append(x)

    def lose(self, x: int) -> None:
        """Nobody that frame x was meant for has heard it."""
        frame, sim = self.flight[x], self.sim
        v, j, reason = frame[M_NODE], frame[M_SLOT], frame[M_WHY]
        if sim.observing:
            sim.digest.words.append(frame[M_SEQ])
        for w in sim.peers[v] if j == NONE else (sim.peers[v][j],):
            sim.lost(sim.now, frame[M_SEQ], v, frame[M_KIND], w, reason)

    # --- what the simulator asks for

    def send(self, event: Event) -> None:
        """A frame of node v leaves for its queue, or one for each receiver for the scheduler's hands."""
        t, seq, v, j, kind, m = event
        t = self.sim.now
        if self.mac[ORDER] == FIFO:
            medium.enqueue(self, self._frame(seq, v, j, kind, m), t)
            return
        for slot in range(len(self.sim.peers[v])) if j == NONE else (j,):
            x = self._frame(seq, v, slot, kind, m)
            self.flight[x][M_STATE] = COMING
            arrival = t + medium.delay(self, v, self.offset[v] + slot, t)
            self._tell(x, t, arrival)
            self.at(x, arrival)

    def _tell(self, x: int, t: float, until: float) -> None:
        """Frame x is on its way now."""
        frame, sim = self.flight[x], self.sim
        v, j, kind = frame[M_NODE], frame[M_SLOT], frame[M_KIND]
        if sim.observing and sim.watched[kind]:
            to = NONE if j == NONE else sim.peers[v][j]
            sim.trace.append((AIRBORNE, t, frame[M_SEQ], until, v, to, kind, self.messages[x]))

    def _frame(self, seq: int, v: int, j: int, kind: int, m: Any) -> int:
        if not self.free:
            self.free.append(len(self.flight))
            self.flight.append([0] * FRAME)
            self.began.append(0.0)
            self.messages.append(None)
        x = self.free.pop()
        listed = len(m[-1]) if self.sim.listed[kind] else 0
        bits = medium.bits_of(self, self.fields[kind], listed, self.carries[kind])
        self.flight[x] = [v, j, kind, bits, seq, UNUSED, 0, 0, 0, 0, NONE, NONE]
        self.messages[x] = m
        return x

    def play(self, x: int, t: float) -> int:
        """It is frame x's time; whoever hears it is served at once. How many might have."""
        while self.mac[ON] + 2 > len(self.tx):
            self.tx.append(NONE)
            self.tx_t.append([0.0, 0.0])
        if not medium.due(self, x, t):
            if self.flight[x][M_STATE] == SENDING:
                self._tell(x, t, t + self.flight[x][M_BITS] * self.radio[medium.BIT_S])
            return 0
        sim, frame = self.sim, self.flight[x]
        v, j, kind, seq, m = frame[M_NODE], frame[M_SLOT], frame[M_KIND], frame[M_SEQ], self.messages[x]
        sim.cause = seq
        first = self.offset[v]
        last = first + len(sim.peers[v])
        if j != NONE:
            first += j
            last = first + 1
        clear = not (sim.lossy or sim.shut[v])
        if j == NONE and clear and frame[M_STATE] != COMING and self._alone(v, self.began[x], t):
            reached, heard = self._in_silence(x, t, first, last), 0
        else:
            reached, heard = self._one_by_one(x, t, first, last, clear)
        medium.over(self, x, first, t, heard)
        sim.serve(t, seq, v, kind, m, reached)
        return last - first

    def _one_by_one(
        self, x: int, t: float, first: int, last: int, clear: bool
    ) -> tuple[list[tuple[int, int]], int]:
        """Who hears frame x over the links first … last - 1, and whether a unicast frame is to be answered.

        `clear`: all of these links work.
        """
        sim, frame, begin = self.sim, self.flight[x], self.began[x]
        v, j, kind = frame[M_NODE], frame[M_SLOT], frame[M_KIND]
        seq, bits = frame[M_SEQ], frame[M_BITS]
        coming, again = frame[M_STATE] == COMING, frame[M_GOT] == 1
        awaited = not coming and j != NONE and self.mac[medium.ACKS] == 1
        gate, heard, offset, back = sim.gate_of[kind], 0, self.offset[v], sim.back[v]
        reached: list[tuple[int, int]] = []
        if sim.observing and not awaited:
            sim.digest.words.append(seq)
        for e in range(first, last):
            w, i = self.link[e][0], back[e - offset]
            reason = NONE if clear else sim.closed(v, e - offset)
            if reason == NONE and not coming:
                reason = medium.received(self, v, w, e, begin, t, bits)
            if awaited:
                heard = int(reason == NONE)
                if again or not heard:
                    frame[M_WHY] = reason
                    break
                if sim.observing:
                    sim.digest.words.append(seq)
            if reason == NONE and gate is not None and not gate[w][i]:
                reason = FILTERED
            if reason == NONE:
                reached.append((w, i))
                if sim.observing:
                    sim.digest.words.append(w)
            else:
                sim.lost(t, seq, v, kind, w, reason)
        return reached, heard

    def _in_silence(self, x: int, t: float, first: int, last: int) -> list[tuple[int, int]]:
        """Who hears frame x, a broadcast, while nobody else sends: what `_one_by_one` would find, but sooner."""
        frame = self.flight[x]
        v, kind, seq, bits = frame[M_NODE], frame[M_KIND], frame[M_SEQ], frame[M_BITS]
        sim, gate, chance, span = self.sim, self.sim.gate_of[kind], self.chance, medium.span_at(self, t)
        words = sim.digest.words if sim.observing else []
        known, odds_of = self.odds[v]
        if known != span:
            known, odds_of = self.odds[v] = span, {}
        if (odds := odds_of.get(bits)) is None:
            odds = odds_of[bits] = [self._odds(v, e, bits, span) for e in range(first, last)]
        words.append(seq)
        reached = []
        for receiver, likely in zip(sim.hear[v], odds, strict=True):
            w, i = receiver
            if likely == SURE or (likely != NEVER and chance(v) < likely):
                if gate is None or gate[w][i]:
                    reached.append(receiver)
                    words.append(w)
                else:
                    sim.lost(t, seq, v, kind, w, FILTERED)
            else:
                sim.lost(t, seq, v, kind, w, FADING)
        return reached

    def _odds(self, v: int, e: int, bits: int, span: int) -> float:
        """The chance that so many bits from v come through its link e in silence; SURE and NEVER ask for no number."""
        if self.stamp[e] != span:
            medium.refresh(self, v, self.link[e][0], e, span)
        peril = self.hazard[e] * bits
        if self.level[e] < self.radio[medium.SENSITIVITY] or peril >= HOPELESS:
            return NEVER
        return SURE if peril < CERTAIN else medium.survival(self, peril)

    def _alone(self, v: int, begin: float, end: float) -> bool:
        """Whether nobody else was on the air."""
        tx, tx_t = self.tx, self.tx_t
        for i in range(self.mac[ON]):
            if tx[i] != v:
                a, b = tx_t[i]
                if a < end and b > begin:
                    return False
        return True

    def hush(self, v: int) -> None:
        """Node v fails."""
        medium.hush(self, v)

    def move_slot(self, v: int, j: int) -> None:
        """Slots of v from j on are one higher now."""
        for frame in self.flight:
            if frame[M_STATE] != UNUSED and frame[M_NODE] == v and frame[M_SLOT] >= j:
                frame[M_SLOT] += 1

    def rewrite(self, changed: Callable[[int, int, Any], Any]) -> None:
        """Replace the message of every frame by `changed(node, kind, message)`, in order of sending."""
        under_way = [x for x, m in enumerate(self.messages) if m is not None]
        for x in sorted(under_way, key=lambda x: (self.flight[x][M_SEQ], self.flight[x][M_SLOT])):
            self.messages[x] = changed(self.flight[x][M_NODE], self.flight[x][M_KIND], self.messages[x])

    # --- checkpoints

    def saved(self) -> tuple[dict[str, Any], dict[int, int]]:
        """Plain data, and the number of every frame there."""
        messages = [None if m is None else storage.listed(m) for m in self.messages]
        stamp = None if self.mac[ORDER] == FIFO else self.stamp  # else a cache, filled anew
        on = self.mac[ON]
        return plain(self.flight, self.began, messages, self.queue, self.tx[:on], self.tx_t[:on], stamp)

    def load(self, saved: dict[str, Any]) -> None:
        """What `saved` kept, for a radio laid out for the same network."""
        for name in ("flight", "began", "queue", "tx", "tx_t"):
            setattr(self, name, saved[name])
        self.free, self.mac[ON] = [], len(self.tx)
        kinds = [m.type for m in self.sim.spec.messages]
        self.messages = [
            kinds[frame[M_KIND]](*(tuple(x) if isinstance(x, list) else x for x in m))
            for frame, m in zip(self.flight, saved["messages"], strict=True)
        ]
        if saved["stamp"] is not None:
            self.stamp = saved["stamp"]


def plain(
    flight: list[list[int]],
    began: list[float],
    messages: list[Any],
    queue: list[list[int]],
    tx: list[int],
    tx_t: list[list[float]],
    stamp: list[int] | None,
) -> tuple[dict[str, Any], dict[int, int]]:
    """The frames under way as plain data, the same whichever engine had numbered them; and their new numbers."""
    used = [x for x, frame in enumerate(flight) if frame[M_STATE] != UNUSED]
    used.sort(key=lambda x: (flight[x][M_SEQ], flight[x][M_SLOT]))
    number = {x: i for i, x in enumerate(used)} | {NONE: NONE}
    rows = []
    for x in used:
        row = flight[x][:FRAME]
        row[M_NEXT] = number[row[M_NEXT]] if row[M_STATE] != GONE else NONE
        rows.append(row)
    kept = {
        "flight": rows,
        "began": [began[x] if flight[x][M_STATE] == SENDING else 0.0 for x in used],
        "messages": [messages[x] for x in used],
        "queue": [[number[a], number[b], count] if count else [NONE, NONE, 0] for a, b, count in queue],
        "tx": tx,
        "tx_t": tx_t,
        "stamp": stamp,
    }
    return kept, number
