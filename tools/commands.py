"""The command lines of ./run and ./test."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import socket
import sys
from collections.abc import Sequence

from tools import install, locks, suites
from tools.console import ROOT, Stop, say, show
from tools.steps import PYTHON, environment

RUN = "Install what is missing, build the page, and serve it until Ctrl-C."
TEST = """\
Install what is missing, run the test suites, and end with one line of counts.

suites:
{suites}

Without a name all of them run, and one that fails does not keep the others from running. With one name its
output is shown as it comes, and what follows `--` goes to its tool: ./test python -- -k tree"""
LOCK = "Write requirements*.lock and package-lock.json anew from requirements*.in and package.json."
SETUP = "Install everything and build the page, but run nothing."


def main(argv: Sequence[str]) -> int:
    """Run one of the commands and return its exit code: 2 for what the user can mend, 1 for what we must."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end what was started, as Ctrl-C does
    try:
        match argv:
            case ["run", *rest]:
                return _run(rest)
            case ["test", *rest]:
                return _test(rest)
            case ["setup", *rest]:
                argparse.ArgumentParser(prog="make setup", description=SETUP).parse_args(rest)
                install.install(tools=True)
                install.build()
                return 0
            case ["lock", *rest]:
                parser = argparse.ArgumentParser(prog="tools/lock", description=LOCK)
                parser.add_argument(
                    "--upgrade", action="store_true", help="take the newest versions that fit"
                )
                locks.lock(upgrade=parser.parse_args(rest).upgrade)
                return 0
        raise Stop("expected one of: run, test, setup, lock")
    except Stop as stop:
        print(f"error: {stop}", file=sys.stderr)
        return stop.code
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            print(f"error: the disk is full while writing in {ROOT}", file=sys.stderr)
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            print(f"error: cannot write here: {error}", file=sys.stderr)
        else:
            raise
        return 2
    except KeyboardInterrupt:
        show("stopped")
        return 130


def _run(rest: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run", description=RUN)
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: this machine only)")
    parser.add_argument("--port", type=_port, default=8000, help="0 for any free one (default: %(default)s)")
    args = parser.parse_args(rest)
    _check_port(args.host, args.port)  # before anything that takes long
    install.install(tools=False)
    install.build()
    serve = [str(PYTHON), "-m", "backend.cli", "serve", "--host", args.host]
    sys.stdout.flush()
    env = {"RINGCAST_COMPILE_AHEAD": "1"} | environment()  # the last of what is made ready, in the background
    os.execve(serve[0], [*serve, "--port", str(args.port)], env)


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) < 2**16:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no port; allowed are 0 to 65535")


def _check_port(host: str, port: int) -> None:
    """Bind as the server will, and say in words why it would not work."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = found[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen()
    except socket.gaierror:
        raise Stop(f"--host {host} is not the name or address of a machine") from None
    except OSError as error:
        match error.errno:
            case errno.EADDRINUSE:
                other = f"./run --port {port % 65535 + 1}"
                raise Stop(f"port {port} is taken; stop what uses it or choose another: {other}") from None
            case errno.EACCES:
                raise Stop(
                    f"port {port} needs more rights; choose one above 1023: ./run --port 8000"
                ) from None
            case errno.EADDRNOTAVAIL:
                raise Stop(f"--host {host} is no address of this machine; 127.0.0.1 always is one") from None
        raise


def _test(rest: Sequence[str]) -> int:
    listing = "\n".join(f"  {name:8} {suite.about}" for name, suite in suites.SUITES.items())
    parser = argparse.ArgumentParser(
        prog="./test",
        description=TEST.format(suites=listing),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("suite", nargs="*", help="which suites to run (default: all)")
    # argparse would take `--` away and with it the border between the two kinds of arguments.
    border = rest.index("--") if "--" in rest else len(rest)
    args, extra = parser.parse_args(rest[:border]), list(rest[border + 1 :])
    names = args.suite or list(suites.SUITES)
    for name in names:
        if name not in suites.SUITES:
            raise Stop(f"there is no suite {name!r}; allowed are {', '.join(suites.SUITES)}")
    install.install(tools=True)
    say("Ready to test")
    return suites.run(list(dict.fromkeys(names)), extra)
