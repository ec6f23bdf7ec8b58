"""Who leads the tree: a dedicated root or the smallest node; what happens when it fails, returns, or nodes come and go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from engine.api import Run
from engine.world.scenario import load_scenario
from tests.engine.support import legitimate, play, publish, scenario, subscribe

SMALLEST = {"leader": "smallest"}
DEDICATED = {"root": "4"}
either = pytest.mark.parametrize(("params", "leader"), [(SMALLEST, "0"), (DEDICATED, "4")])


def leaders(run: Run) -> list[str]:
    """Whom the nodes that work take as their root."""
    sim = run.scene.sim
    return sorted({run.network.ids[sim.st.tree.root[v]] for v in range(sim.n) if sim.alive[v]})


def settle(run: Run, most_s: float) -> float:
    """Play until every layer has been right for a second; the seconds it took them. Fails after `most_s`."""
    begin = run.now
    while not all(since is not None and run.now >= max(since, begin) + 1.0 for since in run.since):
        assert run.now < begin + most_s, f"{run.samples[-1]} after {most_s} s"
        run.advance(run.now + 0.5)
    return max(max(since or 0.0, begin) for since in run.since) - begin


@either
def test_the_next_in_line_takes_over_and_gives_way(params: dict[str, Any], leader: str) -> None:
    run = play(scenario({"kind": "grid", "rows": 3, "cols": 4}, [], 15.0, params=params))
    assert leaders(run) == [leader]
    run.command({"do": "fail-node", "node": leader})
    settle(run, 40.0)
    next_in_line = "1" if leader == "0" else "0"
    assert leaders(run) == [next_in_line]
    run.command({"do": "restore-node", "node": leader})
    settle(run, 40.0)
    assert leaders(run) == [leader]


@either
def test_each_part_has_its_own_leader(params: dict[str, Any], leader: str) -> None:
    run = play(scenario({"kind": "line", "n": 8}, [], 15.0, params=params))
    run.command({"do": "fail-link", "link": ["2", "3"]})
    settle(run, 40.0)
    assert leaders(run) == sorted({leader, "0", "3"} - ({"3"} if leader == "4" else set()))
    run.command({"do": "restore-all"})
    settle(run, 40.0)
    assert leaders(run) == [leader]


@some.composite
def networks(draw: Callable[..., Any]) -> dict[str, Any]:
    n = draw(some.integers(5, 16))
    return {"kind": "gnp", "n": n, "mean_degree": 3.0, "allow_disconnected": draw(some.booleans())}


@pytest.mark.parametrize("params", [SMALLEST, DEDICATED])
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(networks(), some.integers(0, 10_000), some.booleans())
def test_from_any_state_the_right_one_leads(
    params: dict[str, str], topology: dict[str, Any], seed: int, failed: bool
) -> None:
    run = Run(load_scenario(scenario(topology, [subscribe("1")], seed=seed, params=params)))
    run.advance(5.0)
    if failed:  # a ghost: everybody may remember the leader that is gone
        run.command({"do": "fail-node", "node": params.get("root", "0")})
    run.command({"do": "corrupt", "node": "*", "layer": "*"})
    settle(run, 120.0)
    truth = run.scene.truth()
    assert leaders(run) == sorted({run.network.ids[truth.root[nodes[0]]] for nodes in truth.parts})


@pytest.mark.parametrize("n", [10, 20, 40])
@pytest.mark.parametrize("params", [SMALLEST, {}], ids=["smallest", "dedicated"])
def test_after_a_node_joins_psvr_delivers_within_a_multiple_of_n_rounds(
    n: int, params: dict[str, str]
) -> None:
    """Measured: 4 or 5 rounds, whatever n."""
    run = play(scenario({"kind": "gnp", "n": n, "mean_degree": 5.0}, [subscribe("1")], 25.0, params=params))
    assert legitimate(run)
    run.command({"do": "add-node", "id": "new", "x": 0, "y": 0, "links": ["2", "3"]})
    run.command({"do": "subscribe", "node": "new", "channel": "c"})
    rounds = 0
    while not (rounds and run.publications and len(run.publications[-1].delivered) == 2):
        assert rounds < n
        run.step_round()
        rounds += 1
        run.command({"do": "publish", "node": "0", "channel": "c"})
        run.advance(run.now + 0.5)
    settle(run, 60.0)


@pytest.mark.parametrize("params", [SMALLEST, {"root": "5"}], ids=["smallest", "dedicated"])
def test_nodes_come_and_go_and_publications_find_their_way(params: dict[str, str]) -> None:
    events = [subscribe("3"), subscribe("8"), publish("11", 20.0)]
    run = play(scenario({"kind": "grid", "rows": 3, "cols": 4}, events, 21.0, params=params))
    taken = []
    for change in (
        {"do": "add-node", "id": "new", "x": 0, "y": 0, "links": ["0", "7"]},
        {"do": "fail-node", "node": params.get("root", "0")},
        {"do": "fail-node", "node": "1"},
        {"do": "restore-node", "node": "1"},
        {"do": "restore-node", "node": params.get("root", "0")},
    ):
        run.command(change)
        taken.append(settle(run, 60.0))
        run.command({"do": "publish", "node": "new", "channel": "c"})
        run.advance(run.now + 1.0)
    assert [len(p.expected) for p in run.publications] == [2] * 6
    assert all(set(p.delivered) == p.expected and p.duplicates == 0 for p in run.publications)
