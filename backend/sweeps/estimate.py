"""What a sweep would cost: a few of its runs are tried for a moment each, and the rest is arithmetic.

Only the interpreted engine is tried, since it can stop at any time and needs no compiling; how much faster the compiled one
is was measured once (`GAIN`) and is about the same everywhere.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from backend.sweeps.bodies import SweepEstimate
from engine.api import Run
from engine.core.errors import OutsideSubset, ProtocolBug, ScenarioError
from engine.sweeps import Sweep
from engine.sweeps.metrics import ON_ROUTES, known
from engine.sweeps.rows import disk_bytes
from engine.world.scenario import load_scenario

TRIED_S = 0.9
"""For all tries together."""
BUDGET = 2_000
GAIN = 25.0
"""Compiled against interpreted, once both run: 23 at 50 nodes and 46 at 400 (PSVR, two cores)."""
ROUTE_GAIN = 4_000.0
"""A publication's static route against the simulation that leads to it."""
LEAST_S = 0.0015
"""Of a run, whatever it is: checking its document, its row."""
START_S = 8.0
"""Until a batch process that is not up is."""

LONG_S = 3_600.0
LONGEST_S = 2.5
"""An answer comes by then, with a time or without."""
_thread = ThreadPoolExecutor(1, "sweeps-estimating")


@dataclass
class Tried:
    """Seconds of setting a run up and of playing it to its end, interpreted; nodes of its network."""

    setup_s: float
    play_s: float
    nodes: int


def megabytes(sweep: Sweep) -> float:
    """What its results will take, about."""
    return disk_bytes(sweep) / 1e6


def samples(sweep: Sweep) -> list[int]:
    """Runs to be tried: of the first point, the last, and the one in the middle."""
    points = dict.fromkeys((0, sweep.points - 1, sweep.points // 2))
    return [point * sweep.repetitions for point in points]


def tried(document: Mapping[str, Any], within_s: float) -> Tried | None:
    """Try a run for a moment; None if it cannot be played, or nothing is known after that moment."""
    start = time.perf_counter()
    try:
        run = Run(load_scenario(dict(document)), trace="none", drawn=False)
        ready = time.perf_counter()
        end = run.scenario.duration_s
        while not run.advance(end, BUDGET) and time.perf_counter() - start < within_s:
            pass
    except (ScenarioError, ProtocolBug, OutsideSubset):
        return None
    share = run.now / end
    if share <= 0.0:
        return None
    return Tried(ready - start, (time.perf_counter() - ready) / share, len(run.network.ids))


def workers_of(master: str) -> int:
    """How many runs are played at a time; of a cluster nothing is known, and one this big is assumed."""
    cores = len(os.sched_getaffinity(0))
    local = re.fullmatch(r"local(?:\[(\*|\d+)[^\]]*\])?", master or "local[*]")
    if local is None or local[1] == "*":
        return cores
    return int(local[1] or 1)


def method_of(sweep: Sweep) -> tuple[str, list[str]]:
    """How runs will be played, and protocols that cannot be compiled."""
    slow = [spec.title for spec in sweep.protocols if not spec.compiled]
    if sweep.method in ("routes", "interpreted"):
        return sweep.method, []
    return ("interpreted" if len(slow) == len(sweep.protocols) else "compiled"), slow


def estimate(sweep: Sweep, master: str, warm: bool, within_s: float = TRIED_S) -> SweepEstimate:
    """What a sweep would cost. Takes about `within_s`, more for big networks."""
    method, slow = method_of(sweep)
    workers = workers_of(master)
    chosen = samples(sweep)
    found = [tried(sweep.document(run), within_s / len(chosen)) for run in chosen]
    costs = [_cost(each, method) for each in found if each is not None]
    seconds = None
    if costs:
        seconds = sum(costs) / len(costs) * sweep.runs / min(workers, sweep.runs)
        seconds = float(f"{seconds + (0.0 if warm else START_S) + 1.0:.2g}")
    return SweepEstimate(
        runs=sweep.runs,
        points=sweep.points,
        seconds=seconds,
        disk_mb=float(f"{megabytes(sweep):.2g}"),
        method=method,
        workers=workers,
        metrics=list(sweep.metrics),
        measurable=measurable(sweep),
        warnings=_warnings(sweep, master, seconds, slow, len(found) - len(costs)),
    )


def measurable(sweep: Sweep) -> list[str]:
    """All metrics that its method has of its protocols."""
    return list(ON_ROUTES) if sweep.method == "routes" else known(sweep.protocols)


async def within(sweep: Sweep, master: str, warm: bool) -> SweepEstimate:
    """The same from a thread, of which there is one: without a time where it is busy or takes too long."""
    trying = asyncio.get_running_loop().run_in_executor(_thread, estimate, sweep, master, warm)
    try:
        async with asyncio.timeout(LONGEST_S):
            return await trying
    except TimeoutError:
        return unknown_cost(sweep, master)


def unknown_cost(sweep: Sweep, master: str) -> SweepEstimate:
    """The same where trying a run takes too long."""
    words = "One run alone takes long to set up: how long all of them take is not known."
    return SweepEstimate(
        runs=sweep.runs,
        points=sweep.points,
        seconds=None,
        disk_mb=float(f"{megabytes(sweep):.2g}"),
        method=method_of(sweep)[0],
        workers=workers_of(master),
        metrics=list(sweep.metrics),
        measurable=measurable(sweep),
        warnings=[words],
    )


def _cost(of: Tried, method: str) -> float:
    gain = {"compiled": GAIN, "routes": ROUTE_GAIN}.get(method, 1.0)
    return LEAST_S + of.setup_s + of.play_s / gain


def _warnings(sweep: Sweep, master: str, seconds: float | None, slow: list[str], failed: int) -> list[str]:
    found = []
    if failed:
        found.append(
            f"{failed} of {len(samples(sweep))} runs tried could not be played: see which rows fail."
        )
    if slow:
        found.append(f"Interpreted, and slow: {', '.join(slow)} cannot be compiled.")
    if sweep.repetitions == 1:
        found.append("One seed a point: no confidence intervals.")
    if seconds is not None and seconds > LONG_S:
        found.append("This takes more than an hour: fewer values or seeds show the shape sooner.")
    if master and not master.startswith("local"):
        found.append("Spark runs elsewhere: the time is for a machine like this one.")
    return found
