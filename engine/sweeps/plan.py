"""How the runs of a sweep are cut into chunks: by arithmetic, so that no list of them is ever made.

A chunk is a stretch of consecutive run numbers; chunks are numbered in the order of their runs. The grid is divided into
regions; each begins with a small chunk, so that first results come soon and from all over the grid. The plan lies in the
result folder: whoever resumes a sweep cuts it in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd


@dataclass(frozen=True)
class Plan:
    """runs: of the sweep. size: runs of an ordinary chunk; small: of a region's first one."""

    runs: int
    size: int
    small: int
    regions: int

    @staticmethod
    def of(runs: int, per_chunk: int, per_small: int, regions: int) -> Plan:
        """A plan with whole numbers that fit the number of runs."""
        regions = max(1, min(regions, runs))
        room = runs // regions
        return Plan(runs, max(1, per_chunk), max(1, min(per_small, room)), regions)

    def _begin(self, region: int) -> int:
        return self.runs * region // self.regions

    def _in_region(self, region: int) -> int:
        """How many chunks a region has."""
        rest = self._begin(region + 1) - self._begin(region) - self.small
        return 1 + -(-max(0, rest) // self.size)

    def _firsts(self) -> list[int]:
        """The number of each region's first chunk, and of the one behind the last."""
        numbers = [0]
        for region in range(self.regions):
            numbers.append(numbers[-1] + self._in_region(region))
        return numbers

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return self._firsts()[-1]

    def chunk(self, number: int) -> tuple[int, int]:
        """The first run of a chunk and the one behind its last."""
        firsts = self._firsts()
        if not 0 <= number < firsts[-1]:
            raise IndexError(number)
        region = next(r for r in range(self.regions) if number < firsts[r + 1])
        begin, end = self._begin(region), self._begin(region + 1)
        k = number - firsts[region]
        if k == 0:
            return begin, min(end, begin + self.small)
        start = begin + self.small + (k - 1) * self.size
        return start, min(end, start + self.size)

    def chunk_of(self, run: int) -> int:
        """The chunk that a run is in."""
        region = next(r for r in range(self.regions) if run < self._begin(r + 1))
        inside = run - self._begin(region)
        return self._firsts()[region] + (0 if inside < self.small else 1 + (inside - self.small) // self.size)

    def firsts(self) -> list[int]:
        """The small chunks, to be played before all others."""
        return self._firsts()[:-1]

    def order(self) -> Iterator[int]:
        """All chunks as they are to be played: the small ones, then the others in strides all over the grid."""
        small = self.firsts()
        yield from small
        first, total = set(small), self.chunks
        stride = max(1, round(total * 0.381966))
        while gcd(stride, total) > 1:
            stride += 1
        for k in range(total):
            number = k * stride % total
            if number not in first:
                yield number

    def as_plain(self) -> dict[str, int]:
        """Plain data, for the folder."""
        return {"runs": self.runs, "size": self.size, "small": self.small, "regions": self.regions}
