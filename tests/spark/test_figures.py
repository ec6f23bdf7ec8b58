"""Figures of the papers through Spark: the same files, byte for byte."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from backend.cli import main
from backend.figures import psvr_7, psvr_9, psvr_10
from backend.figures.apart import batch, each, on_spark
from tests.spark.support import BASE


def test_a_figure_is_the_same_to_the_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(psvr_7.GRAPHS, "quick", 20)
    monkeypatch.setitem(psvr_7.SIZES, "quick", (50,))
    monkeypatch.setitem(psvr_9.NETWORKS, "quick", 12)
    monkeypatch.setitem(psvr_10.NETWORKS, "quick", 20)
    for name in ("psvr-7", "psvr-9", "psvr-10"):
        assert main(["figure", name, "--out", str(tmp_path / "here")]) == 0
    asked = list[str]()

    def already(master: str) -> AbstractContextManager[None]:
        asked.append(master)
        return nullcontext()

    with on_spark("local[2]"):  # once: the command's own is one more Spark that starts
        monkeypatch.setattr("backend.figures.apart.on_spark", already)
        for name in ("psvr-7", "psvr-9", "psvr-10"):
            assert main(["figure", name, "--out", str(tmp_path / "spark"), "--master", "local[2]"]) == 0
        runs = [{"seed": seed, "radio.loss": loss} for seed in (1, 2) for loss in (0.0, 2.0)]
        there = batch(BASE, runs, 1)
        with pytest.raises(RuntimeError, match="bogus"):
            each("bogus", [[1]])
    assert asked == ["local[2]"] * 3
    here = sorted((tmp_path / "here").iterdir())
    assert len(here) == 9
    for path in here:
        assert path.read_bytes() == (tmp_path / "spark" / path.name).read_bytes(), path.name
    assert there == batch(BASE, runs, 1)
    assert there["digest"][0] is not None
    assert "out of range" in there["error"][1]


def test_a_master_that_does_not_answer_is_the_users_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["figure", "psvr-7", "--out", str(tmp_path), "--master", "spark://127.0.0.1:1"]
    assert main(words) == 2
    assert "nobody answers there" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
