"""Statistics of a sweep, partial ones while it is played and those of all runs at the end: summary.json and
summary.parquet.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow.parquet as pq

from engine.sweeps import Folder, Plan, Sweep
from engine.sweeps.rows import row_columns
from spark_batch.session import Session
from spark_batch.statistics import OF_PAIR, OF_POINT, by_point, differences

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")
FEW = 50_000
"""Rows that Spark answers sooner about than it compiles."""
ONE_TASK = 5_000
"""Rows that one task answers sooner about than several that exchange them."""
SHOWN = 2_000
"""Points in summary.json; summary.parquet has all."""
SPARK_TYPES = {"int64": "long", "double": "double", "bool": "boolean", "string": "string"}


class Summaries:
    """Reads whole chunks only: a file that is being written has a name that Spark passes over."""

    def __init__(self, session: Session, sweep: Sweep, folder: Folder, plan: Plan, tag: str) -> None:
        self.session, self.sweep, self.folder, self.plan, self._tag = session, sweep, folder, plan, tag
        self.metrics, self._shown = list(sweep.metrics), min(SHOWN, sweep.points)
        kinds = row_columns(sweep)
        self._schema = ", ".join(f"`{name}` {SPARK_TYPES[kind]}" for name, kind in kinds.items())

    def _run(self, action: Callable[[], T]) -> T:
        """In a pool apart: statistics need not wait until all tasks of a wave have been played."""
        return self.session.tagged(self._tag, action, "statistics")

    def _collected(self, table: DataFrame) -> list[dict[str, Any]]:
        return [row.asDict() for row in self._run(table.collect)]

    def rows(self, done: int, points: int | None = None) -> DataFrame | None:
        """The rows that are there, about `done`, of the first so many points; None: there are none."""
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
        found = found if points is None else found.where(found.point < points)
        return found.coalesce(1) if done < ONE_TASK else found

    def _by_point(self, rows: DataFrame, done: int) -> DataFrame:
        axes = [c.path for c in self.sweep.columns]
        return by_point(rows, self.metrics, axes, one=done < ONE_TASK)

    def _prepare(self, done: int) -> None:
        """Spark writes and compiles a program for each question; for a few rows that takes longer than the answer."""
        few, conf = done < FEW, self.session.spark.conf
        conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN" if few else "FALLBACK")
        conf.set("spark.sql.codegen.wholeStage", "false" if few else "true")

    def partial(self, done: int, failed: int, *, pairs: bool = True) -> bool:
        """Rewrite summary.json with what is there, sooner without paired differences; whether there was anything."""
        self._prepare(done)
        rows = self.rows(done, self._shown) if self.metrics else None
        if rows is None and done == 0:
            return False
        of_points = [] if rows is None else self._collected(self._by_point(rows, done))
        self._write(of_points, rows if pairs else None, done, failed)
        return True

    def final(self, done: int, failed: int) -> None:
        """Both files, of all runs."""
        self._prepare(done)
        rows, of_points = self.rows(done) if self.metrics else None, list[Mapping[str, Any]]()
        if rows is not None:
            part = self.folder.path / ".summary.parquet"
            shutil.rmtree(part, ignore_errors=True)
            self._run(lambda: self._by_point(rows, done).write.parquet(str(part.resolve())))
            shutil.rmtree(self.folder.summary_table, ignore_errors=True)
            part.rename(self.folder.summary_table)
            shown = pq.read_table(
                self.folder.summary_table, filters=[("point", "<", self._shown)]
            ).to_pylist()
            place = {name: k for k, name in enumerate(self.metrics)}
            of_points = sorted(shown, key=lambda row: (row["point"], place[row["metric"]]))
        paired = self.rows(done, self._shown) if self.metrics and self.sweep.compared else None
        self._write(of_points, paired, done, failed)

    def _write(
        self, of_points: Sequence[Mapping[str, Any]], paired: DataFrame | None, done: int, failed: int
    ) -> None:
        """`of_points`: the statistics in the order they are shown; `paired`: the rows for paired differences."""
        points, pairs = dict[int, dict[str, Any]](), list[dict[str, Any]]()
        for row in of_points:
            empty = {"point": row["point"], "values": self.sweep.shown(row["point"]), "metrics": {}}
            point = points.setdefault(row["point"], empty)
            point["metrics"][row["metric"]] = {what: _plain(row[what]) for what in OF_POINT}
        if paired is not None and self.sweep.compared is not None:
            table = differences(paired, self.metrics, *self.sweep.compared, one=done < ONE_TASK)
            for row in self._collected(table):
                pairs.append({what: _plain(row[what]) for what in ("point_a", "point_b", "metric", *OF_PAIR)})
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
