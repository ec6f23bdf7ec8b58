"""One sweep from its folder to its statistics. Whatever ends it, what is done lies in the folder, and another job
goes on from there.

The grid is never on the driver: chunks follow from the plan by arithmetic, a wave of them at a time goes to Spark,
and each task writes its own chunk. A chunk that is there is never played again, so a resumed sweep is the same as
an undisturbed one, row by row.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from engine.core.errors import ScenarioError
from engine.sweeps import Folder, Sweep
from engine.sweeps.rows import disk_bytes
from spark_batch import shipping, tasks
from spark_batch.progress import Counted, Progress
from spark_batch.session import Session
from spark_batch.summary import Summaries
from spark_batch.trial import plan_for, try_some

WAVE = 4_000
"""Chunks that Spark is given at a time."""
LOOK_S = 0.25
SOON_S = 1.0
"""What is through so soon needs no statistics on the way."""
PATIENCE_S = 60.0
SPARE_BYTES = 50_000_000
TROUBLE = "ringcast-trouble: "
T = TypeVar("T")


class Cancelled(Exception):
    """Somebody wanted it to end."""


class Job:
    """A sweep that is to be played into a folder with its sweep.json.

    `progressed` and `summarised` are called from threads of the job.
    """

    def __init__(
        self,
        session: Session,
        folder: Folder,
        name: str,
        progressed: Callable[[Progress], None] = lambda progress: None,
        summarised: Callable[[], None] = lambda: None,
    ) -> None:
        self.session, self.folder, self.tag = session, folder, f"ringcast {name}"
        self._progressed, self._summarised = progressed, summarised
        self._cancelled, self._over = threading.Event(), threading.Event()
        self._latest = Progress(0, 0, 0)

    def cancel(self) -> None:
        """End it soon; `play` then raises Cancelled."""
        self._cancelled.set()
        while not self._over.wait(0.2):
            self.session.cancel(self.tag)

    def _told(self, progress: Progress) -> None:
        self._latest = progress
        self._progressed(progress)

    def play(self) -> None:
        """Play what is missing and summarise all.

        Raises: Cancelled, ScenarioError, and Spark's own errors, which `reason` puts in words.
        """
        try:
            self._play()
        except Exception:
            if self._cancelled.is_set():
                raise Cancelled from None
            raise
        finally:
            self._over.set()

    def _play(self) -> None:
        sweep = self.folder.sweep()
        self._told(Progress(0, 0, sweep.runs, doing="starting"))
        if self.folder.done:
            counted = self._counted(sweep)
            self._told(counted.progress())
            self._summarised()
            return
        check_disk(sweep, self.folder)
        counted = self._counted(sweep)
        code = None if self.session.local else self._apart(sweep, self._packed)
        summaries = Summaries(self.session, sweep, self.folder, counted.plan, self.tag)
        self._told(counted.progress())
        small = [number for number in counted.plan.firsts() if number not in counted.chunks]
        if small:
            before, begin = counted.done, time.monotonic()
            self._wave(sweep, small, counted, code)
            each = (time.monotonic() - begin) / max(1, counted.done - before)
            if each * (sweep.runs - counted.done) > SOON_S:
                self._summarise(summaries, counted, pairs=False)
        with _Background(self, summaries, counted):
            while wave := list(islice(self._missing(counted), WAVE)):
                self._wave(sweep, wave, counted, code)
        self._told(counted.progress("summarising"))
        summaries.final(counted.done, counted.failed)
        self._summarised()
        self.folder.write("_done", b"")
        self._told(counted.progress())

    def _counted(self, sweep: Sweep) -> Counted:
        """What is there; the plan is made where there is none yet."""
        plan = self.folder.plan()
        if plan is None:
            plan = plan_for(sweep, self._apart(sweep, self._tried), self.session.slots)
            self.folder.keep_plan(plan)
        return Counted(self.folder, plan)

    def _doing(self, what: str) -> None:
        self._told(replace(self._latest, doing=what))

    def _tried(self, sweep: Sweep) -> float:
        """Seconds of a run."""
        return try_some(sweep, self._doing, self._cancelled.is_set).mean

    def _packed(self, sweep: Sweep) -> shipping.Program:
        """The program for workers that have no copy of it."""
        self._doing("packing the program, compiling it where that is new")
        return shipping.for_workers(json.dumps(sweep.plain))

    def _apart(self, sweep: Sweep, work: Callable[[Sweep], T]) -> T:
        """Do it in a thread: a cancel need not wait until a protocol is compiled."""
        found, trouble = list[T](), list[BaseException]()

        def attempt() -> None:
            try:
                found.append(work(sweep))
            except BaseException as error:
                trouble.append(error)

        thread = threading.Thread(target=attempt, name="apart", daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(0.1)
            if self._cancelled.is_set():
                raise Cancelled
        if trouble:
            raise trouble[0]
        return found[0]

    def _missing(self, counted: Counted) -> Iterator[int]:
        return (number for number in counted.plan.order() if number not in counted.chunks)

    def _wave(self, sweep: Sweep, wave: list[int], counted: Counted, code: shipping.Program | None) -> None:
        """Give these chunks to Spark and wait, looking at what has come."""
        if self._cancelled.is_set():
            raise Cancelled
        counted.expect(wave)
        chunks = tuple((number, *counted.plan.chunk(number)) for number in wave)
        plain = json.dumps(sweep.plain)
        task = tasks.chunk_task(plain, str(self.folder.path.resolve()), chunks, code)
        spark = self.session.spark
        over, trouble = threading.Event(), list[BaseException]()

        def work() -> None:
            try:
                found = spark.range(0, len(chunks), 1, len(chunks)).mapInArrow(task, tasks.TASK_SCHEMA)
                self.session.tagged(self.tag, found.collect)
            except BaseException as error:
                trouble.append(error)
            finally:
                over.set()

        self.session.thread(work, self.tag).start()
        while not over.wait(LOOK_S):
            self._told(counted.look(4 * self.session.slots + 20))
        self._told(counted.look(len(wave)))
        if self._cancelled.is_set():
            raise Cancelled
        if trouble:
            raise trouble[0]
        self._check_there(wave, counted)

    def _check_there(self, wave: list[int], counted: Counted) -> None:
        """All chunks of a wave, if with patience: a shared file system may be slow to show what others wrote.

        Raises: ScenarioError, where going on would play the same chunks for ever.
        """
        until = time.monotonic() + PATIENCE_S
        while lost := [number for number in wave if number not in counted.chunks]:
            if time.monotonic() < until and not self._cancelled.wait(LOOK_S):
                self._told(counted.look(len(wave)))
                continue
            allowed = "a folder that all workers have at the same path, as on a shared file system"
            found = f"{self.folder.path}: {len(lost)} chunks were played and are not there"
            raise ScenarioError("out", found, allowed, "workers wrote their rows somewhere else")

    def _summarise(self, summaries: Summaries, counted: Counted, *, pairs: bool = True) -> None:
        if summaries.partial(counted.done, counted.failed, pairs=pairs):
            self._summarised()


class _Background:
    """Partial summaries while waves are played: a tenth of the time at most."""

    SHARE = 10.0

    def __init__(self, job: Job, summaries: Summaries, counted: Counted) -> None:
        self._job, self._summaries, self._counted = job, summaries, counted
        self._over = threading.Event()
        self._thread = job.session.thread(self._work, f"{job.tag} summaries")

    def _work(self) -> None:
        wait, seen = 2.0, self._counted.done
        while not self._over.wait(wait):
            if self._counted.done == seen:
                continue
            seen, begin = self._counted.done, time.monotonic()
            try:
                self._job._summarise(self._summaries, self._counted)
            except Exception:
                return  # the waves will tell what is wrong, or the final summary
            wait = max(2.0, self.SHARE * (time.monotonic() - begin))

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def check_disk(sweep: Sweep, folder: Folder) -> None:
    """Raises: ScenarioError when the results that are missing will not fit on the disk of the folder."""
    there, plan = 0, folder.plan()
    if plan is not None:
        there = sum(behind - first for first, behind in map(plan.chunk, folder.chunks()))
    needed = disk_bytes(sweep) * (sweep.runs - there) // sweep.runs
    free = shutil.disk_usage(folder.path).free
    if needed + SPARE_BYTES > free:
        allowed = f"about {needed / 1e6:,.0f} MB of free space"
        raise ScenarioError(
            "out", f"{free / 1e6:,.0f} MB free", allowed, f"not enough disk for {sweep.runs:,} runs"
        )


def reason(error: BaseException) -> str:
    """Why a job failed, for a person: one line."""
    text = str(error)
    # With the class before it: a traceback also shows the line of source that raised it.
    if found := re.search(rf"RuntimeError: {TROUBLE}([^\n\"]*)", text):
        return found[1].strip()
    if isinstance(error, ScenarioError):
        return text
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'out'}: {error.strerror}"
    told = text.partition("\n\tat ")[0]  # without Java's stack
    lines = [line.strip() for line in told.splitlines() if line.strip() and "SQLSTATE" not in line]
    if "Traceback (most recent call last)" in told:
        return f"Python worker: {lines[-1][:300]}"
    return f"Spark: {lines[0][:300]}" if lines else type(error).__name__
