"""A scene on the compiled engine: commands act on it as on any other, the judge samples on the way, and readers look at an
interpreted twin in the same state.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Any

from engine.compiled import exchange
from engine.compiled.seen import Seen
from engine.compiled.simulator import CompiledSimulator
from engine.core.simulator import Simulator
from engine.oracle.delivery import Deliveries
from engine.play.scene import Scene


class Headless(Scene):
    """Arguments as for `Scene`; `sample_s`: how often the judge samples. Raises OutsideSubset."""

    compiled = True

    def __init__(
        self, *args: Any, sample_s: float, compiling: Callable[[str], None] | None = None, **given: Any
    ) -> None:
        self._compiling, self._given = compiling, given
        super().__init__(*args, **given)
        self._in_kernel = bool(self.judge.layers) and self.sim.judges(self.judge.layers, sample_s)
        if self._in_kernel:
            self.sim.known()  # compiles it, as the loop has been
        self._on_the_way = self._in_kernel and not self.by_use  # else the truth may be new at every sample
        self.sim.by_use = self.by_use
        self._twin: Scene | None = None
        # Where no kernel judges: what was seen, the verdict, and the truth that it was held against.
        self._judging, self._wrong, self._against = Seen(self.sim), tuple[int, ...](), self.judge.truth

    def _simulator(self, *args: Any, **given: Any) -> Any:
        sim = CompiledSimulator(*args, **given)
        if self._compiling is not None and sim.stack.cold:
            self._compiling(sim.spec.title)
        sim.run(-1.0)  # nothing yet: compiles, or tells that it cannot
        return sim

    def sync_all_inputs(self) -> None:
        st, links = self.sim.st, self.sim.links
        for key in self._degrees:
            getattr(st, key).degree.data[:] = links.degree
        for key in self._peers:
            getattr(st, key).peer.data[:] = links.near

    # --- playing

    def run(self, until: float, budget: int | None = None) -> bool:
        self._twin = None
        self.sim.net.still[:] = 1
        done: bool = self.sim.run(until, budget, sample_until=until if self._on_the_way else -inf)
        return done

    def next_sample(self, due: float) -> float:
        return inf if self._on_the_way else due

    def taken(self) -> list[tuple[float, tuple[int, ...], list[int]]]:
        if not self._on_the_way:
            return []
        found: list[tuple[float, tuple[int, ...], list[int]]] = self.sim.take_samples()
        if found:
            net = self.sim.net
            self.judge.bits = net.bits.tolist()
            self.corrupted = {v for v in self.corrupted if net.still[v]}
        return found

    def judged(self) -> tuple[int, ...]:
        if self._in_kernel:
            wrong: tuple[int, ...] = self.sim.judged_now()
            self.judge.bits = self.sim.net.bits.tolist()
            return wrong
        sim, counted = self.sim, self._counted()
        self._twin = None
        if self._judging.changed() or self.judge.truth is not self._against:
            state = self._judging.state()
            self._wrong = tuple(self.judge.judge(state, sim.peers, counted, sim.alive))
            self._against = self.judge.truth
        return self._wrong

    def _counted(self) -> list[list[bool]]:
        sim = self.sim
        if not self.by_use:
            works: list[list[bool]] = sim.works
            return works
        flat = (sim.counted() != 0).tolist()
        used = [flat[a:b] for a, b in pairwise(sim.links.offset.tolist())]
        if used != self._used:
            self._used = used
            self.judge.world_changed()
        return used

    # --- commands

    def part(self) -> list[int]:
        if self.by_use:
            return super().part()
        found: list[int] = self.sim.known().part.tolist()
        return found

    def world_changed(self) -> None:
        super().world_changed()
        self.sim.true = False

    def expect(self, v: int, channel: int, data: str | None, expected: set[int], number: int) -> None:
        super().expect(v, channel, data, expected, number)
        self.sim.expect(number)

    def reshape(self, change: Callable[[Simulator], None]) -> None:
        sim = self.sim.thaw()
        change(sim)
        exchange.adopt(self.sim, sim)

    # --- looking

    def digest(self) -> str:
        found: str = self.sim.digest_hex()
        return found

    def seen(self) -> Scene:
        if self._twin is None:
            twin = Scene(self.spec, self.living, self.par, **self._given)
            twin.sim = self.sim.thaw()
            twin.base_loss, twin.cut, twin.channels = self.base_loss, set(self.cut), list(self.channels)
            twin.link_loss, twin.bursts = dict(self.link_loss), dict(self.bursts)
            twin.wants, twin.corrupted = list(self.wants), set(self.corrupted)
            twin.truth()
            twin.judge.bits = list(self.judge.bits)
            twin.deliveries = self.books()
            self._twin = twin
        return self._twin

    def books(self) -> Deliveries:
        """As the interpreted engine's records would have told."""
        found = Deliveries(self.deliveries.kinds)
        for p in self.deliveries.all:
            entry = found.published(p.t, p.node, p.channel, p.data, p.expected, p.number)
            entry.messages, entry.duplicates, last = self.sim.book(p.number)
            entry.last = last or p.t
        for number, v, t, hops in self.sim.first_deliveries():
            found.all[number - 1].delivered[v] = (t, hops)
        for number, t, v, w, m in self.sim.publication_sends():
            found.all[number - 1].sends.append((t, v, w, m))
        for seq, (number, hops) in exchange.carried(self.sim).items():
            found.all[number - 1].hops[seq] = hops
        return found
