"""`ringcast bench radio`: two virtual hours of PSVR on 50 positions of the IoT-LAB under a CC2420 radio, in both engines.

The runs are tests of Fig. 11 (`backend.figures.psvr_11`): judged, with digest and publications. The compiled engine plays
all of it; the interpreted one takes over in the middle and plays a stretch, whose CPU time is scaled by events, or plays
everything with `--whole`. What both have played must have the same digest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from backend.arguments import seconds
from backend.bench.machine import words
from backend.bench.progress import tell, told
from backend.bench.report import table, tell_all, three
from backend.figures.psvr_11 import document
from engine.api import Run
from engine.world.scenario import load_scenario

Tell = Callable[[str], None]

NODES, SEED, WHOLE_S = 50, 1, 7200.0
POWERS = (0.0, -10.0)  # dBm: the radio's own, at which most hear each other, and that of Fig. 11
ASKED_S = {"compiled": 10.0, "interpreted": 120.0}
SLICES = 24
MARK = "ringcast bench radio --write docs"


@dataclass
class Result:
    """What an engine took for a run, or for a stretch of it."""

    power: float
    neighbours: float
    engine: str
    virtual_s: float
    slices: list[tuple[int, float]] = field(default_factory=list)
    """(events, CPU seconds)"""

    @property
    def events(self) -> int:
        """Events played."""
        return sum(events for events, _ in self.slices)

    @property
    def cost_s(self) -> float:
        """CPU seconds per event."""
        return sum(seconds for _, seconds in self.slices) / self.events

    @property
    def least_s(self) -> float:
        """The same in the best slice."""
        return min(seconds / events for events, seconds in self.slices if events)


def start(power: float, engine: str) -> Run:
    """The run at its beginning."""
    given = document(NODES, WHOLE_S, power) | {"seed": SEED}
    return Run(load_scenario(given), trace="none", engine=engine, drawn=False)


def result(run: Run, power: float) -> Result:
    """An empty result for it."""
    return Result(power, 2 * len(run.network.links) / NODES, run.engine, 0.0)


def play(run: Run, until: float, into: Result) -> None:
    """Play to `until` in slices, and note what they took."""
    begin = run.now
    for k in range(1, SLICES + 1):
        before, spent = run.events, time.process_time()
        run.advance(until if k == SLICES else begin + k * (until - begin) / SLICES)
        into.slices.append((run.events - before, time.process_time() - spent))
    into.virtual_s += until - begin


def measure_one(power: float, whole_s: float, stretch_s: float, tell: Tell) -> tuple[Result, Result]:
    """(compiled, interpreted) at this power. A stretch of 0 plays all of it. Raises RuntimeError if digests differ."""
    start(power, "compiled").advance(1.0)  # loads the code
    tell(f"{power:g} dBm, compiled")
    run = start(power, "compiled")
    compiled = result(run, power)
    if stretch_s:
        play(run, whole_s / 2, compiled)
        other = run.interpreted(trace="none")
        until = whole_s / 2 + stretch_s
        play(run, until, compiled)
    else:
        other, until = start(power, "interpreted"), whole_s
        play(run, whole_s, compiled)
    digest = run.digest
    if run.now < whole_s:
        play(run, whole_s, compiled)
    tell(f"{power:g} dBm, interpreted, {until - other.now:g} virtual seconds")
    interpreted = result(other, power)
    play(other, until, interpreted)
    if other.digest != digest:
        raise RuntimeError(f"at {power:g} dBm the interpreted engine ends with {other.digest}, not {digest}")
    return compiled, interpreted


def markdown(machine: str, results: Sequence[tuple[Result, Result]]) -> str:
    """The table."""
    rows = []
    for pair in results:
        total = pair[0].events
        rows += [
            (
                f"{r.power:g}",
                f"{r.neighbours:.0f}",
                f"**{r.engine}**" if r.engine == "compiled" else r.engine,
                f"{r.virtual_s:,.0f}",
                f"{r.events:,}",
                three(r.cost_s * 1e6),
                three(r.cost_s * total),
                three(r.least_s * total),
                f"{ASKED_S[r.engine]:g}",
            )
            for r in pair
        ]
    head = ("dBm", "neighbours", "engine", "virtual s", "events", "µs/event", "CPU s", "at best", "asked")
    return f"Machine: {machine}.\n\n{table(head, rows)}\n"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--quick", action="store_true", help="two virtual minutes: whether it works")
    parser.add_argument(
        "--stretch",
        type=seconds,
        default=300.0,
        metavar="S",
        help="virtual seconds that the interpreted engine plays (default 300, at most half of the whole)",
    )
    parser.add_argument("--whole", action="store_true", help="it plays all of it, for minutes")
    parser.add_argument("--write", metavar="DIR", help="renew the table in DIR/performance.md")


def measure(args: argparse.Namespace) -> int:
    """Run the benchmark and print the table."""
    whole_s = 120.0 if args.quick else WHOLE_S
    stretch = 0.0 if args.whole else min(args.stretch, whole_s / 2)
    results = [measure_one(power, whole_s, stretch, tell) for power in POWERS]
    told()
    tell_all(markdown(words(), results), MARK, args.write)
    return 0
