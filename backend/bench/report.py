"""The figures of `ringcast bench engine` as Markdown tables, for people and for docs/performance.md."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backend.bench.more import LONG_NODES, Start
from backend.bench.race import Result

MARK = "ringcast bench engine --write docs"
TITLES = {
    "C++": "C++ by hand",
    "beacons compiled": "**ringcast, compiled**",
    "beacons interpreted": "ringcast, interpreted",
    "simpy lean": "SimPy, lean",
    "simpy idiomatic": "SimPy, idiomatic",
    "psvr compiled": "**ringcast, compiled**",
    "psvr compiled digest": "**ringcast, compiled**, digest",
    "psvr interpreted": "ringcast, interpreted",
    "psvr interpreted digest": "ringcast, interpreted, digest",
}
"""The contenders in the order of the tables."""


@dataclass
class Measured:
    """Everything that was measured."""

    machine: str
    results: list[Result]
    cpp: bool
    growth: list[tuple[int, float]]
    starts: list[Start]
    threads: tuple[float, float] | None

    @property
    def sizes(self) -> list[int]:
        """The networks' numbers of nodes."""
        return sorted({r.n for r in self.results})

    def find(self, name: str, n: int) -> Result | None:
        """A contender's result on n nodes."""
        return next((r for r in self.results if (r.name, r.n) == (name, n)), None)

    def rate(self, name: str, n: int) -> float | None:
        """Its rate."""
        result = self.find(name, n)
        return None if result is None else result.rate


def markdown(measured: Measured) -> str:
    """All tables."""
    parts = [
        f"Machine: {measured.machine}.",
        "**Beacons** (the tree layer alone)",
        table(
            ("nodes", "contender", "M events/s", "median", "ns/event", "× lean SimPy", "× C++", "peak MB"),
            [_beacon_row(measured, r) for r in _ordered(measured, psvr=False)],
        ),
        "**PSVR** (the whole stack)",
        table(
            ("nodes", "contender", "M events/s", "median", "ns/event", "compiled : interpreted", "peak MB"),
            [_psvr_row(measured, r) for r in _ordered(measured, psvr=True)],
        ),
        f"**A long run** (PSVR, compiled, {LONG_NODES:,} nodes)",
        table(("events so far", "ns/event"), [(f"{e:,}", f"{ns:.0f}") for e, ns in measured.growth]),
        "**Starts** (from calling Python to the end of the first virtual second, 100 nodes)",
        table(
            ("engine", "seconds", "CPU seconds", "peak MB"),
            [(s.name, f"{s.seconds:.1f}", f"{s.cpu_s:.1f}", f"{s.peak_mb:,.0f}") for s in measured.starts],
        ),
    ]
    if not measured.cpp:
        parts.insert(1, "No C++ figures: there is no g++ here that works.")
    if measured.threads is not None:
        one, two = measured.threads
        told = f"{one:.2f} s on one, {two:.2f} s on two, × {one / two:.2f}"
        parts.append(
            f"**Threads** (PSVR on {LONG_NODES:,} nodes, a run for each of some seeds, by the clock): {told}."
        )
    return "\n\n".join(parts) + "\n"


def _ordered(measured: Measured, *, psvr: bool) -> list[Result]:
    rows = [
        measured.find(name, n) for n in measured.sizes for name in TITLES if name.startswith("psvr") == psvr
    ]
    return [r for r in rows if r is not None]


def _beacon_row(measured: Measured, r: Result) -> tuple[str, ...]:
    lean, cpp = measured.rate("simpy lean", r.n), measured.rate("C++", r.n)
    return (*_common(r), _ratio(r.rate, lean), _ratio(r.rate, cpp), f"{r.peak_mb:,.0f}")


def _psvr_row(measured: Measured, r: Result) -> tuple[str, ...]:
    other = measured.rate(r.name.replace("compiled", "interpreted"), r.n) if "compiled" in r.name else None
    return (*_common(r), _ratio(r.rate, other), f"{r.peak_mb:,.0f}")


def _common(r: Result) -> tuple[str, ...]:
    return f"{r.n:,}", TITLES[r.name], three(r.rate), three(r.median_rate), three(1e3 / r.rate)


def three(x: float) -> str:
    """Three digits that count."""
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def _ratio(a: float, b: float | None) -> str:
    return "" if b is None else three(a / b)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; numbers to the right."""
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    lines = [head, ["-" * (w - 1) + ":" if h != "contender" and h != "engine" else "-" * w
                    for w, h in zip(widths, head, strict=True)], *rows]  # fmt: skip
    return "\n".join(
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in lines
    )


def write(measured: Measured, folder: Path) -> list[Path]:
    """The tables into performance.md, in place of what is between the marks there, and the plot; the files written."""
    from backend.bench.plot import plot  # matplotlib takes a second to import

    page, picture = folder / "performance.md", folder / "images" / "performance.svg"
    replace(page, MARK, markdown(measured))
    plot(measured, picture)
    return [page, picture]


def tell_all(told: str, mark: str, folder: str | None) -> None:
    """Print what was measured, and write it into performance.md in `folder`, if there is one."""
    sys.stdout.write(told)
    if folder:
        page = Path(folder) / "performance.md"
        replace(page, mark, told)
        sys.stdout.write(f"written: {page}\n")


def replace(page: Path, mark: str, text: str) -> None:
    """Write `text` in place of what the page has between the marks that name this command; at its end if it has none."""
    begin, end = f"<!-- measured: {mark} -->\n", "<!-- /measured -->\n"
    before, found, rest = (page.read_text("utf-8") if page.exists() else "").partition(begin)
    after = rest.partition(end)[2] if found else ""
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", "utf-8")
