"""What can be told of a sweep before any run: whether its values make scenarios, and which ranges mean whole numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.batch import varied
from engine.core.errors import ScenarioError
from engine.registry import parameters, protocol
from engine.sweeps.axes import Axis, Column
from engine.sweeps.routes import check_routes
from engine.world.scenario import Scenario, load_scenario

if TYPE_CHECKING:
    from engine.sweeps.document import Sweep

LOOKED_AT = 100
"""Values of an axis that are tried at most: all of a short list, else the ends and some between."""
WHOLE = "not a whole number"


def loaded(document: Mapping[str, Any]) -> Scenario:
    """The scenario, with its protocol's parameters checked as far as they do not name nodes. Raises: ScenarioError."""
    scenario = load_scenario(dict(document))
    spec = protocol(scenario.protocol.name)
    nodes = {p.name for p in spec.all_params() if p.kind == "node"}
    given = {name: value for name, value in scenario.protocol.params.items() if name not in nodes}
    parameters(spec, given, [])
    return scenario


def whole_where_needed(base: Mapping[str, Any], axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The axes, with ranges rounded to whole numbers where the field takes nothing else.

    Raises: ScenarioError when that gives a number twice.
    """
    found = []
    for k, axis in enumerate(axes):
        columns = []
        for c in axis.columns:
            ranged = c.steps.values is None and c.type == "double"
            columns.append(c.whole(f"axes[{k}]") if ranged and _takes_whole(base, axes, c) else c)
        found.append(replace(axis, columns=tuple(columns)))
    return tuple(found)


def _takes_whole(base: Mapping[str, Any], axes: tuple[Axis, ...], c: Column) -> bool:
    values = {other.path: other.at(0) for axis in axes for other in axis.columns}
    try:
        loaded(varied(base, {**values, c.path: int(c.at(0)) + 0.5}))
    except ScenarioError as error:
        return error.problem == WHOLE and _same(error.path, c.path)
    return False


def check(sweep: Sweep) -> None:
    """Refuse a value with which neither the first nor the last values of the other axes make a scenario.

    Raises: ScenarioError
    """
    if not sweep.axes:
        _try(sweep, {})
        return
    for k, axis in enumerate(sweep.axes):
        for j in looked_at(axis.size):
            errors = []
            for end in (0, -1):
                values = {
                    c.path: c.at(j if other is axis else end % c.size)
                    for other in sweep.axes
                    for c in other.columns
                }
                try:
                    _try(sweep, values)
                except ScenarioError as error:
                    errors.append(error)
                else:
                    break
            else:
                raise _placed(errors[0], k, j, axis)


def _try(sweep: Sweep, values: Mapping[str, Any]) -> None:
    try:
        scenario = loaded(varied(sweep.base, {**values, "seed": sweep.first_seed}))
        if sweep.method == "routes":
            check_routes(scenario)
    except ScenarioError as error:
        if not values:
            raise ScenarioError(f"base.{error.path}", error.value, error.allowed, error.problem) from None
        raise


def looked_at(size: int) -> Iterator[int]:
    """Places on an axis: all, or the ends and some between."""
    if size <= LOOKED_AT:
        yield from range(size)
    else:
        yield from sorted({k * (size - 1) // (LOOKED_AT - 1) for k in range(LOOKED_AT)})


def _placed(error: ScenarioError, k: int, j: int, axis: Axis) -> ScenarioError:
    """The error at its place in the sweep document: the value on the axis if that is what is wrong, else the base."""
    for i, c in enumerate(axis.columns):
        if _same(error.path, c.path):
            at = f"axes[{k}].zip[{i}]" if len(axis.columns) > 1 else f"axes[{k}]"
            listed = c.steps.values is not None
            unknown = (
                error.problem in ("unknown field", "leads nowhere", "missing") or "no such" in error.problem
            )
            if unknown:
                return ScenarioError(f"{at}.path", c.path, error.allowed, f"{error.path}: {error.problem}")
            place = f"{at}.values[{j}]" if listed else at
            return ScenarioError(
                place, error.value, error.allowed, f"{error.path}: {error.problem or 'not allowed'}"
            )
    return ScenarioError(f"base.{error.path}", error.value, error.allowed, error.problem)


def _same(path: str, axis: str) -> bool:
    """Whether an error's path is that of the axis, or lies inside or around it."""
    dotted = path.replace("[", ".").replace("]", "")
    return dotted == axis or dotted.startswith(f"{axis}.") or axis.startswith(f"{dotted}.")
