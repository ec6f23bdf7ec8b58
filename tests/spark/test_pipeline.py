"""Sweeps on Spark: the rows of a plain loop, whatever happens on the way."""

from __future__ import annotations

import math
import statistics
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.core.errors import ScenarioError
from engine.sweeps import Folder, load_sweep
from engine.sweeps.rows import row_columns
from engine.sweeps.student import t95
from spark_batch import summary
from spark_batch.chunks import failed_in, table, write
from spark_batch.job import Cancelled, Job, reason
from spark_batch.play import Player
from spark_batch.progress import Progress
from spark_batch.session import Session
from spark_batch.summary import Summaries
from tests.spark.support import BASE, folder, plain_loop, rows, sweep


def test_spark_equals_the_plain_loop_row_by_row(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = sweep()
    out = folder(tmp_path, of)
    told: list[Progress] = []
    Job(session, out, "equal", told.append).play()
    found, loop = rows(out), plain_loop(of)
    assert found == loop
    errors = [row["error"] for row in found if row["error"]]
    assert len(errors) == 12
    assert all("mean_degree" in error for error in errors)
    assert {row["method"] for row in found if not row["error"]} == {"compiled"}
    assert (told[-1].done, told[-1].failed, told[-1].of) == (48, 12, 48)
    assert out.done
    _check_summary(out, loop)
    for few in ("FEW", "ONE_TASK"):  # as many rows are asked about
        monkeypatch.setattr(summary, few, 0)
    plan = out.plan()
    assert plan is not None
    (out.path / "summary.json").unlink()
    Summaries(session, of, out, plan, "many").final(48, 12)
    _check_summary(out, loop)


def _check_summary(out: Folder, loop: list[dict[str, Any]]) -> None:
    """Against Python's own statistics."""
    told = out.read_summary()
    assert told is not None
    assert (told["runs_done"], told["runs_failed"], told["truncated"]) == (48, 12, False)
    assert [p["point"] for p in told["points"]] == list(range(8))
    assert told["points"][1]["values"] == {"topology.mean_degree": 4, "topology.n": 12, "radio.loss": 0.2}
    for p in told["points"]:
        of_point = [row for row in loop if row["point"] == p["point"]]
        for name, got in p["metrics"].items():
            values = {row["run"]: row[name] for row in of_point if row[name] is not None}
            assert got["n"] == len(values)
            if len(values) < 2:
                continue
            mean, sd = statistics.fmean(values.values()), statistics.stdev(values.values())
            wide = t95(len(values) - 1) * sd / math.sqrt(len(values))
            assert [got["mean"], got["sd"]] == pytest.approx([mean, sd], abs=1e-9)
            assert [got["ci95_low"], got["ci95_high"]] == pytest.approx([mean - wide, mean + wide], abs=1e-6)
            assert (got["min"], got["max"]) == (min(values.values()), max(values.values()))
            median = statistics.median(values.values())
            assert got["q"][50] == pytest.approx(median, rel=1e-5) if len(values) >= 5 else got["q"] is None
            nearest = min(values, key=lambda run: (abs(values[run] - median), run))
            assert got["median_run"] == nearest
            bad = {run: -x if name == "delivery_ratio" else x for run, x in values.items()}
            if name.startswith("stabilised"):
                bad |= {row["run"]: math.inf for row in of_point if row[name] is None and not row["error"]}
            assert got["worst_run"] == max(bad, key=lambda run: (bad[run], -run))
    pairs = {(d["point_a"], d["point_b"]) for d in told["differences"]}
    assert pairs == {(0, 1), (2, 3), (6, 7)}
    d = next(d for d in told["differences"] if (d["point_a"], d["metric"]) == (2, "messages"))
    off = [loop[run + 6]["messages"] - loop[run]["messages"] for run in range(12, 18)]
    assert (d["n"], d["mean"]) == (6, pytest.approx(statistics.fmean(off)))
    wide = t95(5) * statistics.stdev(off) / math.sqrt(6)
    assert d["ci95_high"] - d["mean"] == pytest.approx(wide, rel=1e-6)
    table = pq.read_table(out.summary_table).to_pylist()
    assert len(table) == sum(len(p["metrics"]) for p in told["points"])
    assert {"point", "topology.n", "metric", "n", "mean", "sd", "q", "worst_run"} <= table[0].keys()


def test_what_is_there_is_kept_and_what_is_torn_is_done_again(session: Session, tmp_path: Path) -> None:
    of = sweep(repetitions=4)
    out = folder(tmp_path, of)
    Job(session, out, "resume").play()
    whole = rows(out)
    kept = {number: out.chunk(number).stat().st_mtime_ns for number in out.chunks()}
    lost = sorted(kept)[1::2]
    for number in lost:  # as a kill in the middle of writing leaves it
        out.chunk(number).rename(out.chunk(number).with_name(".part.parquet.1"))
    (out.path / "_done").unlink()
    (out.path / "summary.json").unlink()
    Job(session, out, "resume").play()
    assert rows(out) == whole == plain_loop(of)
    assert not list(out.rows.rglob(".*"))
    again = {number: out.chunk(number).stat().st_mtime_ns for number in out.chunks()}
    assert {number for number in kept if kept[number] != again[number]} == set(lost)
    told = out.read_summary()
    assert told is not None
    assert told["runs_done"] == of.runs


def test_cancel_keeps_what_is_done(session: Session, tmp_path: Path) -> None:
    of = sweep(repetitions=200)
    out = folder(tmp_path, of)
    some = threading.Event()

    def watch(progress: Progress) -> None:
        if progress.done:
            some.set()

    job = Job(session, out, "cancel", watch)
    ended: list[BaseException] = []

    def play() -> None:
        try:
            job.play()
        except Cancelled as error:
            ended.append(error)

    thread = session.thread(play, "test")
    thread.start()
    assert some.wait(120)
    job.cancel()
    thread.join(60)
    assert not thread.is_alive()
    assert len(ended) == 1
    there = {number: out.chunk(number).stat().st_mtime_ns for number in out.chunks()}
    plan = out.plan()
    assert plan is not None
    assert 0 < sum(len(range(*plan.chunk(number))) for number in there) < of.runs
    Job(session, out, "cancel").play()
    assert rows(out) == plain_loop(of)
    assert there.items() <= {number: out.chunk(number).stat().st_mtime_ns for number in out.chunks()}.items()


def test_a_folder_that_cannot_be_written_ends_the_job_with_the_reason(
    session: Session, tmp_path: Path
) -> None:
    out = folder(tmp_path, sweep())
    out.rows.mkdir()
    (out.rows / "chunk=000000").write_text("in the way")
    with pytest.raises(Exception, match="ringcast-trouble") as failed:
        Job(session, out, "trouble").play()
    assert reason(failed.value) == f"{tmp_path}: File exists"


def test_a_chunk_that_another_wrote_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    of, path = sweep(), tmp_path / "chunk" / "rows.parquet"
    failed = table(of, [{**dict.fromkeys(row_columns(of)), "run": 0, "point": 0, "seed": 1, "error": "oh"}])
    write(failed, path)
    before = path.stat()
    write(failed, path)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert list(path.parent.iterdir()) == [path]
    assert failed_in(path) == 1


def test_rows_that_workers_write_elsewhere_end_the_job(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(*_: object) -> Callable[[Iterator[Any]], Iterator[Any]]:
        def run(batches: Iterator[Any]) -> Iterator[Any]:
            for _ in batches:
                yield from ()

        return run

    monkeypatch.setattr("spark_batch.tasks.chunk_task", elsewhere)
    monkeypatch.setattr("spark_batch.job.PATIENCE_S", 0.0)
    with pytest.raises(ScenarioError, match="workers wrote their rows somewhere else"):
        Job(session, folder(tmp_path, sweep()), "elsewhere").play()


def test_routes_are_counted_by_the_kernels(session: Session, tmp_path: Path) -> None:
    events = [event for event in BASE["events"] if event["do"] != "fail-node"]
    of = sweep(base={**BASE, "events": events}, axes=[], method="routes", compare=None)
    out = folder(tmp_path, of)
    Job(session, out, "routes").play()
    found = rows(out)
    assert found == plain_loop(of)
    played = plain_loop(load_sweep({**of.plain, "method": "compiled"}))
    for kernel, engine in zip(found, played, strict=True):
        assert kernel["method"] == "routes"
        assert kernel["delivery_ratio"] == engine["delivery_ratio"] == 1.0
        assert kernel["transmissions_per_delivery"] == engine["transmissions_per_delivery"]
        assert kernel["hops_per_delivery"] == engine["hops_per_delivery"]


def test_a_run_that_takes_too_long_is_a_row_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    of = sweep(method="interpreted", timeout_s=5.0)
    monkeypatch.setattr("engine.batch.SLICE", 100)
    ticks = iter(range(1000))
    row = Player(of, clock=lambda: float(next(ticks))).row(0)
    assert row["error"] == "timeout_s: not done within 5 s"
    assert row["digest"] is None
    assert row["run"] == 0


def test_a_bug_in_one_run_does_not_lose_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_one(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("spark_batch.play.play_one", play_one)
    row = Player(sweep()).row(3)
    assert (row["error"], row["digest"]) == ("ZeroDivisionError: oh", None)
