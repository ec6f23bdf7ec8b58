"""Counter-based random numbers: named substreams of one seed, equal on every machine.

Draw k of a stream is `mix(key + (k + 1)·GOLD)`, splitmix64 read as a function of a counter. A stream's whole state is
therefore one integer, streams never disturb each other, and both engines draw the same numbers.

Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (OOPSLA 2014).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

MASK = (1 << 64) - 1
GOLD = 0x9E3779B97F4A7C15
UNIT = 1.0 / (1 << 53)
PURPOSES = ("timer", "protocol", "loss")
P_TIMER, P_PROTOCOL, P_LOSS = range(len(PURPOSES))
"""What a simulator has streams for, one a node each: jitter of timers, the protocol's own choices, the radio."""
AHEAD, SINGLY = 64, 8
"""Numbers that `Streams` works out at once, and those before them: many a node is never asked for more."""


def mix(z: int) -> int:
    """A bijection on 64 bits in which every input bit touches every output bit."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def stream_base(seed: int, purpose: str) -> int:
    """What the streams of this purpose have in common; 64 bits."""
    h = 0xCBF29CE484222325
    for byte in purpose.encode():
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return mix((seed ^ h) & MASK)


def stream_key(seed: int, purpose: str, node: int = 0) -> int:
    """Where the stream of (purpose, node) starts under this seed; 64 bits."""
    return mix((stream_base(seed, purpose) + node * GOLD) & MASK)


def uniform_of(key: int, number: int) -> float:
    """Draw `number` (1, 2, …) of the stream with this key, in [0, 1), 53 bits."""
    z = (key + number * GOLD) & MASK  # `mix`, without the call: this is asked for all the time
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return ((z ^ (z >> 31)) >> 11) * UNIT


def uniforms_of(key: int, first: int, count: int) -> list[float]:
    """`uniform_of` for draws first … first + count - 1, at a sixth of the price."""
    import numpy as np

    counters: Any = np.arange(first, first + count, dtype=np.uint64)
    words: Any = mix(counters * GOLD + key)  # an array wraps at 64 bits as the mask does
    found: list[float] = ((words >> 11) * UNIT).tolist()
    return found


class Streams:
    """One substream a node for the same purpose; `drawn[v]` numbers have been taken from node v's."""

    __slots__ = ("_ahead", "_keys", "_purpose", "_seed", "drawn")

    def __init__(self, seed: int, purpose: str, n: int) -> None:
        self._seed, self._purpose = seed, purpose
        self._keys = [stream_key(seed, purpose, v) for v in range(n)]
        self.drawn = [0] * n
        self._ahead: list[list[float]] = [[] for _ in range(n)]  # the block that node v's last number is from

    def next(self, v: int) -> float:
        """The next number of node v, uniform in [0, 1), 53 bits."""
        drawn, row = self.drawn[v], self._ahead[v]
        self.drawn[v] = drawn + 1
        place = drawn % AHEAD
        if place == 0 or not row:
            if drawn < SINGLY:
                return uniform_of(self._keys[v], drawn + 1)
            row = self._ahead[v] = uniforms_of(self._keys[v], drawn - place + 1, AHEAD)
        return row[place]

    def grow(self) -> None:
        """One node more, the last."""
        self._keys.append(stream_key(self._seed, self._purpose, len(self._keys)))
        self.drawn.append(0)
        self._ahead.append([])

    def restore(self, drawn: Iterable[int]) -> None:
        """As after so many numbers of each node."""
        self.drawn[:] = drawn
        self._ahead = [[] for _ in self.drawn]


class Stream:
    """One substream; `drawn` numbers have been taken from it."""

    __slots__ = ("drawn", "key")

    def __init__(self, seed: int, purpose: str, node: int = 0, drawn: int = 0) -> None:
        self.key = stream_key(seed, purpose, node)
        self.drawn = drawn

    def word(self) -> int:
        """64 random bits."""
        self.drawn += 1
        return mix((self.key + self.drawn * GOLD) & MASK)

    def uniform(self) -> float:
        """Uniform in [0, 1), 53 bits."""
        self.drawn += 1
        return uniform_of(self.key, self.drawn)

    def uniforms(self, count: int) -> list[float]:
        """The next `count` of `uniform`, at a sixth of the price."""
        first, self.drawn = self.drawn + 1, self.drawn + count
        return uniforms_of(self.key, first, count)

    def below(self, n: int) -> int:
        """Uniform in 0 … n-1 (n ≥ 1; the bias of under n/2^64 is left)."""
        return (self.word() * n) >> 64
