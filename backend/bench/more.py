"""What `ringcast bench engine` measures beside the race: long runs, starts, threads; and where the C++ program is from."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from backend.bench.race import Child, Tell
from backend.bench.workload import DEGREE, SEED, network

LONG_NODES = 1000


def compile_cpp(folder: Path) -> Path | None:
    """The C++ program, compiled into this folder; None where there is no g++ that can."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    program = folder / "beacons"
    with as_file(files("backend.bench") / "beacons.cpp") as source:
        made = subprocess.run(
            [compiler, "-O2", "-o", program, source], stderr=subprocess.DEVNULL, check=False
        )
    return program if made.returncode == 0 else None


def growth(most: int, tell: Tell) -> list[tuple[int, float]]:
    """(events so far, CPU nanoseconds per event in the best slice since the row before): one long run of PSVR, compiled."""
    child = Child("psvr compiled", network(LONG_NODES, DEGREE, SEED))
    rows: list[tuple[int, float]] = []
    try:
        target, best = 10**5, float("inf")
        while target <= most:
            tell(f"a long run: {child.events:,} events")
            events, spent, _ = child.play(1.0 if target <= 10**6 else 10.0)
            best = min(best, spent / events * 1e9)
            if child.events >= target:
                rows.append((target, best))
                target, best = 10 * target, float("inf")
    finally:
        child.close()
    return rows


@dataclass
class Start:
    """From calling Python to the end of the first virtual second on 100 nodes, in a fresh process."""

    name: str
    seconds: float
    cpu_s: float
    peak_mb: float


START = """
import sys, time
from backend.bench.contender import make
from backend.bench.machine import peak_mb
from backend.bench.workload import network
make(sys.argv[1], network(100, 8, 1)).play(1.0)
print(time.process_time(), peak_mb())
"""


def starts(workload: str, repeat: int, tell: Tell) -> list[Start]:
    """Interpreted, then compiled with an empty cache, and with what that left there; the fastest of `repeat`."""
    found: list[Start] = []
    for turn in range(repeat):
        with tempfile.TemporaryDirectory() as cache:
            now = []
            for name, kind in (
                ("interpreted", "interpreted"),
                ("compiled, cold", "compiled"),
                ("compiled, warm", "compiled"),
            ):
                tell(f"start {turn + 1} of {repeat}: {name}")
                begin = time.perf_counter()
                done = subprocess.run(
                    [sys.executable, "-c", START, f"{workload} {kind}"],
                    env={**os.environ, "RINGCAST_CACHE": cache},
                    stdout=subprocess.PIPE,
                    text=True,
                    check=True,
                )
                cpu_s, peak = map(float, done.stdout.split())
                now.append(Start(name, time.perf_counter() - begin, cpu_s, peak))
        found = [min(pair, key=lambda s: s.seconds) for pair in zip(found or now, now, strict=True)]
    return found


def threads(runs: int, repeat: int, tell: Tell) -> tuple[float, float] | None:
    """Seconds of a batch of seeds on one thread and on two; of `repeat` pairs the one in the middle by their ratio, for a
    fastest one here and there would mostly tell what else the machine did. None without a batch to run.
    """
    try:
        run_batch: Any = importlib.import_module("engine.batch").run_batch
    except ModuleNotFoundError:
        return None
    base = {
        "version": 1,
        "topology": {"kind": "gnp", "n": LONG_NODES, "mean_degree": DEGREE, "allow_disconnected": True},
        "protocol": {"name": "psvr"},
        "duration_s": 30,
    }
    seeds = [{"seed": seed} for seed in range(1, runs + 1)]
    run_batch(base, seeds[:1])  # compiles
    pairs, digests = [], []
    for turn in range(repeat):
        pair = []
        for count in (1, 2):
            tell(f"batch {turn + 1} of {repeat} on {count} thread{'s' * (count - 1)}")
            begin = time.perf_counter()
            columns = run_batch(base, seeds, threads=count)
            pair.append(time.perf_counter() - begin)
            digests.append(columns["digest"])
        pairs.append((pair[0], pair[1]))
    if None in digests[0] or any(row != digests[0] for row in digests):
        raise RuntimeError(f"a batch gives other results on other threads: {digests}")
    return sorted(pairs, key=lambda pair: pair[0] / pair[1])[repeat // 2]
