"""`python -m spark_batch`: what the server and the `ringcast` command start for batch work."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from engine.core.errors import ScenarioError
from spark_batch import archive, bench, cluster, command


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command: 0, 2 for the user's mistakes, 1 for ours."""
    parser = ArgumentParser(prog="ringcast", description="Sweeps on Spark.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    command.add_options(commands.add_parser("sweep", help="play a sweep document into a folder"))
    command.add_session_options(commands.add_parser("worker", help="play sweeps as told on standard input"))
    command.add_session_options(commands.add_parser("units", help="work out pieces of figures as told"))
    cluster.add_options(commands.add_parser("cluster", help="a standalone Spark cluster on this machine"))
    commands.add_parser(
        "archive", help="lay Spark's Java classes out for quicker starts; some half a minute, once"
    )
    bench.add_options(commands.add_parser("bench", help="Spark beside a pool of processes"))
    args = parser.parse_args(argv)
    try:
        if args.command == "sweep":
            return command.run(args)
        if args.command == "bench":
            return bench.run(args)
        if args.command == "cluster":
            return cluster.run(args)
        if args.command == "archive":
            return archive.main()
        from spark_batch import units, worker

        if args.command == "units":
            return units.main(args.master, command.settings(args))
        return worker.main(args.master, command.settings(args))
    except ScenarioError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"error: {error.filename or 'system'}: {os.strerror(error.errno or 0).lower()}\n")
        return 2
    except KeyboardInterrupt:
        return 130
