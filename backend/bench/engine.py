"""`ringcast bench engine`: both engines, SimPy and C++ on the same networks: rates, memory, starts, threads.

Every contender has a process of its own; they play short slices in turn, and the best slice of each counts (see
`backend.bench.race`). CPU time throughout, but for starts and threads, where waiting is what matters.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from backend.bench import more
from backend.bench.machine import words
from backend.bench.progress import tell, told
from backend.bench.race import Result, Tell, race
from backend.bench.report import Measured, markdown, write
from backend.bench.workload import DEGREE, SEED, network

BEACONS = ("beacons compiled", "beacons interpreted", "simpy lean", "simpy idiomatic")
CPP = "C++"
PSVR = ("psvr compiled", "psvr interpreted", "psvr compiled digest", "psvr interpreted digest")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--write",
        metavar="DIR",
        help="also write the figures into DIR/performance.md, between its marks if it has them, and a plot into "
        "DIR/images/performance.svg; `docs` renews what the documentation shows",
    )
    parser.add_argument(
        "--quick", action="store_true", help="100 nodes and tiny slices: whether it works, not how fast it is"
    )


def measure(args: argparse.Namespace) -> int:
    """Run the benchmark and print the tables."""
    if args.write:
        (Path(args.write) / "images").mkdir(parents=True, exist_ok=True)
    measured = run(quick=args.quick, tell=tell)
    told()
    sys.stdout.write(markdown(measured))
    if args.write:
        for path in write(measured, Path(args.write)):
            sys.stdout.write(f"written: {path}\n")
    return 0


def run(*, quick: bool, tell: Tell) -> Measured:
    """Measure everything."""
    sizes: Sequence[int] = (100,) if quick else (100, 1000, 10_000)
    slices, cpu_s = (2, 0.02) if quick else (25, 0.2)
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as folder:
        program = more.compile_cpp(Path(folder))
        programs = {} if program is None else {CPP: [str(program)]}
        for name in (BEACONS[0], PSVR[0]):  # so that no race has a cold start in it
            race([name], network(sizes[0], DEGREE, SEED), programs={}, slices=1, cpu_s=cpu_s, tell=tell)
        for n in sizes:
            peers = network(n, DEGREE, SEED)
            for names in ((*BEACONS, *programs), PSVR):
                results += race(names, peers, programs=programs, slices=slices, cpu_s=cpu_s, tell=tell)
    return Measured(
        machine=words(),
        results=results,
        cpp=program is not None,
        growth=more.growth(10**6 if quick else 10**8, tell),
        starts=more.starts("beacons" if quick else "psvr", 1 if quick else 3, tell),
        threads=more.threads(2 if quick else 96, 1 if quick else 5, tell),
    )
