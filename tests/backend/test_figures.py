"""Figures of the papers: the three files of the contract, the same bytes again, and verdicts that follow the numbers."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.cli import main
from backend.figures import FIGURES, psvr_7, psvr_9, psvr_10, ringps_flooding, routes
from backend.figures.study import Cell, Verdict, cell, quantile

ON_RADIO = ("psvr-8", "psvr-11")  # tested by themselves


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer networks than even a quick figure takes."""
    monkeypatch.setitem(psvr_7.GRAPHS, "quick", 60)
    monkeypatch.setitem(psvr_7.SIZES, "quick", (50,))
    monkeypatch.setitem(psvr_9.NETWORKS, "quick", 40)
    monkeypatch.setitem(psvr_10.NETWORKS, "quick", 25)
    monkeypatch.setitem(ringps_flooding.WORKLOADS, "quick", 8)
    monkeypatch.setitem(ringps_flooding.UNTIL_S, "quick", 50.0)
    monkeypatch.setattr(ringps_flooding, "RANGES", {4: 1.0, 20: 5.0})
    monkeypatch.setattr(ringps_flooding, "COLOURS", {4: "#0072B2", 20: "#D55E00"})


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all tests here."""
    return tmp_path_factory.mktemp("figures")


@pytest.fixture
def made(small: None, shared: Path) -> Callable[[str], Path]:
    """Where the files of a figure are; it is made by the first that asks."""

    def make(figure: str) -> Path:
        if not (shared / figure).exists():
            assert main(["figure", figure, "--out", str(shared / figure)]) == 0
        return shared / figure

    return make


@pytest.mark.parametrize("figure", [name for name in FIGURES if name not in ON_RADIO])
def test_a_figure_is_three_files_and_the_same_again(
    figure: str, made: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = made(figure)
    assert main(["figure", figure, "--out", str(tmp_path)]) == 0
    assert "agrees" in capsys.readouterr().out
    names = sorted(path.name for path in first.iterdir())
    assert names == [f"{figure}.csv", f"{figure}.svg", f"{figure}.verdict.json"]
    verdicts = json.loads((first / names[2]).read_text(encoding="utf-8"))
    assert {tuple(v) for v in verdicts} == {("claim", "source", "measured", "verdict", "why")}
    assert {v["verdict"] for v in verdicts} <= {"agrees", "differs", "not-tested"}
    for name in names:
        assert (first / name).read_bytes() == (tmp_path / name).read_bytes()


def test_the_numbers_are_those_a_right_implementation_gives(made: Callable[[str], Path]) -> None:
    with (made("psvr-7") / "psvr-7.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "series",
        "nodes",
        "degree",
        "subscribers",
        "metric",
        "n",
        "mean",
        "sd",
        "ci95_low",
        "ci95_high",
    ]

    def mean(series: str, subscribers: int) -> float:
        found = [
            float(row["mean"])
            for row in rows
            if (row["series"], row["degree"], row["subscribers"]) == (series, "16", str(subscribers))
        ]
        assert len(found) == 1
        return found[0]

    # n = 50, degree 16, 60 networks a cell: an independent model gave 7.3, 4.8, 4.3, 0.5 and -30
    assert mean("over T_D, non-tree", 10) == pytest.approx(7.3, abs=3)
    assert mean("over T_D, all-links", 10) == pytest.approx(4.8, abs=2.5)
    assert mean("over T_S, non-tree", 5) == pytest.approx(4.3, abs=3)
    assert mean("over T_S, non-tree", 20) == pytest.approx(0.5, abs=1)
    assert mean("over T_S, non-tree", 1) < -10


def test_routes_are_those_a_right_implementation_gives() -> None:
    found = routes.routes(16, range(60))
    means = {name: sum(sum(row[name]) / 99 for row in found) / 60 for name in routes.WAYS}
    # an independent model gave 3.6, 3.9 and 4.7
    assert means == pytest.approx({"PSVR, all links": 3.6, "PSVR, non-tree": 3.9, "tree": 4.7}, abs=0.4)
    assert means["PSVR, all links"] < means["PSVR, non-tree"] < means["tree"]
    assert routes.routes(16, [3], routes.NODES) == [{name: [99] * 100 for name in routes.WAYS}]
    assert routes.share([1, 2, 3, 4], 2, 3) == 0.5


def test_verdicts_follow_the_numbers() -> None:
    """A study whose tree is as good as PSVR, and whose gain falls with density, is told to differ."""

    def routed(hops: float) -> list[Cell]:
        cells = []
        for name in routes.WAYS:
            for degree in (*psvr_9.DEGREES, *psvr_9.NOMINAL.values()):
                axes: dict[str, float] = {"degree": degree, "subscribers": 1}
                short = [0.3 if name == "tree" else 0.2] * 9
                cells.append(cell(name, axes, "mean_hops", [hops if name == "tree" else 4.0] * 9))
                cells.append(cell(name, axes, "share_short", short))
            for s in psvr_9.SUBSCRIBERS:
                axes = {"degree": psvr_9.FADING_DEGREE, "subscribers": s}
                cells.append(cell(name, axes, "messages", [9.0, 9.0]))
        return cells

    def words(verdicts: list[Verdict]) -> list[str]:
        return [v.verdict for v in verdicts]

    assert words(psvr_9._verdicts(routed(5.0)))[:3] == ["differs", "agrees", "differs"]
    assert words(psvr_9._verdicts(routed(4.0)))[1] == "differs"
    boxes = [
        cell(f"{kind}, ideal", {"degree": d}, "saved_percent", [-d, -d - 1.0, 1.0 - d], box=True)
        for kind in psvr_10.KINDS
        for d in psvr_10.DEGREES
    ]
    assert words(psvr_10._verdicts(boxes)) == ["differs", "differs", "not-tested"]
    with_radio = [
        cell("x, CC2420", {"degree": d}, "saved_percent", [d, d], box=True) for d in psvr_10.DEGREES
    ]
    assert words(psvr_10._verdicts(boxes + with_radio))[2] == "agrees"


def test_a_box_has_the_quantiles_of_its_sample() -> None:
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([0.0, 10.0], 0.05) == pytest.approx(0.5)
    assert quantile([7.0], 0.95) == 7.0
    assert cell("x", {}, "m", [5.0, 1.0, 3.0, 2.0, 4.0], box=True).spread == pytest.approx(
        (1.2, 2, 3, 4, 4.8)
    )
    assert cell("x", {}, "m", [5.0, 1.0]).spread == ()


def test_structure_is_counted_by_layer_and_flooding_by_node(made: Callable[[str], Path]) -> None:
    with (made("ringps-flooding") / "ringps-flooding.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rate = {row["series"]: float(row["mean"]) for row in rows if row["metric"] == "messages_per_second"}
    # 100 nodes send hello, beacon and positions about once a second; counts go up and positions down 99 links
    assert rate["neighbourhood"] == pytest.approx(100, rel=0.03)
    assert rate["tree"] == pytest.approx(100, rel=0.03)
    assert rate["ring"] == pytest.approx(298, rel=0.03)
    # a renewal of one of ten subscribers every ten seconds: RingPS takes it once around the ring
    assert rate["RingPS, renewals"] == pytest.approx(197, rel=0.1)
    assert [float(row["mean"]) for row in rows if row["series"] == "flooding"] == [100, 100]


def test_a_cell_is_mean_sd_and_interval() -> None:
    found = cell("x", {"n": 1}, "m", [1.0, 2.0, 3.0, 4.0])
    assert (found.n, found.mean) == (4, 2.5)
    assert found.sd == pytest.approx(1.290994)
    assert found.half == pytest.approx(1.265, abs=1e-3)


def test_unknown_figures_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["figure", "psvr-99", "--out", str(tmp_path)])
    assert stop.value.code == 2
    told = capsys.readouterr().err
    assert all(name in told for name in FIGURES)
