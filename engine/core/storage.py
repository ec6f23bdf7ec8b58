"""Storage of a stack's state as nested lists: made, grown, reset and corrupted from the declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any

from engine.core.declare import NONE, Env, Field, Input, ProtocolSpec, Slot, fields
from engine.core.rng import Stream

Peers = list[list[int]]
Wrap = Callable[[list[Any]], list[Any]]


def widths(field: Field, v: int, peers: Peers, env: Env, par: Any) -> list[Any]:
    """Nested sizes of node v's part of a field: an int per axis, or a list where rows differ."""
    if field.kind.needs and not getattr(par, field.kind.needs):
        return [0 for _ in field.axes]
    degree = len(peers[v])
    size = {"slot": degree, "pos": max(1, degree), "channel": env.channels, "node": env.n}
    return [
        [max(1, len(peers[w])) for w in peers[v]]
        if axis == "near"
        else size[axis]
        if axis in size
        else int(getattr(par, axis))
        for axis in field.axes
    ]


def make(field: Field, v: int, peers: Peers, env: Env, par: Any) -> Any:
    """Node v's part of a field at power-on."""
    start = field.kind.initial(env, v)
    sizes = widths(field, v, peers, env, par)
    if not sizes:
        return start
    if len(sizes) == 1:
        return [start] * sizes[0]
    inner = sizes[1] if isinstance(sizes[1], list) else [sizes[1]] * sizes[0]
    return [[start] * k for k in inner]


def columns(spec: ProtocolSpec) -> Iterator[tuple[str, Field]]:
    """(layer key, field) of every declared field, bottom up."""
    for layer in spec.layers:
        for field in fields(layer.state):
            yield layer.key, field


@lru_cache(maxsize=256)
def _slotted(shape: type) -> type:
    """A class with the fields and methods of a named tuple, whose fields Python reads several times as fast."""
    methods = {k: f for k, f in vars(shape).items() if isinstance(f, FunctionType) and not k.startswith("_")}
    names = shape._fields  # type: ignore[attr-defined]
    return type(shape.__name__, (), {"__slots__": names, "_fields": names, **methods})


def _record(given: Any) -> Any:
    """The same fields as in this named tuple, where handlers look them up all the time."""
    made = _slotted(given.__class__)()
    for name, value in zip(given._fields, given, strict=True):
        setattr(made, name, value)
    return made


def create(spec: ProtocolSpec, env: Env, par: Any, peers: Peers, wrap: Wrap = list) -> Any:
    """The stack's state with every node at power-on. `wrap` makes the outermost list of a field (a guard under test)."""
    declared = list(columns(spec))
    made: list[list[Any]] = [[] for _ in declared]
    for v in range(env.n):  # node by node: what a handler touches lies together in memory
        for column, (_, field) in zip(made, declared, strict=True):
            column.append(make(field, v, peers, env, par))
    parts: dict[str, dict[str, list[Any]]] = {layer.key: {} for layer in spec.layers}
    for column, (key, field) in zip(made, declared, strict=True):
        parts[key][field.name] = wrap(column)
    layers = {layer.key: _record(layer.state(**parts[layer.key])) for layer in spec.layers}
    return _record(spec.state(env=_record(env), par=_record(par), **layers))


def reset_node(spec: ProtocolSpec, st: Any, v: int, peers: Peers) -> None:
    """Node v as after power-on: everything but its inputs."""
    for key, field in columns(spec):
        if not isinstance(field.kind, Input):
            getattr(getattr(st, key), field.name)[v] = make(field, v, peers, st.env, st.par)


def append_node(spec: ProtocolSpec, st: Any, peers: Peers) -> None:
    """One more node, the last; its slots come with `insert_slot`."""
    v = len(peers) - 1
    for key, field in columns(spec):
        column = getattr(getattr(st, key), field.name)
        if "node" in field.axes:  # the others need room to note something about it
            for w in range(v):
                _widen(column[w], make(field, w, peers, st.env, st.par), field.axes, NONE)
        column.append(make(field, v, peers, st.env, st.par))


def insert_slot(spec: ProtocolSpec, st: Any, v: int, j: int, peers: Peers) -> None:
    """Node v has a new neighbour behind slot j (already in `peers`): shift rows and pointers, make room for positions."""
    for key, field in columns(spec):
        column = getattr(getattr(st, key), field.name)
        if isinstance(field.kind, Slot):
            column[v] = _shifted(column[v], j)
        if field.axes:
            _widen(column[v], make(field, v, peers, st.env, st.par), field.axes, j)
        if field.axes == (
            "slot",
            "near",
        ):  # v may now have one position more: its neighbours need room to note it
            for w in peers[v]:
                if v in peers[w] and len(column[w]) == len(peers[w]):
                    cell = column[w][peers[w].index(v)]
                    cell.extend([field.kind.initial(st.env, w)] * (max(1, len(peers[v])) - len(cell)))


def _widen(row: list[Any], fresh: list[Any], axes: tuple[str, ...], j: int) -> None:
    """Bring a row to the size of a fresh one: a new slot at j, whatever else is new at the end."""
    if axes[0] != "slot":
        row.extend(fresh[len(row) :])
    elif len(row) < len(fresh):
        row.insert(j, fresh[j])
    if len(axes) == 2 and axes[1] != "near":
        for cell, want in zip(row, fresh, strict=True):
            _widen(cell, want, axes[1:], j)


def _shifted(pointers: Any, j: int) -> Any:
    """Pointers to slots, once there is a new slot j."""
    if isinstance(pointers, list):
        return [_shifted(x, j) for x in pointers]
    return pointers + 1 if pointers >= j else pointers


def corrupt(
    spec: ProtocolSpec,
    st: Any,
    stream: Stream,
    nodes: list[int],
    peers: Peers,
    *,
    layer: str | None = None,
    field_name: str | None = None,
    value: float | None = None,
) -> None:
    """Put any value of its domain (or `value`) into each variable of these nodes, of one layer or field or of all."""

    def scramble(row: list[Any], field: Field, width: int) -> None:
        for i, entry in enumerate(row):
            if isinstance(entry, list):
                scramble(entry, field, width)
            else:
                row[i] = field.kind.draw(stream, st.env, width) if value is None else value

    names = {part.key: part.name for part in spec.layers}
    for key, field in columns(spec):
        if isinstance(field.kind, Input) or (layer is not None and names[key] != layer):
            continue
        if field_name is not None and field.name != field_name:
            continue
        column = getattr(getattr(st, key), field.name)
        for v in nodes:
            if field.axes:
                scramble(column[v], field, len(peers[v]))
            else:
                column[v] = field.kind.draw(stream, st.env, len(peers[v])) if value is None else value


def plain(st: Any) -> dict[str, list[Any]]:
    """`layer.field` -> nested lists, shared with the state (copy before keeping)."""
    keys = [k for k in st._fields if k not in ("env", "par")]
    return {f"{k}.{f}": getattr(getattr(st, k), f) for k in keys for f in getattr(st, k)._fields}


def refill(st: Any, saved: dict[str, list[Any]]) -> None:
    """Put saved columns back into a state of the same stack."""
    for path, column in saved.items():
        key, name = path.split(".")
        getattr(getattr(st, key), name)[:] = column


def listed(m: Any) -> list[Any]:
    """A message as plain data: its list as a list."""
    return [list(x) if isinstance(x, tuple) else x for x in m]
