"""Figures of the papers: the three files of the contract, the same bytes again, and verdicts that follow the numbers."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from backend.cli import main
from backend.figures import FIGURES, psvr_7
from backend.figures.study import cell


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer networks than even a quick figure takes."""
    monkeypatch.setitem(psvr_7.GRAPHS, "quick", 60)
    monkeypatch.setitem(psvr_7.SIZES, "quick", (50,))


@pytest.mark.usefixtures("small")
def test_a_figure_is_three_files_and_the_same_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("a", "b"):
        assert main(["figure", "psvr-7", "--out", str(tmp_path / folder)]) == 0
    assert "agrees" in capsys.readouterr().out
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == ["psvr-7.csv", "psvr-7.svg", "psvr-7.verdict.json"]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.usefixtures("small")
def test_the_numbers_are_those_a_right_implementation_gives(tmp_path: Path) -> None:
    main(["figure", "psvr-7", "--out", str(tmp_path)])
    with (tmp_path / "psvr-7.csv").open(encoding="utf-8") as file:
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


@pytest.mark.usefixtures("small")
def test_verdicts_say_what_was_claimed_and_measured(tmp_path: Path) -> None:
    main(["figure", "psvr-7", "--out", str(tmp_path)])
    verdicts = json.loads((tmp_path / "psvr-7.verdict.json").read_text(encoding="utf-8"))
    assert {tuple(v) for v in verdicts} == {("claim", "source", "measured", "verdict", "why")}
    assert {v["verdict"] for v in verdicts} <= {"agrees", "differs", "not-tested"}


def test_a_cell_is_mean_sd_and_interval() -> None:
    found = cell("x", {"n": 1}, "m", [1.0, 2.0, 3.0, 4.0])
    assert (found.n, found.mean) == (4, 2.5)
    assert found.sd == pytest.approx(1.290994)
    assert found.half == pytest.approx(1.265, abs=1e-3)


def test_unknown_figures_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["figure", "psvr-99", "--out", str(tmp_path)])
    assert stop.value.code == 2
    assert all(name in capsys.readouterr().err for name in FIGURES)
