"""Statistics of a sweep, partial ones while it is played and those of all runs at the end: summary.json and
summary.parquet.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from engine.sweeps import Folder, Plan, Sweep
from engine.sweeps.rows import row_columns
from spark_batch.session import Session
from spark_batch.statistics import OF_PAIR, OF_POINT, by_point, differences

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")
FEW = 50_000
"""Rows that Spark answers sooner about than it compiles."""
SHOWN = 2_000
"""Points in summary.json; summary.parquet has all."""
SPARK_TYPES = {"int64": "long", "double": "double", "bool": "boolean", "string": "string"}


class Summaries:
    """Reads whole chunks only: a file that is being written has a name that Spark passes over."""

    def __init__(self, session: Session, sweep: Sweep, folder: Folder, plan: Plan, tag: str) -> None:
        self.session, self.sweep, self.folder, self.plan, self._tag = session, sweep, folder, plan, tag
        self.metrics = list(sweep.metrics)
        kinds = row_columns(sweep)
        self._schema = ", ".join(f"`{name}` {SPARK_TYPES[kind]}" for name, kind in kinds.items())

    def _run(self, action: Callable[[], T]) -> T:
        """In a pool apart: statistics need not wait until all tasks of a wave have been played."""
        return self.session.tagged(self._tag, action, "statistics")

    def rows(self, points: int | None = None) -> DataFrame | None:
        """The rows that are there, of the first so many points; None: there are none."""
        numbers = sorted(self.folder.chunks())
        if points is not None and points < self.sweep.points:
            last = self.plan.chunk_of(points * self.sweep.repetitions - 1)
            numbers = [number for number in numbers if number <= last]
        if not numbers:
            return None
        whole = len(numbers) > 50 and (points is None or points >= self.sweep.points)
        places = [self.folder.rows] if whole else [self.folder.chunk(number) for number in numbers]
        found = self.session.spark.read.schema(self._schema).parquet(
            *(str(place.resolve()) for place in places)
        )
        return found if points is None else found.where(found.point < points)

    def _tables(self, points: int | None, *, pairs: bool = True) -> tuple[DataFrame, DataFrame | None] | None:
        rows = self.rows(points)
        if rows is None or not self.metrics:
            return None
        points_of = by_point(rows, self.metrics, [c.path for c in self.sweep.columns])
        if self.sweep.compared is None or not pairs:
            return points_of, None
        return points_of, differences(rows, self.metrics, *self.sweep.compared)

    def partial(self, done: int, failed: int, *, pairs: bool = True) -> bool:
        """Rewrite summary.json with what is there, sooner without paired differences; whether there was anything."""
        # Spark writes and compiles a program for each question; for a few rows that takes longer than the answer.
        few, conf = done < FEW, self.session.spark.conf
        conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN" if few else "FALLBACK")
        conf.set("spark.sql.codegen.wholeStage", "false" if few else "true")
        tables = self._tables(min(SHOWN, self.sweep.points), pairs=pairs)
        if tables is None and done == 0:
            return False
        self._write(tables, done, failed)
        return True

    def final(self, done: int, failed: int) -> None:
        """Both files, of all runs."""
        self.partial(done, failed)
        tables = self._tables(None)
        if tables is not None:
            part = self.folder.path / ".summary.parquet"
            shutil.rmtree(part, ignore_errors=True)
            self._run(lambda: tables[0].write.parquet(str(part.resolve())))
            shutil.rmtree(self.folder.summary_table, ignore_errors=True)
            part.rename(self.folder.summary_table)

    def _write(self, tables: tuple[DataFrame, DataFrame | None] | None, done: int, failed: int) -> None:
        points, pairs = dict[int, dict[str, Any]](), list[dict[str, Any]]()
        if tables is not None:
            for row in self._run(tables[0].collect):
                empty = {"point": row.point, "values": self.sweep.shown(row.point), "metrics": {}}
                point = points.setdefault(row.point, empty)
                point["metrics"][row.metric] = {what: _plain(row[what]) for what in OF_POINT}
            if tables[1] is not None:
                for row in self._run(tables[1].collect):
                    pairs.append(
                        {what: _plain(row[what]) for what in ("point_a", "point_b", "metric", *OF_PAIR)}
                    )
        told = {
            "runs_done": done,
            "runs_failed": failed,
            "points": list(points.values()),
            "differences": pairs,
            "truncated": self.sweep.points > SHOWN,
        }
        self.folder.write("summary.json", json.dumps(told, ensure_ascii=False, allow_nan=False).encode())


def _plain(value: Any) -> Any:
    """Finite numbers or null; quantiles with six digits, which is more than a picture shows."""
    if isinstance(value, list):
        return [float(f"{x:.6g}") for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
