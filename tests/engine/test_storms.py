"""Storms, loss bursts and workloads in runs: live and replayed, kept and resumed, undone, and on both engines alike."""

from __future__ import annotations

from typing import Any

import pytest

from engine.api import Run
from engine.core.errors import ScenarioError
from engine.play.commands import fits
from engine.registry import protocol
from engine.world import share
from engine.world.scenario import Scenario, as_document, load_event, load_scenario
from tests.engine.cases import seen
from tests.engine.support import legitimate, play, scenario, subscribe

WILD: dict[str, Any] = {
    "do": "storm",
    "duration_s": 12.0,
    "link_flaps_per_s": 0.6,
    "crashes_per_s": 0.3,
    "corruptions_per_s": 0.3,
    "joins_per_s": 0.3,
    "leaves_per_s": 0.1,
    "churn_per_s": 0.2,
    "repair_s": 2.0,
}
GNP = {"kind": "gnp", "n": 20, "mean_degree": 5}
WORKLOAD = {
    "publishers": {"share": 0.3},
    "subscribers": 5,
    "channels": 2,
    "zipf": 1.0,
    "start_s": 5.0,
    "churn_per_s": 0.1,
}


def stormy(duration: float = 50.0) -> dict[str, Any]:
    events = [
        {"t": 10.0, **WILD, "seed": 3},
        {"t": 12.0, "do": "loss-burst", "loss": 0.5, "duration_s": 6.0},
        {"t": 14.0, "do": "loss-burst", "loss": 0.9, "duration_s": 2.0, "nodes": ["3", "4"]},
    ]
    return scenario(GNP, events, duration, seed=4, workload=WORKLOAD)


def test_both_engines_play_storms_and_workloads_alike() -> None:
    document = stormy()
    compiled, interpreted = (
        Run(load_scenario(document), engine=name) for name in ("compiled", "interpreted")
    )
    for until in (16.0, 50.0):
        for run in (compiled, interpreted):
            run.advance(until)
        assert seen(compiled) == seen(interpreted)
    assert compiled.report()["digest"] == interpreted.digest


def test_a_run_is_resumed_in_the_middle_of_a_storm() -> None:
    whole = play(stormy())
    for t in (10.0, 15.0, 19.99):
        run = Run.resume(play(stormy(), t).snapshot())
        run.advance(50.0)
        assert run.report() == whole.report()


def test_a_snapshot_of_other_commands_is_refused() -> None:
    saved = play(stormy(), 15.0).snapshot()
    saved["scenario"]["workload"]["rate_per_s"] = 0.5
    with pytest.raises(ValueError, match="not those of its document"):
        Run.resume(saved)


def live() -> Run:
    """A storm and a burst given by hand, and a command for a node that the storm added."""
    run = play(scenario(GNP, [subscribe("3"), subscribe("9")], 60.0), 10.0)
    run.command(WILD)
    run.command({"do": "loss-burst", "loss": 0.6, "duration_s": 4.0, "link": _link(run)})
    run.advance(20.0)
    run.command({"do": "corrupt", "node": joined(run)[0], "layer": "*"})
    run.advance(40.0)
    return run


def _link(run: Run) -> list[str]:
    a, b = run.network.links[0]
    return [run.network.ids[a], run.network.ids[b]]


def joined(run: Run) -> list[str]:
    """The nodes that storms have added so far."""
    return [x["event"]["id"] for x in run.report()["written_out"] if x["event"]["do"] == "add-node"]


def test_what_was_clicked_in_a_storm_replays_exactly_also_from_a_link() -> None:
    run = live()
    assert len(joined(run)) > 1
    link = share.encode(run.scenario, engine="1", digest=run.digest, end_s=run.now)
    shared = share.decode(link)
    again = Run(shared.scenario)
    again.advance(40.0)
    assert again.digest == run.digest == shared.digest
    assert again.report() == run.report()
    assert len(run.scenario.events) == 5, "a storm is one line of the document"


def test_without_its_line_a_storm_never_happened() -> None:
    run = play(scenario(GNP, [subscribe("3")], 60.0), 10.0)
    kept = run.snapshot()
    run.command(WILD)
    run.advance(15.0)
    without = run.scenario.model_copy(update={"events": run.scenario.events[:-1]})
    back = Run.resume({**kept, "scenario": as_document(without)})
    back.advance(30.0)
    assert back.digest == play(scenario(GNP, [subscribe("3")], 60.0), 30.0).digest
    assert back.report()["written_out"] == []


def test_a_node_of_the_storm_has_its_id_even_before_it_joins() -> None:
    run = play(scenario(GNP, [], 60.0), 10.0)
    run.command({**WILD, "joins_per_s": 1.0})
    future = play_on(run)
    with pytest.raises(ScenarioError, match="id already taken"):
        run.command({"do": "add-node", "id": future, "x": 0, "y": 0, "links": ["1"]})


def play_on(run: Run) -> str:
    """The first node that a copy of this run sees join."""
    ahead = Run.resume(run.snapshot())
    ahead.advance(run.now + 12.0)
    return joined(ahead)[0]


def losses(run: Run) -> set[float]:
    return {loss for row in run.scene.sim.loss for loss in row}


def test_loss_bursts_overlap_and_the_worst_counts() -> None:
    events = [
        {"t": 5, "do": "set-loss", "loss": 0.2, "link": ["0", "1"]},
        {"t": 10, "do": "loss-burst", "loss": 0.5, "duration_s": 10},
        {"t": 15, "do": "loss-burst", "loss": 0.3, "duration_s": 10},
        {"t": 17, "do": "set-loss", "loss": 0.4, "link": ["1", "2"]},
    ]
    run = Run(load_scenario(scenario({"kind": "line", "n": 5}, events, 40.0)))
    for t, expected in ((9, {0.0, 0.2}), (12, {0.5}), (18, {0.5}), (21, {0.3, 0.4}), (26, {0.0, 0.2, 0.4})):
        run.advance(t)
        assert losses(run) == expected, f"at {t} s"


def test_a_burst_at_a_node_reaches_links_that_come_later() -> None:
    events = [
        {"t": 5, "do": "loss-burst", "loss": 1.0, "duration_s": 10, "nodes": ["2"]},
        {"t": 6, "do": "add-node", "id": "new", "x": 0, "y": 0, "links": ["2", "4"]},
    ]
    run = play(scenario({"kind": "line", "n": 5}, events, 40.0), 7.0)
    assert run.scene.sim.loss[5] == [1.0, 0.0]
    assert run.scene.sim.loss[1] == [0.0, 1.0]
    run.advance(16.0)
    assert losses(run) == {0.0}


def test_after_a_storm_that_repairs_all_the_stack_is_legitimate() -> None:
    storm = {"t": 20.0, **WILD, "leaves_per_s": 0.0}
    run = play(scenario(GNP, [subscribe("3"), subscribe("9"), storm], 90.0))
    assert legitimate(run)
    faults = run.report()["stabilisation"]["faults"]
    assert faults[-1]["t"] <= 32.0
    assert faults[-1]["layers"]["all"]["rounds"] > 0


def test_storms_and_workloads_need_a_protocol_that_serves_applications() -> None:
    with pytest.raises(ScenarioError, match="has no subscriptions"):
        fits(protocol("token-ring"), load_event({"t": 1, **WILD}), "event")
    document = scenario(GNP, [], workload=WORKLOAD) | {"protocol": {"name": "token-ring"}}
    with pytest.raises(ScenarioError, match=r"workload: .*serves no applications"):
        Run(load_scenario(document))


def test_a_workload_needs_room_for_its_channels() -> None:
    document = scenario(GNP, [], workload={"channels": 9}, params={"channels": 4})
    with pytest.raises(ScenarioError, match=r"workload.channels: .*at most 4"):
        Run(load_scenario(document))


def test_a_refused_storm_changes_nothing() -> None:
    run = play(scenario(GNP, [], 60.0), 10.0)
    before = run.snapshot()
    with pytest.raises(ScenarioError, match="at least one rate"):
        run.command({"do": "storm", "duration_s": 5.0})
    assert run.snapshot() == before
    assert isinstance(run.scenario, Scenario)
