"""Where the results of a sweep lie, and what lies there.

    sweep.json                              the sweep document, canonical
    plan.json                               how its runs are cut into chunks
    rows/chunk=000042/part.parquet          the rows of a chunk: there whole, or not at all
    summary.json, summary.parquet/          statistics by point
    _done                                   all chunks are there, and the summary is of all of them

Whatever is written gets another name first and is then renamed; a name that begins with a dot means nothing yet.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.core.errors import ScenarioError
from engine.sweeps.document import Sweep, load_sweep, sweep_id
from engine.sweeps.plan import Plan
from engine.world.scenario import dump

PART = "part.parquet"


class Folder:
    """The result folder of one sweep."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @property
    def rows(self) -> Path:
        """Where the chunks lie."""
        return self.path / "rows"

    @property
    def summary(self) -> Path:
        """Statistics by point, at most some thousand points."""
        return self.path / "summary.json"

    @property
    def summary_table(self) -> Path:
        """Statistics of all points, a Parquet folder."""
        return self.path / "summary.parquet"

    def chunk(self, number: int) -> Path:
        """The rows of a chunk."""
        return self.rows / f"chunk={number:06d}" / PART

    def claim(self, sweep: Sweep) -> None:
        """Make the folder this sweep's. Raises: ScenarioError when it is another's, or holds something else."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            there = self.sweep_id()
            if there is None and any(not name.startswith(".") for name in os.listdir(self.path)):
                raise ScenarioError(
                    "out", str(self.path), "an empty or a new folder", "there is something else in it"
                )
            if there not in (None, sweep_id(sweep)):
                raise ScenarioError(
                    "out", str(self.path), "another folder, or this sweep", "it holds another sweep"
                )
            if there is None:
                self.write("sweep.json", dump(sweep.plain) + b"\n")
        except OSError as error:
            allowed = "a folder that can be written"
            raise ScenarioError("out", str(self.path), allowed, error.strerror or str(error)) from None

    def sweep_id(self) -> str | None:
        """The name of the sweep whose results lie here; None: of no one. Raises: ScenarioError when it is unreadable."""
        return sweep_id(self.sweep()) if (self.path / "sweep.json").exists() else None

    def sweep(self) -> Sweep:
        """The sweep whose results lie here. Raises: ScenarioError"""
        try:
            return load_sweep((self.path / "sweep.json").read_bytes(), "sweep.json", checked=True)
        except OSError as error:
            allowed = "a folder with a sweep.json"
            raise ScenarioError("out", str(self.path), allowed, error.strerror or str(error)) from None

    def plan(self) -> Plan | None:
        """How the runs are cut into chunks, once that is settled."""
        try:
            return Plan(**json.loads((self.path / "plan.json").read_bytes()))
        except FileNotFoundError:
            return None

    def keep_plan(self, plan: Plan) -> None:
        """Settle it."""
        self.write("plan.json", json.dumps(plan.as_plain()).encode())

    def chunks(self) -> Iterator[int]:
        """Numbers of the chunks that are there, in no order."""
        with suppress(FileNotFoundError), os.scandir(self.rows) as entries:
            for entry in entries:
                kind, _, number = entry.name.partition("=")
                if kind == "chunk" and number.isdigit() and os.path.exists(os.path.join(entry.path, PART)):
                    yield int(number)

    def write(self, name: str, data: bytes) -> None:
        """A file that is there whole or not at all."""
        path = self.path / name
        part = path.with_name(f".{name}.{os.getpid()}")
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)

    def read_summary(self) -> dict[str, Any] | None:
        """The latest statistics; None: none yet."""
        try:
            found: dict[str, Any] = json.loads(self.summary.read_bytes())
        except FileNotFoundError:
            return None
        return found

    @property
    def done(self) -> bool:
        """Whether all is there."""
        return (self.path / "_done").exists()
