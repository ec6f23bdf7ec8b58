"""`ringcast bench`: how fast the engines are, beside others on the same workload.

Without more, or with `interpreted`: the interpreted engine beside SimPy, in half a minute. With `engine`: both engines
beside SimPy and C++ on networks of three sizes, memory, starts, threads; some minutes, see docs/performance.md.
"""

from __future__ import annotations

import argparse
import sys

from backend.bench.workload import TREE_ALONE, network

__all__ = ["TREE_ALONE", "main", "network"]

PARTS = ("interpreted", "engine")


def main(argv: list[str] | None = None) -> int:
    """Run one of the two benchmarks."""
    from backend.bench import engine, interpreted

    given = list(sys.argv[1:] if argv is None else argv)
    part = given.pop(0) if given[:1] and given[0] in PARTS else ""
    name = f"ringcast bench {part}".rstrip()
    chosen = engine if part == "engine" else interpreted
    assert chosen.__doc__ is not None
    about = "" if part else "`ringcast bench engine --help` tells of the other: both engines, SimPy and C++."
    parser = argparse.ArgumentParser(prog=name, description=chosen.__doc__.splitlines()[0], epilog=about)
    chosen.add_options(parser)
    code: int = chosen.measure(parser.parse_args(given))
    return code
