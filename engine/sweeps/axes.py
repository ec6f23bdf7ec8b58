"""Axes of a sweep: a field of the scenario by its path, and the values it takes, listed or by arithmetic.

A range is never written out: value j follows from j, so an axis may have millions of values. Numbers that come out of
arithmetic keep 12 digits: 0.15, not 0.15000000000000002, and the same on every machine.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, model_validator

from engine.core.errors import ScenarioError
from engine.world.fields import Number, Part, Text, Whole, refuse

MAX_VALUES = 100_000
"""Listed values of an axis."""
MAX_RUNS = 1_000_000_000

RowType = Literal["int64", "double", "bool", "string"]
Path = Annotated[
    str, Text(200, 1, printable=True), Field(description="a field of the scenario, as in `events.2.t`")
]
Bound = Annotated[int | float, Number(-1e12, 1e12)]
Label = Annotated[str, Text(100, 1, printable=True)]
RANGE = "either values, or from and to with step or count"


class Steps(Part):
    """One field and its values: `values`, or a range `from` … `to` with a `step` or a `count`.

    scale log: `step` is a factor, `count` values lie at equal ratios. A field that takes whole numbers gets whole numbers.
    """

    path: Path
    values: tuple[JsonValue, ...] | None = Field(default=None, min_length=1, max_length=MAX_VALUES)
    labels: tuple[Label, ...] | None = Field(default=None, description="names for the values, in their order")
    start: Bound | None = Field(default=None, alias="from")
    to: Bound | None = None
    step: Bound | None = None
    count: Annotated[int, Whole(1, MAX_RUNS, "values")] | None = None
    scale: Literal["linear", "log"] = "linear"

    @model_validator(mode="after")
    def _one_way(self) -> Steps:
        ranged = [self.start, self.to, self.step, self.count]
        if self.values is not None:
            if any(part is not None for part in ranged) or self.scale != "linear":
                raise refuse("values beside a range", RANGE)
            if self.labels is not None and len(self.labels) != len(self.values):
                raise refuse(
                    f"{len(self.labels)} labels for {len(self.values)} values", "one label for each value"
                )
            return self
        if self.labels is not None:
            raise refuse("labels without values", "labels only beside values")
        if self.start is None or self.to is None or (self.step is None) == (self.count is None):
            raise refuse("no values and no whole range", RANGE)
        self._check_range(self.start, self.to)
        return self

    def _check_range(self, start: float, to: float) -> None:
        if self.scale == "log" and (start <= 0 or to <= 0):
            raise refuse("a log range that is not positive", "from and to above 0 with scale log")
        if self.count == 1 and start != to:
            raise refuse("one value from two ends", "a count of 2 or more, or from equal to to")
        if self.count is not None and self.count > 1 and start == to:
            raise refuse(
                f"{self.count:,} values from {start:g} to {to:g}", "ends that differ, or a count of 1"
            )
        if self.step is None:
            return
        if self.scale == "log" and (self.step <= 0 or self.step == 1):
            raise refuse("a factor that leads nowhere", "a step above 0 that is not 1 with scale log")
        if self.step == 0:
            raise refuse("a step of 0", "a step that leads from from to to")
        ahead = self.step > 1 if self.scale == "log" else self.step > 0
        if (to - start) * (1 if ahead else -1) < 0:
            raise refuse(f"empty: a step of {self.step:g} never leads from {start:g} to {to:g}", RANGE)


class Zip(Part):
    """Several fields in step: their first values together, then their second ones, and so on."""

    zip: tuple[Steps, ...] = Field(min_length=1, max_length=20)


@dataclass(frozen=True)
class Column:
    """The values of one field: `at(j)` as the scenario takes them, `shown(j)` as rows and tables have them.

    `type` is that of the shown ones; objects and mixed lists are shown by their labels.
    """

    path: str
    steps: Steps
    size: int
    type: RowType

    def at(self, j: int) -> Any:
        """Value j for the scenario document."""
        if self.steps.values is not None:
            return self.steps.values[j]
        x = _ranged(self.steps, j)
        return round(x) if self.type == "int64" else _plain(x, self.steps)

    def shown(self, j: int) -> Any:
        """Value j in a row."""
        if self.labels is not None:
            return self.labels[j]
        return float(self.at(j)) if self.type == "double" else self.at(j)

    @cached_property
    def labels(self) -> tuple[str, ...] | None:
        """Names of the values; None: they are plain and stand for themselves."""
        values = self.steps.values
        if values is None:
            return None
        if self.steps.labels is not None:
            return self.steps.labels
        if _type_of(values) is not None:
            return None
        names = [str(v["name"]) if isinstance(v, dict) and "name" in v else _json(v) for v in values]
        return tuple(names) if len(set(names)) == len(names) else tuple(_json(v) for v in values)

    def whole(self, at: str) -> Column:
        """The same for a field that takes whole numbers only: a range rounds to them.

        Raises: ScenarioError when that gives one number twice.
        """
        column = replace(self, type="int64")
        for j in range(1, self.size):
            if column.at(j) == column.at(j - 1):
                a, b = column.at(0), column.at(self.size - 1)
                allowed = (
                    f"fewer values: {self.path} takes whole numbers, and from {a} to {b} some come twice"
                )
                raise ScenarioError(at, f"{self.size:,} values", allowed, "too many values in a range")
            if abs(_ranged(self.steps, j) - _ranged(self.steps, j - 1)) >= 1 and self.steps.scale == "linear":
                break
            if (
                self.steps.scale == "log"
                and min(column.at(j), column.at(j - 1)) * abs(_ratio(self.steps) - 1) >= 1
            ):
                break
        return column


def column(steps: Steps, at: str) -> Column:
    """The column of an axis as written. Raises: ScenarioError for equal values or labels."""
    if steps.values is not None:
        kind = "string" if steps.labels is not None else _type_of(steps.values) or "string"
        found = Column(steps.path, steps, len(steps.values), kind)
        for what, entries in (("value", [_json(v) for v in steps.values]), ("label", found.labels or ())):
            if len(set(entries)) < len(entries):
                twice = next(x for k, x in enumerate(entries) if x in entries[:k])
                raise ScenarioError(f"{at}.{what}s", twice, f"each {what} once", f"{what} given twice")
        return found
    plain = isinstance(steps.start, int) and isinstance(steps.step, int)
    return Column(steps.path, steps, _size(steps), "int64" if plain else "double")


def _size(steps: Steps) -> int:
    if steps.count is not None:
        return steps.count
    assert steps.start is not None
    assert steps.to is not None
    assert steps.step is not None
    if steps.scale == "log":
        return math.floor(math.log(steps.to / steps.start) / math.log(steps.step) + 1e-9) + 1
    return math.floor((steps.to - steps.start) / steps.step + 1e-9) + 1


def _ranged(steps: Steps, j: int) -> float:
    start, to = steps.start, steps.to
    assert start is not None
    assert to is not None
    if steps.step is not None:
        return start * steps.step**j if steps.scale == "log" else start + steps.step * j
    assert steps.count is not None
    if j == 0 or steps.count == 1:
        return start
    if j == steps.count - 1:
        return to
    share = j / (steps.count - 1)
    return start * (to / start) ** share if steps.scale == "log" else start + (to - start) * share


def _ratio(steps: Steps) -> float:
    """The ratio of neighbouring values of a log range, above 1."""
    ratio = _ranged(steps, 1) / _ranged(steps, 0)
    return max(ratio, 1 / ratio)


def _plain(x: float, steps: Steps) -> float:
    """To 12 digits of the value on a log scale, of the larger end on a linear one, where values may be near 0."""
    if steps.scale == "log":
        return float(f"{x:.12g}")
    largest = max(abs(steps.start or 0), abs(steps.to or 0))
    return round(x, 12 - math.ceil(math.log10(largest))) + 0.0 if largest else 0.0


def _type_of(values: tuple[JsonValue, ...]) -> RowType | None:
    """The type that all have in common; None: there is none, or it is no plain one."""
    kinds = {type(v) for v in values}
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int64"
    if kinds <= {int, float}:
        return "double"
    return "string" if kinds == {str} else None


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class Axis:
    """What varies together: one field, or several in step."""

    columns: tuple[Column, ...]

    @property
    def size(self) -> int:
        """How many values."""
        return self.columns[0].size


def crossed(axes: tuple[Steps | Zip, ...]) -> tuple[Axis, ...]:
    """The axes as written, with their columns.

    Raises: ScenarioError for a field that is on two axes or is the seed, equal values, and steps of different lengths.
    """
    found, paths = [], dict[str, str]()
    for k, axis in enumerate(axes):
        columns = []
        parts = axis.zip if isinstance(axis, Zip) else (axis,)
        for i, steps in enumerate(parts):
            at = f"axes[{k}].zip[{i}]" if isinstance(axis, Zip) else f"axes[{k}]"
            _check_path(steps.path, at, paths)
            paths[steps.path] = at
            columns.append(column(steps, at))
        sizes = [c.size for c in columns]
        if len(set(sizes)) > 1:
            counted = " and ".join(f"{size:,}" for size in sizes)
            raise ScenarioError(
                f"axes[{k}].zip", f"{counted} values", "equally many of each field", "out of step"
            )
        found.append(Axis(tuple(columns)))
    return tuple(found)


def _check_path(path: str, at: str, before: dict[str, str]) -> None:
    if path == "seed":
        allowed = "any other field; seeds are first_seed and repetitions"
        raise ScenarioError(f"{at}.path", path, allowed, "the seed is no axis")
    for other, where in before.items():
        if other == path:
            raise ScenarioError(
                f"{at}.path", path, f"another field; {where} has this one", "field given twice"
            )
        if other.startswith(f"{path}."):
            allowed = f"this axis before {where}, whose {other} it would overwrite"
            raise ScenarioError(f"{at}.path", path, allowed, "contradictory axes")
