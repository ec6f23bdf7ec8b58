"""What a sweep has found so far, read from its folder: dots, single runs, failures, exports. For worker threads.

Chunks are numbered in the order of their runs, and the plan says which runs a chunk has, so that nothing is searched for.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backend.refusal import Refusal
from backend.sweeps import folders
from backend.sweeps.bodies import SweepDots, SweepFailure, SweepRun
from engine.core.errors import ScenarioError
from engine.sweeps import Folder, Plan
from engine.sweeps.rows import row_columns
from engine.world.words import one_of

STATISTICS = ("n", "mean", "sd", "ci95_low", "ci95_high", "min", "max")
PERCENTILES = (5, 25, 50, 75, 95)
RUNS = ("median_run", "worst_run")

MOST_FILES = 1_500
"""Chunks that are looked into for a picture; a second or two."""


def finished(folder: Folder) -> tuple[Plan | None, list[int]]:
    """How the runs are cut, and the chunks that are there, in the order of their runs."""
    plan = folder.plan()
    return plan, sorted(folder.chunks()) if plan is not None else []


# --- dots


def dots(root: Path, id: str, metric: str, limit: int) -> SweepDots:
    """At most about `limit` runs that have this metric, from all over the grid. Raises ScenarioError for another metric."""
    sweep, folder = folders.sweep_of(root, id), Folder(root / id)
    if metric not in sweep.metrics:
        raise ScenarioError(
            "metric", metric, one_of(metric, list(sweep.metrics)), "not measured in this sweep"
        )
    plan, chunks = finished(folder)
    found = SweepDots(run=[], point=[], seed=[], value=[], of=0)
    if plan is None:
        return found
    sizes = {number: end - start for number, (start, end) in ((n, plan.chunk(n)) for n in chunks)}
    found.of = sum(sizes.values())
    chosen = _spread(sizes, limit)
    for run in _kept(folder, metric, limit):
        number = plan.chunk_of(run)
        if number in sizes and (number in chosen or len(chosen) < MOST_FILES):
            chosen[number].add(run - plan.chunk(number)[0])
    for number in sorted(chosen):
        _put(found, folder.chunk(number), metric, sorted(chosen[number]))
    return found


def _spread(sizes: dict[int, int], limit: int) -> dict[int, set[int]]:
    """Places of rows by chunk: all of them, or so many from evenly chosen chunks."""
    chosen: dict[int, set[int]] = defaultdict(set)
    most, numbers = MOST_FILES // 2, list(sizes)  # the other half is for medians and worst runs
    if len(numbers) > most:
        sizes = {number: sizes[number] for number in (numbers[k * len(numbers) // most] for k in range(most))}
    total = sum(sizes.values())
    wanted = min(limit, total)
    places = iter(k * total // wanted for k in range(wanted))
    place, before = next(places, None), 0
    for number, size in sizes.items():
        while place is not None and place < before + size:
            chosen[number].add(place - before)
            place = next(places, None)
        before += size
    return chosen


def _kept(folder: Folder, metric: str, limit: int) -> list[int]:
    """The median and the worst run of each point, of evenly chosen points where these are too many."""
    points = (folder.read_summary() or {}).get("points", [])
    if 2 * len(points) > limit:
        points = [points[2 * k * len(points) // limit] for k in range(limit // 2)]
    runs = []
    for point in points:
        spread = point["metrics"].get(metric, {})
        runs += [run for run in (spread.get("median_run"), spread.get("worst_run")) if run is not None]
    return runs


def _put(found: SweepDots, path: Path, metric: str, places: list[int]) -> None:
    from backend.sweeps import parquet

    read = parquet.read(path, ["run", "point", "seed", metric], places)
    for run, point, seed, value in zip(read["run"], read["point"], read["seed"], read[metric], strict=True):
        if value is not None:
            found.run.append(run)
            found.point.append(point)
            found.seed.append(seed)
            found.value.append(value)


# --- single runs


def run(root: Path, id: str, number: int) -> SweepRun:
    """One run. Raises Refusal for one that is not planned or not played yet."""
    from backend.sweeps import parquet

    sweep, folder = folders.sweep_with(root, id, number), Folder(root / id)
    plan = folder.plan()
    try:
        if plan is None:
            raise FileNotFoundError
        chunk = plan.chunk_of(number)
        read = parquet.read(folder.chunk(chunk), list(row_columns(sweep)), [number - plan.chunk(chunk)[0]])
    except FileNotFoundError:
        raise Refusal(404, "run", number, "the same later", "this run has not been played yet") from None
    row = {name: column[0] for name, column in read.items()}
    return SweepRun(
        run=number,
        point=row["point"],
        seed=row["seed"],
        values={path: row[path] for path in sweep.types},
        metrics={name: row[name] for name in sweep.metrics},
        method=row["method"] or sweep.method,
        digest=row["digest"],
        error=row["error"],
        worst_s=row["worst_s"],
        worst_why=row["worst_why"],
        document=sweep.document(number),
    )


def failures(root: Path, id: str, limit: int) -> list[SweepFailure]:
    """The first runs that ended with an error."""
    from backend.sweeps import parquet

    folder = Folder(root / id)
    found: list[SweepFailure] = []
    for number in finished(folder)[1]:
        path = folder.chunk(number)
        if not parquet.has_any(path, "error"):
            continue
        read = parquet.read(path, ["run", "point", "seed", "error"])
        rows = zip(read["run"], read["point"], read["seed"], read["error"], strict=True)
        found += [SweepFailure(run=a, point=b, seed=c, error=why) for a, b, c, why in rows if why is not None]
        if len(found) >= limit:
            break
    return found[:limit]


# --- exports


def rows(root: Path, id: str, form: str) -> Iterator[bytes]:
    """All rows there are as `csv` or `parquet`, in pieces, in the order of the runs."""
    from backend.sweeps import parquet

    sweep, folder = folders.sweep_of(root, id), Folder(root / id)
    paths = [folder.chunk(number) for number in finished(folder)[1]]
    write = parquet.as_csv if form == "csv" else parquet.as_parquet
    return write(paths, row_columns(sweep))


def summary(root: Path, id: str) -> Iterator[bytes]:
    """The statistics as CSV, a line for each point and metric, in pieces."""
    axes = list(folders.sweep_of(root, id).types)
    yield _line(["point", *axes, "metric", *STATISTICS, *(f"p{k}" for k in PERCENTILES), *RUNS])
    for row in _spreads(Folder(root / id)):
        q = row["q"]
        percentiles = [None if q is None else q[k] for k in PERCENTILES]
        known = (row[name] for name in ("point", *axes, "metric", *STATISTICS))
        yield _line([*known, *percentiles, *(row[name] for name in RUNS)])


def _spreads(folder: Folder) -> Iterator[dict[str, Any]]:
    """A row for each point and metric: from summary.json, or from the table where that has not all points."""
    tree = folder.read_summary() or {}
    if tree.get("truncated") and folder.summary_table.is_dir():
        from backend.sweeps import parquet

        for path in sorted(folder.summary_table.glob("*.parquet")):
            yield from parquet.rows(path)
        return
    for point in tree.get("points", []):
        for metric, spread in point["metrics"].items():
            yield {"point": point["point"], **point["values"], "metric": metric, **spread}


def _line(cells: list[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()
