"""The example and the notebook that reads its results."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib
import pytest

from engine.sweeps import load_sweep
from spark_batch.job import Job
from spark_batch.session import Session
from tests.spark.support import folder, rows

ROOT = Path(__file__).parents[2]


def test_the_notebook_reads_the_example(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads((ROOT / "examples/sweeps/density.json").read_text())
    of = load_sweep(document | {"repetitions": 2})
    out = folder(tmp_path / "results", of)
    Job(session, out, "example").play()
    assert {row["error"] for row in rows(out)} == {None}
    monkeypatch.setenv("SWEEP_RESULTS", str(out.path))
    matplotlib.use("agg")
    book = json.loads((ROOT / "docs/notebooks/a-sweep.ipynb").read_text())
    scope: dict[str, object] = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), scope)
    axes = scope["axes"]
    assert [line.get_label() for line in axes.lines] == ["PSVR", "one tree"]  # type: ignore[attr-defined]
    assert len(scope["pairs"]) == 4 * 3 * 2  # type: ignore[arg-type]
