"""The sweep document, version 1: a base scenario, axes over its fields, how often each point is repeated, what is measured.

Runs are numbered: run i is point i // repetitions with seed first_seed + i % repetitions, and a point's place on the axes
are its digits in mixed radix, the last axis the fastest. So the grid is never written out, any run is found by its number,
and every point sees the same seeds: the same networks, faults and workloads where the fields in question leave them alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from math import prod
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from engine.batch import varied
from engine.core.declare import ProtocolSpec
from engine.core.errors import ScenarioError
from engine.registry import protocol
from engine.sweeps import metrics, trials
from engine.sweeps.axes import MAX_RUNS, Axis, Column, Path, RowType, Steps, Zip, crossed
from engine.world.fields import Number, Part, Text, Whole
from engine.world.jsonfile import plain_tree
from engine.world.limits import MAX_SEED
from engine.world.refusals import explain
from engine.world.scenario import canonical_tree, dump, load_scenario
from engine.world.words import one_of


class SweepDocument(Part):
    """A sweep document, version 1."""

    version: Literal[1]
    name: Annotated[str, Text(200)] = ""
    base: dict[str, JsonValue] = Field(description="a scenario document; its seed counts for nothing")
    axes: tuple[Steps | Zip, ...] = Field(default=(), max_length=20, description="crossed with each other")
    repetitions: Annotated[int, Whole(1, 1_000_000, "seeds")] = Field(
        default=1, description="runs of every point, with seeds first_seed, first_seed + 1, …"
    )
    first_seed: Annotated[int, Whole(0, MAX_SEED)] = 1
    compare: Path | None = Field(default=None, description="the axis whose values are compared in pairs")
    metrics: tuple[Annotated[str, Text(100, 1)], ...] = Field(
        default=(), max_length=100, description="columns of a batch and ratios of them; none: the usual ones"
    )
    method: Literal["auto", "compiled", "interpreted", "routes"] = Field(
        default="auto", description="auto: compiled where the protocol can be; routes: static kernels"
    )
    timeout_s: Annotated[float, Number(0, 86_400, "seconds", open_low=True)] = Field(
        default=60.0, description="real time after which a run is given up and becomes a row with its error"
    )


@dataclass(frozen=True)
class Sweep:
    """A checked sweep. `plain`: the sweep document, canonical; `metrics`: those asked for, or the usual ones."""

    plain: dict[str, Any]
    axes: tuple[Axis, ...]
    metrics: tuple[str, ...]

    # --- what it says

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self.plain.get("name", ""))

    @property
    def base(self) -> dict[str, Any]:
        """The base scenario document."""
        base: dict[str, Any] = self.plain["base"]
        return base

    @property
    def repetitions(self) -> int:
        """Runs of every point."""
        return int(self.plain.get("repetitions", 1))

    @property
    def first_seed(self) -> int:
        """Seed of the first repetition."""
        return int(self.plain.get("first_seed", 1))

    @property
    def compare(self) -> str | None:
        """Path of the axis whose values are compared in pairs."""
        return self.plain.get("compare")

    @property
    def method(self) -> str:
        """auto, compiled, interpreted or routes."""
        return str(self.plain.get("method", "auto"))

    @property
    def timeout_s(self) -> float:
        """Real seconds after which a run is given up."""
        return float(self.plain.get("timeout_s", 60.0))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of all axes, in order."""
        return tuple(c for axis in self.axes for c in axis.columns)

    @property
    def types(self) -> dict[str, RowType]:
        """By axis path: the type of its column in the rows."""
        return {c.path: c.type for c in self.columns}

    @property
    def labels(self) -> dict[str, tuple[str, ...]]:
        """By axis path: names of the values, where they do not stand for themselves."""
        return {c.path: c.labels for c in self.columns if c.labels is not None}

    @cached_property
    def protocols(self) -> list[ProtocolSpec]:
        """Every protocol that it plays."""
        names = dict.fromkeys(_protocol_names(self.base, self.columns))
        return [protocol(name) for name in names]

    # --- arithmetic

    @cached_property
    def points(self) -> int:
        """How many combinations of values there are."""
        return prod(axis.size for axis in self.axes)

    @property
    def runs(self) -> int:
        """points × repetitions"""
        return self.points * self.repetitions

    def digits(self, point: int) -> tuple[int, ...]:
        """The place of a point on each axis."""
        if not 0 <= point < self.points:
            raise IndexError(f"point {point} of {self.points}")
        digits = []
        for axis in reversed(self.axes):
            point, digit = divmod(point, axis.size)
            digits.append(digit)
        return tuple(reversed(digits))

    def _placed(self, point: int) -> Iterator[tuple[Column, int]]:
        for axis, digit in zip(self.axes, self.digits(point), strict=True):
            for c in axis.columns:
                yield c, digit

    def point(self, point: int) -> dict[str, Any]:
        """By axis path: the value that the scenario gets."""
        return {c.path: c.at(j) for c, j in self._placed(point)}

    def shown(self, point: int) -> dict[str, Any]:
        """By axis path: the value as rows have it; objects as their label."""
        return {c.path: c.shown(j) for c, j in self._placed(point)}

    def seed(self, run: int) -> int:
        """The seed of a run."""
        return self.first_seed + run % self.repetitions

    def run(self, run: int) -> dict[str, Any]:
        """What `engine.batch` needs to be given: the point's values and the seed."""
        return {**self.point(run // self.repetitions), "seed": self.seed(run)}

    def document(self, run: int) -> dict[str, Any]:
        """The scenario document of a run."""
        return varied(self.base, self.run(run))

    # --- comparison

    @cached_property
    def compared(self) -> tuple[int, int] | None:
        """(stride, size) of the compared axis: points that differ by multiples of stride differ only there."""
        for k, axis in enumerate(self.axes):
            if any(c.path == self.compare for c in axis.columns):
                return prod(a.size for a in self.axes[k + 1 :]), axis.size
        return None


def load_sweep(data: bytes | str | Mapping[str, Any], what: str = "sweep", *, checked: bool = False) -> Sweep:
    """A checked sweep: every value of a list and both ends of a range make a scenario that loads.

    `checked`: it comes from where only checked ones are kept, so its values are not tried again.

    Raises: ScenarioError naming the place in the sweep document, the value and what is allowed.
    """
    tree = plain_tree(data, what)
    if not isinstance(tree, dict):
        raise ScenarioError(what, tree, "an object with version, base, axes, …", "not a sweep document")
    document = _checked(tree)
    axes = crossed(document.axes)
    sweep = Sweep(_canonical(document), trials.whole_where_needed(document.base, axes), document.metrics)
    if not checked:
        _check(sweep, document)
    if not document.metrics:
        names = metrics.usual(sweep.protocols, routes=sweep.method == "routes")
        sweep = replace(sweep, metrics=tuple(names))
    return sweep


def _check(sweep: Sweep, document: SweepDocument) -> None:
    _check_size(sweep)
    if document.compare is not None and sweep.compared is None:
        paths = [c.path for c in sweep.columns]
        raise ScenarioError("compare", document.compare, one_of(document.compare, paths), "not an axis")
    trials.check(sweep)
    metrics.check(document.metrics, sweep.protocols, routes=sweep.method == "routes")


def _checked(tree: dict[str, Any]) -> SweepDocument:
    """Each axis by itself first: then the error knows whether it is one field or several in step."""
    version = tree.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > 1:
        raise ScenarioError(
            "version", version, "1; this document needs a newer Ringcast", "a newer document version"
        )
    axes = tree.get("axes")
    for k, axis in enumerate(axes if isinstance(axes, list | tuple) else ()):
        kind = Zip if isinstance(axis, dict) and "zip" in axis else Steps
        try:
            kind.model_validate(axis)
        except ValidationError as e:
            raise explain(e, axis, kind, ("axes", k)) from None
    try:
        return SweepDocument.model_validate(tree)
    except ValidationError as e:
        raise explain(e, tree, SweepDocument) from None


def _canonical(document: SweepDocument) -> dict[str, Any]:
    """Equal sweeps, equal documents: without defaults, 10.0 as 10, and the base as a scenario writes itself."""
    tree = document.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    with suppress(ScenarioError):  # a base may be whole only with the values of the axes
        tree["base"] = canonical_tree(load_scenario(document.base))
    plain: dict[str, Any] = json.loads(dump(tree))
    return plain


def _check_size(sweep: Sweep) -> None:
    if sweep.runs > MAX_RUNS:
        found = f"{sweep.points:,} points with {sweep.repetitions:,} repetitions, {sweep.runs:,} runs"
        allowed = f"at most {MAX_RUNS:,} runs: fewer values or repetitions"
        raise ScenarioError("axes", found, allowed, "too many runs")
    if sweep.first_seed + sweep.repetitions - 1 > MAX_SEED:
        raise ScenarioError(
            "first_seed", sweep.first_seed, f"seeds up to {MAX_SEED}", "the last seed is too large"
        )


def _protocol_names(base: Mapping[str, Any], columns: tuple[Column, ...]) -> Iterator[str]:
    """The base's protocol unless an axis replaces it, and those of the axes."""
    given = [c for c in columns if c.path in ("protocol", "protocol.name")]
    for c in given:
        for j in range(c.size):
            value = c.at(j)
            yield value.get("name", "") if isinstance(value, dict) else value
    if not given:
        yield base.get("protocol", {}).get("name", "")


def sweep_id(sweep: Sweep) -> str:
    """A name that follows from the content: equal sweeps, equal names. 16 hexadecimal digits."""
    return blake2b(dump(sweep.plain), digest_size=8).hexdigest()


def schema() -> dict[str, Any]:
    """The JSON schema of a sweep document."""
    return TypeAdapter(SweepDocument).json_schema(by_alias=True)
