"""What every figure writes: NAME.csv in long form, NAME.svg, NAME.verdict.json."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend.plots import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)
NORMAL_95 = 1.959964  # samples are in the hundreds: Student's t is the same to two digits


@dataclass(frozen=True)
class Cell:
    """One point of a figure: a series, its place on the axes, and a sample's mean, SD and 95 % confidence interval."""

    series: str
    axes: dict[str, float]
    metric: str
    n: int
    mean: float
    sd: float
    spread: tuple[float, ...] = ()
    """of a box plot: the sample's quantiles at `SPREAD`"""

    @property
    def half(self) -> float:
        """Half the width of the confidence interval of the mean."""
        return NORMAL_95 * self.sd / math.sqrt(self.n) if self.n > 1 else math.nan


def cell(
    series: str, axes: dict[str, float], metric: str, sample: Sequence[float], *, box: bool = False
) -> Cell:
    """The cell of a sample, with its quantiles where it is drawn as a box."""
    n, mean = len(sample), math.fsum(sample) / len(sample)
    sd = math.sqrt(math.fsum((x - mean) ** 2 for x in sample) / (n - 1)) if n > 1 else math.nan
    return Cell(series, axes, metric, n, mean, sd, tuple(quantile(sample, q) for q in SPREAD) if box else ())


def quantile(sample: Sequence[float], q: float) -> float:
    """The value below which the share q of the sample lies, by straight lines between its members."""
    ordered, at = sorted(sample), q * (len(sample) - 1)
    low = int(at)
    high = min(low + 1, len(sample) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def overlap(a: Cell, b: Cell) -> bool:
    """Whether the confidence intervals of two means have a value in common."""
    return abs(a.mean - b.mean) <= a.half + b.half


def judged(right: bool) -> str:
    """The word of a verdict."""
    return "agrees" if right else "differs"


@dataclass(frozen=True)
class Verdict:
    """A claim of the paper, what was measured, and whether they agree: agrees, differs or not-tested."""

    claim: str
    source: str
    measured: str
    verdict: str
    why: str = ""


@dataclass
class Study:
    """The cells of a figure, its verdicts, and how it is drawn."""

    cells: list[Cell]
    verdicts: list[Verdict]
    draw: Callable[[Figure, list[Cell]], None]
    size: tuple[float, float] = field(default=(9.0, 4.4))

    def write(self, out: Path, name: str) -> list[Path]:
        """Write the three files; equal studies, equal bytes."""
        out.mkdir(parents=True, exist_ok=True)
        files = [out / f"{name}.{kind}" for kind in ("csv", "svg", "verdict.json")]
        with files[0].open("w", newline="", encoding="utf-8") as file:
            self._table(csv.writer(file, lineterminator="\n"))
        save(files[1], self.size, lambda figure: self.draw(figure, self.cells))
        verdicts = [vars(v) for v in self.verdicts]
        files[2].write_text(json.dumps(verdicts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        return files

    def _table(self, out: Any) -> None:
        axes = list(dict.fromkeys(axis for c in self.cells for axis in c.axes))
        spread = [f"p{100 * q:g}" for q in SPREAD] if any(c.spread for c in self.cells) else []
        out.writerow(["series", *axes, "metric", "n", "mean", "sd", "ci95_low", "ci95_high", *spread])
        for c in self.cells:
            places = [f"{c.axes[axis]:g}" if axis in c.axes else "" for axis in axes]
            numbers = [f"{x:.6g}" for x in (c.mean, c.sd, c.mean - c.half, c.mean + c.half, *c.spread)]
            out.writerow([c.series, *places, c.metric, c.n, *numbers])
