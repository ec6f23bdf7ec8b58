"""Virtual time against the wall clock: how far to play now, how fast it really goes, how much fits in a slice."""

from __future__ import annotations

from collections import deque

MAX_LAG_S = 0.25
"""Of wall time that a run may be behind before the lost time is given up instead of chased."""


SHORTEST_SHARE = 0.2


class Pace:
    """The clock of one run. Wall times in seconds of any monotonic clock."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self._wall = 0.0
        self._t = 0.0
        self._marks: deque[tuple[float, float]] = deque()

    def start(self, wall: float, t: float) -> None:
        """Time runs from here: after play, a change of speed, or a jump."""
        self._wall, self._t = wall, t
        self._marks.clear()

    def target(self, wall: float, t: float) -> float:
        """The virtual time due now, for a run that has got to t. Gives up what lies more than 0.25 s back."""
        due = self._t + (wall - self._wall) * self.speed
        if due - t > MAX_LAG_S * self.speed:
            due = t + MAX_LAG_S * self.speed
            self._wall, self._t = wall, due
        return max(t, round(due, 4))

    def mark(self, wall: float, t: float) -> None:
        """Note how far the run is, for `achieved`."""
        self._marks.append((wall, t))
        while len(self._marks) > 2 and self._marks[1][0] < wall - 1.0:
            self._marks.popleft()

    def achieved(self) -> float:
        """Virtual seconds a second, over about the last second; the speed asked for while too little is known."""
        if len(self._marks) < 2:
            return self.speed
        (w0, t0), (w1, t1) = self._marks[0], self._marks[-1]
        return (t1 - t0) / (w1 - w0) if w1 - w0 > 0.2 else self.speed


class Load:
    """How many runs of a process have more to do than one slice."""

    def __init__(self) -> None:
        self.busy = 0


class Slices:
    """How many engine events fit in a slice of so many seconds, learnt from the slices before.

    The more runs are busy, the shorter their slices, so that others wait no longer for their turn.
    """

    def __init__(self, slice_s: float, load: Load | None = None) -> None:
        self.slice_s, self.load = slice_s, load or Load()
        self._rate = 50_000.0
        self._busy = False

    @property
    def budget(self) -> int:
        share = min(1.0, max(SHORTEST_SHARE, 3.0 / max(1, self.load.busy)))
        return max(20, int(self._rate * self.slice_s * share))

    def busy(self, busy: bool) -> None:
        """Whether this run has more to do at once."""
        self.load.busy += busy - self._busy
        self._busy = busy

    def learn(self, events: int, took: float) -> None:
        """A slice of `events` took so many seconds. A slow one counts at once, a quick one little by little."""
        if events < 20 or took <= 0.0:
            return
        rate = events / took
        weight = 0.5 if rate < self._rate else 0.2
        self._rate += weight * (rate - self._rate)
