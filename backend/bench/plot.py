"""Rates over network sizes, as an SVG: one panel a workload, one labelled line a contender."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backend.bench.report import Measured
from backend.plots import GREY, quiet, save

# Okabe and Ito's colours, which colour-blind people can tell apart
STYLES = {
    "C++": ("C++ by hand", "#000000", "-"),
    "beacons compiled": ("compiled", "#0072B2", "-"),
    "beacons interpreted": ("interpreted", "#D55E00", "-"),
    "simpy lean": ("SimPy, lean", "#009E73", "-"),
    "simpy idiomatic": ("SimPy, idiomatic", "#CC79A7", "-"),
    "psvr compiled": ("compiled", "#0072B2", "-"),
    "psvr compiled digest": ("with digest", "#0072B2", "--"),
    "psvr interpreted": ("interpreted", "#D55E00", "-"),
    "psvr interpreted digest": ("with digest", "#D55E00", "--"),
}
APART = 1.35  # factor between two labels


def plot(measured: Measured, path: Path) -> None:
    """Draw and save; the same figures give the same file."""

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        _panel(left, measured, "Beacons", psvr=False)
        _panel(right, measured, "PSVR, the whole stack", psvr=True)
        left.set_ylabel("million events per CPU second", color=GREY)

    save(path, (9, 4.4), draw)


def _panel(axes: Axes, measured: Measured, title: str, *, psvr: bool) -> None:
    sizes = measured.sizes
    ends: list[tuple[float, str, str]] = []
    for name, (label, colour, dashes) in STYLES.items():
        rows = [r for n in sizes if (r := measured.find(name, n)) is not None]
        if name.startswith("psvr") != psvr or not rows:
            continue
        rates = [r.rate for r in rows]
        axes.plot([r.n for r in rows], rates, dashes, color=colour, marker="o", markersize=4, linewidth=1.8)
        ends.append((rates[-1], label, colour))
    every = [r.rate for r in measured.results]
    axes.set(xscale="log", yscale="log", xlabel="nodes")
    axes.set(xlim=(sizes[0] / 1.3, sizes[-1] * 16), ylim=(min(every) / 1.6, max(every) * 1.6))
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.yaxis.set_major_formatter(lambda rate, _: f"{rate:g}")
    quiet(axes)
    at = 0.0
    for rate, label, colour in sorted(ends):
        at = max(rate, at * APART)
        axes.annotate(label, (sizes[-1] * 1.2, at), color=colour, va="center", fontsize=9)
