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


def row_of(sweep: Sweep, run: int, played: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a run from what `engine.batch.play_one` tells of it: every column of `row_columns`, null where unknown."""
    told = with_ratios(played)
    point = run // sweep.repetitions
    own = {"run": run, "point": point, "seed": sweep.seed(run), **sweep.shown(point)}
    return {
        name: own[name] if name in own else _typed(told.get(name), kind)
        for name, kind in row_columns(sweep).items()
    }


def _typed(value: Any, kind: RowType) -> Any:
    if value is None:
        return None
    return float(value) if kind == "double" else int(value) if kind == "int64" else str(value)
