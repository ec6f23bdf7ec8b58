"""What a person sees while they wait, and how child processes are started and ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"

_STARTED = time.monotonic()
_LIVE = sys.stdout.isatty()
_running: dict[str, float] = {}

stopping = threading.Event()
"""Set when the user has had enough: every command that is running ends."""


class Stop(Exception):
    """Ends the command with one line for the user; `code` is 2 where they can mend it, 1 where we must."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


def say(text: str) -> None:
    """Print a line with the seconds since the start."""
    _clear()
    print(f"[{time.monotonic() - _STARTED:5.1f}s] {text}", flush=True)


def show(text: str) -> None:
    """Print text as it is."""
    _clear()
    print(text, flush=True)


def _clear() -> None:
    if _LIVE:
        print("\r\033[K", end="")


def run_logged(
    name: str,
    command: Sequence[str | Path],
    log: Path | None,
    env: Mapping[str, str],
    *,
    limit_s: float = 3600.0,
) -> int:
    """Run a command and return its exit code, or, as `timeout` does, 124 past the limit.

    Its output goes to `log`, or to the terminal if there is none. The command gets a process group of its
    own, which ends with it: nothing that it started is left behind.
    """
    if log:
        log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") if log else nullcontext() as out:
        child = subprocess.Popen(
            [str(part) for part in command],
            cwd=ROOT,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT if out else None,
            start_new_session=True,
        )
        started = _running[name] = time.monotonic()
        try:
            while not stopping.is_set():
                try:
                    return child.wait(timeout=0.5)
                except subprocess.TimeoutExpired:
                    if log:
                        _status()
                if time.monotonic() - started > limit_s:
                    say(f"{name}: stopped after {limit_s:.0f} s")
                    return 124
            return 130
        finally:
            del _running[name]
            end_group(child)


def _status() -> None:
    """Tell a terminal what is running; a log stays short."""
    if _LIVE:
        now = time.monotonic()
        text = ", ".join(f"{name} {now - started:.0f} s" for name, started in list(_running.items()))
        print(f"\r\033[K  … {text}"[: os.get_terminal_size().columns + 3], end="", flush=True)


def end_group(child: subprocess.Popen[bytes]) -> None:
    """End what is left of a child's process group, politely at first."""
    for wanted, patience_s in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        try:
            os.killpg(child.pid, wanted)
        except (ProcessLookupError, PermissionError):
            break
        try:
            child.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            continue
        break


def last_lines(log: Path, count: int) -> str:
    """The last non-empty lines of a log."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 8000))
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join([line.rstrip() for line in lines if line.strip()][-count:])
