"""Binary state frames: columns of numbers behind a 32-byte header, little-endian, described in docs/wire.md."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Sequence

FULL, DELTA = 1, 2
HEADER = struct.Struct("<2sBBIdIIIHH")
SECTION = struct.Struct("<BBHI")
MAGIC, VERSION = b"RC", 1

(
    COLUMN_FULL,
    COLUMN_CHANGES,
    LINKS_FULL,
    LINKS_CHANGES,
    POSITIONS_FULL,
    POSITIONS_CHANGES,
    SENDS,
    DROPS,
    LEGITIMACY,
    DELIVERIES,
) = range(1, 11)

Send = tuple[float, float, int, int, int, int, int, int]
"""start, flight, from, to, from_pos, to_pos, publication, kind."""
Drop = tuple[float, int, int, int, int]
"""t, from, to, kind, reason."""
Delivery = tuple[float, int, int]
"""t, node, publication."""


def pack(code: str, values: Iterable[float]) -> bytes:
    """Numbers as an array of the struct type `code`; whole numbers beyond its range wrap around."""
    try:
        column = array(code, values)
    except OverflowError:
        bits = 8 * array(code).itemsize
        low = 0 if code.isupper() else -(1 << bits - 1)
        column = array(code, ((int(x) - low) % (1 << bits) + low for x in values))
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()


def section(tag: int, id: int, count: int, *columns: bytes) -> bytes:
    """One section, padded to a multiple of 8 bytes."""
    payload = b"".join(columns)
    return SECTION.pack(tag, id, 0, count) + payload + bytes(-len(payload) % 8)


def frame(
    kind: int, number: int, t: float, n: int, m: int, epoch: int, sections: Sequence[bytes], left_out: int
) -> bytes:
    """A whole frame; `left_out` messages in flight found no room."""
    head = HEADER.pack(
        MAGIC,
        VERSION,
        kind,
        number & 0xFFFFFFFF,
        t,
        n,
        m,
        epoch & 0xFFFFFFFF,
        len(sections),
        min(left_out, 0xFFFF),
    )
    return b"".join([head, *sections])


def column_full(id: int, values: Sequence[int]) -> bytes:
    return section(COLUMN_FULL, id, len(values), pack("i", values))


def column_changes(id: int, old: Sequence[int], new: Sequence[int]) -> bytes | None:
    """What differs, or None; a full column where that is shorter."""
    if old == new:
        return None
    index = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    if 2 * len(index) >= len(new):
        return column_full(id, new)
    return section(COLUMN_CHANGES, id, len(index), pack("I", index), pack("i", [new[i] for i in index]))


def links_full(values: bytes) -> bytes:
    return section(LINKS_FULL, 0, len(values), values)


def links_changes(old: bytes, new: bytes) -> bytes | None:
    if old == new:
        return None
    index = [k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    if 5 * len(index) >= len(new):
        return links_full(new)
    return section(LINKS_CHANGES, 0, len(index), pack("I", index), bytes(new[k] for k in index))


def _ragged(rows: Iterable[Sequence[int]]) -> tuple[list[int], list[int]]:
    start: list[int] = [0]
    value: list[int] = []
    for row in rows:
        value.extend(row)
        start.append(len(value))
    return start, value


def positions_full(rows: Sequence[Sequence[int]]) -> bytes:
    start, value = _ragged(rows)
    return section(POSITIONS_FULL, 0, len(value), pack("I", start), pack("i", value))


def positions_changes(old: Sequence[Sequence[int]], new: Sequence[Sequence[int]]) -> bytes | None:
    if old == new:
        return None
    index = [v for v, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    if 2 * len(index) >= len(new):
        return positions_full(new)
    start, value = _ragged(new[v] for v in index)
    return section(POSITIONS_CHANGES, 0, len(index), pack("I", index), pack("I", start), pack("i", value))


def sends(rows: Sequence[Send]) -> bytes:
    columns = zip("dfIIiiiB", zip(*rows, strict=True), strict=True)
    return section(SENDS, 0, len(rows), *(pack(code, column) for code, column in columns))


def drops(rows: Sequence[Drop]) -> bytes:
    columns = zip("dIIBB", zip(*rows, strict=True), strict=True)
    return section(DROPS, 0, len(rows), *(pack(code, column) for code, column in columns))


def deliveries(rows: Sequence[Delivery]) -> bytes:
    columns = zip("dIi", zip(*rows, strict=True), strict=True)
    return section(DELIVERIES, 0, len(rows), *(pack(code, column) for code, column in columns))


def legitimacy(layers: int, samples: Sequence[tuple[float, Sequence[int]]]) -> bytes:
    wrong = [row[layer] for layer in range(layers) for _, row in samples]
    return section(LEGITIMACY, layers, len(samples), pack("d", [t for t, _ in samples]), pack("i", wrong))
