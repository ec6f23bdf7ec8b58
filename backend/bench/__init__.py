"""`ringcast bench`: how fast the engines are, beside others on the same workload.

Without more, or with `interpreted`: the interpreted engine beside SimPy, in half a minute. With `engine`: both engines
beside SimPy and C++ on networks of three sizes, memory, starts, threads; some minutes, see docs/performance.md. With
`kernels`: the static kernels beside networkx, or, to prove them, beside the event engine. With `radio`: both engines on
positions of a testbed under a real radio. With `spark`: sweeps on Spark beside a plain pool of processes.
"""

from __future__ import annotations

import argparse
import sys

from backend.bench.workload import TREE_ALONE, network

__all__ = ["TREE_ALONE", "main", "network"]

PARTS = ("interpreted", "engine", "kernels", "radio", "spark")


def main(argv: list[str] | None = None) -> int:
    """Run one of the benchmarks."""
    from backend.bench import engine, interpreted, kernels, radio, spark

    given = list(sys.argv[1:] if argv is None else argv)
    part = given.pop(0) if given[:1] and given[0] in PARTS else ""
    name = f"ringcast bench {part}".rstrip()
    chosen = {"engine": engine, "kernels": kernels, "radio": radio, "spark": spark}.get(part, interpreted)
    assert chosen.__doc__ is not None
    about = (
        ""
        if part
        else f"There are also: {', '.join(f'ringcast bench {p}' for p in PARTS[1:])}; --help tells of them."
    )
    parser = argparse.ArgumentParser(prog=name, description=chosen.__doc__.splitlines()[0], epilog=about)
    chosen.add_options(parser)
    code: int = chosen.measure(parser.parse_args(given))
    return code
