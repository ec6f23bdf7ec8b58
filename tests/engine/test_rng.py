"""Streams of all nodes together: the numbers of each node's own stream, however many are worked out ahead."""

from __future__ import annotations

import pytest

from engine.core.rng import AHEAD, MOST, P_TIMER, PURPOSES, TOGETHER, Stream, Streams, mix


def test_every_node_gets_the_numbers_of_its_own_stream() -> None:
    streams = Streams(7, PURPOSES[P_TIMER], 2)
    streams.grow()
    own = [Stream(7, PURPOSES[P_TIMER], v) for v in range(3)]
    for k in range(3 * AHEAD):
        for v in (0, 2) if k % 3 else (0, 1, 2):
            assert streams.next(v) == own[v].uniform()
    assert streams.drawn == [stream.drawn for stream in own] == [3 * AHEAD, AHEAD, 3 * AHEAD]


def test_who_draws_much_takes_nothing_from_those_around_it() -> None:
    n = 2 * TOGETHER + 3
    streams, own, order = (
        Streams(2, "timer", n),
        [Stream(2, "timer", v) for v in range(n)],
        Stream(9, "order"),
    )
    for _ in range(20_000):
        v = min(order.below(n), order.below(n), order.below(n))
        assert streams.next(v) == own[v].uniform()
    assert streams.drawn == [stream.drawn for stream in own]


@pytest.mark.parametrize("drawn", [0, AHEAD - 1, AHEAD, AHEAD + 1, MOST - 1, MOST, 2 * MOST + 3])
def test_they_go_on_from_wherever_a_run_was_kept(drawn: int) -> None:
    streams = Streams(1, "loss", 1)
    for _ in range(AHEAD + 9):  # of another block than the one that is restored
        streams.next(0)
    streams.restore([drawn])
    own = Stream(1, "loss", 0, drawn)
    assert [streams.next(0) for _ in range(2 * MOST)] == [own.uniform() for _ in range(2 * MOST)]


def test_a_number_is_the_top_of_a_word() -> None:
    one, other = Stream(3, "protocol", 5), Stream(3, "protocol", 5)
    assert one.uniform() == (other.word() >> 11) / 2**53
    assert mix(0) == 0
