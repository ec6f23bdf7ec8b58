"""Storms and loss bursts written out: what fails, when, and that it works again."""

from __future__ import annotations

from typing import Any

import pytest

from engine.core.errors import ScenarioError
from engine.world.events import LossBurstOver
from engine.world.scenario import load_scenario
from engine.world.schedule import Command, Schedule, check_events
from engine.world.topology import build_network

GRID: dict[str, Any] = {"kind": "grid", "rows": 4, "cols": 5}
STORM: dict[str, Any] = {
    "t": 10.0,
    "do": "storm",
    "duration_s": 60.0,
    "seed": 5,
    "link_flaps_per_s": 0.5,
    "crashes_per_s": 0.3,
    "corruptions_per_s": 0.2,
    "joins_per_s": 0.2,
    "leaves_per_s": 0.05,
    "churn_per_s": 0.2,
}


def schedule(*events: dict[str, Any], topology: dict[str, Any] = GRID, **more: Any) -> Schedule:
    document = {
        "version": 1,
        "topology": topology,
        "protocol": {"name": "psvr"},
        "events": [{"t": 0, "do": "subscribe", "node": v, "channel": "c"} for v in ("1", "2")] + list(events),
        "duration_s": 100.0,
    }
    scenario = load_scenario(document | more)
    network = build_network(scenario.topology, scenario.seed)
    check_events(scenario, network)
    return Schedule(scenario, network)


def played(made: Schedule) -> list[Command]:
    """All that was written out, in order."""
    while made.due is not None:
        made.pop()
    return [x.event for x in made.written]


def counted(events: list[Command]) -> dict[str, int]:
    found: dict[str, int] = {}
    for event in events:
        found[event.do] = found.get(event.do, 0) + 1
    return found


def test_everything_that_fails_works_again_within_the_storm() -> None:
    made = schedule(STORM | {"leaves_per_s": 0.0})
    events = played(made)
    found = counted(events)
    assert found["fail-link"] == found["restore-link"] > 15
    assert found["fail-node"] == found["restore-node"] > 8
    assert found["unsubscribe"] == found["subscribe"] > 5
    assert found["corrupt"] > 5
    assert found["add-node"] > 5
    assert not made.roster.failed
    assert not made.roster.cut
    assert all(10.0 <= event.t <= 70.0 for event in events)
    assert [event.t for event in events] == sorted(event.t for event in events)


def test_unless_asked_otherwise() -> None:
    made = schedule(STORM | {"repair_all": False, "repair_s": 300.0})
    found = counted(played(made))
    assert found["fail-link"] > found.get("restore-link", 0)
    assert made.roster.failed
    assert made.roster.cut


def test_who_leaves_stays_away() -> None:
    made = schedule({**STORM, "crashes_per_s": 0.0, "leaves_per_s": 0.2})
    assert counted(played(made))["fail-node"] == len(made.roster.failed) > 5


def test_only_what_works_is_hit() -> None:
    failed: set[str] = set()
    cut: set[frozenset[str]] = set()
    for event in played(schedule(STORM | {"crashes_per_s": 2.0, "link_flaps_per_s": 2.0})):
        match event.do:
            case "fail-node" | "corrupt":
                assert event.node not in failed
                failed |= {event.node} if event.do == "fail-node" else set()
            case "restore-node":
                failed.remove(event.node)
            case "fail-link":
                assert frozenset(event.link) not in cut
                assert not failed & set(event.link)
                cut.add(frozenset(event.link))
            case "restore-link":
                cut.remove(frozenset(event.link))


def test_more_of_one_fault_leaves_the_moments_of_the_others() -> None:
    def flaps(storm: dict[str, Any]) -> list[float]:
        return [event.t for event in played(schedule(storm)) if event.do == "fail-link"]

    assert flaps(STORM) == flaps(STORM | {"corruptions_per_s": 0.9, "joins_per_s": 0.0})
    assert flaps(STORM) != flaps(STORM | {"seed": 6})
    assert flaps(STORM) == flaps(STORM), "equal documents, equal storms"


def test_without_a_seed_of_its_own_the_scenarios_counts() -> None:
    storm = {name: value for name, value in STORM.items() if name != "seed"}
    one, other = played(schedule(storm)), played(schedule(storm, seed=2))
    assert one != other
    assert played(schedule(STORM)) == played(schedule(STORM, seed=2))


def test_nodes_that_join_are_within_reach_where_links_follow_from_a_range() -> None:
    geometric = {"kind": "geometric", "n": 30, "range_m": 300.0}
    made = schedule(STORM, topology=geometric)
    joined = [event for event in played(made) if event.do == "add-node"]
    assert len(joined) > 5
    for event in joined:
        assert not event.links
        assert any(made.roster.linked(event.id, other) for other in made.roster.network.ids)


def test_ids_of_joining_nodes_are_free() -> None:
    taken = {"t": 90, "do": "add-node", "id": "storm3-1", "x": 0, "y": 0, "links": ["1"]}
    ids = [event.id for event in played(schedule(STORM, taken)) if event.do == "add-node"]
    assert ids[:2] == ["storm3-1'", "storm3-2"]
    assert len(set(ids)) == len(ids)


def test_a_document_may_name_nodes_that_a_storm_adds() -> None:
    events = played(schedule(STORM))
    first = next(event for event in events if event.do == "add-node")
    made = schedule(STORM, {"t": 80, "do": "corrupt", "node": first.id, "layer": "*"})
    assert made.roster is not None
    with pytest.raises(ScenarioError, match=r"events\[3\].node: unknown node"):
        schedule(STORM, {"t": first.t - 0.5, "do": "corrupt", "node": first.id, "layer": "*"})


def test_what_is_written_out_comes_before_the_document_at_the_same_moment() -> None:
    burst = {"t": 10, "do": "loss-burst", "loss": 0.5, "duration_s": 5}
    made = schedule(burst, {"t": 15, "do": "set-loss", "loss": 0.1})
    order = []
    while made.due is not None:
        order.append(made.pop())
    assert [index for index, _ in order] == [0, 1, 2, -1, 3]
    assert isinstance(order[3][1], LossBurstOver)
    assert (made.written[0].of, made.written[0].event.t) == (2, 15.0)


@pytest.mark.parametrize(
    ("event", "path", "words"),
    [
        ({"do": "storm", "duration_s": 5}, "events[2]", "at least one rate above 0"),
        ({"do": "storm", "duration_s": 1e5, "crashes_per_s": 9}, "events[2]", "at most 10,000 faults"),
        ({"do": "storm", "duration_s": 0, "crashes_per_s": 9}, "events[2].duration_s", "above 0"),
        (
            {"do": "storm", "duration_s": 5, "crashs_per_s": 9},
            "events[2].crashs_per_s",
            "did you mean 'crashes_per_s'",
        ),
        ({"do": "storm", "duration_s": 5, "crashes_per_s": -1}, "events[2].crashes_per_s", "from 0"),
        (
            {"do": "loss-burst", "loss": 0.5, "duration_s": 5, "link": ["0", "7"]},
            "events[2].link",
            "no such link",
        ),
        (
            {"do": "loss-burst", "loss": 0.5, "duration_s": 5, "nodes": ["0", "zz"]},
            "events[2].nodes[1]",
            "unknown node",
        ),
        ({"do": "loss-burst", "loss": 2, "duration_s": 5}, "events[2].loss", "from 0 to 1"),
        (
            {"do": "loss-burst", "loss": 0.5, "duration_s": 5, "link": ["0", "1"], "nodes": ["0"]},
            "events[2]",
            "link, or nodes, or neither",
        ),
        ({"do": "loss-burst-over", "burst": 0}, "events[2].do", "unknown do"),
    ],
)
def test_what_cannot_be_is_refused_in_words(event: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        schedule({"t": 1.0, **event})
    assert caught.value.path == path
    assert words in str(caught.value)


def test_too_many_commands_in_all_are_refused() -> None:
    storm = {**STORM, "duration_s": 1000.0, "link_flaps_per_s": 9.0, "repair_s": 0.1}
    with pytest.raises(ScenarioError, match="at most 100,000 commands"):
        schedule(*[{**storm, "t": k, "seed": k} for k in range(8)])
