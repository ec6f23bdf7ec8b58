"""The compiled engine, with the face of the interpreted one: same inputs, same order, same numbers, same digest.

    sim = CompiledSimulator(spec, peers, par, root=0, seed=1)
    sim.run(60.0)

It keeps no trace and cannot stop within a frame; whoever wants to look closely calls `thaw`, which gives the interpreted
engine in exactly this state. Faults change the arrays in place; what changes the network's shape goes by way of `thaw`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compiled import airborne, arrays, exchange, folding, loop, machine, truth
from engine.compiled.build import Stack, stack_of
from engine.compiled.machine import (
    AT,
    BEST,
    CAUSE,
    D_SEQ,
    D_TIME,
    E_KIND,
    E_SIZE,
    E_SLOT,
    EVENTS,
    F_FIELDS,
    F_KIND,
    FAULT,
    FAULT_BOUND,
    FAULT_KIND,
    FAULT_VALUE,
    FREE,
    HEAD,
    INVERSE,
    L_NODE,
    L_OPEN,
    L_PLACE,
    L_SLOT,
    LIST_SIZE,
    LISTS,
    LOGGED,
    LOSSY,
    NEED_AIR,
    NEED_LIST,
    NEED_LOCAL,
    NEED_WORDS,
    NEGATIVE_DELAY,
    NO_SLOT,
    NOW,
    NUMBERS,
    OBSERVE,
    PUBLICATIONS,
    QUEUED,
    SAMPLE_NOW,
    SAMPLE_S,
    SAMPLES,
    SAMPLING,
    SENT,
    SEQ,
    SERVING,
    STOP_AT,
    TIMERS,
    TOO_LONG_LISTS,
    TOO_MANY_DELIVERIES,
    TOO_MANY_FRAMES,
    TOO_MANY_LOCAL,
    TOO_MANY_WORDS,
    WORDS,
)
from engine.compiled.room import BESIDES, doubled, longer, make_room
from engine.core import checkpoint
from engine.core.declare import NONE, Env, ProtocolSpec
from engine.core.errors import ProtocolBug
from engine.core.medium import (
    Medium,
    hush,
)
from engine.core.port import LOCAL
from engine.core.rng import GOLD, P_TIMER, PURPOSES, UNIT, stream_base
from engine.core.simulator import Simulator
from engine.core.trace import CHUNK, REASONS, Record

FOREVER = 1 << 62


class CompiledSimulator:
    """One network running one protocol stack; arguments as for `engine.core.simulator.Simulator`.

    Raises OutsideSubset (a protocol that cannot be compiled) and ProtocolBug (a rule that breaks a bound).
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
    ) -> None:
        self.spec, self.seed, self.delay_s, self.given_par = spec, seed, delay_s, par
        self.medium, self.by_use = medium, False
        self._works = self._open = np.zeros(0, np.int8)
        self.stack: Stack = stack_of(spec, par._fields, shared=medium is not None)
        self.kinds = self.stack.kinds
        self.listed = [name is not None for name in self.stack.lists]
        self.peers: list[list[int]] = [sorted(row) for row in peers]
        self.n = len(self.peers)
        self.alive = [True] * self.n
        self.works = [[True] * len(row) for row in self.peers]
        self.loss = [[loss] * len(row) for row in self.peers]
        self.trace: list[Record] = []  # always empty: records are the interpreted engine's
        self.watched: list[bool] = []
        self.lay_out(Env(self.n, root, channels))
        self._start_timers()
        self.set_loss(loss)
        self.k[LOSSY] = loss > 0.0  # also without a link yet

    # --- arrays

    def lay_out(self, env: Env) -> None:
        """All arrays for the present network, everything at power-on and nothing under way."""
        self.env = env
        self.links = arrays.Links.of(self.peers)
        self.held = arrays.make(self.spec, env, self.links, self.given_par)
        par = self.stack.par(*(float(x) if isinstance(x, float) else int(x) for x in self.given_par))
        self.st = self.stack.state(env=env, par=par, **arrays.layers(self.spec, self.held))
        kinds = [(c.data.dtype.str, c.data.strides) for c in self.held]
        # All that the types of the arguments depend on.
        self.shape = (tuple(type(x) for x in par), tuple(kinds))
        every = [name for layer in self.spec.layers for name in layer.every.values()]
        self.periods = np.array([float(getattr(par, name)) for name in every])
        n, timers, most = self.n, self.n * len(every), int(max(self.links.degree, default=0))
        width, layers = self.stack.width, len(self.stack.judged)
        self.most, self.longest = most, max(most, env.channels, arrays.longest(self.held))
        need_air, need_list = 8 * most + 32, _room_for_lists(most, self.longest)
        need_local = 16 + min(2 * most, 512) if self.medium is None else need_air
        need_words = need_air * (5 + width) + need_list + most + 64
        inverse = max(n * float((1 / self.periods).sum()) / 1.5 if every else 1.0, 1e-3)
        frames = _power_of_two(max(512, 2 * need_air))
        local = 2 * need_local
        k = np.zeros(NUMBERS, np.int64)
        k[[NEED_AIR, NEED_LIST, NEED_LOCAL, NEED_WORDS]] = need_air, need_list, need_local, need_words
        k[OBSERVE], k[STOP_AT], k[BEST], k[TIMERS], k[FREE] = 1, FOREVER, NONE, timers, local
        k[LISTS] = 4 * need_list
        nodes = np.arange(n, dtype=np.uint64) * np.uint64(GOLD)
        streams = np.array(
            [machine.mix(np.uint64(stream_base(self.seed, p)) + nodes) for p in PURPOSES], np.uint64
        )
        entries = timers + local
        links = self.links
        link = np.ones((len(links.near), 4), np.int32)
        link[:, L_NODE], link[:, L_PLACE] = links.near, links.back
        link[:, L_SLOT] = links.back - links.offset[links.near]
        made: dict[str, Any] = {
            "k": k,
            "clock": np.array([0.0, self.delay_s, inverse, 1.0]),
            "periods": self.periods,
            "streams": streams.reshape(len(PURPOSES), n),
            "drawn": np.zeros((len(PURPOSES), n), np.uint64),
            "offset": self.links.offset,
            "link": link,
            "alive": np.ones(n, np.int8),
            "loss": np.zeros(len(self.links.near)),
            "gates": np.array(self.stack.gates, np.int64),
            "frame_t": np.zeros(frames),
            "frame": np.zeros((frames + BESIDES, F_FIELDS + width), np.int64),
            "lists": np.zeros(4 * need_list + self.longest + 1, np.int64),
            "reached": np.zeros((most + 1, 2), np.int32),
            "due": np.zeros((entries, 2)),
            "local": np.zeros((local, E_SIZE + 1 + width), np.int64),
            "chain": np.full(entries, NONE, np.int32),
            "heap": np.zeros(entries, np.int32),
            "bucket": np.full(_power_of_two(max(64, int(2 * inverse))), NONE, np.int32),
            "free": np.arange(entries - 1, timers - 1, -1, dtype=np.int32),
            "local_list": np.zeros((local, self.longest + 1 if any(self.listed) else 0), np.int64),
            "counts": np.zeros(len(self.kinds), np.int64),
            "dropped": np.zeros(len(REASONS), np.int64),
            "words": np.zeros(2 * CHUNK + need_words, np.int64),
            "hashing": np.zeros(folding.NUMBERS, np.uint64),
            "book_n": np.zeros((8, 2), np.int64),
            "book_t": np.zeros(8),
            "seen": np.zeros((8, (n + 7) // 8), np.uint8),
            "log": np.zeros((2 * need_air, 3), np.int64),
            "log_t": np.zeros(2 * need_air),
            "sends": np.zeros((2 * need_air, 4 + width), np.int64),
            "sends_t": np.zeros(2 * need_air),
            "bits": np.zeros(n, np.int64),
            "wrong": np.zeros(max(1, layers), np.int64),
            "still": np.ones(n, np.int8),
            "sample_t": np.zeros(64),
            "sample": np.zeros((64, layers + len(self.kinds)), np.int64),
        }
        if self.medium is not None:
            made |= self._laid_out(self.medium, local)
        self.net = self.stack.net(**made)
        self.k = k
        self.truth = truth.blank(self.links, env.channels)
        self.true = False  # whether `truth` is about the present network

    def _start_timers(self) -> None:
        """Every timer of every node, at a random point of its first period."""
        net, count = self.net, len(self.periods)
        if not count or not self.n:
            return
        steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(GOLD)
        draws = machine.mix(net.streams[P_TIMER][:, None] + steps[None, :])
        u = (draws >> np.uint64(11)).astype(np.float64) * UNIT
        net.drawn[P_TIMER] = count
        timers = self.n * count
        net.due[:timers, D_TIME] = (self.periods[None, :] * u).ravel()
        net.due[:timers, D_SEQ] = np.arange(timers)
        self.k[SEQ] = timers
        self.enqueue(np.arange(timers))

    def enqueue(self, entries: NDArray[Any]) -> None:
        """Put entries into the empty calendar, all at once."""
        net = self.net
        laps = np.minimum(net.due[entries, D_TIME] * net.clock[INVERSE], 4e18).astype(np.int64)
        buckets = laps & (len(net.bucket) - 1)
        order = np.argsort(buckets, kind="stable")
        entries, buckets = entries[order], buckets[order]
        same = np.append(buckets[1:] == buckets[:-1], False)
        net.chain[entries] = np.where(same, np.append(entries[1:], NONE), NONE)
        starts = np.append(True, ~same[:-1])
        net.bucket[buckets[starts]] = entries[starts]
        self.k[QUEUED], self.k[BEST], self.k[machine.LAP] = len(entries), NONE, int(laps.min(initial=0))

    # --- running

    @property
    def now(self) -> float:
        """Virtual seconds."""
        return float(self.net.clock[NOW])

    @property
    def seq(self) -> int:
        """The next sequence number."""
        return int(self.k[SEQ])

    @property
    def events(self) -> int:
        """Engine events played."""
        return int(self.k[EVENTS])

    @property
    def counts(self) -> list[int]:
        """Messages sent, by kind; a broadcast counts once."""
        return self.net.counts.tolist()

    @property
    def dropped(self) -> list[int]:
        """Receivers that a message did not reach, by reason."""
        return self.net.dropped.tolist()

    @property
    def observing(self) -> bool:
        """Whether records go under the digest."""
        return bool(self.k[OBSERVE])

    @observing.setter
    def observing(self, on: bool) -> None:
        self.k[OBSERVE] = on

    @property
    def lossy(self) -> bool:
        """Whether any link loses frames."""
        return bool(self.k[LOSSY])

    def run(self, until: float, budget: int | None = None, *, sample_until: float = -np.inf) -> bool:
        """Play all events up to and including `until`; False if about `budget` events were played before that.

        Samples of the judge that are due up to `sample_until` are taken on the way, once `judged` has been called.
        """
        self.k[STOP_AT] = FOREVER if budget is None else self.k[EVENTS] + budget
        if self.k[SAMPLING]:
            self.known()
        while True:
            why = self._advance(float(until), float(sample_until))
            if why == loop.DONE:
                self.net.clock[NOW] = max(self.now, until)
                return True
            if why == loop.STOPPED:
                return False
            make_room(self)

    def _advance(self, until: float, sample_until: float) -> int:
        try:
            why: int = self.stack.advance(self.shape, self.st, self.net, self.truth, until, sample_until)
        except machine.Fault:
            raise ProtocolBug(f"{self.spec.name}: {self._fault()}, in {self._acting()}") from None
        except OverflowError:
            raise ProtocolBug(
                f"{self.spec.name}: a number is stored beyond the domain that its field declares, in {self._acting()}; "
                "declare a wider domain, or play it on the interpreted engine"
            ) from None
        except IndexError as error:  # with RINGCAST_BOUNDS only
            raise ProtocolBug(f"{self.spec.name}: {error}, in {self._acting()}") from None
        return why

    def _acting(self) -> str:
        """The rule that was at work, and whose."""
        net, k = self.net, self.k
        if k[SERVING]:
            f = len(net.frame_t) if k[SERVING] == loop.BESIDE else k[HEAD] & (len(net.frame_t) - 1)
            kind = self.spec.messages[net.frame[f, F_KIND]].type
            rule: Callable[..., None] = next(layer.on[kind] for layer in self.spec.layers if kind in layer.on)
            v = net.reached[min(int(k[AT]), len(net.reached) - 1), 0]
        else:
            rules = [f for layer in self.spec.layers for f in layer.every]
            x = int(np.flatnonzero(net.due[: k[TIMERS], D_SEQ] == k[CAUSE])[0])
            rule, v = rules[x % len(rules)], x // len(rules)
        return f"`{rule.__name__}` of node {v} at {self.now:g} s"

    def _fault(self) -> str:
        what, kind, value, bound = (int(self.k[x]) for x in (FAULT, FAULT_KIND, FAULT_VALUE, FAULT_BOUND))
        name, listed = self.spec.messages[kind].name, self.stack.lists[kind]
        told = {
            TOO_MANY_FRAMES: f"one rule sends more than {bound} messages, the last a {name}",
            TOO_LONG_LISTS: f"{name}.{listed}: {value} entries, but there is room for only {bound} more",
            TOO_MANY_WORDS: f"one rule sends too much at once, the last a {name}",
            TOO_MANY_LOCAL: f"one rule sends itself too many messages, the last a {name}",
            TOO_MANY_DELIVERIES: f"one rule delivers more than {bound} times, the last publication {value}",
            LIST_SIZE: f"{name}.size is {value}, but {name}.{listed} has {bound} entries",
            NO_SLOT: f"{name} is sent to slot {value} of a node with {bound} neighbours",
            NEGATIVE_DELAY: f"{name} is sent to the past",
        }
        return told[what]

    # --- the judge

    def judges(self, layers: list[str], sample_s: float) -> bool:
        """Sample these layers every `sample_s` seconds while running; False if only Python code can judge them."""
        self.k[SAMPLING] = layers == self.stack.judged
        self.net.clock[SAMPLE_S] = sample_s
        return bool(self.k[SAMPLING])

    def known(self) -> truth.Truth:
        """The legitimate structure of the present network."""
        works = self.counted()
        if not self.true or (self.by_use and not np.array_equal(works, self._works)):
            self.true, self._works = True, works
            most = int(getattr(self.given_par, "max_neighbours", self.n))
            truth.kernel()(*self.links, works, self.net.alive, self.env.root, most, self.truth)
        return self.truth

    def counted(self) -> NDArray[np.int8]:
        """Per slot, whether the truth is about that link: see `engine.play.scene.Scene`."""
        if not self.true:  # it has changed since; a list of lists takes its time
            self._open = np.fromiter((x for row in self.works for x in row), np.int8, len(self.links.near))
        if not self.by_use:
            return self._open
        up = next(c.data for c in self.held if c.layer == "hood" and c.field.name == "up")
        used: NDArray[np.int8] = self._open & (up & up[self.links.back]).astype(np.int8)
        return used

    def judged_now(self) -> tuple[int, ...]:
        """The wrong variables of each judged layer right now."""
        self.k[SAMPLE_NOW] = 1
        self.run(self.now)
        self.k[SAMPLE_NOW] = 0
        self.k[SAMPLES] -= 1
        return tuple(self.net.sample[self.k[SAMPLES], : len(self.stack.judged)].tolist())

    def take_samples(self) -> list[tuple[float, tuple[int, ...], list[int]]]:
        """(time, wrong variables by layer, messages sent by kind) of the samples taken since the last call."""
        count, layers = int(self.k[SAMPLES]), len(self.stack.judged)
        self.k[SAMPLES] = 0
        rows = self.net.sample[:count].tolist()
        times = self.net.sample_t[:count].tolist()
        return [(t, tuple(row[:layers]), row[layers:]) for t, row in zip(times, rows, strict=True)]

    # --- delivery books

    def expect(self, number: int) -> None:
        """Publications 1 … number exist from now on."""
        net = self.net
        if number >= len(net.book_t):
            more = {name: doubled(getattr(net, name), number + 1) for name in ("book_n", "book_t", "seen")}
            self.net = net._replace(**more)
        self.k[PUBLICATIONS] = number

    def book(self, number: int) -> tuple[int, int, float]:
        """Of a publication: messages, duplicates, when anything last happened to it (0.0: never)."""
        messages, duplicates = self.net.book_n[number].tolist()
        return messages, duplicates, float(self.net.book_t[number])

    def first_deliveries(self) -> list[tuple[int, int, float, int]]:
        """(publication, node, time, hops) of every first delivery, in order."""
        rows, times = self.net.log[: self.k[LOGGED]].tolist(), self.net.log_t[: self.k[LOGGED]].tolist()
        return [(number, v, t, hops) for (number, v, hops), t in zip(rows, times, strict=True)]

    def publication_sends(self) -> list[tuple[int, float, int, int, Any]]:
        """(publication, time, from, to, message) of every message that carried one, in order."""
        rows, times = self.net.sends[: self.k[SENT]].tolist(), self.net.sends_t[: self.k[SENT]].tolist()
        return [
            (row[0], t, row[1], row[2], self._message(row[3], row[4:]))
            for row, t in zip(rows, times, strict=True)
        ]

    def _message(self, kind: int, numbers: list[int]) -> Any:
        made = self.spec.messages[kind].type
        whole = numbers[: len(self.stack.fields[kind])]
        return made(*whole, ()) if self.listed[kind] else made(*whole)

    # --- the digest

    @property
    def value(self) -> str:
        """The digest over all full chunks; empty before the first."""
        found = self.net.hashing[folding.VALUE : folding.STATE]
        return found.astype("<u8").tobytes().decode() if found[0] else ""

    @value.setter
    def value(self, value: str) -> None:
        self.net.hashing[folding.VALUE : folding.STATE] = np.frombuffer(value.encode(), "<u8") if value else 0

    def settle(self) -> None:
        """Fold in all full chunks."""
        words, count = self.net.words, int(self.k[WORDS])
        full = count - count % CHUNK
        for start in range(0, full, CHUNK):
            self.value = _chained(self.value, words[start : start + CHUNK])
        words[: count - full] = words[full:count]
        self.k[WORDS] = count - full
        if len(words) < 2 * CHUNK + self.k[NEED_WORDS]:
            self.net = self.net._replace(words=doubled(words, 2 * CHUNK + int(self.k[NEED_WORDS])))

    def digest_hex(self) -> str:
        """The digest of everything so far, 16 hexadecimal digits."""
        self.settle()
        return _chained(self.value, self.net.words[: self.k[WORDS]])

    def record(self, entry: Record) -> None:
        """Fold a record that does not come from a message (a command) into the digest."""
        for x in entry:
            self.net.words[self.k[WORDS]] = int(x * 1e9) if isinstance(x, float) else x
            self.k[WORDS] += 1
        if self.k[WORDS] + self.k[NEED_WORDS] > len(self.net.words):
            self.settle()

    # --- the world changes between segments

    def listen(self, v: int) -> None:
        """Work out anew who hears v."""
        begin = self.links.offset[v]
        self.net.alive[v] = self.alive[v]
        for j, w in enumerate(self.peers[v]):
            self.net.link[begin + j, L_OPEN] = self.works[v][j] and self.alive[w]
        self.true = False

    def relisten(self, v: int) -> None:
        """The same for v and all its neighbours: v failed, came back, or a link of it changed."""
        self.listen(v)
        for w in self.peers[v]:
            self.listen(w)

    def set_loss(self, share: float, link: tuple[int, int] | None = None) -> None:
        """The chance that a receiver misses a frame: of every link, or of one, both ways."""
        if link is None:
            self.loss = [[share] * len(row) for row in self.peers]
            self.net.loss[:] = share
        else:
            for v, w in (link, link[::-1]):
                j = self.peers[v].index(w)
                self.loss[v][j] = share
                self.net.loss[self.links.offset[v] + j] = share
        self.k[LOSSY] = bool(self.net.loss.any())

    def inject(self, v: int, m: Any, slot: int = LOCAL) -> None:
        """Hand node v a message now: from its application, or as if heard at a slot."""
        if self.k[FREE] < self.k[NEED_LOCAL]:
            make_room(self)
        kind = self.kinds[type(m)]
        held = list(m[-1]) if self.listed[kind] else []
        self.allow(len(held))
        x = machine.start_local(self.net, v, kind, 0.0, len(held))
        self.fill_entry(x, slot, m, held)
        machine.push(self.net, x)

    def allow(self, size: int) -> None:
        """Lists of this many entries are about: made up by a fault, they may be longer than any that a node holds."""
        if size <= self.longest:
            return
        k, lists = self.k, self.net.local_list
        need = _room_for_lists(self.most, size)
        k[NEED_WORDS] += need - k[NEED_LIST]
        k[NEED_LIST], self.longest = need, size
        wider = np.zeros((len(lists), size + 1), np.int64)
        wider[:, : lists.shape[1]] = lists
        held = longer(self.net.lists, int(k[LISTS]) + size + 1)
        self.net = self.net._replace(local_list=wider, lists=held)
        if k[WORDS] + k[NEED_WORDS] > len(self.net.words):
            self.settle()

    def fill_entry(self, x: int, slot: int, m: Any, held: list[int]) -> None:
        row = self.net.local[x - self.k[TIMERS]]
        row[E_SLOT] = slot
        whole = list(m[:-1]) if self.listed[int(row[E_KIND])] else list(m)
        row[E_SIZE + 1 : E_SIZE + 1 + len(whole)] = whole
        self.net.local_list[x - self.k[TIMERS], : len(held)] = held

    # --- the medium that frames share

    def _laid_out(self, given: Medium, room: int) -> dict[str, Any]:
        """The arrays of `engine.compiled.airborne`, nothing under way; `room` frames."""
        return {
            "radio": np.array(given.radio),
            "mac": np.array(given.mac, np.int64),
            "steps": np.array(given.steps, np.float64),
            "hazards": np.array(given.hazards),
            "decay": np.array(given.decay),
            "fades": np.array(given.fades),
            "fade_base": np.array([stream_base(self.seed, "fading")], np.uint64),
            "flight": np.zeros((room, airborne.FRAME), np.int64),
            "began": np.zeros(room),
            "queue": np.tile(np.array([NONE, NONE, 0], np.int64), (self.n, 1)),
            "tx": np.zeros(2 * self.n + 16, np.int64),
            "tx_t": np.zeros((2 * self.n + 16, 2)),
            **self._signals(given.gain),
        }

    def _signals(self, gain: list[list[tuple[int, float]]]) -> dict[str, Any]:
        """Who hears whom how loud; nothing known of fading yet."""
        heard = [dict(gain[v]) if v < len(gain) else {} for v in range(self.n)]
        links = len(self.links.near)
        return {
            "far_at": arrays.ends(np.array([len(row) for row in heard], np.int64)),
            "far": np.array([w for row in heard for w in row], np.int64),
            "far_level": np.array([mw for row in heard for mw in row.values()], np.float64),
            "mean": np.array(
                [heard[v].get(w, 0.0) for v in range(self.n) for w in self.peers[v]], np.float64
            ),
            "level": np.zeros(links),
            "hazard": np.zeros(links),
            "stamp": np.full(links, NONE, np.int64),
        }

    def retune(self, medium: Medium) -> None:
        """The network has changed, and with it the signals."""
        self.medium = medium
        self.net = self.net._replace(**self._signals(medium.gain))

    def hush(self, v: int) -> None:
        """Node v fails: what it had to send dies with it."""
        if self.medium is not None:
            hush(_Hands(self), v)

    def reset_node(self, v: int) -> None:
        """Node v forgets everything but its inputs, as after power-on."""
        arrays.reset_node(self.held, self.env, v)

    def corrupt(self, stream: Any, nodes: list[int], **which: Any) -> None:
        """As `engine.core.storage.corrupt`."""
        arrays.corrupt(self.spec, self.held, self.env, self.links, stream, nodes, **which)

    # --- there and back

    def columns(self) -> dict[str, list[Any]]:
        """`layer.field` -> nested lists, as `engine.core.storage.plain` gives them."""
        return {f"{c.layer}.{c.field.name}": c.table().lists() for c in self.held}

    def thaw(self) -> Simulator:
        """The interpreted engine in exactly this state."""
        env = self.env
        sim = Simulator(
            self.spec,
            self.peers,
            self.given_par,
            root=env.root,
            channels=env.channels,
            seed=self.seed,
            delay_s=self.delay_s,
            medium=self.medium,
        )
        checkpoint.load(sim, exchange.saved(self))
        sim.observing = self.observing
        return sim

    def add_node(self) -> int:
        """A new node, the last in node order, with no links yet; returns its index."""
        sim = self.thaw()
        v = sim.add_node()
        exchange.adopt(self, sim)
        return v

    def add_link(self, v: int, w: int, loss: float) -> None:
        """A new radio link; slots stay in node order."""
        sim = self.thaw()
        sim.add_link(v, w, loss)
        exchange.adopt(self, sim)


class _Hands:
    """`net` for the parts of the medium that run between segments."""

    def __init__(self, sim: CompiledSimulator) -> None:
        self._sim, self.queue, self.flight = sim, sim.net.queue, sim.net.flight

    def release(self, x: int) -> None:
        """Frame x is over."""
        airborne.release(self._sim.net, x)


def _room_for_lists(most: int, longest: int) -> int:
    """Entries that two rules may send in lists: some to everybody, or one to each of `most` neighbours if those are few."""
    return max(16 * longest + 512, min(2 * most * longest, 1 << 16))


def _power_of_two(size: int) -> int:
    return 1 << max(0, size - 1).bit_length()


def _chained(value: str, words: NDArray[np.int64]) -> str:
    """`engine.core.trace.chained`, on an array."""
    digest = blake2b(value.encode(), digest_size=8)
    digest.update((words if sys.byteorder == "little" else words.byteswap()).data)
    return digest.hexdigest()
