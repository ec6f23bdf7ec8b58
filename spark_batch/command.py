"""`ringcast sweep FILE --out DIR`: play a sweep here and now, with a bar on the terminal."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path

from engine.core.errors import ScenarioError
from engine.sweeps import Folder, Sweep, load_sweep
from engine.sweeps.rows import disk_bytes, row_columns
from engine.world.limits import MAX_DOCUMENT
from spark_batch.job import Job, check_disk, reason
from spark_batch.progress import Progress
from spark_batch.session import connect
from spark_batch.trial import try_some

BAR = 28


def add_options(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("file", metavar="FILE", help="a sweep document, or - for standard input")
    parser.add_argument("--out", metavar="DIR", help="where the results go; a new or an empty folder")
    parser.add_argument("--resume", action="store_true", help="go on with what is in DIR")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what it would be, and play a few runs only"
    )
    add_session_options(parser)


def add_session_options(parser: ArgumentParser) -> None:
    """Where Spark is."""
    parser.add_argument(
        "--master", metavar="URL", help="local[*] (default, or RINGCAST_MASTER), spark://…, sc://…, yarn, …"
    )
    parser.add_argument(
        "--conf",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a setting for Spark; may be repeated",
    )


def settings(args: Namespace) -> dict[str, str]:
    """Of --conf. Raises: ScenarioError"""
    found = {}
    for given in args.conf:
        name, equals, value = given.partition("=")
        if not equals or not name.startswith("spark."):
            raise ScenarioError("--conf", given, "spark.NAME=VALUE", "no setting for Spark")
        found[name] = value
    return found


def run(args: Namespace) -> int:
    """Do it. Raises: ScenarioError"""
    sweep = load_sweep(_text(args.file), "sweep")
    if args.dry_run:
        _tell_plan(sweep)
        return 0
    if not args.out:
        raise ScenarioError("--out", "nothing", "a folder for the results", "missing")
    folder = Folder(args.out)
    folder.claim(sweep)
    begun = folder.plan() is not None
    if begun and not args.resume:
        allowed = "another folder, or --resume to go on with what is there"
        raise ScenarioError("--out", args.out, allowed, "this sweep has been begun there")
    check_disk(sweep, folder)
    session = connect(args.master, settings(args))
    bar = _Bar(sweep)
    job = Job(session, folder, "sweep", bar.show)
    try:
        job.play()
    except KeyboardInterrupt:
        bar.end()
        sys.stderr.write(f"stopped; what is done is kept: --resume goes on with it in {folder.path}\n")
        return 130
    except ScenarioError:
        raise
    except Exception as error:
        bar.end()
        sys.stderr.write(f"error: {reason(error)}\n")
        return 1
    finally:
        session.stop()
    bar.end()
    summary = folder.read_summary() or {}
    failed = summary.get("runs_failed", 0)
    note = f", {failed:,} of them failed (column error says why)" if failed else ""
    sys.stdout.write(f"{sweep.runs:,} runs of {sweep.points:,} points{note}: {folder.path}\n")
    return 0


def _text(name: str) -> bytes:
    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_DOCUMENT + 1)
        with Path(name).open("rb") as file:
            return file.read(MAX_DOCUMENT + 1)
    except OSError as error:
        allowed = "a file that can be read, or - for standard input"
        raise ScenarioError("FILE", name, allowed, error.strerror or "unreadable") from None


def _tell_plan(sweep: Sweep) -> None:
    """What it would be, in words and columns."""

    def tell(what: str) -> None:
        sys.stderr.write(f"{what}\n")

    found = try_some(sweep, tell)
    told = [
        f"points       {sweep.points:,}",
        f"runs         {sweep.runs:,}",
        f"metrics      {', '.join(sweep.metrics)}",
        f"a run takes  about {found.mean * 1e3:,.1f} ms ({len(found.seconds)} were tried)",
        f"all take     about {_span(found.mean * sweep.runs)} on one core",
        f"on disk      about {disk_bytes(sweep) / 1e6:,.1f} MB",
        "columns      " + ", ".join(f"{name} {kind}" for name, kind in row_columns(sweep).items()),
    ]
    sys.stdout.write("\n".join(told) + "\n")


def _span(seconds: float) -> str:
    """A time as a person says it."""
    if seconds < 90:
        return f"{seconds:,.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:,.0f} min"
    return f"{seconds / 3600:,.0f} h" if seconds < 172_800 else f"{seconds / 86_400:,.0f} days"


class _Bar:
    """Progress on standard error: a bar that moves on a terminal, else a line now and then."""

    def __init__(self, sweep: Sweep) -> None:
        self._live, self._shown_at, self._doing = sys.stderr.isatty(), -1e9, ""
        self._name = sweep.name[:30]

    def show(self, progress: Progress) -> None:
        """As it is now."""
        now = time.monotonic()
        changed = (progress.doing or "") != self._doing
        if (
            not changed
            and now - self._shown_at < (0.2 if self._live else 10.0)
            and progress.done < progress.of
        ):
            return
        self._shown_at, self._doing = now, progress.doing or ""
        share = progress.done / progress.of if progress.of else 0.0
        words = [f"{progress.done:,} of {progress.of:,} runs"]
        if progress.failed:
            words.append(f"{progress.failed:,} failed")
        if progress.doing:
            words.append(progress.doing)
        elif progress.per_s is not None and progress.left_s is not None:
            words += [f"{progress.per_s:,.1f}/s", f"{_span(progress.left_s)} left"]
        text = ", ".join(words)
        if self._live:
            full = round(BAR * share)
            sys.stderr.write(f"\r\x1b[K{self._name} {'█' * full}{'·' * (BAR - full)} {text}")
        else:
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line."""
        if self._live:
            sys.stderr.write("\n")
