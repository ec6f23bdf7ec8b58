"""`ringcast study`: put a claim to the test on many random cases."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from backend.arguments import count, seed
from backend.cli.progress import Bar
from backend.studies import CASES, STUDIES
from backend.studies.claims import Document

SHOWN = 3  # failed cases without --out


def add_to(commands: Any) -> None:
    """The command."""
    text = "put a claim to the test on many random cases"
    study = commands.add_parser("study", help=text, description=text)
    study.add_argument("name", choices=STUDIES, metavar="NAME", help=f"one of: {', '.join(STUDIES)}")
    study.add_argument("--cases", type=count, help="of each protocol (default: " + _defaults() + ")")
    study.add_argument("--seed", type=seed, default=1, help="of the cases (default: %(default)s)")
    study.add_argument(
        "--protocol", action="append", default=[], metavar="NAME", help="only this one; may be repeated"
    )
    study.add_argument("--threads", type=count, default=os.cpu_count() or 1, help="default: one a core")
    study.add_argument("--out", type=Path, metavar="DIR", help="where the scenarios of failed cases go")
    study.set_defaults(do=_study)


def _defaults() -> str:
    return ", ".join(f"{name} {cases:,}" for name, cases in CASES.items())


def _study(args: argparse.Namespace) -> int:
    failed: list[Document] = []
    with Bar(args.name) as bar:
        cases = args.cases or CASES[args.name]
        for outcome in STUDIES[args.name](cases, args.seed, args.threads, args.protocol, bar.show):
            bar.clear()
            print("\n".join(outcome.lines), flush=True)
            failed += outcome.failed
    if args.out is not None:
        args.out.mkdir(parents=True, exist_ok=True)
        for k, document in enumerate(failed):
            (args.out / f"{args.name}-{k + 1}.json").write_text(
                json.dumps(document, indent=2) + "\n", encoding="utf-8"
            )
    else:
        for document in failed[:SHOWN]:
            print(json.dumps(document), file=sys.stderr)
    return 1 if failed else 0
