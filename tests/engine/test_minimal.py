"""A protocol with one layer, no judge, no root, no ring and no publish/subscribe plays like any other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import registry
from engine.api import Run
from engine.core.errors import ScenarioError
from engine.world.scenario import load_scenario
from tests.minimal import MINIMAL


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """A line of four nodes after five seconds."""
    monkeypatch.setitem(registry.PROTOCOLS, "minimal", MINIMAL)
    document = {
        "version": 1,
        "topology": {"kind": "line", "n": 4},
        "protocol": {"name": "minimal"},
        "events": [{"t": 2, "do": "fail-node", "node": "3"}, {"t": 3, "do": "restore-node", "node": "3"}],
        "duration_s": 10,
    }
    made = Run(load_scenario(document), trace="all")
    made.advance(5.0)
    return made


def test_it_plays_and_nothing_is_judged(run: Run) -> None:
    assert not run.layers
    assert not run.since
    assert {wrong for _, wrong in run.samples} == {()}
    assert run.scene.sim.st.heard.degree == [1, 2, 2, 1]
    assert all(run.scene.sim.st.heard.pings)
    assert run.root == -1


def test_readers_see_what_there_is(run: Run) -> None:
    assert list(run.node_columns()) == ["flags", "part"]
    assert run.positions() == [[]] * 4
    assert list(run.link_bytes()) == [0b1111] * 3
    told = run.inspect(1)
    assert told["table"] is None
    (layer,) = told["layers"]
    assert layer["wrong"] == 0
    assert [fact["label"] for fact in layer["facts"]] == ["Pings heard"]
    report = run.report()
    assert report["legitimacy"] == {}
    assert report["ring"] == {"length": 0, "positions": {}}
    assert report["parts"] == [{"nodes": 4, "root": "0", "wrong_nodes": {}}]


def test_a_round_is_its_slowest_timer(run: Run) -> None:
    run.step_round()
    assert run.now == pytest.approx(5.0 + 1.1)


def test_commands_and_keeping_work(run: Run) -> None:
    commands: list[dict[str, Any]] = [
        {"do": "corrupt", "node": "*", "layer": "*"},
        {"do": "corrupt-messages", "share": 1.0},
        {"do": "add-node", "id": "new", "x": 0, "y": 0, "links": ["0"]},
        {"do": "fail-link", "link": ["1", "2"]},
    ]
    for command in commands:
        run.command(command)
    assert list(run.link_bytes())[1] == 0
    other = Run.resume(json.loads(json.dumps(run.snapshot())))
    for each in (run, other):
        each.advance(9.0)
        each.step_event()
    assert run.digest == other.digest
    assert run.scene.sim.st.heard.pings[4] > 0


def test_it_refuses_what_it_cannot_do(run: Run) -> None:
    with pytest.raises(ScenarioError, match="Minimal has no publish"):
        run.command({"do": "publish", "node": "0", "channel": "c"})
