"""The agenda gives events in the order of one heap, wherever it keeps them."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.core.agenda import NEAR, Agenda, Event

times = st.floats(0.0, 1e6) | st.floats(0.0, 2.0) | st.sampled_from([0.0, 1.0, 1e300, float("inf")])


def event(t: float, seq: int) -> Event:
    return (t, seq, 0, 0, 0, None)


@given(
    st.sampled_from([0.0, 1.0, 1e3, 1e7]),
    st.lists(times | st.none()),
)
def test_it_gives_events_in_the_order_of_a_heap(rate: float, steps: list[Any]) -> None:
    agenda, heap = Agenda(rate), list[Event]()
    for seq, t in enumerate(steps):
        if t is not None:
            agenda.push(event(t, seq))
            heappush(heap, event(t, seq))
        elif heap:
            assert agenda.pop() == heappop(heap)
        assert bool(agenda.near) == bool(heap)
        assert agenda.near[:1] == heap[:1]
        assert sorted(agenda) == sorted(heap)
        assert len(agenda) == len(heap)


@given(st.lists(times, max_size=20), st.lists(times, max_size=20))
def test_what_replaces_events_is_all_there_is(before: list[float], after: list[float]) -> None:
    agenda = Agenda(10.0)
    for events in (before, after):
        agenda.replace(event(t, seq) for seq, t in enumerate(events))
    assert [agenda.pop() for _ in after] == sorted(event(t, seq) for seq, t in enumerate(after))
    assert not agenda


def test_a_large_network_has_a_small_heap() -> None:
    agenda = Agenda(10_000.0)
    for k in range(10_000):
        agenda.push(event(k / 10_000, k))
    assert len(agenda.near) <= 2 * NEAR
    assert len(agenda) == 10_000
