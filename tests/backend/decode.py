"""Reads binary state frames as docs/wire.md describes them, written from the document and not from the encoder."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

SIZES = {"d": 8, "f": 4, "I": 4, "i": 4, "B": 1}


@dataclass
class Frame:
    """One frame, taken apart."""

    kind: int
    number: int
    t: float
    n: int
    m: int
    epoch: int
    left_out: int
    columns: dict[int, tuple[list[int] | None, list[int]]] = field(default_factory=dict)
    links: tuple[list[int] | None, list[int]] | None = None
    positions: tuple[list[int] | None, list[list[int]]] | None = None
    sends: list[tuple[Any, ...]] = field(default_factory=list)
    drops: list[tuple[Any, ...]] = field(default_factory=list)
    samples: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)
    deliveries: list[tuple[Any, ...]] = field(default_factory=list)


class Reader:
    """Takes arrays from the payload of one section."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, code: str, count: int) -> list[Any]:
        size = SIZES[code]
        assert self.at % size == 0, f"an array of {code} is not aligned"
        values = list(struct.unpack_from(f"<{count}{code}", self.data, self.at))
        self.at += count * size
        return values


def decode(data: bytes) -> Frame:
    """The frame, every rule of the format checked."""
    magic, version, kind = data[:2], data[2], data[3]
    assert (magic, version) == (b"RC", 1)
    assert kind in (1, 2)
    number, t, n, m, epoch, sections, left_out = struct.unpack_from("<IdIIIHH", data, 4)
    frame = Frame(kind, number, t, n, m, epoch, left_out)
    at = 32
    for _ in range(sections):
        tag, id, zero, count = struct.unpack_from("<BBHI", data, at)
        assert zero == 0
        assert at % 8 == 0
        reader = Reader(data, at + 8)
        _section(frame, tag, id, count, reader)
        at = (reader.at + 7) // 8 * 8
        assert data[reader.at : at] == bytes(at - reader.at), "padding is not zero"
    assert at == len(data)
    return frame


def _section(frame: Frame, tag: int, id: int, k: int, read: Reader) -> None:
    take = read.take
    if tag == 1:
        assert k == frame.n
        frame.columns[id] = (None, take("i", k))
    elif tag == 2:
        frame.columns[id] = (take("I", k), take("i", k))
    elif tag == 3:
        assert k == frame.m
        frame.links = (None, take("B", k))
    elif tag == 4:
        frame.links = (take("I", k), take("B", k))
    elif tag in (5, 6):
        index = take("I", k) if tag == 6 else None
        start = take("I", (frame.n if index is None else k) + 1)
        if index is None:
            assert start[-1] == k
        values = take("i", start[-1])
        frame.positions = (index, [values[a:b] for a, b in pairwise(start)])
    elif tag == 7:
        frame.sends = list(zip(*(take(code, k) for code in "dfIIiiiB"), strict=True))
    elif tag == 8:
        frame.drops = list(zip(*(take(code, k) for code in "dIIBB"), strict=True))
    elif tag == 9:
        times, wrong = take("d", k), take("i", id * k)
        frame.samples = [(t, tuple(wrong[layer * k + i] for layer in range(id))) for i, t in enumerate(times)]
    elif tag == 10:
        frame.deliveries = list(zip(*(take(code, k) for code in "dIi"), strict=True))
    else:
        raise AssertionError(f"section {tag} is not in the document")


class Mirror:
    """The state a browser would hold: full frames replace it, deltas change it."""

    def __init__(self) -> None:
        self.number = -1
        self.t = 0.0
        self.epoch = 0
        self.columns: dict[int, list[int]] = {}
        self.links: list[int] = []
        self.positions: list[list[int]] = []

    def apply(self, frame: Frame) -> None:
        """Bring the state up to the frame, which must fit."""
        if frame.kind == 1:
            assert all(index is None for index, _ in frame.columns.values())
            self.columns = {id: list(values) for id, (_, values) in frame.columns.items()}
            assert frame.links is not None
            self.links = list(frame.links[1])
            self.positions = list(frame.positions[1]) if frame.positions is not None else []
        else:
            assert frame.number == self.number + 1, "a delta must follow the frame before"
            assert frame.epoch == self.epoch
            for id, changes in frame.columns.items():
                _write(self.columns[id], *changes)
            if frame.links is not None:
                _write(self.links, *frame.links)
            if frame.positions is not None:
                _write(self.positions, *frame.positions)
        self.number, self.t, self.epoch = frame.number, frame.t, frame.epoch

    def state(self) -> tuple[Any, ...]:
        """For comparison."""
        return self.columns, self.links, self.positions


def _write(target: list[Any], index: list[int] | None, values: list[Any]) -> None:
    if index is None:
        target[:] = values
    else:
        for i, value in zip(index, values, strict=True):
            target[i] = value
