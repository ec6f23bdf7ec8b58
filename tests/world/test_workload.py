"""Workloads written out: who, on which channel, when; and documents that ask for what is not there."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest

from engine.core.errors import ScenarioError
from engine.world.events import AnyEvent
from engine.world.network import Network
from engine.world.scenario import Scenario, canonical, load_scenario
from engine.world.topology import build_network
from engine.world.workload import expand


def document(workload: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "version": 1,
        "seed": 7,
        "topology": {"kind": "grid", "rows": 5, "cols": 10},
        "protocol": {"name": "psvr"},
        "workload": workload,
        "duration_s": 100.0,
    } | more


def written(workload: dict[str, Any], **more: Any) -> list[AnyEvent]:
    scenario = load_scenario(document(workload, **more))
    assert scenario.workload is not None
    return expand(scenario.workload, network(scenario), scenario.seed, scenario.duration_s)


def network(scenario: Scenario) -> Network:
    return build_network(scenario.topology, scenario.seed)


def nodes(events: list[AnyEvent], do: str) -> list[str]:
    return list(dict.fromkeys(str(event.node) for event in events if event.do == do))  # type: ignore[union-attr]


def test_publishers_and_subscribers_by_count_share_and_list() -> None:
    events = written({"publishers": 4, "subscribers": {"share": 0.25}, "rate_per_s": 1.0})
    assert (len(nodes(events, "publish")), len(nodes(events, "subscribe"))) == (4, 13)
    events = written({"publishers": ["3", "9"], "subscribers": ["9"], "rate_per_s": 1.0})
    assert (set(nodes(events, "publish")), nodes(events, "subscribe")) == ({"3", "9"}, ["9"])


def test_more_publishers_leave_the_others_as_they_were() -> None:
    few = written({"publishers": 3, "rate_per_s": 0.5})
    many = written({"publishers": 8, "rate_per_s": 0.5})
    assert all(event in many for event in few)
    assert set(nodes(few, "publish")) < set(nodes(many, "publish"))


def test_poisson_and_periodic_publications_have_the_rate_asked_for() -> None:
    asked = {"publishers": 50, "rate_per_s": 0.5, "start_s": 20, "end_s": 80}
    poisson = [event.t for event in written(asked) if event.do == "publish"]
    assert len(poisson) == pytest.approx(1500, abs=4 * 1500**0.5)
    assert min(poisson) >= 20
    assert max(poisson) <= 80
    periodic = written({**asked, "publications": "periodic"})
    by_node: dict[str, list[float]] = {}
    for event in periodic:
        if event.do == "publish":
            by_node.setdefault(event.node, []).append(event.t)
    assert all(len(times) == 30 for times in by_node.values())
    assert all(
        b - a == pytest.approx(2.0) for times in by_node.values() for a, b in itertools.pairwise(times)
    )
    assert len({times[0] for times in by_node.values()}) == 50


def test_zipf_makes_the_first_channels_popular() -> None:
    events = written({"publishers": 50, "channels": 4, "zipf": 1.0, "rate_per_s": 2.0})
    drawn = Counter(event.channel for event in events if event.do == "publish")
    total, weights = sum(drawn.values()), [1, 1 / 2, 1 / 3, 1 / 4]
    for k, weight in enumerate(weights):
        assert drawn[f"c{k + 1}"] / total == pytest.approx(weight / sum(weights), abs=0.02)


def test_a_subscriber_takes_different_channels() -> None:
    events = written({"subscribers": 20, "channels": 3, "subscriptions": 2, "zipf": 2.0})
    taken = Counter((event.node, event.channel) for event in events if event.do == "subscribe")
    assert len(taken) == 40
    assert set(taken.values()) == {1}


def test_churn_keeps_the_number_of_subscriptions() -> None:
    events = written({"subscribers": 10, "channels": 2, "churn_per_s": 0.5})
    wants: set[tuple[str, str]] = set()
    changes = 0
    for event in events:
        if event.do == "subscribe":
            assert (event.node, event.channel) not in wants
            wants.add((event.node, event.channel))
        elif event.do == "unsubscribe":
            wants.remove((event.node, event.channel))
            changes += 1
    assert len(wants) == 10
    assert changes == pytest.approx(50, abs=28)


def test_it_is_a_function_of_the_document() -> None:
    asked = {"publishers": 3, "subscribers": 5, "channels": 2, "churn_per_s": 0.1}
    assert written(asked) == written(asked)
    assert written(asked) != written(asked, seed=8)
    times = [event.t for event in written(asked)]
    assert times == sorted(times)


def test_the_canonical_document_keeps_the_workload() -> None:
    asked = {"publishers": {"share": 0.5}, "subscribers": ["1", "2"], "zipf": 1.0}
    scenario = load_scenario(document(asked))
    assert load_scenario(canonical(scenario)) == scenario
    assert b"workload" not in canonical(load_scenario({**document({}), "workload": None}))


@pytest.mark.parametrize(
    ("asked", "path", "words"),
    [
        ({"publishers": 51}, "workload.publishers", "at most 50"),
        ({"publishers": 0}, "workload.publishers", "from 1 to"),
        ({"publishers": True}, "workload.publishers", "a count"),
        ({"publishers": ["3", "zz"]}, "workload.publishers[1]", "unknown node"),
        ({"subscribers": ["3", "3"]}, "workload.subscribers", "each node once"),
        ({"rate_per_s": 0}, "workload.rate_per_s", "above 0"),
        ({"publishers": 50, "rate_per_s": 900.0}, "workload", "at most 100,000 events"),
        ({"channels": 2, "subscriptions": 3}, "workload", "at most channels"),
        ({"start_s": 50, "end_s": 40}, "workload", "from 50 s"),
        ({"publication": "periodic"}, "workload.publication", "did you mean 'publications'"),
        ({"publications": "often"}, "workload.publications", '"poisson" or "periodic"'),
    ],
)
def test_what_cannot_be_is_refused_in_words(asked: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        written(asked)
    assert caught.value.path == path
    assert words in str(caught.value)


@pytest.mark.parametrize("share", [0, 1.5, "half"])
def test_a_share_is_above_0_and_at_most_1(share: object) -> None:
    with pytest.raises(ScenarioError, match="share"):
        written({"publishers": {"share": share}})
