"""`ringcast bench`: how fast the engine is, beside SimPy on the same workload, in one run.

Machines differ and are shared, so the ratios are what counts: every contender is run in turn, several times, and its best
CPU time is taken. The beacon workload is the tree layer alone: every node sends its distance to all neighbours about once a
second over links of 10 ms, and chooses its parent.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from random import Random
from typing import Annotated, Any, NamedTuple

import networkx as nx
import simpy

from engine.api import Run
from engine.core.declare import Column, Env, Input, Layer, Message, ProtocolSpec, Table
from engine.core.simulator import Simulator
from engine.layers.spanning_tree import SPANNING_TREE, Beacon, Tree
from engine.registry import as_tuple
from engine.world.scenario import load_scenario

DELAY_S = 0.01


class Given(NamedTuple):
    """A neighbourhood that never changes: every link is used."""

    degree: Annotated[Column[int], Input()]
    peer: Annotated[Table[int], "slot", Input()]
    up: Annotated[Table[int], "slot", Input(start=1)]


class TreeAlone(NamedTuple):
    """The beacon workload's stack."""

    env: Env
    par: Any
    hood: Given
    tree: Tree


TREE_ALONE = ProtocolSpec(
    name="tree-alone",
    title="Tree alone",
    summary="",
    source="",
    state=TreeAlone,
    layers=(Layer("links", "hood", "Links", "", Given, {}, {}), SPANNING_TREE),
    messages=(Message(Beacon, "BEACON", "structure", ""),),
    params=(),
    overlays={},
    subscribe=lambda c: None,
    unsubscribe=lambda c: None,
    publish=lambda c, p: None,
    stabilises=True,
    compiled=True,
)


def network(n: int, degree: float, seed: int) -> list[list[int]]:
    """Adjacency of a connected random graph."""
    while True:
        graph = nx.fast_gnp_random_graph(n, degree / (n - 1), seed=seed)
        if nx.is_connected(graph):
            return [sorted(graph[v]) for v in range(n)]
        seed += 1000


def ours(peers: list[list[int]], until: float) -> tuple[int, float]:
    """(events, CPU seconds) of our engine on the beacon workload."""
    par = as_tuple(TREE_ALONE, {"beacon_s": 1.0, "max_depth": len(peers)})
    sim = Simulator(TREE_ALONE, peers, par, root=0, delay_s=DELAY_S)
    sim.observing = False
    for v in range(sim.n):
        sim.st.hood.degree[v] = len(peers[v])
        sim.st.hood.peer[v][:] = peers[v]
    begin = time.process_time()
    sim.run(until)
    return sim.events, time.process_time() - begin


class SimpyNodes:
    """State and rule of the beacon workload, for both ways of writing it in SimPy."""

    def __init__(self, peers: list[list[int]]) -> None:
        self.env = simpy.Environment()
        self.peers, self.n, self.events = peers, len(peers), 0
        self.back = [[peers[w].index(v) for w in peers[v]] for v in range(self.n)]
        self.dist = [0 if v == 0 else self.n for v in range(self.n)]
        self.heard = [[self.n] * len(row) for row in peers]
        self.child = [[False] * len(row) for row in peers]
        self.random = Random(1).random

    def choose(self, v: int) -> tuple[int, int]:
        """Distance and parent of v."""
        best, parent = (0 if v == 0 else self.n), -1
        for j, heard in enumerate(self.heard[v]):
            if not self.child[v][j] and heard + 1 < best:
                best, parent = heard + 1, j
        self.dist[v] = best
        return best, self.peers[v][parent] if parent >= 0 else -1

    def hear(self, w: int, i: int, dist: int, parent: int) -> None:
        """w heard a beacon at slot i."""
        self.events += 1
        self.heard[w][i] = dist
        self.child[w][i] = parent == w


def simpy_lean(peers: list[list[int]], until: float) -> tuple[int, float]:
    """SimPy with bare callbacks: no processes, no stores."""
    nodes = SimpyNodes(peers)
    env = nodes.env

    def arrive(event: Any) -> None:
        nodes.hear(*event._value)

    def tick(event: Any) -> None:
        v = event._value
        nodes.events += 1
        dist, parent = nodes.choose(v)
        for w, i in zip(peers[v], nodes.back[v], strict=True):
            simpy.Timeout(env, DELAY_S, (w, i, dist, parent)).callbacks.append(arrive)
        simpy.Timeout(env, 0.9 + 0.2 * nodes.random(), v).callbacks.append(tick)

    for v in range(nodes.n):
        simpy.Timeout(env, nodes.random(), v).callbacks.append(tick)
    begin = time.process_time()
    env.run(until=until)
    return nodes.events, time.process_time() - begin


def simpy_idiomatic(peers: list[list[int]], until: float) -> tuple[int, float]:
    """SimPy as its guide writes it: two processes and a Store a node, a process a message on its way."""
    nodes = SimpyNodes(peers)
    env = nodes.env
    inbox = [simpy.Store(env) for _ in range(nodes.n)]

    def travel(w: int, message: tuple[int, int, int]) -> Generator[Any, Any, None]:
        yield env.timeout(DELAY_S)
        inbox[w].put(message)

    def send(v: int) -> Generator[Any, Any, None]:
        yield env.timeout(nodes.random())
        while True:
            nodes.events += 1
            dist, parent = nodes.choose(v)
            for w, i in zip(peers[v], nodes.back[v], strict=True):
                env.process(travel(w, (i, dist, parent)))
            yield env.timeout(0.9 + 0.2 * nodes.random())

    def receive(v: int) -> Generator[Any, Any, None]:
        while True:
            i, dist, parent = yield inbox[v].get()
            nodes.hear(v, i, dist, parent)

    for v in range(nodes.n):
        env.process(send(v))
        env.process(receive(v))
    begin = time.process_time()
    env.run(until=until)
    return nodes.events, time.process_time() - begin


def stack(n: int, until: float, *, observed: bool) -> tuple[int, float]:
    """(events, CPU seconds) of the whole PSVR stack; `observed` with digest and a trace of every message."""
    subscribers = [
        {"t": 0.5, "do": "subscribe", "node": str(k * (n // 10)), "channel": "c"} for k in range(10)
    ]
    publications: list[dict[str, Any]] = [
        {"t": 0.3 * k, "do": "publish", "node": str(k), "channel": "c"} for k in range(1, 60)
    ]
    scenario = load_scenario(
        {
            "version": 1,
            "seed": 1,
            "topology": {"kind": "gnp", "n": n, "mean_degree": 8, "allow_disconnected": True},
            "protocol": {"name": "psvr"},
            "events": [e for e in subscribers + publications if e["t"] <= until],
            "duration_s": until,
        }
    )
    run = Run(scenario, trace="all" if observed else "none")
    sim = run.scene.sim
    sim.observing = observed
    spent = 0.0
    t = 0.0
    while t < until:  # the engine alone: the judge has its own line
        begin = time.process_time()
        sim.run(t)
        spent += time.process_time() - begin
        run.advance(t)
        run.drain()
        t += 0.05
    return sim.events, spent


def memory(n: int) -> str:
    """Peak memory of a process that runs the PSVR stack on n nodes for three virtual seconds."""
    code = f"from backend.bench import stack, peak; stack({n}, 3.0, observed=False); print(peak())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def peak() -> str:
    """Peak memory of this process."""
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB"


def main(argv: list[str] | None = None) -> int:
    """Run the benchmark and print rates and ratios."""
    parser = argparse.ArgumentParser(prog="ringcast bench", description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1000, help="size of the random network (default 1000)")
    parser.add_argument(
        "--repeat", type=int, default=3, help="runs of each contender, the best counts (default 3)"
    )
    parser.add_argument(
        "--memory-nodes", type=int, default=10_000, help="size for the memory figure; 0 leaves it out"
    )
    args = parser.parse_args(argv)
    peers = network(args.nodes, 8, 1)
    print(
        f"{args.nodes} nodes, mean degree 8; millions of events per CPU second, best of {args.repeat}",
        flush=True,
    )
    beacons: list[tuple[str, Callable[[], tuple[int, float]]]] = [
        ("ringcast, tree layer", lambda: ours(peers, 15.0)),
        ("SimPy, lean", lambda: simpy_lean(peers, 8.0)),
        ("SimPy, idiomatic", lambda: simpy_idiomatic(peers, 3.0)),
        ("ringcast, PSVR stack", lambda: stack(args.nodes, 15.0, observed=False)),
        ("ringcast, PSVR stack, digest and trace", lambda: stack(args.nodes, 15.0, observed=True)),
    ]
    best = dict.fromkeys((name for name, _ in beacons), 0.0)
    for turn in range(args.repeat):
        for name, contender in beacons:
            print(f"\r  turn {turn + 1}: {name:<42}", end="", file=sys.stderr, flush=True)
            events, seconds = contender()
            best[name] = max(best[name], events / seconds / 1e6)
    print(f"\r{'':<60}\r", end="", file=sys.stderr)
    lean, idiomatic = best["SimPy, lean"], best["SimPy, idiomatic"]
    print(f"{'':<40}{'M events/s':>12}{'x lean SimPy':>14}{'x idiomatic':>14}")
    for name, rate in best.items():
        print(f"{name:<40}{rate:>12.3f}{rate / lean:>14.2f}{rate / idiomatic:>14.2f}")
    if args.memory_nodes:
        print(f"PSVR stack on {args.memory_nodes:,} nodes: peak memory {memory(args.memory_nodes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
