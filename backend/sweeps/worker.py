"""The batch process seen from the server: started, spoken to in lines of JSON, ended, never left behind.

It reads its orders from a pipe and stops when that ends, so it goes even with a server that was killed. It leads a
session of its own, so that what it started (a Java machine) can be ended with it. A lock on a file, whose descriptor it
inherits, keeps two of them from working in one folder: the next one waits until the last is really gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from backend.settings import ROOT

log = logging.getLogger("ringcast")

STOP_S = 1.5
"""How long a process that was told to stop may take."""
LONGEST_LINE = 1_000_000
LAST_WORDS = 4_000


class Said(BaseModel):
    """A line from the batch process; what it may add later does no harm."""

    model_config = ConfigDict(extra="ignore", strict=True)


class Ready(Said):
    """Its Spark session is up."""

    kind: Literal["ready"] = Field(alias="is")


class Progress(Said):
    """How far a job has got."""

    kind: Literal["progress"] = Field(alias="is")
    job: str
    done: int
    failed: int
    of: int
    per_s: float | None = None
    left_s: float | None = None
    doing: str | None = None


class Summary(Said):
    """A job's summary.json was rewritten."""

    kind: Literal["summary"] = Field(alias="is")
    job: str


class Ended(Said):
    """A job is over."""

    kind: Literal["ended"] = Field(alias="is")
    job: str
    state: Literal["done", "cancelled", "failed"]
    reason: str | None = None


class Trouble(Said):
    """It cannot work at all, and ends."""

    kind: Literal["trouble"] = Field(alias="is")
    reason: str


Line: TypeAlias = Annotated[Ready | Progress | Summary | Ended | Trouble, Field(discriminator="kind")]
parse: TypeAdapter[Line] = TypeAdapter(Line)


def command_of(master: str) -> list[str]:
    """How the batch process is started."""
    return [sys.executable, "-m", "spark_batch", "worker", *(["--master", master] if master else [])]


class Worker:
    """One batch process at a time. `heard` gets its lines, `over` is called once it is gone."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        heard: Callable[[Line], None],
        over: Callable[[], None],
    ) -> None:
        self.command, self.folder = list(command), folder
        self.heard, self.over = heard, over
        self.ready = self.stopping = self.came_up = False
        self.started_at = self.heard_at = 0.0  # on the monotonic clock
        self._ended = ""
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def on(self) -> bool:
        """There is a process, or one is about to be."""
        return self._task is not None

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        return self._process.pid if self._process is not None else None

    # --- life

    def start(self) -> bool:
        """Start a process; False if one of another server still works in this folder."""
        assert self._task is None
        lock = self._locked()
        if lock is None:
            return False
        self.ready = self.stopping = self.came_up = False
        self._ended = "it did not start"
        self.started_at = self.heard_at = time.monotonic()
        self._task = asyncio.create_task(self._live(lock), name="batch process")
        return True

    def _locked(self) -> int | None:
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.folder / "worker.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            return None
        return lock

    async def _live(self, lock: int) -> None:
        try:
            self._process = process = await self._spawn(lock)
            os.close(lock)
            lock = -1
            if self.stopping:  # told so while it was being started
                self.ask_to_stop()
            listening = asyncio.create_task(self._listen(process))
            self._ended = ending(await process.wait())
            self.kill()  # what it started must not outlive it
            await listening
        except Exception as error:
            log.error("the batch process could not be run", exc_info=error)
            self._note(f"{type(error).__name__}: {error}")
            self.kill()
        finally:
            if lock >= 0:
                os.close(lock)
            self._process = self._task = None
            self.ready = False
        self.over()

    async def _spawn(self, lock: int) -> asyncio.subprocess.Process:
        path = os.pathsep.join(p for p in (str(ROOT), os.environ.get("PYTHONPATH")) if p)
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.old"))
        with self.log.open("wb") as errors:
            return await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": path},
                limit=LONGEST_LINE,
                pass_fds=(lock,),
                start_new_session=True,
            )

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                log.warning("the batch process sent a line that is too long")
                continue
            if not line:
                return
            try:
                said = parse.validate_json(line)
            except ValidationError:
                log.warning("the batch process said something that is not understood: %.200r", line)
                continue
            self.heard_at = time.monotonic()
            if isinstance(said, Ready):
                self.ready = self.came_up = True
            self.heard(said)

    async def stop(self) -> None:
        """End the process: it is asked first, and killed if it does not go. Returns when it is gone."""
        task = self._task
        if task is None:
            return
        self.ask_to_stop()
        while (await asyncio.wait([task], timeout=STOP_S))[1]:
            self.kill()

    def ask_to_stop(self) -> None:
        """Let it end by itself."""
        self.stopping, self.ready = True, False
        self.say(do="stop")
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        """End it and what it started at once."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    # --- talk

    def say(self, **order: Any) -> None:
        """Give an order; one that is gone does not mind."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError, RuntimeError):
                self._process.stdin.write(json.dumps(order).encode() + b"\n")

    @property
    def log(self) -> Path:
        """Where its standard error goes."""
        return self.folder / "worker.log"

    def _note(self, text: str) -> None:
        with contextlib.suppress(OSError), self.log.open("a") as file:
            file.write(text + "\n")

    def last_words(self) -> str:
        """The last line of its log that says something, and how it ended."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, self.log.stat().st_size - LAST_WORDS))
                lines = file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            lines = []
        said = [line.strip() for line in lines if line.strip()]
        return f"{said[-1][:300] if said else 'none'} ({self._ended})"


def ending(code: int) -> str:
    """How a process ended, by its code."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
