"""`ringcast bench spark`: sweeps on Spark beside a plain pool of two processes, on the same runs, in one run.

Two kinds of runs: of the compiled engine, and of the static kernels. Spark runs in a process of its own, as it does
under the server.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from statistics import median
from typing import Any

from backend.arguments import count
from backend.bench.machine import words
from backend.bench.progress import tell, told
from backend.bench.report import table, tell_all, three

MARK = "ringcast bench spark --write docs"
TITLES = {"compiled": "compiled engine", "routes": "static kernels"}
WANTED = {"compiled": 90, "routes": 85}
"""Spark's share of the pool's throughput that sweeps are to reach (%)."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--quick", action="store_true", help="some seconds' worth: for tests")
    parser.add_argument(
        "--runs", type=count, default=100_000, metavar="N", help="of each kind (default: %(default)s)"
    )
    parser.add_argument("--write", metavar="DIR", help="renew the table in DIR/performance.md")


def markdown(machine: str, slices: list[dict[str, Any]]) -> str:
    """The table."""
    rows = []
    for kind, title in TITLES.items():
        own = [s for s in slices if s["kind"] == kind]
        if not own:
            continue
        runs, spark, pool = (sum(s[name] for s in own) for name in ("runs", "spark", "pool"))
        middle = 100 * median(s["pool"] / s["spark"] for s in own)
        share = f"**{100 * pool / spark:.0f} %**"
        rate = [three(runs / pool), three(runs / spark), share, f"{middle:.0f} %", f"{WANTED[kind]} %"]
        rows.append((title, f"{runs:,}", three(2e3 * pool / runs), *rate))
    head = (
        "runs of the",
        "runs",
        "ms a run",
        "pool, runs/s",
        "Spark, runs/s",
        "Spark : pool",
        "median slice",
        "wanted",
    )
    return f"Machine: {machine}.\n\n{table(head, rows)}\n"


def measure(args: argparse.Namespace) -> int:
    """Run it and print what came out."""
    runs, count = (400, 2) if args.quick else (args.runs, 10)
    command = [sys.executable, "-m", "spark_batch", "bench", "--runs", str(runs), "--slices", str(count)]
    slices: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            slices.append(json.loads(line))
            done = slices[-1]
            took = f"Spark {done['spark']:.1f} s, pool {done['pool']:.1f} s"
            tell(f"{TITLES[done['kind']]}: slice {len(slices)}, {took}")
    told()
    if child.returncode:
        return child.returncode
    tell_all(markdown(words(), slices), MARK, args.write)
    return 0
