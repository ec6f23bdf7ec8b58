"""Figures and benchmark on a real radio: networks, files that come out the same again, verdicts that follow the numbers."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from backend.bench import main as bench
from backend.bench import radio
from backend.figures import make, psvr_8, psvr_11
from backend.figures.on_radio import connected, connected_networks, few, heard, played
from backend.figures.study import Cell, Study
from engine.api import Run
from engine.batch import varied
from engine.world.scenario import load_scenario

SMALL_8 = psvr_8.Plan((140.0, 100.0), 2, 60.0, 100.0)
SMALL_11 = psvr_11.Plan(2, 900.0, (6, 10), (6, 10), 3200.0, 400.0, 300.0, (0.0,), 10, 2)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than even a quick figure plays."""
    monkeypatch.setitem(psvr_8.PLANS, "quick", SMALL_8)
    monkeypatch.setitem(psvr_11.PLANS, "quick", SMALL_11)
    monkeypatch.setattr(psvr_8, "NODES", 25)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["psvr-8", "psvr-11"])
def test_a_figure_comes_out_the_same_again(name: str, tmp_path: Path) -> None:
    shares: list[float] = []
    first = make(name, "quick", tmp_path / "a", shares.append)
    again = make(name, "quick", tmp_path / "b")
    assert [path.name for path in first] == [f"{name}.csv", f"{name}.svg", f"{name}.verdict.json"]
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert shares == sorted(shares)
    assert 0 < shares[-1] <= 1
    verdicts = json.loads(first[-1].read_text(encoding="utf-8"))
    assert {v["verdict"] for v in verdicts} <= {"agrees", "differs"}
    for row in rows(first[0]):
        if row["metric"] == "ratio":
            assert 0 <= float(row["mean"]) <= 1, row
    found = {row["series"] for row in rows(first[0])}
    if name == "psvr-8":
        assert found == {"network", *psvr_8.SERIES, *(f"PSVR - Shen, {pair}" for pair in psvr_8.PAIRS)}
    else:
        assert {*psvr_11.DRAWS, "by power", "interference", "6 nodes, long run", "10 nodes, long run"} < found


def test_denser_squares_have_more_neighbours_and_both_protocols_the_same_network() -> None:
    base = psvr_8.document(psvr_8.PLANS["full"])
    networks = [heard(varied(base, {"topology.side_m": side, "seed": 1})) for side in (200.0, 140.0, 100.0)]
    links = [len(network.links) for network in networks]
    assert links == sorted(set(links))
    for series in ("PSVR", "Shen"):
        run = Run(load_scenario(varied(base, {"seed": 1, **psvr_8.SERIES[series]})), drawn=False)
        assert run.protocol.title == series
        assert run.network.links == list(networks[0].links)
        assert "tree" in run.layers


def test_seeds_are_the_first_whose_nodes_are_connected() -> None:
    base = psvr_11.document(10, 700.0)
    any_link, good = (list(connected_networks(base, 3, least)) for least in psvr_11.DRAWS.values())
    networks = [heard(varied(base, {"seed": seed})) for seed in range(any_link[-1] + 1)]
    assert [k for k, network in enumerate(networks) if len(network.components()) == 1] == any_link
    assert all(connected(heard(varied(base, {"seed": seed})), 0.95) for seed in good)
    assert good[-1] > any_link[-1]


def test_the_long_run_loses_more_during_episodes_and_recovers() -> None:
    plan = SMALL_11
    spells = psvr_11.episodes(plan)
    assert spells
    assert spells == psvr_11.episodes(plan)
    assert all(0.3 <= e.loss <= 0.8 and e.start < e.end for e in spells)
    assert all(a.end < b.start for a, b in pairwise(spells))
    seed = next(iter(connected_networks(psvr_11.document(10, plan.long_s), 1, 0.95)))
    publications = psvr_11.long_run(10, seed, plan)
    during = [x for e in spells for x in psvr_11.shares(publications, e.start, e.end)]
    calm = psvr_11.shares(publications, psvr_11.SETUP_S, spells[0].start)
    after = psvr_11.shares(publications, spells[-1].end + psvr_11.AGAIN_S, plan.long_s)
    assert sum(during) / len(during) < sum(calm) / len(calm) - 0.2
    assert sum(after) / len(after) > sum(during) / len(during) + 0.2


def test_shares_are_by_publication_and_time() -> None:
    run = Run(load_scenario(psvr_11.document(5, 900.0, 0.0)), drawn=False)
    run.advance(900.0)
    told = psvr_11.shares(run.publications, 600.0, 900.0)
    assert len(told) == sum(1 for p in run.publications if p.expected) > 5
    assert all(p.t >= psvr_11.SETUP_S for p in run.publications)
    assert psvr_11.shares(run.publications, 0.0, 600.0) == []
    first = next(p for p in run.publications if p.expected)
    assert psvr_11.shares([replace(first, expected={1, 2, 3, 4}, delivered={1: (0.0, 1)})], 600.0, 900.0) == [
        0.25
    ]


def test_a_run_that_cannot_be_played_stops_the_figure() -> None:
    with pytest.raises(AssertionError, match=r"topology\.n"):
        played(psvr_11.document(5, 700.0), [{"seed": 1, "topology.n": 100_000}])


def test_a_run_too_short_to_tell_stops_the_figure() -> None:
    with pytest.raises(AssertionError, match="too short"):
        played(psvr_11.document(5, 661.0), [{"seed": 1}])


def test_small_samples_have_wide_intervals() -> None:
    found = few("x", {"n": 1}, "m", [1.0, 2.0, 3.0, 4.0])
    assert found.half == pytest.approx(3.182 * 1.290994 / 2, rel=1e-6)
    assert few("x", {}, "m", [1.0, 2.0]).half == pytest.approx(12.706 * 0.5, rel=1e-6)
    assert few("x", {}, "m", [0.0, 1.0] * 100).half == pytest.approx(0.0695, abs=1e-4)


def cells_8(apart: float) -> list[Cell]:
    """Made-up results in which PSVR delivers so much less than Shen."""
    axes = {"side_m": 1.0, "degree": 8.0}
    cells = [few("network", axes, "degree", [8.0, 8.1]), few("network", axes, "tree_depth", [3.0, 3.0])]
    for name in psvr_8.SERIES:
        less = 0.0 if name.startswith("Shen") else apart
        cells.append(few(name, axes, "ratio", [0.95 - less, 0.94 - less]))
        cells.append(few(name, axes, "messages", [9.0 + 5 * less, 9.1 + 5 * less]))
        cells.append(few(name, axes, "wrong_tree", [0.0, 1.0]))
    differences = [-apart, -apart + 0.01]
    return cells + [few(f"PSVR - Shen, {pair}", axes, "difference", differences) for pair in psvr_8.PAIRS]


def test_the_verdict_on_equal_throughput_follows_the_difference() -> None:
    assert [v.verdict for v in psvr_8._verdicts(cells_8(0.01))][:2] == ["agrees", "agrees"]
    assert [v.verdict for v in psvr_8._verdicts(cells_8(0.2))][:3] == ["differs"] * 3


def cells_11(small: float, large: float, during: float) -> list[Cell]:
    """Made-up results for few and many nodes, and what an episode changes."""
    cells = []
    for kind in psvr_11.DRAWS:
        for n, mean in ((10, small), (50, large)):
            axes: dict[str, float] = {"nodes": n, "tx_dbm": -10.0}
            cells.append(few(kind, axes, "ratio", [mean, mean + 0.01, mean - 0.01], box=True))
    for metric, x in (("ratio", 0.9), ("depth", 3.0)):
        cells.append(few("by power", {"nodes": 50, "tx_dbm": -10.0}, metric, [x, x]))
    for name, x in (("during - before", during), ("after - during", -during), ("after - before", 0.0)):
        cells.append(few(f"episodes, {name}", {}, "change", [x, x + 0.01, x - 0.01]))
    return cells


def test_the_verdicts_on_the_testbed_follow_the_numbers() -> None:
    def words(small: float, large: float, during: float) -> list[str]:
        return [v.verdict for v in psvr_11._verdicts(cells_11(small, large, during))]

    assert words(0.88, 0.82, -0.5) == ["agrees"] * 5
    assert words(0.82, 0.88, -0.5) == ["agrees", "differs"] * 2 + ["agrees"]
    assert words(0.98, 0.92, 0.0) == ["differs", "agrees"] * 2 + ["differs"]


def test_cells_of_a_small_sample_are_written_with_their_interval(tmp_path: Path) -> None:
    cells = [few("x", {"n": 1}, "m", [1.0, 2.0])]
    written = Study(cells, [], lambda figure, drawn: None).write(tmp_path, "f")
    (row,) = rows(written[0])
    assert float(row["ci95_low"]) == pytest.approx(1.5 - 6.353, abs=1e-3)


def test_the_radio_benchmark_has_a_row_for_every_engine_and_power(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert bench(["radio", "--quick", "--stretch", "5", "--write", str(tmp_path)]) == 0
    table = re.findall(
        r"^\| +(-?\d+) +\| +(\d+) +\| (\S+) +\| +([\d,]+) +\|", capsys.readouterr().out, re.MULTILINE
    )
    assert [(power, name, seconds) for power, _, name, seconds in table] == [
        ("0", "**compiled**", "120"),
        ("0", "interpreted", "5"),
        ("-10", "**compiled**", "120"),
        ("-10", "interpreted", "5"),
    ]
    assert int(table[0][1]) > int(table[2][1])
    assert (tmp_path / "performance.md").read_text("utf-8").count(f"<!-- measured: {radio.MARK} -->") == 1


def test_the_radio_benchmark_notices_other_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = radio.start
    monkeypatch.setattr(radio, "SEED", 1)

    def other(power: float, engine: str) -> Run:
        if engine == "interpreted":
            monkeypatch.setattr(radio, "SEED", 2)
        return begin(power, engine)

    monkeypatch.setattr(radio, "start", other)
    with pytest.raises(RuntimeError, match="at 0 dBm the interpreted engine ends with"):
        radio.measure_one(0.0, 3.0, 0.0, lambda what: None)
