"""The folders of a server's sweeps: made, found again, measured, removed. For worker threads."""

from __future__ import annotations

import logging
import os
import shutil
from functools import lru_cache
from pathlib import Path

from backend.refusal import Refusal
from backend.sweeps.table import Entry
from engine.core.errors import ScenarioError
from engine.sweeps import Folder, Sweep

log = logging.getLogger("ringcast")

MB = 1e6
GONE = ".gone-"
"""How the name of a folder begins that is being removed."""


def make(root: Path, id: str, sweep: Sweep) -> None:
    """A folder for a sweep, or the one that is there. Raises OSError."""
    try:
        Folder(root / id).claim(sweep)
    except ScenarioError as error:
        raise OSError(f"{root / id}: {error.problem}") from None


@lru_cache(maxsize=16)
def sweep_of(root: Path, id: str) -> Sweep:
    """The sweep in a folder, which never changes. Raises ScenarioError."""
    return Folder(root / id).sweep()


def sweep_with(root: Path, id: str, run: int) -> Sweep:
    """The sweep in a folder, with a run of this number. Raises Refusal for one that is not planned, ScenarioError."""
    sweep = sweep_of(root, id)
    if not 0 <= run < sweep.runs:
        raise Refusal(404, "run", run, f"0 to {sweep.runs - 1:,}", "the sweep has no such run")
    return sweep


def remove(root: Path, id: str) -> None:
    """Remove a folder: out of the way at once, and then file by file."""
    gone = root / f"{GONE}{id}"
    shutil.rmtree(gone, ignore_errors=True)
    try:
        (root / id).rename(gone)
    except FileNotFoundError:
        return
    shutil.rmtree(gone, ignore_errors=True)


def strays(root: Path, known: set[str]) -> list[Entry]:
    """Sweeps whose folder is there and whose row in the table is not; what was half removed goes now."""
    found = []
    for path in sorted(root.iterdir()) if root.is_dir() else []:
        if path.name.startswith(GONE):
            shutil.rmtree(path, ignore_errors=True)
        elif path.is_dir() and path.name not in known and (entry := _stray(path)) is not None:
            log.warning("sweep %s was not in the database: it is taken up again", path.name)
            found.append(entry)
    return found


def _stray(path: Path) -> Entry | None:
    folder = Folder(path)
    try:
        if folder.sweep_id() != path.name:
            return None
        sweep, made = folder.sweep(), (path / "sweep.json").stat().st_mtime
        summary = folder.read_summary() or {}
    except (OSError, ValueError, ScenarioError):
        return None
    entry = Entry(path.name, sweep.name, "done", made, made, sweep.runs, sweep.points, sweep.runs)
    entry.failed = int(summary.get("runs_failed", 0))
    if not folder.done:
        entry.state, entry.reason = "cancelled", "it was found on the disk, unfinished"
        entry.done = min(sweep.runs, int(summary.get("runs_done", 0)))
    return entry


def megabytes(root: Path) -> tuple[float, float]:
    """What all sweeps take, and what is free on their disk."""
    root.mkdir(parents=True, exist_ok=True)
    used = 0
    for folder, _, files in os.walk(root):
        for name in files:
            try:
                used += os.stat(os.path.join(folder, name)).st_size
            except FileNotFoundError:  # renamed meanwhile
                continue
    return used / MB, shutil.disk_usage(root).free / MB


def summary(root: Path, id: str) -> bytes | None:
    """The latest summary as it is on disk; None before there is one."""
    try:
        return Folder(root / id).summary.read_bytes()
    except FileNotFoundError:
        return None


def document(root: Path, id: str) -> bytes:
    """The sweep document as it is on disk."""
    return (root / id / "sweep.json").read_bytes()
