"""Worse starts: found again, replayed to the same figure, no better than what chance finds, and asked for sensibly."""

from __future__ import annotations

from typing import Any

import pytest

from engine.api import Run
from engine.core.errors import ScenarioError
from engine.search import worst
from engine.world.scenario import load_scenario
from tests.engine.support import scenario, subscribe

BASE: dict[str, Any] = scenario({"kind": "line", "n": 7}, [subscribe("2"), subscribe("6")], 60.0)


def rounds_of(document: dict[str, Any], layer: str = "all") -> int | None:
    run = Run(load_scenario(document), trace="none")
    run.advance(document["duration_s"])
    found: int | None = run.report()["stabilisation"]["faults"][-1]["layers"][layer]["rounds"]
    return found


def test_it_finds_a_start_at_least_as_bad_as_chance_does_and_worse_than_power_on() -> None:
    found = worst(BASE, tries=36, layer="ring")
    assert found.tries == 36
    assert found.rounds is not None
    assert found.at_random is not None
    assert found.rounds >= found.at_random >= 5
    assert found.history[-1][1] == found.rounds
    # The same number of starts that are all drawn at random.
    assert found.rounds >= max(
        worst(BASE, tries=3, seed=seed, layer="ring").rounds or 0 for seed in range(2, 14)
    )


def test_the_scenario_found_replays_to_the_same_figure_interpreted() -> None:
    found = worst(BASE, tries=6, seed=3)
    assert rounds_of(found.document) == found.rounds
    assert load_scenario(found.document).events[0] == load_scenario(BASE).events[0]


def test_equal_searches_find_equal_starts_whatever_the_threads() -> None:
    one, two = worst(BASE, tries=20, seed=5), worst(BASE, tries=20, seed=5, threads=2)
    assert one == two
    assert worst(BASE, tries=20, seed=6).document != one.document


def test_it_stops_at_a_start_that_does_not_end_in_time() -> None:
    told: list[tuple[int, int | None]] = []
    found = worst(
        {**BASE, "duration_s": 2.0}, tries=100, told=lambda done, rounds: told.append((done, rounds))
    )
    assert (found.rounds, found.seconds) == (None, None)
    assert found.tries < 100
    assert told[-1] == (found.tries, None)


def test_the_start_comes_after_the_last_fault_of_the_document() -> None:
    events = [
        *BASE["events"],
        {"t": 9.0, "do": "fail-node", "node": "3"},
        {"t": 30, "do": "publish", "node": "0", "channel": "c"},
    ]
    found = worst({**BASE, "events": events}, tries=1)
    corrupted = [event for event in found.document["events"] if event["do"] == "corrupt"]
    assert {event["t"] for event in corrupted} == {9.0}
    assert {event["node"] for event in corrupted} == {"0", "1", "2", "4", "5", "6"}


@pytest.mark.parametrize(
    ("change", "asked", "path"),
    [
        ({"events": [{"t": 60, "do": "fail-node", "node": "3"}]}, {}, "duration_s"),
        ({}, {"layer": "rings"}, "layer"),
        ({"topology": {"kind": "line", "n": 0}}, {}, "topology.n"),
    ],
)
def test_what_cannot_be_searched_is_refused(change: dict[str, Any], asked: dict[str, Any], path: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        worst(BASE | change, tries=1, **asked)
    assert caught.value.path == path
