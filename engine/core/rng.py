"""Counter-based random numbers: named substreams of one seed, equal on every machine.

Draw k of a stream is `mix(key + (k + 1)·GOLD)`, splitmix64 read as a function of a counter. A stream's whole state is
therefore one integer, streams never disturb each other, and both engines draw the same numbers.

Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators (OOPSLA 2014).
"""

from __future__ import annotations

from typing import Any

MASK = (1 << 64) - 1
GOLD = 0x9E3779B97F4A7C15
UNIT = 1.0 / (1 << 53)


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
        import numpy as np

        first, self.drawn = self.drawn + 1, self.drawn + count
        counters: Any = np.arange(first, first + count, dtype=np.uint64)
        words: Any = mix(counters * GOLD + self.key)  # an array wraps at 64 bits as the mask does
        found: list[float] = ((words >> 11) * UNIT).tolist()
        return found

    def below(self, n: int) -> int:
        """Uniform in 0 … n-1 (n ≥ 1; the bias of under n/2^64 is left)."""
        return (self.word() * n) >> 64
