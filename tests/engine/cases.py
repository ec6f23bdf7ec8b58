"""Random scenarios by number, and whether both engines play one alike.

    python -m tests.engine.cases 0 2000        every number from 0 to 1999; prints those that differ

A case is a document (any kind of network, odd parameters, every kind of event), a time in the middle to look at, and a live
command given then. The same number is the same case on every machine.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from math import log10
from random import Random
from typing import Any

from pydantic import TypeAdapter

from engine.api import Run
from engine.core.declare import Input, Kind, ProtocolSpec, Seconds, fields
from engine.core.errors import ScenarioError
from engine.registry import protocol, protocols
from engine.world.network import Network
from engine.world.radio import ORDERS, Radio, heard_network
from engine.world.roster import Roster
from engine.world.scenario import load_event, load_scenario, load_topology
from engine.world.topology import build_network

MOST_EVENTS = 60_000  # of the engine; a case that floods is cut short there
FEW = 100  # numbers below it need few stacks compiled: of all protocols, but on a shared medium PSVR's alone
CHECKED = range(
    100, 130
)  # only PSVR's, on an ideal radio: played with every index checked, which is other code
KINDS = (
    "subscribe", "unsubscribe", "publish", "publish", "fail-node", "restore-node", "fail-link", "restore-link",
    "partition", "restore-all", "set-loss", "move-node", "add-node", "corrupt", "corrupt", "corrupt-messages",
    "inject",
)  # fmt: skip

Document = dict[str, Any]


# --- making one


def topology(r: Random) -> Document:
    """Any kind of network, of 1 to 60 nodes, most of them small; some in several parts."""
    n = r.choice([r.randint(1, 8), r.randint(2, 20), r.randint(2, 60)])
    apart = r.random() < 0.5
    match r.randrange(10):
        case 0:
            return {"kind": "line", "n": n}
        case 1:
            return {"kind": "ring", "n": max(3, n)}
        case 2:
            return {"kind": "star", "n": max(2, n)}
        case 3:
            return {"kind": "grid", "rows": r.randint(1, 6), "cols": r.randint(1, 6)}
        case 4:
            return {
                "kind": "gnp",
                "n": n,
                "mean_degree": min(max(n - 1, 1), r.uniform(2, 9)),
                "allow_disconnected": apart,
            }
        case 5:
            return {"kind": "geometric", "n": n, "range_m": r.uniform(200, 500), "allow_disconnected": True}
        case 6:
            return {"kind": "zones", "Z": r.randint(1, 4), "clients": r.randint(0, 20)}
        case 7:
            return {"kind": "builtin", "name": r.choice(["psvr-fig4", "psvr-fig5", "mesh-17"])}
        case 8:
            pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
            chosen = r.sample(pairs, min(len(pairs), r.randint(0, 2 * n)))
            named = [{"id": f"n{v}"} for v in range(n)]
            return {"kind": "explicit", "nodes": named, "links": [[f"n{a}", f"n{b}"] for a, b in chosen]}
        case _:
            side = 40.0 * n**0.5
            nodes: list[Document] = [
                {"id": f"n{v}", "x": r.uniform(0, side), "y": r.uniform(0, side)} for v in range(n)
            ]
            if r.random() < 0.5:
                nodes = [{**node, "z": r.uniform(0, 30)} for node in nodes]
            return {"kind": "explicit", "nodes": nodes, "range_m": r.uniform(30, 90)}


def parameters(r: Random, spec: ProtocolSpec, ids: list[str]) -> Document:
    """Some of the protocol's parameters, within reason: periods not so short that a case takes long."""
    given: Document = {}
    for p in spec.all_params():
        if r.random() < 0.5:
            continue
        if p.kind == "choice":
            given[p.name] = r.choice(p.choices)[0]
        elif p.kind == "node":
            given[p.name] = r.choice(["", *ids])
        elif p.kind == "float":
            given[p.name] = r.choice([1.0, r.uniform(max(0.3, p.lo), min(4.0, p.hi))])
        elif p.name == "max_neighbours":
            given[p.name] = r.choice([1, 2, 3, 5, 256])
        elif p.name == "max_depth":
            given[p.name] = r.choice([0, 1, 3, 30, 20_000])
        else:
            given[p.name] = r.randint(int(p.lo), min(int(p.hi), 12))
    if "hello_timeout_s" in given or "hello_s" in given:
        given["hello_timeout_s"] = given.get("hello_s", 1.0) * (
            r.choice([1.5, 3.2, 20.0]) if r.random() < 0.97 else 0.9
        )
    if "lease_s" in given or "forget_s" in given:
        given["forget_s"] = given.get("lease_s", 10.0) * r.uniform(1.95, 4)
    if "quality_out" in given and r.random() < 0.97:
        given["quality_out"] = given.get("quality_in", 0.0) * r.choice([1.0, r.random()])
    if given.get("leader") == "smallest" and r.random() < 0.97:
        given.pop("root", None)
    if given.get("rule") == "as-printed":
        given["hop_limit"] = r.randint(1, 5)
    return given


def any_radio(r: Random, network: Network, calm: bool, at_once: bool) -> Document:
    """Mostly ideal and fair (always, if `at_once`); else unfair, or one medium for all."""
    delay = r.choice([0.01, 0.01, 0.0001] if calm else [0.01, 0.0001, 0.3, 2.5])
    loss = r.choice([0, 0, 0.05] if calm else [0, 0.05, 0.5])
    ideal = {"kind": "ideal", "delay_s": delay, "loss": loss}
    kind = r.choice(["ideal", "ideal", "unfair", "unit-disk", "log-distance"])
    if kind == "ideal" or at_once:
        return ideal
    if kind == "unfair":
        return ideal | {"order": r.choice(ORDERS[1:]), "worst_delay_s": delay * r.choice([1.0, 4.0])}
    shared: Document = {"kind": "unit-disk", "loss": loss, "bitrate_bps": r.choice([5e3, 5e4, 2.5e5, 1e7])}
    shared |= {"carrier_sense": r.random() < 0.7, "acks": r.random() < 0.7, "retries": r.choice([0, 1, 3])}
    shared |= {"jitter_s": r.choice([0.0, 0.01, 0.2]), "queue": r.choice([1, 3, 64])}
    shared |= {"backoffs": r.choice([0, 2, 7])}
    if kind == "unit-disk" or not network.metric:
        return shared
    reach = network.range_m or 300.0
    tx_dbm = 24.0 * log10(reach) - 40.0 + r.uniform(-6, 3)
    fading = {"fading_db": r.choice([0.0, 3.0]), "coherence_s": r.choice([0.05, 2.0])}
    return shared | {"kind": "log-distance", "tx_dbm": tx_dbm, "shadowing_db": r.choice([0.0, 4.0]), **fading}


def any_value(r: Random, kind: Kind, n: int) -> Any:
    """A value that this kind of field may hold, or just not."""
    if isinstance(kind, Seconds):
        return r.choice([0, 0.5, 1e6, -3.0, r.uniform(0, 100)])
    named = {"n": n, "node": n - 1, "ring": 2 * (n - 1), "pairs": n * n, "channel": 1, "channels": 3}
    top = named[kind.hi] if isinstance(kind.hi, str) else kind.hi
    if kind.name == "slot":
        top = 0
    return r.choice([kind.lo, top, top, r.randint(kind.lo, max(kind.lo, top)), top + r.choice([0, 0, 0, 1])])


class Maker:
    """Makes the events of one case; `roster` follows them, so that most are possible."""

    def __init__(self, r: Random, spec: ProtocolSpec, network: Network) -> None:
        self.r, self.spec, self.roster = r, spec, Roster(network)
        self.network = network
        self.joined: list[str] = []

    def node(self) -> str:
        return self.r.choice([*self.network.ids, *self.joined])

    def link(self) -> list[str]:
        ids = self.network.ids
        if self.network.links and self.r.random() < 0.9:
            a, b = self.r.choice(self.network.links)
            return self.r.choice([[ids[a], ids[b]], [ids[b], ids[a]]])
        return [self.node(), self.node()]

    def event(self, t: float) -> Document:
        """A possible event, as a rule."""
        for _ in range(30):
            event = {"t": t, **self._draft(self.r.choice(KINDS))}
            try:
                checked = load_event(event)
                self.roster.check(checked, "event")
            except ScenarioError:
                if self.r.random() < 0.003:
                    return event
                continue
            self.roster.apply(checked)
            if event["do"] == "add-node":
                self.joined.append(event["id"])
            return event
        return {"t": t, "do": "restore-all"}

    def _draft(self, do: str) -> Document:
        r = self.r
        made: Document = {"do": do}
        if do in ("subscribe", "unsubscribe", "publish"):
            if do not in self.spec.services and r.random() < 0.99:
                return self._draft("corrupt")
            return made | {"node": self.node(), "channel": r.choice("aab")}
        if do in ("fail-node", "restore-node"):
            return made | {"node": self.node()}
        if do in ("fail-link", "restore-link"):
            return made | {"link": self.link(), "oneway": r.random() < 0.4}
        if do == "partition":
            ids = [*self.network.ids, *self.joined]
            return made | {"nodes": r.sample(ids, r.randint(1, len(ids)))}
        if do == "set-loss":
            loss = r.choice([0.0, 0.05, r.random(), 1.0])
            return made | {"loss": loss} | ({"link": self.link()} if r.random() < 0.5 else {})
        if do in ("move-node", "add-node"):
            x, y = r.uniform(0, 300), r.uniform(0, 300)
            if do == "move-node":
                return made | {"node": self.node(), "x": x, "y": y}
            links = [] if self.network.range_m else list({self.node() for _ in range(r.randint(0, 3))})
            return made | {"id": f"new{len(self.joined)}", "x": x, "y": y, "links": sorted(links)}
        if do == "corrupt":
            return made | self._corruption()
        if do == "corrupt-messages":
            return made | {"share": r.choice([0.3, 1.0])}
        if do == "inject":
            return made | self._injection()
        return made

    def _corruption(self) -> Document:
        r = self.r
        made: Document = {"node": r.choice(["*", self.node()]), "layer": "*"}
        if r.random() < 0.6:
            layer = r.choice(self.spec.layers)
            made["layer"] = layer.name
            if r.random() < 0.6:
                declared = r.choice([f for f in fields(layer.state) if not isinstance(f.kind, Input)])
                made["field"] = declared.name
                if r.random() < 0.5:
                    made["value"] = any_value(r, declared.kind, self.network.n)
        return made

    def _injection(self) -> Document:
        r = self.r
        to, sender = self.link()
        message = r.choice([m for m in self.spec.messages if m.shape != "local"])
        given: Document = {}
        for f in fields(message.type):
            if f.name == "size" or r.random() < 0.4:
                continue
            listed = f.name == message.type._fields[-1] and "size" in message.type._fields  # type: ignore[attr-defined]
            some = [any_value(r, f.kind, self.network.n) for _ in range(r.choice([0, 1, 5, 70, 900]))]
            given[f.name] = some if listed else any_value(r, f.kind, self.network.n)
        return {"to": to, "from": sender, "message": message.name, "fields": given}


def any_network(r: Random) -> tuple[int, Document, Network]:
    """A seed, a topology, and the network that these make."""
    while True:
        seed, drawn = r.randrange(2**31), topology(r)
        try:
            return seed, drawn, build_network(load_topology(drawn), seed, drawn=False)
        except ScenarioError:  # a random network that does not get connected
            continue


def case(number: int) -> tuple[Document, float, Document]:
    """Case `number`: the document, a time in the middle, and a command given then."""
    r = Random(number)
    names = ["psvr", *(spec.name for spec in protocols().values() if spec.compiled)]
    spec = protocol("psvr" if number in CHECKED else r.choice(names))
    seed, drawn, network = any_network(r)
    calm = r.random() < 0.4  # few faults and much time, so that publications find their way
    duration = r.choice([25.0, 40.0] if calm else [2.0, 5.0, 12.0, 30.0]) * (0.5 if network.n > 25 else 1.0)
    few = (number < FEW and spec.name != "psvr") or number in CHECKED
    radio = any_radio(r, network, calm, at_once=few)
    network = heard_network(TypeAdapter(Radio).validate_python(radio), seed, network)
    maker = Maker(r, spec, network)
    params = parameters(r, spec, list(network.ids))
    if number < CHECKED.stop:  # weighing links or not makes other code
        at_once = radio["kind"] == "ideal" and "order" not in radio
        given = {} if at_once else {"quality_in": 0.6, "quality_out": 0.3}
        params = {name: x for name, x in params.items() if not name.startswith("quality_")} | given
    grid = r.random() < 0.3  # events on the judge's grid, several at once
    times = sorted(
        r.choice([0.0, round(r.uniform(0, duration), 1) if grid else r.uniform(0, duration)])
        for _ in range(r.randint(0, 4 if calm else 14))
    )
    middle = r.choice([round(r.uniform(0, duration), 1), r.uniform(0, duration)])
    events, command = [], {"do": "restore-all"}
    for t in (*[t for t in times if t <= middle], None, *[t for t in times if t > middle]):
        if t is None:
            command = maker.event(middle)
            del command["t"]
        else:
            events.append(maker.event(t))
    if calm and spec.services:
        subscribers = [maker.node() for _ in range(r.randint(1, 6))]
        events += [
            {"t": 0.0, "do": "subscribe", "node": v, "channel": "a"} for v in subscribers if "new" not in v
        ]
        late = (r.uniform(0.5 * duration, duration) for _ in range(r.randint(1, 8)))
        events += [{"t": t, "do": "publish", "node": r.choice(network.ids), "channel": "a"} for t in late]
    if r.random() < 0.3:
        r.shuffle(events)
    document = {
        "version": 1,
        "seed": seed,
        "topology": drawn,
        "radio": radio,
        "protocol": {"name": spec.name, "params": params},
        "events": events,
        "duration_s": duration,
    }
    return document, middle, command


# --- playing one


def seen(run: Run) -> Document:
    """All that a reader of a run can see, and all that its future depends on."""
    report = run.report()  # settles the digest
    kept = run.snapshot()
    sim = kept["scene"]["sim"]
    # How far a frame had come matters only while it is in the air; its number is the second of its entries.
    under_way = {event[1] for event in sim["air"]}
    for book in kept["scene"]["books"]:
        book[10] = [pair for pair in book[10] if pair[0] in under_way]
    # Where each node sent last is known from records, which the compiled engine does not keep.
    del kept["last_send"]
    return {
        "report": report,
        "samples": run.samples,
        "wrong": run.wrong_bits(),
        "links": run.link_bytes(),
        "columns": run.node_columns(),
        "positions": run.positions(),
        "parts": run.parts(),
        "tallies": run.tallies(),
        "snapshot": kept,
    }


def differences(a: Any, b: Any, path: str = "") -> list[str]:
    """Where two pieces of plain data differ, at most a few places."""
    if type(a) is not type(b) and {type(a), type(b)} != {list, tuple}:
        return [f"{path}: {a!r} is not {b!r}"[:200]]
    if isinstance(a, dict):
        found = [f"{path}: {sorted(a.keys() ^ b.keys())} only once"] if a.keys() != b.keys() else []
        return found + [line for k in a if k in b for line in differences(a[k], b[k], f"{path}.{k}")][:5]
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return [f"{path}: {len(a)} and {len(b)} entries"]
        return (
            [line for k in range(len(a)) for line in differences(a[k], b[k], f"{path}[{k}]")][:5]
            if a != b
            else []
        )
    return [] if a == b else [f"{path}: {a!r} is not {b!r}"[:200]]


def attempt(act: Callable[[], Any]) -> str:
    """What a user is told: nothing, or the refusal."""
    try:
        act()
    except ScenarioError as refused:
        return str(refused)
    return ""


def made(document: Document, engine: str) -> Run | str:
    """A run, or why there is none."""
    try:
        return Run(load_scenario(document), engine=engine)
    except ScenarioError as refused:
        return str(refused)


def compare(number: int, told: Counter[str] | None = None) -> list[str]:
    """Play case `number` on both engines; where they differ. `told` counts what happened."""
    document, middle, command = case(number)
    told = Counter() if told is None else told
    slow, fast = made(document, "interpreted"), made(document, "compiled")
    if isinstance(slow, str) or isinstance(fast, str):
        told["refused"] += 1
        return [] if slow == fast else [f"made: {slow!r} is not {fast!r}"]
    assert fast.engine == "compiled"
    told["played"] += 1
    told.update(event["do"] for event in document["events"])
    r, twins = Random(-number), [fast]
    for stage, until in (("middle", middle), ("end", max(middle, document["duration_s"]))):
        refusal, until = play_to(slow, until)
        told["cut short"] += until < (middle if stage == "middle" else document["duration_s"]) and not refusal
        for which, run in zip(("compiled", "resumed"), twins, strict=False):
            refused = attempt(partial(in_slices, run, until, r.choice([None, 1000])))
            if refused != refusal:
                return [f"{stage}, {which}: refused {refused!r}, not {refusal!r}"]
            found = differences(seen(slow), seen(run))
            if found:
                return [f"{stage}, {which}{line}" for line in found]
        if refusal:
            told["refused on the way"] += 1
            break
        if stage == "middle":
            said = [attempt(partial(run.command, command)) for run in (slow, fast)]
            if said[0] != said[1]:
                return [f"command {command}: {said}"]
            told["command refused" if said[0] else "commands"] += 1
            twins.append(fast.interpreted())
    told["engine events"] += slow.events
    told["deliveries"] += slow.tallies()["delivered"]
    return []


def play_to(run: Run, until: float) -> tuple[str, float]:
    """Play towards `until`, but not too many events; what was refused on the way, and when it came to a stop."""
    refusal = attempt(lambda: run.advance(until, MOST_EVENTS))
    if refusal or run.now >= until:
        return refusal, until
    until = run.now
    return attempt(lambda: run.advance(until)), until


def in_slices(run: Run, until: float, budget: int | None) -> None:
    """Play to `until`, `budget` events at a time."""
    while not run.advance(until, budget):
        pass


def main(first: int, last: int) -> int:
    """Compare a range of cases; how many differ."""
    told: Counter[str] = Counter()
    wrong = 0
    for number in range(first, last):
        try:
            found = compare(number, told)
        except Exception as error:  # whatever it is, the other cases are worth looking at
            found = [f"{type(error).__name__}: {error}"]
        wrong += bool(found)
        for line in found[:4]:
            sys.stdout.write(f"case {number}: {line}\n")
        if number % 50 == 49:
            sys.stdout.write(f"{number + 1 - first} done, {wrong} differ\n")
            sys.stdout.flush()
    sys.stdout.write(f"{last - first} cases, {wrong} differ; {dict(sorted(told.items()))}\n")
    return wrong


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])) > 0)
