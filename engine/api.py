"""Run a scenario: step it, command it, look at it, keep it.

    run = Run(load_scenario(text))
    run.advance(scenario.duration_s)
    run.report()

A run is a function of its document: the events in it, by (time, place in the document), and the seed. What a workload or a
storm stands for is worked out from these. A live command is appended to the document with the present time, so what was
clicked replays exactly.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from itertools import compress
from math import ceil
from typing import Any

from engine import ENGINE_VERSION
from engine.core.declare import NONE, ProtocolSpec
from engine.core.errors import OutsideSubset, ScenarioError
from engine.core.simulator import JITTER
from engine.core.trace import DELIVER, SEND, Record
from engine.oracle.delivery import Publication
from engine.oracle.repairs import Repairs
from engine.oracle.structure import limited
from engine.play import commands, keeping, views
from engine.play.living import Living
from engine.play.quality import link_qualities, quality_by_link
from engine.play.scene import Scene
from engine.registry import as_tuple, parameters, protocol, warnings
from engine.world.network import Network, central_node, levels
from engine.world.radio import IdealRadio, LogDistance, audible_by, heard_network
from engine.world.scenario import Scenario, as_document, load_event, load_scenario
from engine.world.schedule import Command, Schedule, check_events
from engine.world.topology import build_network

SAMPLE_S = 0.1  # how often legitimacy is judged, up to NODES_PER_SAMPLE nodes; in proportion less often above
SHARED_SAMPLE_S = 0.5  # the same under a real radio, where little settles faster and the truth keeps moving
NODES_PER_SAMPLE = 400
WORTH_COMPILING = 300_000  # events; below this the interpreted engine has ended before the code is loaded
CHANNELS = 8  # room for them, where the protocol has no parameter for that
HARMLESS = ("publish", "storm")  # commands that by themselves make no variable wrong


class Run:
    """One run of a scenario.

    `trace`: which messages leave records for `drain`: none, those of publications, or all. The digest covers all of them
    in any case. `engine`: interpreted (traces, single steps), compiled (many times faster, no records to drain), or auto:
    compiled where the protocol can be and the run is long enough to make up for loading the code. `compiling` is told the
    protocol's title when its code must be compiled first, which takes some seconds, once a machine. Not `drawn`: nodes
    without a place get none, for runs that nobody looks at. Raises ScenarioError for a document that cannot be played, and
    OutsideSubset for a protocol that `compiled` cannot play.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        trace: str = "publications",
        engine: str = "interpreted",
        compiling: Callable[[str], None] | None = None,
        drawn: bool = True,
    ) -> None:
        self.scenario = scenario
        self._engine, self._compiling = engine, compiling
        spec = protocol(scenario.protocol.name)
        radio = scenario.radio
        network = build_network(
            scenario.topology, scenario.seed, drawn=drawn or isinstance(radio, LogDistance)
        )
        network = heard_network(radio, scenario.seed, network)
        check_events(scenario, network)
        for k, event in enumerate(scenario.events):
            commands.fits(spec, event, f"events[{k}]")
        _check_workload(scenario, spec)
        values = parameters(spec, scenario.protocol.params, network.ids)
        self.root = NONE
        if "root" in values and values.get("leader") != "smallest":
            self.root = network.places[values["root"]] if values["root"] else central_node(network)
        if values.get("max_depth") == 0:
            values["max_depth"] = _deepest(network, self.root, values.get("max_neighbours", network.n))
        self._room = values.get("channels", CHANNELS if spec.services else 0)
        self.params = values
        self._quality = quality_by_link(network)
        z = None if network.z is None else list(network.z)
        self.network = Living(
            list(network.ids),
            list(network.names),
            list(network.x),
            list(network.y),
            list(network.links),
            network.range_m,
            z,
            audible_by(radio, scenario.seed),
        )
        at_least = SAMPLE_S if isinstance(radio, IdealRadio) else SHARED_SAMPLE_S
        self.sample_s = at_least * max(1, ceil(len(network.ids) / NODES_PER_SAMPLE))
        self.scene = self._stage(spec, values)
        _check_channels(scenario, self._room)
        self._schedule = Schedule(scenario, network)
        self._ticks = 0  # samples due so far on the regular grid
        self.samples: list[tuple[float, tuple[int, ...]]] = []
        self.since: list[float | None] = [None] * len(self.layers)
        self.last_send: dict[int, tuple[int, int]] = {}  # node: (publication, position it left from)
        self.repairs = Repairs(len(self.layers), len(spec.messages))
        self.applied: list[int] = []  # commands that have taken effect, in order: see `event`
        self._records: list[Record] = []
        self._round_end = 0.0
        self.watch(trace)

    def _stage(self, spec: ProtocolSpec, values: dict[str, Any]) -> Scene:
        stage: Callable[..., Scene] = Scene
        if self._engine == "compiled":
            stage = self._headless
        elif self._engine == "auto" and spec.compiled and self._worth_compiling(spec):
            stage = self._headless_if_possible
        return stage(
            spec,
            self.network,
            as_tuple(spec, values),
            root=self.root,
            channels=self._room,
            seed=self.scenario.seed,
            radio=self.scenario.radio,
        )

    def _headless(self, *args: Any, **given: Any) -> Scene:
        """A scene on the compiled engine. Raises OutsideSubset."""
        from engine.play.headless import Headless  # numba takes half a second to import: for those who use it

        return Headless(*args, **given, sample_s=self.sample_s, compiling=self._compiling)

    def _headless_if_possible(self, *args: Any, **given: Any) -> Scene:
        try:
            return self._headless(*args, **given)
        except OutsideSubset:
            return Scene(*args, **given)

    def _worth_compiling(self, spec: ProtocolSpec) -> bool:
        """Whether the run is long: by its timers, each of which makes a message to all neighbours."""
        often = sum(1.0 / self.params[name] for layer in spec.layers for name in layer.every.values())
        rate = often * (len(self.network.ids) + 2 * len(self.network.links))
        return bool(rate * self.scenario.duration_s > WORTH_COMPILING)

    # --- what it is

    @property
    def engine(self) -> str:
        """Which engine plays it: interpreted or compiled."""
        return "compiled" if self.scene.compiled else "interpreted"

    @property
    def protocol(self) -> ProtocolSpec:
        """The protocol that runs."""
        return self.scene.spec

    @property
    def now(self) -> float:
        """Virtual seconds."""
        now: float = self.scene.sim.now
        return now

    @property
    def events(self) -> int:
        """Engine events played: timers, arrivals, drops, commands to nodes."""
        events: int = self.scene.sim.events
        return events

    @property
    def digest(self) -> str:
        """Hash over every record so far, 16 hexadecimal digits."""
        return self.scene.digest()

    @property
    def channels(self) -> list[str]:
        """Channel names by number."""
        return self.scene.channels

    @property
    def layers(self) -> list[str]:
        """Names of the judged layers, bottom up."""
        return list(self.scene.judge.layers)

    @property
    def publications(self) -> list[Publication]:
        """All publications, the first first."""
        return self.scene.books().all

    @property
    def counts(self) -> dict[str, int]:
        """Messages sent, by name; a broadcast counts once."""
        named = zip(self.protocol.messages, self.scene.sim.counts, strict=True)
        return {m.name: count for m, count in named if m.shape != "local"}

    def tallies(self) -> dict[str, int]:
        """Sums over all publications; see `engine.batch.run_batch`."""
        return self.scene.books().tallies()

    @property
    def dropped(self) -> dict[str, int]:
        """Receivers that a message did not reach, by reason."""
        return views.dropped(self.scene)

    # --- time

    def advance(self, until: float, budget: int | None = None) -> bool:
        """Play to virtual time `until`; False if about `budget` engine events were played before that."""
        sim = self.scene.sim
        while True:
            due = self._schedule.due
            grid = self.scene.next_sample((self._ticks + 1) * self.sample_s)
            stop = min(until, grid, until if due is None else due)
            before = sim.events
            done = self.scene.run(stop, budget)
            self._collect()
            if not done:
                return False
            if budget is not None:
                budget = max(1, budget - (sim.events - before))
            if grid <= stop:  # before the commands of this moment, as it was before they were given
                self._ticks += 1
                self._sample()
            elif due is not None and due <= stop:
                self._apply(*self._schedule.pop())
            elif stop >= until:
                return True

    def step_event(self) -> bool:
        """Play exactly one engine event, after any command and sample that is due before it; False if none is left."""
        sim = self.scene.sim
        if self.scene.compiled:
            raise RuntimeError("the compiled engine plays no single events; go on with `interpreted()`")
        t = min((queue[0][0] for queue in (sim.agenda.near, sim.air) if queue), default=None)
        if t is None:
            return False
        while (due := self._schedule.due) is not None and due < t:
            self.advance(due)
        while (self._ticks + 1) * self.sample_s < t:
            self.advance((self._ticks + 1) * self.sample_s)
        played: bool = sim.step()
        self._collect()
        return played

    def step_round(self, budget: int | None = None) -> bool:
        """Play one asynchronous round: every timer of every live node fires at least once.

        Timers of layers that serve applications, such as leases, do not count, unless there are no others.
        False if the budget ran out before its end; call again to go on with the same round.
        """
        if self._round_end <= self.now:
            self._round_end = self.now + self.round_s
        return self.advance(self._round_end, budget)

    @property
    def round_s(self) -> float:
        """The time in which an asynchronous round is sure to be over (s)."""
        layers, par = self.protocol.layers, self.scene.sim.st.par
        asked = {m.type for m in self.protocol.messages if m.shape == "local"}
        below = [x for x in layers if not asked & x.on.keys() and x.every] or layers
        longest = max((float(getattr(par, name)) for x in below for name in x.every.values()), default=1.0)
        return (1 + JITTER) * longest

    def _apply(self, index: int, event: Command) -> None:
        commands.apply(self.scene, index, event)
        self.applied.append(index)
        if event.do not in HARMLESS:
            self.repairs.fault(self.now, event.do, self.scene.sim.counts)
        self.scene.run(self.now)  # what the command started at this very moment
        self._collect()
        self._sample()

    def command(self, document: dict[str, Any]) -> int:
        """Check a command, let it take effect now, append it to the document; its index there.

        Raises ScenarioError; the run is then as before.
        """
        index = len(self.scenario.events)
        self.advance(self.now)  # what is left of this moment comes first, also when the document is replayed
        event = load_event({**document, "t": self.now})
        self._schedule.roster.check(event, "event")
        commands.fits(self.protocol, event, "event")
        self._refuse(event)
        grown = self.scenario.with_event(event)
        try:
            _check_channels(grown, self._room)  # also those that the rest of the document will need
            self._schedule.take(index, event)
            self._apply(index, event)
        except ScenarioError as error:
            path = error.path.replace(f"events[{index}]", "event", 1)
            raise ScenarioError(path, error.value, error.allowed, error.problem) from None
        self.scenario = grown
        return index

    def _refuse(self, event: Any) -> None:
        """What a reader would not expect to be ignored. Raises ScenarioError."""
        application = event.do in ("subscribe", "unsubscribe", "publish")
        if application and not self.scene.sim.alive[self.network.index(event.node)]:
            raise ScenarioError(
                "event.node", event.node, "a node that works; restore it first", "this node has failed"
            )

    def event(self, index: int) -> tuple[int | None, Command]:
        """A command by its index: the event of the document that it belongs to (None: the workload), and itself.

        Those of the document are their own; -1 - k is the k-th that was written out of the workload, a storm or a burst.
        """
        if index >= 0:
            return index, self.scenario.events[index]
        written = self._schedule.written[-1 - index]
        return written.of, written.event

    def last_fault_s(self, until: float) -> float:
        """When the document's last fault up to `until` happens; 0: it has none. Nothing is played."""
        schedule, last = Schedule(self.scenario, self._schedule.roster.network), 0.0
        while schedule.due is not None and schedule.due <= until:
            _, event = schedule.pop()
            last = last if event.do in HARMLESS else event.t
        return last

    # --- the judge

    def _sample(self) -> None:
        self._note(self.now, self.scene.judged(), self.scene.sim.counts)
        bits = self.scene.judge.bits
        self.scene.corrupted = {v for v in self.scene.corrupted if bits[v]}

    def _note(self, t: float, wrong: tuple[int, ...], counts: list[int]) -> None:
        self.samples.append((t, wrong))
        self.repairs.note(t, wrong, counts)
        for k, count in enumerate(wrong):
            if count:
                self.since[k] = None
            elif self.since[k] is None:
                self.since[k] = t

    def wrong_bits(self) -> list[int]:
        """Per node: bit k if layer k had wrong variables there at the latest sample."""
        bits = self.scene.judge.bits
        return bits + [0] * (self.scene.sim.n - len(bits))

    # --- records

    def watch(self, trace: str) -> None:
        """Choose whose records `drain` hands out from now on: none, publications, all, or comma-separated message names."""
        messages = self.protocol.messages
        names = {m.name for m in messages} if trace == "all" else set(trace.split(","))
        self.scene.sim.watched = [m.shape == "publication" or m.name in names for m in messages]
        self._keep = trace

    def _collect(self) -> None:
        """Take the new records: the delivery books read them first."""
        for t, wrong, counts in self.scene.taken():
            self._ticks += 1
            self._note(t, wrong, counts)
        sim = self.scene.sim
        if not sim.trace:
            return
        deliveries = self.scene.deliveries
        for record in sim.trace:
            if record[0] == SEND or record[0] == DELIVER:
                deliveries.feed(record)
                if record[0] == SEND and record[6] in deliveries.kinds:
                    left_from = getattr(record[7], "from_pos", NONE)
                    self.last_send[record[4]] = (record[7].publication, left_from)
        if self._keep != "none":
            self._records += sim.trace
        sim.trace.clear()

    def drain(self) -> list[Record]:
        """The records since the last call, in order (see engine.core.trace)."""
        records, self._records = self._records, []
        return records

    def receivers(self, v: int, kind: int) -> list[int]:
        """Whom a broadcast of v is meant for and can reach: tree neighbours for a message that spreads over the tree."""
        return views.receivers(self.scene.seen(), v, kind)

    # --- looking

    def alive(self, v: int) -> bool:
        """Whether node v works."""
        works: bool = self.scene.sim.alive[v]
        return works

    def parts(self) -> list[int]:
        """Per node: its connected part, 0 the largest; -1 if it failed."""
        return self.scene.part()

    def link_byte(self, k: int) -> int:
        """The state of link k in bits, see docs/wire.md."""
        return self.link_bytes()[k]

    def link_bytes(self) -> bytes:
        """The state of every link, a byte each."""
        return self.scene.seen().link_bytes()

    def node_columns(self) -> dict[str, list[int]]:
        """The node columns of the wire, by name."""
        return views.node_columns(self.scene.seen(), self.wrong_bits())

    def positions(self) -> list[list[int]]:
        """Per node: its own ring positions as it believes."""
        return views.positions(self.scene.seen())

    def link_quality(self) -> list[tuple[float, float]]:
        """Per link the share of frames that get through in silence, there and back (0…1, 0: not known); empty: of none."""
        return link_qualities(self.scenario.radio, self.scenario.seed, self.network, self._quality)

    def inspect(self, v: int, channel: str | None = None) -> dict[str, Any]:
        """What node v knows, layer by layer, with what is wrong about it; see docs/wire.md."""
        return views.inspect(self.scene.seen(), v, channel, self.last_send.get(v))

    def warnings(self) -> list[str]:
        """What the parameters do, by themselves or to this network as it is now, that one might not expect: in words."""
        return warnings(self.protocol, self.params) + views.warnings(self.scene.seen())

    def report(self) -> dict[str, Any]:
        """The run report of the contract: what was sent, who got what, how legitimate each layer is."""
        scene = self.scene.seen()
        latest = self.samples[-1][1] if self.samples else (0,) * len(self.layers)
        return {
            "engine": ENGINE_VERSION,
            "scenario": as_document(self.scenario),
            "end_s": round(self.now, 9),
            "digest": self.digest,
            "events": self.events,
            "messages": self.counts,
            "dropped": self.dropped,
            "publications": [views.publication(scene, p) for p in scene.deliveries.all],
            "legitimacy": {
                name: {"wrong": wrong, "since_s": None if since is None else round(since, 9)}
                for name, wrong, since in zip(self.layers, latest, self.since, strict=True)
            },
            "stabilisation": {
                "round_s": self.round_s,
                "faults": views.faults(scene, self.repairs, self.round_s),
            },
            "written_out": [
                {"of": x.of, "event": x.event.model_dump(mode="json", by_alias=True, exclude_none=True)}
                for x in self._schedule.written
            ],
            "parts": views.parts(scene),
            "warnings": self.warnings(),
            "ring": views.ring(scene),
        }

    # --- keeping

    def snapshot(self) -> dict[str, Any]:
        """The whole run as plain data; `resume` goes on from it exactly."""
        copied: dict[str, Any] = marshal.loads(self.kept())
        return copied

    def kept(self) -> bytes:
        """The same as `marshal` bytes, for this process only: quicker to make, and far smaller in memory."""
        state = {
            "engine": ENGINE_VERSION,
            "scenario": as_document(self.scenario),
            "scene": keeping.save(self.scene.seen()),
            "ticks": self._ticks,
            "samples": [[t, list(wrong)] for t, wrong in self.samples],
            "since": list(self.since),
            "last_send": [[v, number, p] for v, (number, p) in self.last_send.items()],
            "applied": list(self.applied),
            "repairs": self.repairs.as_plain(),
        }
        return marshal.dumps(state)

    def interpreted(self, *, trace: str = "publications") -> Run:
        """A run on the interpreted engine that goes on exactly from here."""
        return Run.resume(self.snapshot(), trace=trace)

    @staticmethod
    def can_resume(snapshot: dict[str, Any]) -> bool:
        """Whether this engine wrote it."""
        return snapshot.get("engine") == ENGINE_VERSION

    @classmethod
    def resume(cls, snapshot: dict[str, Any], *, trace: str = "publications") -> Run:
        """The run that `snapshot` kept."""
        run = cls(load_scenario(snapshot["scenario"]), trace=trace)
        run.applied = [run._schedule.pop()[0] for _ in snapshot["applied"]]
        if run.applied != snapshot["applied"]:
            raise ValueError("the snapshot's commands are not those of its document")
        run.network = keeping.network(snapshot["scene"], run.network.audible)
        run.scene = run._stage(run.protocol, run.params)
        keeping.load(run.scene, snapshot["scene"])
        run._ticks = snapshot["ticks"]
        run.samples = [(t, tuple(wrong)) for t, wrong in snapshot["samples"]]
        run.since = list(snapshot["since"])
        run.repairs.fill(snapshot["repairs"])
        run.last_send = {v: (number, p) for v, number, p in snapshot["last_send"]}
        run.watch(trace)
        return run


def _deepest(network: Network, root: int, most_neighbours: int) -> int:
    """The default of `max_depth`: twice the depth of the legitimate tree, plus 8."""
    near = network.adjacency
    if any(len(row) > most_neighbours for row in near):
        chosen = limited(near, [[1] * len(row) for row in near], most_neighbours)
        near = tuple(tuple(compress(*pair)) for pair in zip(near, chosen, strict=True))
    depth, seen = 0, set[int]()
    for top in range(network.n) if root == NONE else (root, *range(network.n)):
        if top not in seen:
            for hops, level in enumerate(levels(top, near)):
                depth = max(depth, hops)
                seen |= level
    return 2 * depth + 8


def _check_workload(scenario: Scenario, spec: ProtocolSpec) -> None:
    if scenario.workload is not None and not {"subscribe", "unsubscribe", "publish"} <= spec.services.keys():
        allowed = f"no workload with protocol {spec.name}, or another protocol"
        raise ScenarioError("workload", "a workload", allowed, f"{spec.title} serves no applications")


def _check_channels(scenario: Scenario, room: int) -> None:
    names = [] if scenario.workload is None else scenario.workload.names
    if len(names) > room:
        allowed = f"at most {room}, or a larger protocol.params.channels"
        raise ScenarioError("workload.channels", len(names), allowed, "too many channels")
    for k, event in enumerate(scenario.events):
        name = getattr(event, "channel", None)
        if name is not None and name not in names:
            names.append(name)
            if len(names) > room:
                allowed = f"at most {room} channels, or a larger protocol.params.channels"
                raise ScenarioError(f"events[{k}].channel", name, allowed, "too many channels")
