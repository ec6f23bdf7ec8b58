"""The columns of a sweep's rows: names and types, which follow from the sweep alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.sweeps.axes import RowType
from engine.sweeps.document import Sweep
from engine.sweeps.metrics import with_ratios


def row_columns(sweep: Sweep) -> dict[str, RowType]:
    """By name: the type of every column. All but `run`, `point`, `seed` and the axes may be null."""
    return {
        "run": "int64",
        "point": "int64",
        "seed": "int64",
        **sweep.types,
        "method": "string",
        "digest": "string",
        "events": "int64",
        "end_s": "double",
        **{name: "double" for name in sweep.metrics if name not in ("events", "end_s")},
        "worst_s": "double",
        "worst_why": "string",
        "error": "string",
    }


class Rows:
    """Makes the rows of a sweep."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep, self.columns = sweep, row_columns(sweep)
        self._point, self._shown = -1, dict[str, Any]()

    def of(self, run: int, played: Mapping[str, Any]) -> dict[str, Any]:
        """The row of a run from what `engine.batch.play_one` tells of it: every column, null where unknown."""
        told = with_ratios(played)
        point = run // self.sweep.repetitions
        if point != self._point:
            self._point, self._shown = point, self.sweep.shown(point)
        own = {"run": run, "point": point, "seed": self.sweep.seed(run), **self._shown}
        return own | {
            name: _typed(told.get(name), self.columns[name]) for name in self.columns if name not in own
        }


def disk_bytes(sweep: Sweep) -> int:
    """About how much the results of all runs take, compressed: what a digest, the numbers and a point's statistics need."""
    numbers = len(sweep.metrics) + 4
    return (
        sweep.runs * (16 + 5 * numbers) + min(sweep.points, sweep.runs) * len(sweep.metrics) * 400 + 100_000
    )


def _typed(value: Any, kind: RowType) -> Any:
    if value is None:
        return None
    return float(value) if kind == "double" else int(value) if kind == "int64" else str(value)
