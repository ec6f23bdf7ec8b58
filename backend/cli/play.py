"""`ringcast run` and `ringcast link`: play a document to its end."""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from backend.arguments import seconds
from backend.cli.files import read, written
from engine.api import Run
from engine.core.errors import OutsideSubset, ScenarioError
from engine.core.trace import COMMAND, Record, as_json
from engine.world.limits import MAX_DOCUMENT
from engine.world.scenario import load_scenario

BUDGET = 50_000  # events between two looks at the clock
FASTER = 40  # times as many for the compiled engine
QUIET_S = 1.0
TELL_S = 0.2


def add_to(commands: Any) -> None:
    """The two commands."""
    run = commands.add_parser(
        "run", help="play a scenario and write its report", description="Play a scenario to its end."
    )
    run.add_argument("file", help="a scenario document, - for standard input")
    run.add_argument("--until", type=seconds, help="virtual seconds (default: the document's duration_s)")
    run.add_argument(
        "--report", metavar="F", default="-", help="where the report goes (default: standard output)"
    )
    run.add_argument("--trace", metavar="F.jsonl", help="where every record goes, a line each")
    run.add_argument(
        "--engine",
        choices=("auto", "compiled", "interpreted"),
        default="auto",
        help="same results, other speed: interpreted writes traces, compiled is many times faster, "
        "auto takes the one that ends sooner (default)",
    )
    run.set_defaults(do=_run)

    text = "print the share link's fragment for a scenario, played to its end"
    link = commands.add_parser("link", help=text, description=text)
    link.add_argument("file", help="a scenario document, - for standard input")
    link.add_argument("--until", type=seconds, help="virtual seconds (default: the document's duration_s)")
    link.set_defaults(do=_link)


def _run(args: argparse.Namespace) -> int:
    if args.trace == "-" and args.report == "-":
        allowed = "a file for one of them: --report F or --trace F.jsonl"
        raise ScenarioError("--trace", "-", allowed, "the report goes to standard output already")
    if args.trace and args.engine == "compiled":
        allowed = "auto or interpreted beside --trace"
        raise ScenarioError("--engine", "compiled", allowed, "the compiled engine keeps no trace")
    run = _loaded(
        args.file, trace="all" if args.trace else "none", engine="interpreted" if args.trace else args.engine
    )
    with ExitStack() as files:
        take = _ignored
        if args.trace:
            out = files.enter_context(written(args.trace))
            kinds = [m.name for m in run.protocol.messages]

            def take(records: list[Record]) -> None:
                for record in records:
                    line = as_json(record, run.network.ids, kinds)
                    if record[0] == COMMAND and record[2] < 0:  # the document does not tell which it is
                        of, event = run.event(record[2])
                        line |= {"index": of, "event": event.model_dump(mode="json", by_alias=True)}
                    out.write(json.dumps(line, separators=(",", ":")) + "\n")

        _play(run, args.until, take)
        report = files.enter_context(written(args.report))
        json.dump(run.report(), report, indent=2, ensure_ascii=False)
        report.write("\n")
    return 0


def _link(args: argparse.Namespace) -> int:
    from backend import sharing  # its models take a while to load

    run = _loaded(args.file, trace="none", engine="auto")
    _play(run, args.until, _ignored)
    print(sharing.make_link(run).fragment)
    return 0


def _loaded(name: str, trace: str, engine: str) -> Run:
    scenario = load_scenario(read(name, MAX_DOCUMENT), "standard input" if name == "-" else name)
    with Compiling() as compiling:
        try:
            return Run(scenario, trace=trace, engine=engine, compiling=compiling.begin)
        except OutsideSubset as outside:
            allowed = "auto or interpreted for this protocol"
            raise ScenarioError("--engine", engine, allowed, "; ".join(outside.breaches)) from None


class Compiling:
    """Tells on standard error that code is being compiled, and on a terminal for how long already."""

    def __init__(self) -> None:
        self._title, self._over = "", threading.Event()
        self._teller = threading.Thread(target=self._tell, daemon=True)

    def begin(self, title: str) -> None:
        """The protocol of this title is about to be compiled."""
        self._title, self._start = title, time.monotonic()
        print(f"Compiling {title} for this machine, once; usually 10 to 30 s", file=sys.stderr, flush=True)
        self._teller.start()

    def _tell(self) -> None:
        while is_terminal() and not self._over.wait(TELL_S):
            sys.stderr.write(f"\r{time.monotonic() - self._start:.0f} s ")
            sys.stderr.flush()

    def __enter__(self) -> Compiling:
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._title:
            self._teller.join()
            took = time.monotonic() - self._start
            start = "\r\033[K" if is_terminal() else ""
            print(f"{start}Compiled {self._title} in {took:.1f} s", file=sys.stderr, flush=True)


def is_terminal() -> bool:
    """Whether somebody may be watching."""
    return sys.stderr.isatty()


def _ignored(records: list[Record]) -> None:
    """For a run whose records nobody wants."""


def _play(run: Run, until: float | None, take: Callable[[list[Record]], None]) -> None:
    """To the end; how far it has got is told on a terminal when it takes long."""
    end = run.scenario.duration_s if until is None else until
    start = told = time.monotonic()
    budget = BUDGET * (FASTER if run.engine == "compiled" else 1)
    showing = False
    done = False
    while not done:
        done = run.advance(end, budget)
        take(run.drain())
        now = time.monotonic()
        if is_terminal() and now - start > QUIET_S and now - told > TELL_S:
            told, showing = now, True
            share = run.now / end
            sys.stderr.write(f"\r{run.now:,.1f} of {end:,.1f} s ({share:.0%}), {run.events:,} events ")
            sys.stderr.flush()
    if showing:
        sys.stderr.write("\r\033[K")
