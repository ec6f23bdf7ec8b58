"""All commands of a run in the order they play: those of the document, and those that a workload, a storm or a loss burst
stands for, which are written out when its time comes.

Order: by time; at equal times what was written out comes before the document's, each in its own order. A live command comes
after everything that is due by then, and is replayed in the same place. The whole is a function of the document and its
network, so a run that is resumed works it out again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from engine.core.errors import ScenarioError
from engine.world import storm, workload
from engine.world.events import AddNode, AnyEvent, LossBurst, LossBurstOver, Storm
from engine.world.limits import MAX_EVENTS, MAX_TIME_S
from engine.world.network import Network
from engine.world.radio import audible_by
from engine.world.roster import Roster
from engine.world.scenario import Scenario

Command = AnyEvent | LossBurstOver


@dataclass(frozen=True)
class Written:
    """A command that was written out. `of`: the event of the document it belongs to; None: the workload."""

    of: int | None
    event: Command


class Schedule:
    """What comes next, and the `roster` of what exists by then.

    A command is known by its index: its place in the document, or -1 - k for `written[k]`.
    Raises: ScenarioError for a workload that does not fit the network.
    """

    def __init__(self, scenario: Scenario, network: Network) -> None:
        self.roster = Roster(network, audible_by(scenario.radio, scenario.seed))
        self.written: list[Written] = []
        self._seed = scenario.seed
        self._events = scenario.in_order()
        self._next = 0
        self._taken = {event.id for event in scenario.events if isinstance(event, AddNode)}
        self._waiting: list[tuple[float, int, Written]] = []
        self._planned = 0
        if scenario.workload is not None:
            self._plan(None, workload.expand(scenario.workload, network, scenario.seed, scenario.duration_s))

    @property
    def due(self) -> float | None:
        """When the next command plays; None: none is left."""
        times = [self._waiting[0][0]] if self._waiting else []
        if self._next < len(self._events):
            times.append(self._events[self._next][1].t)
        return min(times, default=None)

    def peek(self) -> tuple[int, Command]:
        """The index that the next command has or will have, and the command."""
        if self._waiting and self._waiting[0][0] == self.due:
            return -1 - len(self.written), self._waiting[0][2].event
        return self._events[self._next]

    def pop(self) -> tuple[int, Command]:
        """The same, and it counts as played.

        Raises: ScenarioError for a storm that makes the commands too many.
        """
        index, event = self.peek()
        if index < 0:
            self.written.append(heappop(self._waiting)[2])
            self.roster.apply(event)
        else:
            self._next += 1
            self.take(index, event)
        return index, event

    def take(self, index: int, event: Any) -> None:
        """Event `index` of the document takes effect: what it stands for is written out. Raises: ScenarioError."""
        if isinstance(event, Storm):
            self._plan(index, storm.expand(event, self.roster, self._seed, index, self._taken))
        elif isinstance(event, LossBurst):
            end = min(event.t + event.duration_s, MAX_TIME_S)
            over = LossBurstOver.model_construct(do="loss-burst-over", t=end, burst=index)
            self._plan(index, [over])
        self.roster.apply(event)

    def _plan(self, of: int | None, events: Sequence[Command]) -> None:
        total = self._planned + len(events)
        if total > MAX_EVENTS:
            path = "workload" if of is None else f"events[{of}]"
            allowed = f"at most {MAX_EVENTS:,} commands in workload and storms together"
            raise ScenarioError(path, f"{total:,} commands", allowed, "too much to do")
        for event in events:
            if isinstance(event, AddNode):
                self.roster.reserved.add(event.id)
            heappush(self._waiting, (event.t, self._planned, Written(of, event)))
            self._planned += 1


def check_events(scenario: Scenario, network: Network) -> None:
    """Refuse a document whose events name nodes or links that do not exist when they play.

    Raises: ScenarioError
    """
    schedule = Schedule(scenario, network)
    later: dict[str, tuple[int, float]] = {}
    for k, event in scenario.in_order():
        if isinstance(event, AddNode):
            later.setdefault(event.id, (k, event.t))
    while schedule.due is not None:
        index, command = schedule.peek()
        if not isinstance(command, LossBurstOver) and index >= 0:
            schedule.roster.check(command, f"events[{index}]", later)
        schedule.pop()
