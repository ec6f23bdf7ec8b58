"""The papers' figures, made again: each writes its numbers, a picture, and what agrees with the paper and what does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from backend.figures import psvr_7
from backend.figures.study import Study

FIGURES: dict[str, Callable[[str, Callable[[float], None]], Study]] = {"psvr-7": psvr_7.study}
SCALES = ("quick", "full")


def make(name: str, scale: str, out: Path, told: Callable[[float], None] = lambda share: None) -> list[Path]:
    """Make one figure into the folder `out`; the files written. `told` is called with the share that is done."""
    return FIGURES[name](scale, told).write(out, name)
