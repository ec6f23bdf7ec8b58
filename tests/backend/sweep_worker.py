"""A batch process without Spark, for tests: it speaks the same lines, plays the runs and writes the same files.

    python sweep_worker.py [--trouble TEXT] [--broken TEXT]

A word in the name of a sweep tells how it goes: `wait` holds after the first chunk until there is a file `go` in its
folder, `deaf` does that and takes no cancel, `die` ends the process after the first chunk, `die-once` does that once,
`full` fails. `--trouble` and `--broken` are processes that cannot start: with a word about it, and without.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path
from statistics import fmean, median_low, stdev
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.batch import play_one
from engine.sweeps import Folder, Plan, Sweep
from engine.sweeps.rows import Rows, row_columns

WAIT_S = 0.02
orders: queue.Queue[dict[str, Any]] = queue.Queue()
cancelled: set[str] = set()
stopping = threading.Event()
talking = threading.Lock()


def say(**line: Any) -> None:
    with talking:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def listen() -> None:
    for text in sys.stdin:
        order = json.loads(text)
        if order["do"] == "cancel":
            cancelled.add(order["job"])
        elif order["do"] == "warm":
            with Path("warmed").open("a") as log:
                log.write(order["sweep"]["name"] + "\n")
        elif order["do"] == "stop":
            break
        else:
            orders.put(order)
    stopping.set()
    orders.put({"do": "stop"})


def write_chunk(folder: Folder, sweep: Sweep, runs: range) -> list[dict[str, Any]]:
    plan = folder.plan()
    assert plan is not None
    of = Rows(sweep).of
    rows = [of(run, play_one(sweep.base, sweep.run(run))) for run in runs]
    types = {"int64": pa.int64(), "double": pa.float64(), "bool": pa.bool_(), "string": pa.string()}
    schema = pa.schema([(name, types[kind]) for name, kind in row_columns(sweep).items()])
    path = folder.chunk(plan.chunk_of(runs[0]))
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(".part")
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), part)
    part.replace(path)
    return rows


def spread(rows: list[dict[str, Any]], metric: str) -> dict[str, Any]:
    found = sorted((row[metric], row["run"]) for row in rows if row[metric] is not None)
    values = [value for value, _ in found]
    told: dict[str, Any] = dict.fromkeys(("mean", "sd", "ci95_low", "ci95_high", "min", "max"))
    told |= {"n": len(values), "q": None, "median_run": None, "worst_run": None}
    if found:
        told |= {"mean": fmean(values), "min": values[0], "max": values[-1]}
        told |= {"median_run": median_low(found)[1], "worst_run": found[-1][1]}
    if len(found) > 1:
        told["sd"] = stdev(values)
    return told


def summarise(folder: Folder, sweep: Sweep, rows: list[dict[str, Any]]) -> None:
    points = []
    for point in sorted({row["point"] for row in rows}):
        here = [row for row in rows if row["point"] == point]
        metrics = {metric: spread(here, metric) for metric in sweep.metrics}
        points.append({"point": point, "values": sweep.shown(point), "metrics": metrics})
    failed = sum(row["error"] is not None for row in rows)
    tree = {"runs_done": len(rows), "runs_failed": failed, "points": points}
    folder.write("summary.json", json.dumps({**tree, "differences": [], "truncated": False}).encode())


def may_go_on(job: str, folder: Folder, deaf: bool) -> bool:
    """Hold here; False once it is to end."""
    while not (folder.path / "go").exists():
        if stopping.wait(WAIT_S):
            return False
        if job in cancelled and not deaf:
            return False
    return True


def work(job: str, folder: Folder) -> None:
    sweep = folder.sweep()
    words = set(sweep.name.split())
    plan = folder.plan() or Plan.of(sweep.runs, per_chunk=2, per_small=1, regions=1)
    folder.keep_plan(plan)
    there = set(folder.chunks())
    rows: list[dict[str, Any]] = []
    for number in there:
        rows += pq.ParquetFile(folder.chunk(number)).read().to_pylist()
    for number in plan.order():
        if number in there:
            continue
        rows += write_chunk(folder, sweep, range(*plan.chunk(number)))
        with (folder.path / "played").open("a") as log:
            log.write(f"{number}\n")
        summarise(folder, sweep, rows)
        failed = sum(row["error"] is not None for row in rows)
        say(
            **{"is": "progress"}, job=job, done=len(rows), failed=failed, of=sweep.runs, per_s=9.0, left_s=1.0
        )
        say(**{"is": "summary"}, job=job)
        if "die" in words or ("die-once" in words and not (folder.path / "died").exists()):
            (folder.path / "died").touch()
            sys.stderr.write("first words\nout of memory, or so\n")
            sys.stderr.flush()
            os._exit(3)
        if "full" in words:
            say(**{"is": "ended"}, job=job, state="failed", reason="No space left on device")
            return
        if words & {"wait", "deaf"} and not may_go_on(job, folder, "deaf" in words):
            say(**{"is": "ended"}, job=job, state="cancelled", reason=None)
            return
    (folder.path / "_done").touch()
    say(**{"is": "ended"}, job=job, state="done", reason=None)


def main() -> int:
    if "--broken" in sys.argv:
        sys.stderr.write(sys.argv[-1] + "\n")
        return 1
    if "--trouble" in sys.argv:
        say(**{"is": "trouble"}, reason=sys.argv[-1])
        return 1
    sys.stdout.write("a line that is not of the protocol\n")
    say(**{"is": "ready"})
    threading.Thread(target=listen, daemon=True).start()
    working: list[threading.Thread] = []
    while (order := orders.get())["do"] == "run":
        working.append(threading.Thread(target=work, args=(order["job"], Folder(Path(order["out"])))))
        working[-1].start()
    for each in working:
        each.join()
    return 0


if __name__ == "__main__":
    sys.exit(main())
