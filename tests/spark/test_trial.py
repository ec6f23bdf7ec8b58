"""How long a run takes is measured once the code is there: chunks are cut by it, and the estimate is told from it."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from engine.sweeps import Sweep
from spark_batch import trial
from tests.spark.support import BASE, sweep


def _tried(monkeypatch: pytest.MonkeyPatch, *takes: float) -> tuple[trial.Trial, list[int]]:
    """The trial, by a clock of its own, of runs that take this long, the last from then on; and which were played."""
    now, played = 0.0, list[int]()

    class Player:
        def __init__(self, of: Sweep) -> None:
            assert of.runs == 48

        def row(self, run: int) -> None:
            nonlocal now
            now += takes[min(len(played), len(takes) - 1)]
            played.append(run)

    monkeypatch.setattr(trial, "Player", Player)
    monkeypatch.setattr(trial, "warm", lambda of, tell: of)
    monkeypatch.setattr(trial, "time", SimpleNamespace(perf_counter=lambda: now))
    return trial.try_some(sweep()), played


def test_what_is_loaded_once_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    found, played = _tried(monkeypatch, 9.0, 0.01)
    assert found.mean == pytest.approx(0.01)
    assert sorted(set(played)) == trial.places(48, 9)
    first, behind = trial.plan_for(sweep(repetitions=100_000), found.mean, 2).chunk(20)
    assert (behind - first) * found.mean == pytest.approx(trial.CHUNK_S)


def test_long_runs_are_tried_once_or_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _tried(monkeypatch, 5.0) == (trial.Trial((5.0,)), [0, 0])
    assert _tried(monkeypatch, 60.0) == (trial.Trial((60.0,)), [0])


CODE = """
import json, sys
from numba.core.dispatcher import Dispatcher
from spark_batch.here import sweep_of, warm
from spark_batch.play import Player

of = warm(sweep_of(sys.stdin.read()))
compiled = []
compile = Dispatcher.compile
Dispatcher.compile = lambda self, sig: (compiled.append(self.py_func.__name__), compile(self, sig))[1]
print(json.dumps([Player(of).row(0)["error"], compiled]))
"""


@pytest.mark.parametrize("method", ["compiled", "routes"])
def test_a_process_that_is_warm_compiles_and_loads_nothing_more(method: str) -> None:
    more: dict[str, Any] = {"method": method}
    if method == "routes":
        more["base"] = {**BASE, "events": [e for e in BASE["events"] if e["do"] != "fail-node"]}
        more |= {"axes": [], "compare": None}
    of = sweep(**more)
    done = subprocess.run(
        [sys.executable, "-c", CODE], input=json.dumps(of.plain), check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout) == [None, []]
