"""Spark beside a plain pool of two processes on the same runs, in turn; prints a line of JSON for each slice.

The pool plays the runs and forgets the rows. Spark plays them as sweeps do: tasks that write Parquet. Both have loaded all
code before the clock starts.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

from engine.sweeps import Folder, Plan, Sweep, load_sweep
from spark_batch import tasks
from spark_batch.here import sweep_of, warm
from spark_batch.play import Player
from spark_batch.session import Session, connect
from spark_batch.trial import CHUNK_S, try_some

PROCESSES = 2
Chunk = tuple[int, int, int]


def add_options(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--runs", type=int, default=100_000, help="of each kind, at least (default: %(default)s)"
    )
    parser.add_argument("--slices", type=int, default=10, help="turns of each (default: %(default)s)")


def documents(runs: int) -> dict[str, dict[str, Any]]:
    """By kind: a small scenario with a publication, some milliseconds long; and publications on a legitimate network."""
    topology = {"kind": "gnp", "n": 10, "mean_degree": 4}
    wishes = [{"t": 0.5, "do": "subscribe", "node": str(v), "channel": "c"} for v in (2, 5, 8)]
    news = [{"t": 9.0, "do": "publish", "node": "1", "channel": "c"}]
    base = {
        "version": 1,
        "topology": topology,
        "protocol": {"name": "psvr"},
        "events": wishes + news,
        "duration_s": 10.0,
    }
    wide = {"kind": "gnp", "n": 50, "mean_degree": 8}
    more = [{"t": 9.0, "do": "publish", "node": str(v), "channel": "c"} for v in range(10, 20)]
    axes = [{"path": "topology.mean_degree", "values": [4, 5]}]
    common = {"version": 1, "repetitions": -(-runs // 2)}
    return {
        "compiled": {**common, "base": base, "axes": axes, "method": "compiled"},
        "routes": {
            **common,
            "base": {**base, "topology": wide, "events": wishes + more},
            "axes": [{"path": "topology.mean_degree", "values": [8, 10]}],
            "method": "routes",
        },
    }


def play(plain: str, first: int, behind: int) -> int:
    """A chunk, in a process of the pool; how many runs have failed."""
    player = Player(warm(sweep_of(plain)))
    return sum(player.row(run)["error"] is not None for run in range(first, behind))


def _on_pool(pool: Pool, plain: str, chunks: list[Chunk]) -> int:
    return sum(pool.starmap(play, [(plain, first, behind) for _, first, behind in chunks], chunksize=1))


def _on_spark(session: Session, plain: str, out: Path, chunks: list[Chunk]) -> int:
    task = tasks.chunk_task(plain, str(out), tuple(chunks), None)
    found = session.spark.range(0, len(chunks), 1, len(chunks)).mapInArrow(task, tasks.TASK_SCHEMA).collect()
    return sum(row.failed for row in found)


def slices(sweep: Sweep, plan: Plan, count: int) -> Iterator[list[Chunk]]:
    """All chunks, in so many parts of about equally many."""
    for k in range(count):
        numbers = range(plan.chunks * k // count, plan.chunks * (k + 1) // count)
        if found := [(number, *plan.chunk(number)) for number in numbers]:
            yield found


def race(session: Session, pool: Pool, kind: str, sweep: Sweep, count: int) -> None:
    """Each slice on one, then on the other; who begins alternates."""
    run_s = try_some(sweep).mean
    per_slice = sweep.runs * run_s / count / PROCESSES
    size = max(1, round(min(CHUNK_S, per_slice / 2) / run_s))
    size = -(-sweep.runs // (PROCESSES * count * max(1, round(sweep.runs / (PROCESSES * count * size)))))
    plan, plain = Plan.of(sweep.runs, size, size, 1), json.dumps(sweep.plain)
    out = Path(tempfile.mkdtemp(prefix="ringcast-bench-"))
    Folder(out).claim(sweep)
    first = [(10**6 + k, 0, 4) for k in range(PROCESSES)]
    _on_pool(pool, plain, first)
    _on_spark(session, plain, out, first)
    try:
        for k, chunks in enumerate(slices(sweep, plan, count)):
            took = {}
            for name in ("pool", "spark") if k % 2 else ("spark", "pool"):
                begin = time.perf_counter()
                failed = (
                    _on_pool(pool, plain, chunks)
                    if name == "pool"
                    else _on_spark(session, plain, out, chunks)
                )
                took[name] = time.perf_counter() - begin
                if failed:
                    raise RuntimeError(f"{failed} runs of the benchmark failed")
            runs = sum(behind - first for _, first, behind in chunks)
            told = {"kind": kind, "runs": runs, "chunks": len(chunks), **took}
            sys.stdout.write(json.dumps(told) + "\n")
            sys.stdout.flush()
    finally:
        shutil.rmtree(out, ignore_errors=True)


def run(args: Namespace) -> int:
    """Do it."""
    session = connect(f"local[{PROCESSES}]")
    try:
        with get_context("spawn").Pool(PROCESSES) as pool:
            for kind, document in documents(args.runs).items():
                race(session, pool, kind, load_sweep(document), args.slices)
    finally:
        session.stop()
    return 0
