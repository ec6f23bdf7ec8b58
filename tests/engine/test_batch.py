"""Batches: the same rows on either engine and with any number of threads, and bad runs as rows."""

from __future__ import annotations

from typing import Any

import pytest

from engine.api import Run
from engine.batch import play_one, run_batch, varied
from engine.core.errors import ScenarioError
from engine.world.scenario import load_scenario

BASE: dict[str, Any] = {
    "version": 1,
    "seed": 1,
    "topology": {"kind": "gnp", "n": 20, "mean_degree": 5, "allow_disconnected": True},
    "protocol": {"name": "psvr", "params": {"lease_s": 3.0, "forget_s": 8.0}},
    "duration_s": 40.0,
    "events": [
        *({"t": 1.0, "do": "subscribe", "node": str(v), "channel": "news"} for v in (2, 9, 17)),
        {"t": 12.0, "do": "corrupt", "node": "*", "layer": "*"},
        {"t": 13.0, "do": "fail-node", "node": "5"},
        *({"t": 33.0 + v, "do": "publish", "node": str(v), "channel": "news"} for v in (0, 1, 2)),
    ],
}
RUNS = [{"seed": seed, "radio.loss": loss} for seed in (1, 2, 3) for loss in (0.0, 0.1)]


def test_both_engines_give_the_same_rows() -> None:
    compiled = run_batch(BASE, RUNS, engine="compiled")
    interpreted = run_batch(BASE, RUNS, engine="interpreted")
    assert compiled.pop("method") == ["compiled"] * len(RUNS)
    assert interpreted.pop("method") == ["interpreted"] * len(RUNS)
    assert compiled == interpreted
    assert compiled["seed"] == [1, 1, 2, 2, 3, 3]
    assert compiled["error"] == [None] * len(RUNS)
    assert len(set(compiled["digest"])) == len(RUNS)
    assert all(
        0 < reached <= asked
        for reached, asked in zip(compiled["delivered"], compiled["expected"], strict=True)
    )


def test_threads_change_nothing_but_the_time() -> None:
    told: list[int] = []
    assert run_batch(BASE, RUNS, threads=2, engine="compiled", told=told.append) == run_batch(
        BASE, RUNS, engine="compiled"
    )
    assert max(told) == len(RUNS)


def test_any_row_can_be_played_again() -> None:
    columns = run_batch(BASE, RUNS[3:4], engine="compiled")
    run = Run(load_scenario(varied(BASE, RUNS[3])))
    run.advance(run.scenario.duration_s)
    assert [run.digest] == columns["digest"]
    assert [run.events] == columns["events"]
    assert [run.since[2]] == columns["legitimate_s.ring"]


def test_a_run_that_cannot_be_played_is_a_row_with_its_error() -> None:
    columns = run_batch(BASE, [{"seed": 1}, {"topology.n": 0}, {"events.99.node": "x"}])
    assert columns["error"][0] is None
    assert "topology.n" in columns["error"][1]
    assert columns["digest"][1:] == [None, None]
    assert "leads nowhere" in columns["error"][2]


def test_varied_leaves_the_base_alone() -> None:
    assert varied(BASE, {"radio.loss": 0.5})["radio"] == {"loss": 0.5}
    assert "radio" not in BASE
    with pytest.raises(ScenarioError, match="leads nowhere"):
        varied(BASE, {"seed.more": 1})


def test_the_worst_moment_is_a_missed_publication_or_the_longest_repair() -> None:
    lossy = play_one(BASE, {"radio.loss": 0.6, "seed": 3})
    run = Run(load_scenario(varied(BASE, {"radio.loss": 0.6, "seed": 3})))
    run.advance(run.scenario.duration_s)
    missed = [p.t for p in run.publications if p.missing() or p.duplicates]
    assert (lossy["worst_s"], lossy["worst_why"]) == (missed[0], "missed delivery")
    fine = play_one(BASE, {"seed": 1})
    assert fine["delivered"] == fine["expected"]
    assert (fine["worst_s"], fine["worst_why"]) == (13.0, "largest repair")
    for early in ([], [{"t": 0, "do": "subscribe", "node": "2", "channel": "news"}]):
        quiet = play_one({**BASE, "events": early}, {})
        assert (quiet["worst_s"], quiet["worst_why"]) == (0.0, "power-on")


@pytest.mark.parametrize("engine", ["compiled", "interpreted"])
def test_a_run_that_pauses_comes_to_the_same(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = play_one(BASE, RUNS[1], engine)
    monkeypatch.setattr("engine.batch.SLICE", 1_000)
    times: list[float] = []
    assert play_one(BASE, RUNS[1], engine, pause=lambda run: times.append(run.now)) == usual
    assert len(times) > 3
    assert times == sorted(times)


def test_a_path_may_lead_into_a_list() -> None:
    document = varied(BASE, {"events.1.node": "7", "events.0": {"t": 2.0}})
    assert document["events"][1] == {"t": 1.0, "do": "subscribe", "node": "7", "channel": "news"}
    assert document["events"][0] == {"t": 2.0}
    assert BASE["events"][1]["node"] == "9"
    with pytest.raises(ScenarioError, match=r"events\.one\.t: leads nowhere"):
        varied(BASE, {"events.one.t": 1.0})
