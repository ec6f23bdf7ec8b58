"""How our plots look: quiet axes, and an SVG that comes out the same again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "#555555"
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "ringcast", "font.size": 10}


def save(path: Path, size: tuple[float, float], draw: Callable[[Figure], None]) -> None:
    """Draw and save as SVG; the same drawing gives the same file."""
    import matplotlib as mpl  # half a second that most commands do not need
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(path, format="svg", metadata={"Date": None})


def quiet(axes: Axes) -> None:
    """Only what a reader needs: no box, pale lines, grey numbers."""
    axes.minorticks_off()
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=GREY)
    axes.xaxis.label.set_color(GREY)
