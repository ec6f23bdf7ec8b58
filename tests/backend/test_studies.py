"""Studies and searches from the command line: few cases, their counts, and that a broken claim is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.cli import main
from backend.studies import STUDIES
from backend.studies.claims import Outcome, network, size, spread
from engine import registry
from engine.core.rng import Stream
from engine.world.scenario import load_topology
from engine.world.topology import build_network


def study(name: str, cases: int, *protocols: str) -> Outcome:
    (outcome,) = STUDIES[name](cases, 1, 1, list(protocols), lambda share: None)
    return outcome


@pytest.mark.parametrize("protocol", ["psvr", "token-ring"])
def test_from_any_state_to_legitimacy(protocol: str) -> None:
    outcome = study("convergence", 12, protocol)
    assert outcome.failed == []
    assert outcome.lines[0] == f"{protocol}: 12 cases, none failed"
    assert sum(int(line.split()[1]) for line in outcome.lines[2:]) == 12


def test_legitimate_networks_deliver_exactly_once() -> None:
    outcome = study("exactly-once", 15, "psvr")
    assert outcome.failed == []
    assert outcome.lines[0].endswith("receivers expected, zero violations")


@pytest.fixture
def as_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """PSVR with the rule that the paper prints, which delivers twice."""
    spec = registry.protocol("psvr")
    params = tuple(p._replace(default="as-printed") if p.name == "rule" else p for p in spec.params)
    monkeypatch.setitem(registry.PROTOCOLS, "psvr", replace(spec, params=params))


@pytest.mark.usefixtures("as_printed")
def test_a_claim_that_does_not_hold_is_found_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--cases", "10", "--protocol", "psvr", "--threads", "1", "--out", str(tmp_path)]
    assert main(["study", "exactly-once", *arguments]) == 1
    assert "zero violations" not in capsys.readouterr().out
    case = json.loads(next(tmp_path.iterdir()).read_text(encoding="utf-8"))
    assert (case["version"], case["protocol"]["name"]) == (1, "psvr")


def test_deliveries_after_a_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.studies.joining.SIZES", (6, 12))
    outcome = study("joining", 4, "psvr")
    assert outcome.failed == []
    assert [line.split()[0] for line in outcome.lines[2:4]] == ["6", "12"]
    assert outcome.lines[-1] == "  none took more than 3·n rounds"


def test_random_networks_are_of_every_kind_and_can_be_built() -> None:
    drawn = [network(Stream(1, "test", k)) for k in range(60)]
    assert {topology["kind"] for topology in drawn} == {"line", "ring", "star", "grid", "gnp", "geometric"}
    assert all(build_network(load_topology(topology), 1).n == size(topology) for topology in drawn)


def test_a_distribution_in_words() -> None:
    assert spread([1, 2, 2, 3], "rounds") == [
        "  rounds: median 2, 99 % at most 3, all at most 3",
        "          1      1 ████████████████████",
        "          2      2 ████████████████████████████████████████",
        "          3      1 ████████████████████",
    ]


def scenario_file(folder: Path) -> Path:
    document: dict[str, Any] = {
        "version": 1,
        "topology": {"kind": "line", "n": 6},
        "protocol": {"name": "psvr", "params": {"lease_s": 3.0, "forget_s": 8.0}},
        "events": [{"t": 0, "do": "subscribe", "node": "2", "channel": "c"}],
        "duration_s": 60.0,
    }
    path = folder / "base.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_worst_writes_a_scenario_that_run_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, report = tmp_path / "worst.json", tmp_path / "report.json"
    assert (
        main(["worst", str(scenario_file(tmp_path)), "--tries", "5", "--threads", "1", "--out", str(found)])
        == 0
    )
    rounds = int(capsys.readouterr().err.split()[0])
    assert main(["run", str(found), "--report", str(report)]) == 0
    last = json.loads(report.read_text(encoding="utf-8"))["stabilisation"]["faults"][-1]
    assert last["layers"]["all"]["rounds"] == rounds > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["study", "convergency"], "invalid choice"),
        (["study", "convergence", "--cases", "0"], "whole numbers from 1"),
        (["study", "exactly-once", "--protocol", "token-ring"], "it has no subscribe and publish"),
        (["study", "convergence", "--protocol", "psv"], "unknown protocol"),
        (["worst", "-", "--seed", "x"], "whole numbers from 0"),
        (["worst", "no-such-file.json"], "no such file"),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = int(str(ended.code))
    said = capsys.readouterr().err
    assert code == 2
    assert words in said
    assert said.count("\n") == 1
