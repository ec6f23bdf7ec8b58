"""The interpreted engine: nested lists, an agenda, a queue; traceable, steppable, rewindable.

Theory of operation. Everything that will happen is in one of two places, ordered by (time, sequence):

- `air`, a double-ended queue of frames on the radio. All take the same time, so they arrive in the order they were
  sent and a heap would be wasted on them. A broadcast is one frame: it reaches its neighbours in slot order.
- `agenda`: timers, messages of a node to itself, and made-up messages that a fault injects. Under a real radio, or an
  unfair scheduler, frames are here too, and `air` stays empty (see engine.core.medium).

Sequence numbers break ties and are given in order of sending, so a run is a function of its inputs alone. Randomness
comes from counter-based streams, one per (purpose, node); their counters are the whole random state.

Who can hear whom is kept as ready lists (`hear[v]`: the receivers of v's frames), rebuilt when a fault or a repair
touches them, so that the common case pays nothing for the rare one. Between calls of `run` the state may be changed by
commands; during `run` only handlers change it, and each only its own node and layer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heapreplace
from typing import Any

from engine.core import storage
from engine.core.agenda import Agenda, Event
from engine.core.declare import NONE, Env, ProtocolSpec, has_list
from engine.core.fuse import Fused, fuse
from engine.core.medium import AIR, Medium
from engine.core.port import LOCAL, Port
from engine.core.radio import Radio
from engine.core.rng import P_LOSS, P_TIMER, PURPOSES, Stream, Streams
from engine.core.trace import (
    CHUNK,
    DEAD_LINK,
    DEAD_NODE,
    DROP,
    FILTERED,
    LOSS,
    REASONS,
    RECV,
    Digest,
    Record,
)

JITTER = 0.1
TIMER = -2  # in place of a slot, as LOCAL: a timer of the node calls


class Simulator:
    """One network running one protocol stack.

    `peers[v]` lists v's radio neighbours in node order; a node's slots are indices into it. `delay_s` is the time a frame
    takes, `loss` the chance (0 … 1) that one receiver misses it. With a `medium` frames take the time that it gives them.
    """

    def __init__(
        self,
        spec: ProtocolSpec,
        peers: Sequence[Sequence[int]],
        par: Any,
        *,
        root: int = NONE,
        channels: int = 8,
        seed: int = 1,
        delay_s: float = 0.01,
        loss: float = 0.0,
        medium: Medium | None = None,
        guard: storage.Wrap = list,
    ) -> None:
        self.spec, self.seed, self.delay_s = spec, seed, delay_s
        self.n = len(peers)
        self.guarded = guard is not list
        # One object a node, wherever it is named: fewer places in memory to look at.
        nodes = list(range(self.n))
        self.peers: list[list[int]] = [[nodes[w] for w in sorted(row)] for row in peers]
        self.back = [[self.peers[w].index(v) for w in self.peers[v]] for v in range(self.n)]
        self.alive = [True] * self.n
        self.works = [[True] * len(row) for row in self.peers]  # the link out of v through slot j
        self.loss = [[loss] * len(row) for row in self.peers]
        self.lossy = loss > 0.0
        self.st = storage.create(spec, Env(self.n, root, channels), par, self.peers, guard)

        every = [pair for layer in spec.layers for pair in layer.every.items()]
        self.timers = [self._watched_over(f) for f, _ in every]
        self.periods = [float(getattr(par, name)) for _, name in every]
        self.kinds = {m.type: k for k, m in enumerate(spec.messages)}
        self.handlers, self.gate_of = self._dispatch()
        self.fused: dict[Any, Fused | None] = {h: None if self.guarded else fuse(h) for h in self.handlers}
        self.listed = [has_list(m.type) for m in spec.messages]

        self.now = 0.0
        self.seq = 0
        self.cause = NONE
        self.acting = NONE  # the node whose handler runs, for guards
        self.events = 0
        self.digest = Digest()
        self.counts = [0] * len(spec.messages)
        self.dropped = [0] * len(REASONS)
        self.agenda = Agenda(self.n * sum(1 / period for period in self.periods))
        self.air: deque[Event] = deque()
        self.partial: list[tuple[int, int]] | None = (
            None  # receivers of air[0] still to be served (single steps)
        )
        self.streams = [Streams(seed, purpose, self.n) for purpose in PURPOSES]
        self.observing = True
        self.trace: list[Record] = []
        self.watched = [False] * len(spec.messages)
        self.radio = None if medium is None else Radio(self, medium)
        self.launch: Callable[[Event], None] = self.air.append if self.radio is None else self.radio.send
        self.net = Port(self)
        self.hear: list[list[tuple[int, int]]] = []
        self.heard_by: list[list[int]] = []  # the nodes of `hear`
        self.shut: list[list[tuple[int, int]]] = []
        for v in range(self.n):
            self.hear.append([])
            self.heard_by.append([])
            self.shut.append([])
            self.listen(v)
        for v in nodes:
            self._start_timers(v)

    def _dispatch(self) -> tuple[list[Any], list[Any]]:
        """Per message kind: its handler, and the gate that its layer hears through (None below and in the gating layer)."""
        handlers: dict[int, Any] = {}
        gates: dict[int, Any] = {}
        gate = None
        for layer in self.spec.layers:
            for message, handler in layer.on.items():
                handlers[self.kinds[message]] = self._watched_over(handler)
                gates[self.kinds[message]] = gate
            if layer.gate:
                gate = getattr(getattr(self.st, layer.key), layer.gate)
        order = range(len(self.spec.messages))
        return [handlers[k] for k in order], [gates[k] for k in order]

    def _watched_over(self, rule: Callable[..., None]) -> Callable[..., None]:
        """Under a guard: the rule, with the acting node written down while it runs. Otherwise the rule itself."""
        if not self.guarded:
            return rule

        def watched(st: Any, net: Any, v: int, *rest: Any) -> None:
            self.acting = v
            rule(st, net, v, *rest)
            self.acting = NONE

        return watched

    def _start_timers(self, v: int) -> None:
        for k, period in enumerate(self.periods):
            self.agenda.push((self.now + period * self.streams[P_TIMER].next(v), self.seq, v, TIMER, k, None))
            self.seq += 1

    # --- the radio

    def listen(self, v: int) -> None:
        """Work out anew who hears v."""
        hear: list[tuple[int, int]] = []
        shut: list[tuple[int, int]] = []
        for j, w in enumerate(self.peers[v]):
            (hear if self.works[v][j] and self.alive[w] else shut).append((w, self.back[v][j]))
        self.hear[v], self.shut[v] = hear, shut
        self.heard_by[v] = [w for w, _ in hear]

    def relisten(self, v: int) -> None:
        """The same for v and all its neighbours: v failed, came back, or a link of it changed."""
        self.listen(v)
        for w in self.peers[v]:
            self.listen(w)

    def set_loss(self, share: float, link: tuple[int, int] | None = None) -> None:
        """The chance that a receiver misses a frame: of every link, or of one, both ways."""
        if link is None:
            self.loss[:] = [[share] * len(row) for row in self.peers]
        else:
            for v, w in (link, link[::-1]):
                self.loss[v][self.peers[v].index(w)] = share
        self.lossy = any(x > 0.0 for row in self.loss for x in row)

    # --- running

    def run(self, until: float, budget: int | None = None) -> bool:
        """Play all events up to and including time `until`; False if about `budget` events were played before that."""
        until = float(until)  # the digest tells times from numbers by their type
        if self.partial is not None:
            self._finish_partial()
        agenda, air, st, net = self.agenda, self.air, self.st, self.net
        near, far, inverse = agenda.near, agenda.far, agenda.inverse
        timers, periods, handlers, gates = self.timers, self.periods, self.handlers, self.gate_of
        alive, hear, heard_by, shut = self.alive, self.hear, self.heard_by, self.shut
        jitter, more = self.streams[P_TIMER].rows, self.streams[P_TIMER].more
        at_once = [self.fused.get(handler) for handler in handlers]
        stop = None if budget is None else self.events + budget
        clear, observing = not self.lossy, self.observing
        words, watched = self.digest.words, self.watched
        low, span = 1 - JITTER, 2 * JITTER
        events = self.events
        while True:
            if air and (not near or air[0] < near[0]):
                if air[0][0] > until:
                    break
                t, seq, v, j, kind, m = air.popleft()
                self.now = t
                self.cause = seq
                handler, gate = handlers[kind], gates[kind]
                if j < 0 and clear and not shut[v]:
                    receivers = hear[v]
                    events += len(receivers)
                    for w, i in receivers if gate is not None else ():
                        if not gate[w][i]:
                            receivers = self._admitted(t, seq, v, kind, gate)
                            break
                    else:
                        if observing:
                            words.append(seq)
                            words += heard_by[v]
                else:
                    receivers = self._reached(t, seq, v, j, kind)
                    events += 1 if j >= 0 else len(hear[v]) + len(shut[v])
                if watched[kind]:
                    self.trace += [(RECV, t, seq, w, v, kind) for w, _ in receivers]
                if j < 0 and (serve := at_once[kind]) is not None:
                    serve(st, net, receivers, m)
                else:
                    for w, i in receivers:
                        handler(st, net, w, i, m)
            elif near:
                t, seq, v, j, kind, m = near[0]
                if t > until:
                    break
                self.now = t
                self.cause = seq
                events += 1
                if j == TIMER:
                    if alive[v]:
                        timers[kind](st, net, v)
                    again = t + periods[kind] * (low + span * (row.pop() if (row := jitter[v]) else more(v)))
                    # Still on top: whatever the rule put on the agenda comes later in (time, sequence).
                    if (bucket := int(again * inverse)) <= agenda.at:
                        heapreplace(near, (again, self.seq, v, TIMER, kind, None))
                    else:
                        far[bucket].append((again, self.seq, v, TIMER, kind, None))
                        heappop(near)
                        if not near:
                            agenda.refill()
                    self.seq += 1
                    if len(words) >= 16 * CHUNK:
                        self.digest.settle()
                else:
                    agenda.pop()
                    if j == AIR and self.radio is not None:
                        events += self.radio.play(kind, t)
                    else:
                        self._local(v, j, kind, m)
            else:
                break
            if stop is not None and events >= stop:
                self.events = events
                return False
        self.events = events
        self.now = max(self.now, until)
        return True

    def _local(self, v: int, j: int, kind: int, m: Any) -> None:
        """A message of v to itself, or one that a fault put into its ear at slot j."""
        if not self.alive[v]:
            return
        gate = self.gate_of[kind]
        if j >= 0 and (j >= len(self.peers[v]) or (gate is not None and not gate[v][j])):
            self.dropped[FILTERED] += 1
            return
        self.handlers[kind](self.st, self.net, v, j, m)

    def _admitted(self, t: float, seq: int, v: int, kind: int, gate: Any) -> list[tuple[int, int]]:
        """What `_reached` finds of a broadcast that comes through every link: only a gate can be in its way."""
        reached, words = [], self.digest.words if self.observing else []
        words.append(seq)
        for receiver in self.hear[v]:
            w, i = receiver
            if gate[w][i]:
                reached.append(receiver)
                words.append(w)
            else:
                self.lost(t, seq, v, kind, w, FILTERED)
        return reached

    def _reached(self, t: float, seq: int, v: int, j: int, kind: int) -> list[tuple[int, int]]:
        """The end of a frame's way: who hears it, in slot order; for the others, why not.

        All fates are settled before the first handler runs. Handlers could not change them: they neither touch the radio
        nor, above the gate, the gate.
        """
        gate, observing = self.gate_of[kind], self.observing
        reached: list[tuple[int, int]] = []
        if observing:
            self.digest.words.append(seq)
        for slot in range(len(self.peers[v])) if j < 0 else (j,):
            w, i = self.peers[v][slot], self.back[v][slot]
            reason = self.closed(v, slot)
            if reason == NONE and gate is not None and not gate[w][i]:
                reason = FILTERED
            if reason != NONE:
                self.lost(t, seq, v, kind, w, reason)
                continue
            reached.append((w, i))
            if observing:
                self.digest.words.append(w)
        return reached

    def lost(self, t: float, seq: int, v: int, kind: int, w: int, reason: int) -> None:
        """What v sent does not reach w."""
        self.dropped[reason] += 1
        if self.observing:
            self.digest.words += (w, ~reason)
        if self.watched[kind]:
            self.trace.append((DROP, t, seq, w, v, kind, reason))

    def closed(self, v: int, slot: int) -> int:
        """Why nothing that v sends now comes through this slot; NONE if it does."""
        if not self.alive[self.peers[v][slot]]:
            return DEAD_NODE
        if not self.works[v][slot]:
            return DEAD_LINK
        return (
            LOSS if self.loss[v][slot] > 0.0 and self.streams[P_LOSS].next(v) < self.loss[v][slot] else NONE
        )

    def serve(self, t: float, seq: int, v: int, kind: int, m: Any, receivers: list[tuple[int, int]]) -> None:
        """Hand v's message to all who heard it."""
        if self.watched[kind]:
            self.trace += [(RECV, t, seq, w, v, kind) for w, _ in receivers]
        handler = self.handlers[kind]
        if (together := self.fused[handler]) is not None and len(receivers) > 1:
            together(self.st, self.net, receivers, m)
        else:
            for w, i in receivers:
                handler(self.st, self.net, w, i, m)

    def step(self) -> bool:
        """Play exactly one event: a timer, a local message, or one receiver of a frame; False if there is none left."""
        if self.partial is None and not (
            self.air and (not self.agenda.near or self.air[0] < self.agenda.near[0])
        ):
            if not self.agenda.near:
                return False
            self.run(self.agenda.near[0][0], 1)
            return True
        t, seq, v, j, kind, m = self.air[0]
        self.now = t
        self.cause = seq
        if self.partial is None:
            self.partial = self._reached(t, seq, v, j, kind)
            asked = 1 if j >= 0 else len(self.peers[v])
            self.events += asked - len(self.partial)
            if self.watched[kind]:
                self.trace += [(RECV, t, seq, w, v, kind) for w, _ in self.partial]
        if self.partial:
            w, i = self.partial.pop(0)
            self.events += 1
            self.handlers[kind](self.st, self.net, w, i, m)
        if not self.partial:
            self.partial = None
            self.air.popleft()
        return True

    def _finish_partial(self) -> None:
        while self.partial is not None:
            self.step()

    def inject(self, v: int, m: Any, slot: int = LOCAL) -> None:
        """Hand node v a message now: from its application, or as if heard at a slot."""
        self.agenda.push((self.now, self.seq, v, slot, self.kinds[type(m)], m))
        self.seq += 1

    def record(self, entry: Record) -> None:
        """Add a record that does not come from a message (a command), and fold it into the digest."""
        self.trace.append(entry)
        self.digest.words += [int(x * 1e9) if isinstance(x, float) else x for x in entry]

    # --- the world changes between segments

    def add_node(self) -> int:
        """A new node, the last in node order, with no links yet; returns its index."""
        v = self.n
        self.n += 1
        self.st.env.n = self.n
        self.peers.append([])
        for table in (self.back, self.works, self.loss, self.hear, self.heard_by, self.shut):
            table.append([])
        self.alive.append(True)
        for streams in self.streams:
            streams.grow()
        storage.append_node(self.spec, self.st, self.peers)
        self._start_timers(v)
        return v

    def add_link(self, v: int, w: int, loss: float) -> None:
        """A new radio link; slots stay in node order, so frames in the air are re-addressed."""
        for a, b in ((v, w), (w, v)):
            j = sum(peer < b for peer in self.peers[a])
            self.peers[a].insert(j, b)
            self.works[a].insert(j, True)
            self.loss[a].insert(j, loss)
            storage.insert_slot(self.spec, self.st, a, j, self.peers)
            moved = [
                (t, s, x, slot + 1 if x == a and slot >= j else slot, kind, m)
                for t, s, x, slot, kind, m in self.air
            ]
            self.air.clear()
            self.air.extend(moved)
            self.agenda.replace(
                [
                    (t, s, x, slot + 1 if x == a and slot >= j else slot, kind, m)
                    for t, s, x, slot, kind, m in self.agenda
                ]
            )
            if self.radio is not None:
                self.radio.move_slot(a, j)
        self.lossy = self.lossy or loss > 0.0
        for a in {v, w, *self.peers[v], *self.peers[w]}:
            self.back[a] = [self.peers[b].index(a) for b in self.peers[a] if a in self.peers[b]]
        self.relisten(v)
        self.relisten(w)

    def hush(self, v: int) -> None:
        """Node v fails: what it had to send dies with it."""
        if self.radio is not None:
            self.radio.hush(v)

    def retune(self, medium: Medium) -> None:
        """The network has changed, and with it the signals."""
        if self.radio is not None:
            self.radio.lay_out(medium.gain)

    def reset_node(self, v: int) -> None:
        """Node v forgets everything but its inputs, as after power-on."""
        storage.reset_node(self.spec, self.st, v, self.peers)

    def corrupt(self, stream: Stream, nodes: list[int], **which: Any) -> None:
        """Put any value of its domain into variables of these nodes; `which` as for `engine.core.storage.corrupt`."""
        storage.corrupt(self.spec, self.st, stream, nodes, self.peers, **which)
