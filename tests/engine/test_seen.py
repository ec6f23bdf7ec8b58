"""What a plain judge sees of a compiled run: the same verdicts at the same times as interpreted, whatever happens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.api import Run
from engine.compiled.seen import Seen
from engine.core import storage
from engine.world.scenario import load_scenario

EVENTS: list[dict[str, Any]] = [
    {"t": 0.5, "do": "subscribe", "node": "2", "channel": "a"},
    {"t": 9.0, "do": "corrupt", "node": "*", "layer": "*"},
    {"t": 20.0, "do": "fail-node", "node": "5"},
    {"t": 26.0, "do": "unsubscribe", "node": "2", "channel": "a"},
    {"t": 26.0, "do": "subscribe", "node": "3", "channel": "b"},
    {"t": 30.0, "do": "restore-node", "node": "5"},
    {"t": 34.0, "do": "add-node", "id": "new", "x": 0.0, "y": 0.0, "links": ["1", "4"]},
    {"t": 41.0, "do": "corrupt", "node": "new", "layer": "*"},
]


def run_of(protocol: str, engine: str, seed: int) -> Run:
    services = protocol != "token-ring"
    document = {
        "version": 1,
        "seed": seed,
        "topology": {"kind": "gnp", "n": 9, "mean_degree": 3},
        "protocol": {"name": protocol},
        "events": [e for e in EVENTS if services or "subscribe" not in e["do"]],
        "duration_s": 60.0,
    }
    return Run(load_scenario(document), trace="none", engine=engine)


@pytest.mark.parametrize("protocol", ["source-trees", "token-ring"])
def test_verdicts_are_those_of_the_interpreted_engine(protocol: str) -> None:
    for seed in (1, 2, 3):
        runs = [run_of(protocol, engine, seed) for engine in ("compiled", "interpreted")]
        for until in (12.3, 20.0, 33.0, 60.0):
            for run in runs:
                run.advance(until)
            # Between samples somebody looks, and by looking has the truth worked out.
            assert runs[0].scene.truth() == runs[1].scene.truth()
        compiled, interpreted = runs
        assert compiled.samples == interpreted.samples
        assert compiled.since == interpreted.since
        assert compiled.digest == interpreted.digest
        assert any(wrong for _, counts in compiled.samples for wrong in counts)


def test_lists_follow_the_arrays_and_say_whether_they_had_to() -> None:
    run = run_of("source-trees", "compiled", 1)
    run.advance(8.0)
    sim: Any = run.scene.sim
    seen = Seen(sim)
    state = seen.state()
    paths = [column.split(".") for column in storage.plain(sim.thaw().st)]
    assert seen.changed()
    assert not seen.changed()
    for key, name in paths:
        assert getattr(getattr(state, key), name) == sim.columns()[f"{key}.{name}"]
    assert seen.changed()  # new columns were asked for
    assert not seen.changed()
    run.advance(8.4)
    assert seen.changed()
    assert {f"{k}.{f}": getattr(getattr(state, k), f) for k, f in paths} == sim.columns()
    column = next(c for c in sim.held if c.field.name == "behind")
    before = seen.column("pubsub", "behind")
    column.data[-1] += 1
    assert seen.changed()
    assert seen.column("pubsub", "behind") is before
    assert before[-1][-1][-1] == column.data[-1]
    run.advance(34.5)  # a node joins: nothing is where it was
    assert seen.changed()
    assert seen.state().pubsub.wants == sim.columns()["pubsub.wants"]
    assert len(seen.state().pubsub.dist) == len(np.asarray(sim.links.degree)) == 10
    with pytest.raises(AttributeError):
        _ = seen.state().pubsub._nothing
