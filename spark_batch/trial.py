"""A few runs from all over the grid before the rest: how long one takes, and that the code is compiled."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from engine.sweeps import Plan, Sweep
from spark_batch.here import warm
from spark_batch.play import Player

CHUNK_S = 6.0
"""Work of an ordinary chunk: Spark's share of it is small, and little is lost when a worker dies."""
SMALL_S = 0.4
"""Work of a first chunk: results soon."""
TRIAL_S = 0.4
LONG_S = 20.0
"""More than compiling or loading takes anywhere."""
LEAST, MOST = 1, 50_000
"""Runs of a chunk."""


@dataclass(frozen=True)
class Trial:
    """What some runs took (s)."""

    seconds: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Of a run (s)."""
        return max(1e-6, fmean(self.seconds))


def places(runs: int, count: int) -> list[int]:
    """Up to so many runs, spread over all, the ends among them."""
    if runs <= count:
        return list(range(runs))
    return sorted({k * (runs - 1) // (count - 1) for k in range(count)})


def try_some(
    sweep: Sweep, tell: Callable[[str], None] = lambda what: None, stopped: Callable[[], bool] = lambda: False
) -> Trial:
    """Play the first run, the last one and some between, for about half a second in all."""
    warm(sweep, lambda title: tell(f"compiling {title}"))
    tell("trying some runs")
    player, seconds = Player(sweep), list[float]()
    found = places(sweep.runs, 9)
    order = [found[0], found[-1], *found[1:-1]] if len(found) > 1 else found
    begin = time.perf_counter()
    player.row(order[0])  # what is loaded once does not count, unless the run is long in any case
    if (first := time.perf_counter() - begin) > LONG_S:
        return Trial((first,))
    begin = time.perf_counter()
    for run in order:
        before = time.perf_counter()
        player.row(run)
        seconds.append(time.perf_counter() - before)
        if time.perf_counter() - begin > TRIAL_S or stopped():
            break
    return Trial(tuple(seconds))


def plan_for(sweep: Sweep, run_s: float, slots: int) -> Plan:
    """Chunks of the right length for runs of `run_s` on so many slots; short sweeps are cut so that all have work."""
    usual = min(MOST, round(CHUNK_S / run_s))
    fair = -(-sweep.runs // (4 * slots))
    size = max(LEAST, min(usual, fair))
    return Plan.of(sweep.runs, size, max(1, min(size, round(SMALL_S / run_s))), 2 * slots)
