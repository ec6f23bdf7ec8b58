"""The command `ringcast`.

Exit codes: 0; 2 for the user's mistakes, in one line on standard error that says what, where and what is allowed; 1 for
ours. `-` is standard input or output.
"""

from __future__ import annotations

import argparse
import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from backend.cli import compile as compiling
from backend.cli import documents, figure, play, study, sweep, worst
from backend.refusal import Refusal
from engine import ENGINE_VERSION
from engine.core.errors import ScenarioError

SERVE_HELP = "serve the page and its sessions until Ctrl-C"
BENCH_HELP = "measure the engine"


class Parser(argparse.ArgumentParser):
    """Argument mistakes in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = Parser(
        prog="ringcast", description="See, break and measure publish/subscribe protocols for ad-hoc networks."
    )
    top.add_argument("--version", action="version", version=f"ringcast {ENGINE_VERSION}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    serve = commands.add_parser("serve", help=SERVE_HELP, description=SERVE_HELP)
    serve.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)"
    )
    serve.add_argument(
        "--port", type=_port, default=8000, help="port, 0 for any free one (default: %(default)s)"
    )
    serve.set_defaults(do=_serve)

    play.add_to(commands)
    documents.add_to(commands)
    figure.add_to(commands)
    worst.add_to(commands)
    study.add_to(commands)
    compiling.add_to(commands)
    # These have a command line of their own.
    commands.add_parser("bench", help=BENCH_HELP, add_help=False)
    for name, about in sweep.COMMANDS.items():
        commands.add_parser(name, help=about, add_help=False)
    return top


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) < 2**16:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no port; allowed are 0 to 65535")


def _serve(args: argparse.Namespace) -> int:
    from backend.cli.serve import serve  # the web server's packages, which no other command needs

    return serve(args.host, args.port)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    argv = list(sys.argv[1:] if argv is None else argv)
    gc.set_threshold(100_000, 20, 20)  # runs are big and live long: searching them costs frames and time
    if hasattr(signal, "SIGPIPE") and argv[:1] != ["serve"]:
        # `ringcast run … | head` ends like any other command; a server outlives the viewers that hang up.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        if argv[:1] == ["bench"]:
            from backend.bench import main as bench

            return int(bench(argv[1:]) or 0)
        if argv[:1] and argv[0] in sweep.COMMANDS:
            sweep.hand_on(argv)
        args = parser().parse_args(argv)
        do: Callable[[argparse.Namespace], int] = args.do
        code = do(args)
        sys.stdout.flush()
        return code
    except ScenarioError as error:
        return _mistake(str(error))
    except Refusal as refusal:
        e = refusal.error
        return _mistake(f"{e.path}: {e.message} (found {e.value}); allowed: {e.allowed}")
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _mistake("the disk is full")
        if error.filename is not None:
            return _mistake(f"{error.filename}: {os.strerror(error.errno or 0)}")
        return _ours(error)
    except Exception as error:
        return _ours(error)


def _ours(error: Exception) -> int:
    if os.environ.get("RINGCAST_TRACEBACK"):
        raise error
    what = " ".join(f"{type(error).__name__}: {error}".split())
    print(f"ringcast: our mistake, {what}; RINGCAST_TRACEBACK=1 shows where", file=sys.stderr)
    return 1


def _mistake(message: str) -> int:
    print("ringcast: " + " ".join(message.split()), file=sys.stderr)
    return 2
