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
AHEAD, MOST, TOGETHER = 32, 256, 64
"""Of `Streams`: how many numbers of a node are worked out at once, at first and later, and for how many nodes together."""


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

    found: list[float] = _uniforms(key, np.arange(first, first + count, dtype=np.uint64))
    return found


def _uniforms(keys: Any, numbers: Any) -> Any:
    """`uniform_of` for arrays, as lists."""
    words: Any = mix(numbers * GOLD + keys)  # an array wraps at 64 bits as the mask does
    return ((words >> 11) * UNIT).tolist()


class Streams:
    """One substream a node for the same purpose.

    Numbers are worked out many at once: for a node that has none left, and for those around it in node order with few.
    """

    __slots__ = ("_keys", "_made", "_purpose", "_seed", "rows")

    def __init__(self, seed: int, purpose: str, n: int) -> None:
        self._seed, self._purpose = seed, purpose
        self._keys = [stream_key(seed, purpose, v) for v in range(n)]
        self._made = [0] * n  # how many numbers of each node have been worked out
        self.rows: list[list[float]] = [[] for _ in range(n)]
        """Each node's next numbers, the last one first: `next` pops it, and whoever has no time to call that does, too."""

    @property
    def drawn(self) -> list[int]:
        """How many numbers have been taken from each node's."""
        return [made - len(row) for made, row in zip(self._made, self.rows, strict=True)]

    def next(self, v: int) -> float:
        """The next number of node v, uniform in [0, 1), 53 bits."""
        row = self.rows[v]
        return row.pop() if row else self.more(v)

    def more(self, v: int) -> float:
        """The same, of a node whose row is empty."""
        import numpy as np

        rows, made, begin = self.rows, self._made, v - v % TOGETHER
        count = min(max(AHEAD, made[v]), MOST)
        few = [w for w in range(begin, min(begin + TOGETHER, len(rows))) if len(rows[w]) < count // 2]
        keys = np.array([self._keys[w] for w in few], np.uint64)[:, None]
        last_first = np.arange(1, count + 1, dtype=np.uint64)[::-1]
        numbers = np.array([made[w] for w in few], np.uint64)[:, None] + last_first
        for w, row in zip(few, _uniforms(keys, numbers), strict=True):
            row += rows[w]
            rows[w] = row
            made[w] += count
        return rows[v].pop()

    def grow(self) -> None:
        """One node more, the last."""
        self._keys.append(stream_key(self._seed, self._purpose, len(self._keys)))
        self._made.append(0)
        self.rows.append([])

    def restore(self, drawn: Iterable[int]) -> None:
        """As after so many numbers of each node."""
        self._made[:] = drawn
        self.rows[:] = [[] for _ in self._made]


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
