"""A scenario on stage: the simulator, its living network, and the books kept from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.core.declare import NONE, Input, ProtocolSpec, fields
from engine.core.medium import Medium
from engine.core.simulator import Simulator
from engine.oracle.delivery import Deliveries
from engine.oracle.legitimacy import Judge
from engine.oracle.structure import Truth, structure
from engine.play.bursts import Burst
from engine.play.living import Living
from engine.world.radio import AnyRadio, IdealRadio, at_once, medium_of


class Scene:
    """What commands act on and readers look at."""

    compiled = False

    def __init__(
        self,
        spec: ProtocolSpec,
        living: Living,
        par: Any,
        *,
        root: int,
        channels: int,
        seed: int,
        radio: AnyRadio,
    ) -> None:
        self.spec, self.living, self.seed = spec, living, seed
        self.par, self.radio = par, radio
        self.sim = self._simulator(
            spec,
            living.peers(),
            par,
            root=root,
            channels=channels,
            seed=seed,
            delay_s=getattr(radio, "delay_s", 0.0),
            loss=radio.loss,
            medium=self.medium(),
        )
        self.base_loss = radio.loss
        self.link_loss: dict[tuple[int, int], float] = {}  # where it differs, by link
        self.bursts: dict[int, Burst] = {}  # by the event that began it
        self.cut: set[tuple[int, int]] = set()  # directed links that a command failed
        self.channels: list[str] = []
        self.wants = [0] * len(living.ids)  # what the applications asked for, bit c for channel c
        self.judge = Judge(spec)
        carriers = {
            k
            for k, m in enumerate(spec.messages)
            if m.shape == "publication" and "publication" in m.type.__annotations__
        }
        self.deliveries = Deliveries(carriers)
        self.corrupted: set[int] = set()  # by a fault, and still wrong
        self._slots: list[
            tuple[int, int, int, int]
        ] = []  # of links: first node, its slot, second node, its slot
        self._slots_epoch = 0
        inputs = [
            (layer.key, f) for layer in spec.layers for f in fields(layer.state) if isinstance(f.kind, Input)
        ]
        self._degrees = [key for key, f in inputs if f.name == "degree" and not f.axes]
        self._peers = [key for key, f in inputs if f.name == "peer" and f.axes == ("slot",)]
        self._kinds = {
            f"{layer.key}.{f.name}": f.kind.name for layer in spec.layers for f in fields(layer.state)
        }
        # Which links are good enough, by a real radio or by their quality, is the neighbourhood's to say: the layers above
        # are judged by those.
        weighed = not isinstance(radio, IdealRadio) or getattr(par, "quality_in", 0.0) > 0.0
        self.by_use = weighed and "hood.up" in spec.overlays.get("neighbourhood", {}).values()
        self._used: list[list[bool]] = []
        self._up: list[list[int]] = []  # what the used links follow from
        self._works: list[list[bool]] = []
        self.sync_all_inputs()

    def _simulator(self, *args: Any, **given: Any) -> Any:
        """The engine that plays it."""
        return Simulator(*args, **given)

    def medium(self) -> Medium | None:
        """What frames travel through now; None: straight to whoever is linked, all in the same time."""
        if at_once(self.radio):
            return None
        living = self.living
        return medium_of(self.radio, self.seed, living.peers(), (living.x, living.y, living.z))

    def retune(self) -> None:
        """Nodes or links are new, or elsewhere."""
        if (medium := self.medium()) is not None:
            self.sim.retune(medium)

    def sync_inputs(self, v: int) -> None:
        """Tell node v's layers whom its radio can reach."""
        st, peers = self.sim.st, self.sim.peers[v]
        for key in self._degrees:
            getattr(st, key).degree[v] = len(peers)
        for key in self._peers:
            getattr(st, key).peer[v][:] = peers

    def sync_all_inputs(self) -> None:
        """The same for all nodes."""
        for v in range(self.sim.n):
            self.sync_inputs(v)

    def overlay(self, name: str, part: str) -> list[Any] | None:
        """The column that is drawn as this part of an overlay; None if the protocol has no such thing."""
        path = self.spec.overlays.get(name, {}).get(part)
        if path is None:
            return None
        key, field = path.split(".")
        column: list[Any] = getattr(getattr(self.sim.st, key), field)
        return column

    def truth(self) -> Truth:
        """The legitimate structure right now."""
        sim = self.sim
        return self.judge.look(sim.st, sim.peers, self._counted(), sim.alive)

    def _counted(self) -> list[list[bool]]:
        """The links that the truth is about: those that work, or those of them that both ends use."""
        sim = self.sim
        if not self.by_use:
            works: list[list[bool]] = sim.works
            return works
        up = sim.st.hood.up
        if up == self._up and sim.works == self._works:
            return self._used
        self._up, self._works = [row[:] for row in up], [row[:] for row in sim.works]
        used = [
            [bool(x and a and up[w][i]) for x, a, w, i in zip(*row, strict=True)]
            for row in zip(sim.works, up, sim.peers, sim.back, strict=True)
        ]
        if used != self._used:
            self._used = used
            self.judge.world_changed()
        return used

    def part(self) -> list[int]:
        """Per node: its connected part, 0 the largest; NONE if it failed."""
        if not self.by_use:
            return self.truth().part
        sim = self.sim
        return structure(sim.peers, sim.works, sim.alive, root=NONE, most_neighbours=sim.n).part

    def world_changed(self) -> None:
        """A node or link failed, came back or is new."""
        self.judge.world_changed()

    def run(self, until: float, budget: int | None = None) -> bool:
        """Play to `until`; False if the budget ran out."""
        done: bool = self.sim.run(until, budget)
        return done

    def next_sample(self, due: float) -> float:
        """When playing must stop for the judge: when a sample is due, or never if they are taken on the way."""
        return due

    def taken(self) -> list[tuple[float, tuple[int, ...], list[int]]]:
        """Samples that were taken on the way since the last call: time, wrong variables, messages sent by then."""
        return []

    def judged(self) -> tuple[int, ...]:
        """The wrong variables of each judged layer right now."""
        sim = self.sim
        return tuple(self.judge.judge(sim.st, sim.peers, self._counted(), sim.alive))

    def expect(self, v: int, channel: int, data: str | None, expected: set[int], number: int) -> None:
        """Publication `number` is about to be published by v: open its book."""
        self.deliveries.published(self.sim.now, v, channel, data, expected, number)

    def reshape(self, change: Callable[[Simulator], None]) -> None:
        """Change the interpreted engine's own data."""
        change(self.sim)

    def books(self) -> Deliveries:
        """What has become of every publication so far."""
        return self.deliveries

    def digest(self) -> str:
        """Hash over every record so far, 16 hexadecimal digits."""
        found: str = self.sim.digest.hex()
        return found

    def seen(self) -> Scene:
        """The scene for readers: every view works on it."""
        return self

    def channel(self, name: str) -> int:
        """The number of a channel; a new name takes the next (there is room: documents and commands are checked)."""
        if name not in self.channels:
            self.channels.append(name)
        return self.channels.index(name)

    def refresh_link(self, a: int, b: int) -> None:
        """Set whether the link works, each way, and who hears whom."""
        sim, near = self.sim, self.living.in_reach(a, b)
        for v, w in ((a, b), (b, a)):
            sim.works[v][sim.peers[v].index(w)] = near and (v, w) not in self.cut
        sim.listen(a)
        sim.listen(b)
        self.judge.world_changed()

    def link_bytes(self) -> bytes:
        """A byte a link, bits: 0 works onwards, 1 works back, 2 second accepts first, 3 first accepts second."""
        sim, living = self.sim, self.living
        if self._slots_epoch != living.epoch:
            peers = sim.peers
            self._slots = [(a, peers[a].index(b), b, peers[b].index(a)) for a, b in living.links]
            self._slots_epoch = living.epoch
        alive, works = sim.alive, sim.works
        up = self.overlay("neighbourhood", "up")
        if up is None:
            up = works  # without a neighbourhood every link is used
        return bytes(
            (alive[a] and alive[b]) * (works[a][j] | works[b][i] << 1)
            | (up[b][i] & 1) << 2
            | (up[a][j] & 1) << 3
            for a, j, b, i in self._slots
        )

    def parent(self, v: int) -> int:
        """The node that v takes as its parent, or NONE."""
        column = self.overlay("tree", "parent")
        if column is None:
            return NONE
        parent: int = column[v]
        if self._kinds[self.spec.overlays["tree"]["parent"]] == "node":
            return parent if 0 <= parent < self.sim.n else NONE
        return self.sim.peers[v][parent] if 0 <= parent < len(self.sim.peers[v]) else NONE
