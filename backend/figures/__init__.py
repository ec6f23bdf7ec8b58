"""The papers' figures, made again: each writes its numbers, a picture, and what agrees with the paper and what does not."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from backend.figures.study import Study

FIGURES = {  # name: module, whose `study` measures it
    "psvr-7": "psvr_7",
    "psvr-8": "psvr_8",
    "psvr-9": "psvr_9",
    "psvr-10": "psvr_10",
    "psvr-11": "psvr_11",
    "ringps-flooding": "ringps_flooding",
}
SCALES = ("quick", "full")


def make(name: str, scale: str, out: Path, told: Callable[[float], None] = lambda share: None) -> list[Path]:
    """Make one figure into the folder `out`; the files written. `told` is called with the share that is done."""
    study: Study = import_module(f"backend.figures.{FIGURES[name]}").study(scale, told)
    return study.write(out, name)
