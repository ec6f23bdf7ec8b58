"""One contender in a process of its own, so that none pays for the memory and the caches of another.

Standard input: n; then for every node one line, its neighbours; then points of virtual time, one a line. To each of these
it plays, and answers with one line: events so far, CPU seconds spent on them, and a check, a number that contenders with
the same work have in common. `beacons.cpp` keeps to the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from backend.bench.workload import DELAY_S, SEED, TREE_ALONE, connect
from engine.core.simulator import Simulator
from engine.registry import as_tuple, parameters, protocol

DEPTH = 30  # hops: more than twice the depth of these networks' trees
PUBLISH_S = 10.0  # between two publications
SUBSCRIBERS = 10

Peers = Sequence[Sequence[int]]


class Engine:
    """One of our engines on the beacon workload."""

    def __init__(self, kind: str, spec: Any, values: dict[str, Any], peers: Peers, *, observed: bool) -> None:
        par = as_tuple(spec, values)
        self.sim: Any
        if kind == "compiled":
            from engine.compiled.simulator import CompiledSimulator  # numba takes half a second to import

            self.sim = CompiledSimulator(spec, peers, par, root=0, seed=SEED, delay_s=DELAY_S)
        else:
            self.sim = Simulator(spec, peers, par, root=0, seed=SEED, delay_s=DELAY_S)
        connect(self.sim, peers)
        self.sim.observing = observed
        self.sim.run(-1.0)  # nothing yet: compiles

    @property
    def events(self) -> int:
        """Engine events so far."""
        return int(self.sim.events)

    def play(self, until: float) -> None:
        """On to this virtual time."""
        self.sim.run(until)

    def check(self) -> int:
        """The digest; without one, the sum of all distances in the tree."""
        if self.sim.observing:
            compiled = hasattr(self.sim, "digest_hex")
            return int(self.sim.digest_hex() if compiled else self.sim.digest.hex(), 16)
        if hasattr(self.sim, "held"):
            table = next(c for c in self.sim.held if (c.layer, c.field.name) == ("tree", "dist"))
            return sum(table.table().lists())
        return sum(self.sim.st.tree.dist)


class Stack(Engine):
    """The whole PSVR stack, with ten subscribers and a publication every ten seconds."""

    def __init__(self, kind: str, peers: Peers, *, observed: bool) -> None:
        spec = protocol("psvr")
        assert spec.subscribe is not None
        assert spec.publish is not None
        values = parameters(spec, {}, [str(v) for v in range(len(peers))])
        super().__init__(kind, spec, {**values, "max_depth": DEPTH}, peers, observed=observed)
        for v in range(0, len(peers), max(1, len(peers) // SUBSCRIBERS)):
            self.sim.inject(v, spec.subscribe(0))
        self.publication, self.published = spec.publish, 0

    def play(self, until: float) -> None:
        while (self.published + 1) * PUBLISH_S <= until:
            self.published += 1
            self.sim.run(self.published * PUBLISH_S)
            self.sim.inject(self.published % self.sim.n, self.publication(0, self.published))
        self.sim.run(until)


class InSimpy:
    """SimPy on the beacon workload."""

    def __init__(self, kind: str, peers: Peers) -> None:
        from backend.bench import simpy_nodes

        self.nodes = (simpy_nodes.lean if kind == "lean" else simpy_nodes.idiomatic)(peers)

    @property
    def events(self) -> int:
        """Receptions and beacons sent so far."""
        return self.nodes.events

    def play(self, until: float) -> None:
        """On to this virtual time."""
        self.nodes.env.run(until=until)

    def check(self) -> int:
        """The sum of all distances in the tree."""
        return sum(self.nodes.dist)


def make(name: str, peers: Peers) -> Engine | InSimpy:
    """A contender by name: `beacons KIND`, `simpy KIND`, `psvr KIND`, or `psvr KIND digest`."""
    workload, kind, *more = name.split()
    if workload == "simpy":
        return InSimpy(kind, peers)
    if workload == "psvr":
        return Stack(kind, peers, observed=more == ["digest"])
    return Engine(kind, TREE_ALONE, {"beacon_s": 1.0, "max_depth": len(peers)}, peers, observed=False)


def main(name: str) -> None:
    """Be a contender until standard input ends."""
    ask = sys.stdin.readline
    n = int(ask())
    contender = make(name, [[int(w) for w in ask().split()] for _ in range(n)])
    spent = 0.0
    for line in sys.stdin:
        begin = time.process_time()
        contender.play(float(line))
        spent += time.process_time() - begin
        sys.stdout.write(f"{contender.events} {spent} {contender.check()}\n")
        sys.stdout.flush()
