"""`ringcast figure`: a figure of a paper, made again."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from backend.cli.play import is_terminal
from backend.figures import FIGURES, SCALES, make


def add_to(commands: Any) -> None:
    """The command."""
    text = "make a figure of a paper again: numbers, picture, and what agrees"
    figure = commands.add_parser("figure", help=text, description=text)
    figure.add_argument("name", choices=FIGURES, metavar="ID", help=f"one of: {', '.join(FIGURES)}")
    figure.add_argument("--out", required=True, type=Path, metavar="DIR", help="the folder it is written to")
    figure.add_argument(
        "--scale", choices=SCALES, default="quick", help="quick (default): under a minute; full: as printed"
    )
    figure.add_argument(
        "--master",
        metavar="URL",
        help="work it out on Spark: local[*], spark://…; the files are the same to the byte",
    )
    figure.set_defaults(do=_figure)


def _figure(args: argparse.Namespace) -> int:
    from backend.figures.apart import on_spark  # the kernels and their compiler, which no other command needs

    def told(share: float) -> None:
        if is_terminal():
            sys.stderr.write(f"\r{args.name}: {share:.0%} ")
            sys.stderr.flush()

    with nullcontext() if args.master is None else on_spark(args.master):
        files = make(args.name, args.scale, args.out, told)
    if is_terminal():
        sys.stderr.write("\r\033[K")
    for verdict in json.loads(files[-1].read_text(encoding="utf-8")):
        print(f"{verdict['verdict']:<10} {verdict['claim']}\n{'':<10} measured: {verdict['measured']}")
    print("\n".join(map(str, files)))
    return 0
