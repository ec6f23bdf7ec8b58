"""A stack's state as flat arrays, from the same declarations as the nested lists: made, reset, corrupted, listed.

Whole numbers take 32 bits where their domain allows, else 64; times are doubles. Corruption draws the same numbers in the
same order as `engine.core.storage`, many at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiled.machine import mix
from engine.compiled.rows import Flat, Ragged, Ragged3
from engine.core.declare import Env, Field, Input, Kind, ProtocolSpec, Seconds, Slot
from engine.core.errors import ProtocolBug
from engine.core.rng import GOLD, UNIT, Stream
from engine.core.storage import columns

Ints = NDArray[np.int64]
Offsets = NDArray[np.int32]
LARGE = 16_000  # nodes: with more, ring positions take more than 16 bits
MOST = 2**31 - 1  # entries of a field
LINE = 64  # bytes of a cache line


class Links(NamedTuple):
    """Who can hear whom, flat: node v's slots are the places offset[v] … offset[v + 1] - 1."""

    offset: Offsets
    near: NDArray[np.int32]  # per slot: the neighbour
    back: Ints  # per slot: the place of the slot that leads back

    @classmethod
    def of(cls, peers: Sequence[Sequence[int]]) -> Links:
        """From sorted rows of neighbours, each link named at both ends."""
        degree = np.array([len(row) for row in peers], np.int64)
        offset = ends(degree)
        near = np.fromiter((w for row in peers for w in row), np.int32, int(offset[-1]))
        # Slots sorted by (neighbour, node) are the reverse slots in order of (node, neighbour).
        order = np.argsort(near.astype(np.int64) * len(degree) + np.repeat(np.arange(len(degree)), degree))
        back = np.empty(len(near), np.int64)
        back[order] = np.arange(len(near))
        return cls(offset, near, back)

    @property
    def degree(self) -> Ints:
        """Per node: its neighbours."""
        return np.diff(self.offset).astype(np.int64)


def ends(sizes: Ints) -> Offsets:
    """Where rows of these sizes begin, and where the last one ends. In 32 bits: rules look them up all the time."""
    found = np.cumsum(sizes, dtype=np.int64)
    if found.size and found[-1] > MOST:
        raise ProtocolBug(f"{found[-1]:,} entries of one field: more than {MOST:,}")
    return np.concatenate((np.zeros(1, np.int32), found.astype(np.int32)))


def _width(axis: str, links: Links, env: Env, par: Any) -> Ints:
    """Per node: the entries of one axis."""
    if axis in ("slot", "pos"):
        return links.degree if axis == "slot" else np.maximum(1, links.degree)
    sizes = {"channel": env.channels, "node": env.n}
    return np.full(env.n, sizes[axis] if axis in sizes else int(getattr(par, axis)), np.int64)


def shape(axes: tuple[str, ...], needs: str, links: Links, env: Env, par: Any) -> tuple[Offsets, ...]:
    """The offsets of a field with these axes, from the outside in."""
    if not axes:
        return ()
    if needs and not getattr(par, needs):
        return (np.zeros(env.n + 1, np.int32), np.zeros(1, np.int32))[: len(axes)]
    outer = _width(axes[0], links, env, par)
    if len(axes) == 1:
        return (ends(outer),)
    if axes[1] == "near":
        inner = np.maximum(1, links.degree)[links.near]
    else:
        inner = np.repeat(_width(axes[1], links, env, par), outer)
    return (ends(outer), ends(inner))


def entry(kind: Kind, env: Env) -> Any:
    """The type of one entry: the smallest that holds its domain. Storing what does not fit is an error.

    Domains that grow with the network come in two sizes only: all networks of up to LARGE nodes share one compiled code.
    """
    if isinstance(kind, Seconds) or isinstance(kind.start, float):
        return np.float64
    if kind.hi in ("n", "node", "ring", "channel"):
        return np.int16 if env.n <= LARGE else np.int32
    if kind.hi == "pairs":
        return np.int32 if env.n <= LARGE else np.int64
    if isinstance(kind.hi, str) or (isinstance(kind, Input) and kind.hi == 1):
        return np.int64
    if isinstance(kind, Slot):
        return np.int16 if env.n <= LARGE else np.int32
    most = max(-kind.lo, kind.hi)
    return next(
        (t for t, limit in ((np.int8, 1 << 5), (np.int16, 1 << 13), (np.int32, 1 << 29)) if most < limit),
        np.int64,
    )


def owners(offsets: tuple[Offsets, ...]) -> Ints:
    """Per entry of a field with these offsets: its node."""
    outer = offsets[0]
    bounds = outer if len(offsets) == 1 else offsets[1][outer]
    return np.repeat(np.arange(len(outer) - 1), np.diff(bounds))


class Column(NamedTuple):
    """One declared field in its flat form."""

    layer: str  # its key
    field: Field
    data: NDArray[Any]
    offsets: tuple[Offsets, ...]

    def spans(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Where the entries of each of these nodes begin, and how many there are."""
        if not self.offsets:
            return nodes, np.ones(len(nodes), np.int64)
        first, last = self.offsets[0][nodes], self.offsets[0][nodes + 1]
        if len(self.offsets) == 2:
            first, last = self.offsets[1][first], self.offsets[1][last]
        return first.astype(np.int64), (last - first).astype(np.int64)

    def table(self) -> Flat:
        """What handlers index."""
        return (Flat, Ragged, Ragged3)[len(self.offsets)](self.data, *self.offsets)


def make(spec: ProtocolSpec, env: Env, links: Links, par: Any) -> list[Column]:
    """Every field of the stack at power-on, bottom up."""
    groups: dict[tuple[Any, ...], list[tuple[str, Field]]] = {}
    for key, field in columns(spec):
        alone = (key, field.name) if len(field.axes) == 2 else None  # rows of rows are walked field by field
        groups.setdefault((field.axes, field.kind.needs, alone), []).append((key, field))
    made = {}
    same = {
        links.offset.tobytes(): links.offset
    }  # the same offsets are kept once: rules look them up all the time
    for (axes, needs, _), members in groups.items():
        offsets = tuple(same.setdefault(x.tobytes(), x) for x in shape(axes, needs, links, env, par))
        records = _records(
            [entry(field.kind, env) for _, field in members], int(offsets[-1][-1]) if offsets else env.n
        )
        for i, (key, field) in enumerate(members):
            data = records[f"f{i}"]
            if field.kind.start == "self":
                data[:] = owners(offsets) if offsets else np.arange(env.n)
            else:
                data[:] = field.kind.initial(env, 0)
            made[key, field.name] = Column(key, field, data, offsets)
    return [made[key, field.name] for key, field in columns(spec)]


def longest(held: list[Column]) -> int:
    """Entries of the longest row, which is as much as a message can list."""
    return max((int(np.diff(c.offsets[-1]).max(initial=0)) for c in held if c.offsets), default=0)


def _records(types: list[Any], count: int) -> NDArray[Any]:
    """Room for `count` records with a field f0, f1, … of each type; up to a cache line they never straddle two.

    What a handler touches of one slot lies in as few lines as can be: in large networks that is what its time goes into.
    """
    order = sorted(range(len(types)), key=lambda i: -np.dtype(types[i]).itemsize)
    sizes = [np.dtype(types[i]).itemsize for i in order]
    total = sum(sizes)
    size = 1 << (total - 1).bit_length() if total <= LINE else -(-total // 8) * 8
    layout = np.dtype(
        {
            "names": [f"f{i}" for i in order],
            "formats": [types[i] for i in order],
            "offsets": np.cumsum([0, *sizes[:-1]]).tolist(),
            "itemsize": size,
        }
    )
    raw = np.zeros(count * size + LINE, np.uint8)
    begin = -raw.ctypes.data % LINE
    return raw[begin : begin + count * size].view(layout)


def layers(spec: ProtocolSpec, held: list[Column]) -> dict[str, Any]:
    """The state of every layer as handlers see it, by key."""
    return {
        layer.key: layer.state(**{c.field.name: c.table() for c in held if c.layer == layer.key})
        for layer in spec.layers
    }


def reset_node(held: list[Column], env: Env, v: int) -> None:
    """Node v as after power-on: everything but its inputs."""
    for column in held:
        if not isinstance(column.field.kind, Input):
            begin, size = (int(x[0]) for x in column.spans(np.array([v])))
            column.data[begin : begin + size] = column.field.kind.initial(env, v)


def corrupt(
    spec: ProtocolSpec,
    held: list[Column],
    env: Env,
    links: Links,
    stream: Stream,
    nodes: list[int],
    *,
    layer: str | None = None,
    field_name: str | None = None,
    value: float | None = None,
) -> None:
    """As `engine.core.storage.corrupt`, number for number."""
    names = {part.key: part.name for part in spec.layers}
    for column in held:
        field = column.field
        if isinstance(field.kind, Input) or (layer is not None and names[column.layer] != layer):
            continue
        if field_name is not None and field.name != field_name:
            continue
        begin, sizes = column.spans(np.array(nodes, np.int64))
        where = np.arange(int(sizes.sum())) + np.repeat(begin - ends(sizes)[:-1], sizes)
        if value is not None:
            column.data[where] = value
            continue
        whose = np.repeat(np.array(nodes, np.int64), sizes)
        column.data[where] = draw(field.kind, stream, env, links.degree[whose])


def draw(kind: Kind, stream: Stream, env: Env, width: Ints) -> NDArray[Any]:
    """`kind.draw` once for each entry of `width` (the slots of its node)."""
    if type(kind).draw not in (Kind.draw, Slot.draw, Seconds.draw):  # a kind of the protocol's own
        return np.array([kind.draw(stream, env, int(w)) for w in width])
    words = stream_words(stream, len(width))
    if isinstance(kind, Seconds):
        return kind.latest * ((words >> np.uint64(11)).astype(np.float64) * UNIT)
    if isinstance(kind, Slot):
        return below(words, width + 1) - 1
    return kind.lo + below(words, np.int64(kind.top(env) - kind.lo + 1))


def stream_words(stream: Stream, count: int) -> Any:
    """The next `count` words of a stream."""
    steps = np.arange(stream.drawn + 1, stream.drawn + count + 1, dtype=np.uint64)
    stream.drawn += count
    return mix(np.uint64(stream.key) + steps * np.uint64(GOLD))


def below(words: NDArray[np.uint64], n: Any) -> Ints:
    """The upper half of the 128-bit product word · n, which is `Stream.below`."""
    n, half, low = np.asarray(n).astype(np.uint64), np.uint64(32), np.uint64(0xFFFFFFFF)
    carry = ((words & low) * (n & low)) >> half
    middle = (words >> half) * (n & low) + carry
    cross = (words & low) * (n >> half) + (middle & low)
    return ((words >> half) * (n >> half) + (middle >> half) + (cross >> half)).astype(np.int64)
