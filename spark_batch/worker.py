"""`python -m spark_batch worker`: one warm Spark session for many sweeps, told what to do in lines of JSON.

In, on standard input; its end means stop:

    {"do": "run", "job": ID, "out": DIR}        DIR has a sweep.json; chunks that are there are kept
    {"do": "cancel", "job": ID}
    {"do": "warm", "sweep": DOCUMENT}           a sweep that may come: its code is loaded on every slot; no answer
    {"do": "stop"}

Out, on standard output, where nothing else goes:

    {"is": "ready"}                                             the session is there
    {"is": "progress", "job": ID, "done": N, "failed": N, "of": M, "per_s": x, "left_s": y, "doing": words or null}
    {"is": "summary", "job": ID}                                summary.json was rewritten
    {"is": "ended", "job": ID, "state": "done" | "cancelled" | "failed", "reason": words or null}
    {"is": "trouble", "reason": words}                          no session: the process ends with 1
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from engine.core.errors import ScenarioError
from engine.sweeps import Folder
from spark_batch.job import Cancelled, Job, reason
from spark_batch.progress import Progress
from spark_batch.session import Session, connect

BEAT_S = 0.5
"""Between two reports of a job."""


class Worker:
    """The jobs that run, and where to tell of them."""

    def __init__(self, session: Session, out: IO[str]) -> None:
        self.session, self._out = session, out
        self._writing, self._knowing = threading.Lock(), threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._wanted_ended: set[str] = set()
        self._threads: list[threading.Thread] = []

    def tell(self, **what: Any) -> None:
        """One line. A reader that is gone is no trouble: the end of standard input follows."""
        with self._writing, suppress(BrokenPipeError, ValueError):
            self._out.write(json.dumps(what) + "\n")
            self._out.flush()

    def serve(self, lines: IO[str]) -> None:
        """Until told to stop."""
        for line in lines:
            try:
                asked = json.loads(line)
                do, name = asked["do"], str(asked.get("job", ""))
                out = str(asked["out"]) if do == "run" else ""
                likely = json.dumps(asked["sweep"]) if do == "warm" else ""
            except (ValueError, LookupError, TypeError):
                sys.stderr.write(f"not understood: {line[:200]}\n")
                continue
            if do == "stop":
                break
            if do == "run":
                self._start(name, Path(out))
            elif do == "cancel":
                self._cancel(name)
            elif do == "warm":
                self.warm(likely)
        for name in list(self._jobs):
            self._cancel(name)
        for thread in self._threads:
            thread.join(10.0)

    def warm(self, sweep: str = "") -> None:
        """A small job in the background, so that the next sweep need not pay for it."""

        def work() -> None:
            with suppress(Exception):  # the sweep will tell what is wrong
                self.session.warm(sweep)

        self.session.thread(work, "warm").start()

    def _start(self, name: str, out: Path) -> None:
        with self._knowing:
            if name in self._jobs:
                return
            beat = _Beat(self, name)
            job = Job(
                self.session,
                Folder(out),
                name,
                beat.note,
                lambda: self.tell(**{"is": "summary", "job": name}),
            )
            self._jobs[name] = job
        thread = self.session.thread(lambda: self._play(name, job, beat), f"job {name}")
        self._threads = [t for t in self._threads if t.is_alive()] + [thread]
        thread.start()

    def _play(self, name: str, job: Job, beat: _Beat) -> None:
        state, why = "done", None
        with beat:
            try:
                job.play()
            except Cancelled:
                state = "cancelled"
            except Exception as error:
                state, why = "failed", reason(error)
                sys.stderr.write(f"{name}: {error}\n")
        with self._knowing:
            del self._jobs[name]
        self.tell(**{"is": "ended", "job": name, "state": state, "reason": why})

    def _cancel(self, name: str) -> None:
        job = self._jobs.get(name)
        if job is not None:
            thread = self.session.thread(job.cancel, f"cancel {name}")
            self._threads.append(thread)
            thread.start()


class _Beat:
    """Reports a job's progress every `BEAT_S`, changed or not, and at once when it begins or ends."""

    def __init__(self, worker: Worker, name: str) -> None:
        self._worker, self._name = worker, name
        self._latest: Progress | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"progress of {name}", daemon=True)

    def note(self, progress: Progress) -> None:
        """The latest."""
        first = self._latest is None or (self._latest.done, self._latest.doing) != (
            progress.done,
            progress.doing,
        )
        self._latest = progress
        if first and (progress.done == 0 or progress.done == progress.of):
            self._tell()

    def _tell(self) -> None:
        if self._latest is not None:
            self._worker.tell(**{"is": "progress", "job": self._name, **asdict(self._latest)})

    def _work(self) -> None:
        while not self._over.wait(BEAT_S):
            self._tell()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._tell()


def main(master: str | None, conf: Mapping[str, str]) -> int:
    """Serve standard input; 1 when there is no session."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")  # apart: what others print must not come in between
    os.dup2(2, 1)
    try:
        session = connect(master, conf)
    except ScenarioError as error:
        out.write(json.dumps({"is": "trouble", "reason": str(error)}) + "\n")
        out.flush()
        return 1
    worker = Worker(session, out)
    worker.tell(**{"is": "ready"})
    worker.warm()
    worker.serve(sys.stdin)
    session.stop()
    return 0
