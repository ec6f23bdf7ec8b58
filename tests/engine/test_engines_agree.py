"""Both engines play every scenario alike: report, samples, state and future, to the bit.

`pytest tests/engine/test_engines_agree.py --cases 2000` plays more of them than a normal run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.api import Run
from engine.registry import protocols
from engine.world.scenario import load_scenario
from tests.engine import cases
from tests.engine.support import publish, scenario, subscribe

PIECES = 4
USUAL = 80


@pytest.mark.parametrize("piece", range(PIECES))
def test_random_cases_are_played_alike(piece: int, request: pytest.FixtureRequest) -> None:
    count = request.config.getoption("--cases", default=USUAL)
    wrong = [line for number in range(piece, count, PIECES) for line in told(number)]
    assert not wrong, "\n".join(wrong)


def told(number: int) -> list[str]:
    return [f"case {number}: {line}" for line in cases.compare(number)]


def test_the_usual_cases_have_every_kind_of_event_and_all_outcomes() -> None:
    documents = [cases.case(number)[0] for number in range(USUAL)]
    assert {event["do"] for document in documents for event in document["events"]} == set(cases.KINDS)
    assert len({document["topology"]["kind"] for document in documents}) == 9
    played = {document["protocol"]["name"] for document in documents}
    assert played == {spec.name for spec in protocols().values() if spec.compiled}


def test_a_difference_is_found() -> None:
    document = scenario({"kind": "line", "n": 4}, [subscribe("1"), publish("3", 20)], 25.0)
    runs = [Run(load_scenario({**document, "seed": seed})) for seed in (1, 2)]
    seen: list[Any] = []
    for run in runs:
        run.advance(25.0)
        seen.append(cases.seen(run))
    found = cases.differences(*seen)
    assert any("digest" in line for line in found), found


def test_no_index_is_ever_out_of_range() -> None:
    """Compiled code that checks every index, in a process of its own: it is other code."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.cases", str(cases.CHECKED.start), str(cases.CHECKED.stop)],
        cwd=root,
        env={**os.environ, "RINGCAST_BOUNDS": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "30 cases, 0 differ" in done.stdout
