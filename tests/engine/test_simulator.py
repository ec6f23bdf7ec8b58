"""The kernel: one order of events, however a run is cut into pieces."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from engine.api import Run
from engine.world.scenario import canonical, load_scenario
from tests.engine.support import play, publish, scenario, subscribe

EVENTS: list[dict[str, Any]] = [
    subscribe("3"),
    subscribe("7"),
    publish("1", 8),
    {"t": 9, "do": "fail-node", "node": "3"},
    {"t": 10, "do": "corrupt", "node": "*", "layer": "*"},
    {"t": 12, "do": "restore-node", "node": "3"},
    {"t": 12, "do": "set-loss", "loss": 0.1},
    {"t": 13, "do": "add-node", "id": "new", "x": 0.5, "y": 0.5, "links": ["1", "2"]},
    subscribe("new", t=14),
    publish("9", 16),
]
DOCUMENT = scenario({"kind": "gnp", "n": 12, "mean_degree": 4}, EVENTS, 18.0)


@pytest.fixture(scope="module")
def whole() -> Run:
    """The run in one go."""
    return play(DOCUMENT)


def test_slices_change_nothing(whole: Run) -> None:
    run = Run(load_scenario(DOCUMENT))
    while not run.advance(18.0, budget=13):
        pass
    assert (run.digest, run.events, run.samples) == (whole.digest, whole.events, whole.samples)


def test_a_whole_number_of_seconds_is_a_time_like_any_other() -> None:
    """The last command falls on the end, where the time is what `advance` was given."""
    digests = []
    for end in (2, 2.0):
        run = Run(load_scenario({**DOCUMENT, "events": [{"t": 2, "do": "fail-node", "node": "3"}]}))
        run.advance(end)
        digests.append(run.digest)
    assert digests[0] == digests[1]


def test_single_steps_change_nothing(whole: Run) -> None:
    run = Run(load_scenario(DOCUMENT))
    while run.now < 6:
        assert run.step_event()
    run.advance(18.0)
    assert (run.digest, run.events) == (whole.digest, whole.events)


def test_a_step_is_one_event() -> None:
    run = play({**DOCUMENT, "events": []}, 8.0)  # by now nothing is filtered: every receiver is an event
    before = run.events
    for done in range(1, 400):
        run.step_event()
        assert run.events == before + done


@pytest.mark.parametrize("at", [0.0, 8.01, 11.3, 15.5])
def test_a_snapshot_goes_on_exactly(whole: Run, at: float) -> None:
    run = Run(load_scenario(DOCUMENT))
    run.advance(at)
    again = Run.resume(json.loads(json.dumps(run.snapshot())))
    again.advance(18.0)
    assert (again.digest, again.events, again.samples) == (whole.digest, whole.events, whole.samples)
    assert again.report() == whole.report()


def test_a_snapshot_amid_a_broadcast_goes_on_exactly(whole: Run) -> None:
    run = Run(load_scenario(DOCUMENT))
    while run.scene.sim.partial is None:
        run.step_event()
    again = Run.resume(json.loads(json.dumps(run.snapshot())))
    again.advance(18.0)
    assert again.digest == whole.digest


def test_another_process_gives_the_same_digest(whole: Run) -> None:
    code = (
        "import sys; from engine.api import Run; from engine.world.scenario import load_scenario;"
        "run = Run(load_scenario(sys.stdin.buffer.read())); run.advance(18.0); print(run.digest)"
    )
    document = canonical(load_scenario(DOCUMENT))
    done = subprocess.run([sys.executable, "-c", code], input=document, capture_output=True, check=True)
    assert done.stdout.decode().strip() == whole.digest


def test_another_seed_gives_another_digest(whole: Run) -> None:
    assert play({**DOCUMENT, "seed": 2}).digest != whole.digest


def test_watching_more_changes_nothing(whole: Run) -> None:
    run = Run(load_scenario(DOCUMENT), trace="all")
    run.advance(18.0)
    assert run.digest == whole.digest
    sends = [r for r in run.drain() if r[0] == 0]
    assert len(sends) == sum(run.counts.values())


def test_live_commands_replay_exactly() -> None:
    live = Run(load_scenario({**DOCUMENT, "events": []}))
    live.advance(4.23)
    live.command({"do": "subscribe", "node": "3", "channel": "c"})
    live.command({"do": "fail-node", "node": "3"})
    for _ in range(25):
        live.step_event()
    live.command({"do": "corrupt", "node": "5", "layer": "tree"})
    live.advance(7.0)
    again = Run(load_scenario(canonical(live.scenario)))
    again.advance(7.0)
    assert again.digest == live.digest
    assert again.samples == live.samples


def test_loss_takes_its_share() -> None:
    radio = {"kind": "ideal", "loss": 0.3}
    run = play(scenario({"kind": "gnp", "n": 30, "mean_degree": 6}, [], 20.0, radio=radio), trace="all")
    codes = [(r[0], r[-1]) for r in run.drain() if r[0] in (1, 2)]
    lost = codes.count((2, 0))
    assert lost == run.dropped["loss"]
    assert 0.27 < lost / len(codes) < 0.33


def test_order_of_equal_times_is_the_order_of_the_document() -> None:
    events = [publish("0", 10), subscribe("4", t=10)]
    topology = {"kind": "line", "n": 5}
    assert play(scenario(topology, events, 11)).publications[0].expected == set()
    assert play(scenario(topology, events[::-1], 11)).publications[0].expected == {4}
