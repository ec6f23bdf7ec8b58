"""Kept moments of a run, so that undo need not replay it from the start.

Keeping one takes as long as a slice or more, so it is never done between a click and its picture: shortly after a
command, and now and then while playing, at a hundredth of the time at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.api import Run

MOST = 20
PLAYING_S = 3.0
SOON_S = 0.5
SHARE_PLAYING, SHARE_SOON = 100.0, 20.0


@dataclass(frozen=True)
class Moment:
    """A kept run. `events`: how many the document had; these come first in every later document, too."""

    events: int
    t: float
    data: bytes


class Past:
    """The latest moments of one run; `nodes` bounds the nodes in all of them together."""

    def __init__(self, nodes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.nodes, self.clock = nodes, clock
        self.moments: list[Moment] = []
        self._kept_at = clock()
        self._cost = 0.0
        self._soon = False

    def keep_soon(self) -> None:
        """A command was given: the moment after it is worth keeping."""
        self._soon = True

    def keep(self, run: Run, playing: bool) -> None:
        """Keep the run as it is, if it is time to."""
        waited = self.clock() - self._kept_at
        due = playing and waited >= max(PLAYING_S, SHARE_PLAYING * self._cost)
        due = due or (self._soon and waited >= max(SOON_S, SHARE_SOON * self._cost))
        size = len(run.network.ids)
        if (
            not due
            or size > self.nodes
            or (self.moments and self.moments[-1].t == run.now and not self._soon)
        ):
            return
        start = time.perf_counter()
        self.moments.append(Moment(len(run.scenario.events), run.now, run.kept()))
        self._cost = time.perf_counter() - start
        self._kept_at = self.clock()
        self._soon = False
        del self.moments[: -max(1, min(MOST, self.nodes // size))]

    def before(self, index: int) -> bytes | None:
        """The latest moment before event `index` was appended to the document; later ones are forgotten."""
        while self.moments and self.moments[-1].events > index:
            self.moments.pop()
        return self.moments[-1].data if self.moments else None

    def clear(self) -> None:
        """Forget everything: the run began anew."""
        self.moments.clear()
        self._soon = False
