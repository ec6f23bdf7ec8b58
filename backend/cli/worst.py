"""`ringcast worst`: find a start from which a protocol takes long to stabilise."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from backend.arguments import count, seed
from backend.cli.files import read, written
from backend.cli.progress import Bar
from engine.search import worst
from engine.world.jsonfile import parse_json
from engine.world.limits import MAX_DOCUMENT


def add_to(commands: Any) -> None:
    """The command."""
    text = "find a worse start: values for all variables from which stabilising takes long"
    command = commands.add_parser("worst", help=text, description=text)
    command.add_argument(
        "file", help="a scenario document, - for standard input; corrupted after its last fault"
    )
    command.add_argument("--tries", type=count, default=300, help="starts to play (default: %(default)s)")
    command.add_argument("--seed", type=seed, default=1, help="of the search (default: %(default)s)")
    command.add_argument("--layer", help="whose rounds count (default: all layers)")
    command.add_argument("--threads", type=count, default=os.cpu_count() or 1, help="default: one a core")
    command.add_argument(
        "--out", metavar="F", default="-", help="where the scenario found goes (default: standard output)"
    )
    command.set_defaults(do=_worst)


def _worst(args: argparse.Namespace) -> int:
    document = parse_json(read(args.file, MAX_DOCUMENT), "standard input" if args.file == "-" else args.file)
    with Bar("worst") as bar:
        found = worst(
            document,
            tries=args.tries,
            seed=args.seed,
            layer=args.layer,
            threads=args.threads,
            told=lambda done, rounds: bar.show(done / args.tries, f"{_words(rounds)} so far"),
        )
    with written(args.out) as out:
        json.dump(found.document, out, indent=2, ensure_ascii=False)
        out.write("\n")
    took = "" if found.seconds is None else f" ({found.seconds:.1f} s)"
    print(
        f"{_words(found.rounds)}{took} after {found.tries} tries; the worst at random: {_words(found.at_random)}",
        file=sys.stderr,
    )
    return 0


def _words(rounds: int | None) -> str:
    return "not stable before the end" if rounds is None else f"{rounds} rounds"
