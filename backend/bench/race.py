"""Contenders side by side: each plays a short slice in turn, many times over, and its best slice counts.

On a shared machine the speed changes twofold within seconds. Short slices of equal CPU time, in turn, give
everybody the same chance of a quiet moment; the best one tells what the machine can do, not how busy it was.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median

from backend.bench.machine import peak_mb

WARM_S = 20.0  # virtual; by then trees and rings stand, and messages are mixed as they will be
SAME = 0.01  # by how much the numbers of events of two contenders may differ

Tell = Callable[[str], None]


@dataclass
class Result:
    """What a contender came to on one network."""

    name: str
    n: int
    slices: list[tuple[int, float]] = field(default_factory=list)
    """(events, CPU seconds)"""
    warm_events: int = 0
    """events of the first WARM_S virtual seconds"""
    check: int = 0
    """of its state then"""
    peak_mb: float = 0.0

    @property
    def rate(self) -> float:
        """Millions of events per CPU second, in the best slice."""
        return max(events / seconds for events, seconds in self.slices) / 1e6

    @property
    def median_rate(self) -> float:
        """The same in the median slice."""
        return median(events / seconds for events, seconds in self.slices) / 1e6


class Child:
    """A contender's process: `backend.bench.contender`, or a program that keeps to the same."""

    def __init__(
        self, name: str, peers: Sequence[Sequence[int]], program: Sequence[str] | None = None
    ) -> None:
        self.result = Result(name, len(peers))
        code = f"from backend.bench.contender import main; main({name!r})"
        self.process = subprocess.Popen(
            program or [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        rows = "".join(" ".join(map(str, row)) + "\n" for row in peers)
        self._send(f"{len(peers)}\n{rows}")
        self.t = self.spent = 0.0
        self.events = 0

    def _send(self, text: str) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(text)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._gone() from None

    def _gone(self) -> RuntimeError:
        self.close()
        return RuntimeError(f"the contender {self.result.name} ended with code {self.process.returncode}")

    def play(self, seconds: float) -> tuple[int, float, int]:
        """(events, CPU seconds, check) of so many virtual seconds more."""
        assert self.process.stdout is not None
        self.t += seconds
        self._send(f"{self.t}\n")
        answer = self.process.stdout.readline().split()
        if len(answer) != 3:
            raise self._gone()
        events, spent = int(answer[0]), float(answer[1])
        more = events - self.events, spent - self.spent
        self.events, self.spent = events, spent
        return *more, int(answer[2])

    def warm_up(self) -> None:
        """Play until the state is steady."""
        *_, self.result.check = self.play(WARM_S)
        self.result.warm_events = self.events

    def slice_s(self, cpu_s: float) -> float:
        """Virtual seconds that take about so much CPU time. A part of one will do: timers are spread evenly over it."""
        seconds, spent = 1.0, 0.0
        while 4 * spent < cpu_s:
            seconds *= 2
            _, spent, _ = self.play(seconds)
        return seconds * cpu_s / spent

    def end(self) -> Result:
        """Its peak memory; then it may go."""
        self.result.peak_mb = peak_mb(self.process.pid)
        self.close()
        return self.result

    def close(self) -> None:
        """Let the process end."""
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):  # it has gone before
                pipe.close()
        self.process.wait()


def race(
    names: Sequence[str],
    peers: Sequence[Sequence[int]],
    *,
    programs: Mapping[str, Sequence[str]],
    slices: int,
    cpu_s: float,
    tell: Tell,
) -> list[Result]:
    """All of these contenders on one network. Raises RuntimeError if they do not do the same work."""
    children: list[Child] = []
    try:
        for name in names:
            tell(f"{name}, {len(peers):,} nodes: warming up")
            children.append(Child(name, peers, programs.get(name)))
            children[-1].warm_up()
        agree([child.result for child in children])
        lengths = [child.slice_s(cpu_s) for child in children]
        for turn in range(slices):
            for child, length in zip(children, lengths, strict=True):
                tell(f"{child.result.name}, {len(peers):,} nodes: slice {turn + 1} of {slices}")
                events, spent, _ = child.play(length)
                child.result.slices.append((events, spent))
        return [child.end() for child in children]
    finally:
        for child in children:
            if child.process.poll() is None:
                child.close()


def agree(results: Sequence[Result]) -> None:
    """Raises RuntimeError unless all have played as many events, to a hundredth, and hold the same: sums of distances are
    compared with each other, and digests.
    """
    first = results[0]
    for other in results[1:]:
        if abs(other.warm_events - first.warm_events) > SAME * first.warm_events:
            raise RuntimeError(
                f"{other.name} plays {other.warm_events:,} events, {first.name} {first.warm_events:,}"
            )
    for digests in (False, True):
        checks = {r.name: r.check for r in results if r.name.endswith("digest") == digests}
        if len(set(checks.values())) > 1:
            raise RuntimeError(f"the contenders' states differ: {checks}")
