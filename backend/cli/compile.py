"""`ringcast compile`: have the compiled engine ready for protocols before somebody waits for it."""

from __future__ import annotations

import argparse
import os
import time
from typing import Any

from engine.api import Run
from engine.registry import PROTOCOLS, protocol
from engine.world.scenario import load_scenario

IDLE = 19
"""The lowest priority that a process can give itself."""


def add_to(commands: Any) -> None:
    """The command."""
    text = "compile protocols for this machine, so that no run has to wait for it"
    compiling = commands.add_parser("compile", help=text, description=text)
    compiling.add_argument("protocol", nargs="*", metavar="PROTOCOL", help="only these (default: all)")
    compiling.add_argument(
        "--idle", action="store_true", help="give way to everything else that the machine has to do"
    )
    compiling.set_defaults(do=_compile)


def _compile(args: argparse.Namespace) -> int:
    from engine.compiled import cache  # numba, which no other command needs to start

    if args.idle:
        os.nice(IDLE)
    specs = [protocol(name) for name in args.protocol or PROTOCOLS]
    for spec in specs:
        if not spec.compiled:
            print(f"{spec.name}: always interpreted")
            continue
        anew: list[str] = []
        begin = time.perf_counter()
        with cache.alone():
            scenario = load_scenario(
                {
                    "version": 1,
                    "topology": {"kind": "gnp", "n": 2, "mean_degree": 1},
                    "protocol": {"name": spec.name},
                    "duration_s": 1.0,
                }
            )
            Run(scenario, trace="none", engine="compiled", compiling=anew.append, drawn=False)
        took = time.perf_counter() - begin
        print(f"{spec.name}: {f'compiled in {took:.0f} s' if anew else 'there already'}", flush=True)
    return 0
