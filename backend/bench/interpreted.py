"""`ringcast bench`: how fast the interpreted engine is, beside SimPy on the same workload, in one run.

Machines differ and are shared, so the ratios are what counts: every contender is run in turn, several times, and its best
CPU time is taken. The beacon workload is the tree layer alone, see `backend.bench.workload`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from backend.arguments import count, count_or_none
from backend.bench import simpy_nodes
from backend.bench.progress import tell, told
from backend.bench.workload import DEGREE, DELAY_S, SEED, TREE_ALONE, connect, network
from engine.api import Run
from engine.core.errors import ScenarioError
from engine.core.simulator import Simulator
from engine.registry import as_tuple
from engine.world.scenario import load_scenario


def ours(peers: list[list[int]], until: float) -> tuple[int, float]:
    """(events, CPU seconds) of our engine on the beacon workload."""
    par = as_tuple(TREE_ALONE, {"beacon_s": 1.0, "max_depth": len(peers)})
    sim = Simulator(TREE_ALONE, peers, par, root=0, delay_s=DELAY_S)
    sim.observing = False
    connect(sim, peers)
    begin = time.process_time()
    sim.run(until)
    return sim.events, time.process_time() - begin


def in_simpy(nodes: simpy_nodes.SimpyNodes, until: float) -> tuple[int, float]:
    """The same of nodes in SimPy."""
    begin = time.process_time()
    nodes.env.run(until=until)
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
    code = (
        "from backend.bench.interpreted import stack; from backend.bench.machine import peak_mb; "
        f"stack({n}, 3.0, observed=False); print(f'{{peak_mb():,.0f}} MB')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--nodes", type=count, default=1000, help="size of the random network (default 1000)")
    parser.add_argument(
        "--repeat", type=count, default=3, help="runs of each contender, the best counts (default 3)"
    )
    parser.add_argument(
        "--memory-nodes",
        type=count_or_none,
        default=10_000,
        help="size for the memory figure; 0 leaves it out",
    )


def measure(args: argparse.Namespace) -> int:
    """Run the benchmark and print rates and ratios. Raises: ScenarioError"""
    if args.nodes <= DEGREE:
        raise ScenarioError("--nodes", args.nodes, f"more than {DEGREE}, the mean degree", "too few")
    say = sys.stdout.write
    peers = network(args.nodes, DEGREE, SEED)
    say(f"{args.nodes} nodes, mean degree 8; millions of events per CPU second, best of {args.repeat}\n")
    sys.stdout.flush()
    contenders: Sequence[tuple[str, Callable[[], tuple[int, float]]]] = [
        ("ringcast, tree layer", lambda: ours(peers, 15.0)),
        ("SimPy, lean", lambda: in_simpy(simpy_nodes.lean(peers), 8.0)),
        ("SimPy, idiomatic", lambda: in_simpy(simpy_nodes.idiomatic(peers), 3.0)),
        ("ringcast, PSVR stack", lambda: stack(args.nodes, 15.0, observed=False)),
        ("ringcast, PSVR stack, digest and trace", lambda: stack(args.nodes, 15.0, observed=True)),
    ]
    best = dict.fromkeys((name for name, _ in contenders), 0.0)
    for turn in range(args.repeat):
        for name, contender in contenders:
            tell(f"turn {turn + 1}: {name}")
            events, seconds = contender()
            best[name] = max(best[name], events / seconds / 1e6)
    told()
    lean, idiomatic = best["SimPy, lean"], best["SimPy, idiomatic"]
    say(f"{'':<40}{'M events/s':>12}{'x lean SimPy':>14}{'x idiomatic':>14}\n")
    for name, rate in best.items():
        say(f"{name:<40}{rate:>12.3f}{rate / lean:>14.2f}{rate / idiomatic:>14.2f}\n")
    if args.memory_nodes:
        say(f"PSVR stack on {args.memory_nodes:,} nodes: peak memory {memory(args.memory_nodes)}\n")
    return 0
