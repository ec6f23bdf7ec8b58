"""The process that the server starts: its lines, and what is left when it is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.sweeps import Folder
from tests.spark.support import folder, plain_loop, rows, sweep

Line = dict[str, Any]


class Worker:
    """`python -m spark_batch worker`, in a process group of its own."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "spark_batch", "worker", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.lines: list[Line] = []

    def say(self, **what: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def until(self, right: Callable[[Line], bool]) -> Line:
        """Read lines up to one that is right; fails when a job ends meanwhile."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(json.loads(line))
            if right(self.lines[-1]):
                return self.lines[-1]
            assert self.lines[-1]["is"] != "ended", self.lines[-3:]
        raise AssertionError(f"it ended with {self.process.wait()} after {self.lines[-3:]}")

    def ended(self, job: str) -> Line:
        return self.until(lambda line: line["is"] == "ended" and line["job"] == job)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def worker() -> Iterator[Callable[..., Worker]]:
    made: list[Worker] = []

    def make(*options: str) -> Worker:
        made.append(Worker(*options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def _some_done(job: str) -> Callable[[Line], bool]:
    return lambda line: line["is"] == "progress" and line["job"] == job and line["done"] > 0


def test_jobs_by_line_and_a_kill_in_between(worker: Callable[..., Worker], tmp_path: Path) -> None:
    short = sweep(repetitions=2)
    of = sweep(repetitions=250)  # seconds on any machine, so that it can be interrupted
    one, other = folder(tmp_path / "one", short), folder(tmp_path / "other", of)
    first = worker("--master", "local[2]")
    first.until(lambda line: line["is"] == "ready")
    first.say(do="warm", sweep=short.plain)
    first.say(do="nothing that it knows")
    first.say(do="run", job="a", out=str(one.path))
    assert first.ended("a") == {"is": "ended", "job": "a", "state": "done", "reason": None}
    assert {"is": "summary", "job": "a"} in first.lines
    last = next(line for line in reversed(first.lines) if line["is"] == "progress")
    assert (last["done"], last["failed"], last["of"]) == (16, 4, 16)
    assert rows(one) == plain_loop(short)

    first.say(do="run", job="b", out=str(other.path))
    first.until(_some_done("b"))
    first.say(do="cancel", job="b")
    assert first.ended("b")["state"] == "cancelled"

    first.say(do="run", job="b", out=str(other.path))
    done = first.until(_some_done("b"))["done"]
    first.until(lambda line: line["is"] == "progress" and line["done"] > done)
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    kept = {number: other.chunk(number).stat().st_mtime_ns for number in other.chunks()}
    assert kept
    assert not other.done

    second = worker("--master", "local[2]")
    second.say(do="run", job="b", out=str(other.path))
    assert second.ended("b")["state"] == "done"
    assert rows(other) == plain_loop(of)
    now = {number: other.chunk(number).stat().st_mtime_ns for number in other.chunks()}
    # A task of the killed process may just have finished its chunk; what was whole before was not touched.
    assert {number for number in kept if kept[number] != now[number]} == set()

    second.say(do="run", job="c", out=str(tmp_path / "nothing"))
    failed = second.ended("c")
    assert failed["state"] == "failed"
    assert "a folder with a sweep.json" in failed["reason"]
    assert second.process.stdin is not None
    second.process.stdin.close()
    assert second.process.wait(60) == 0


def test_a_master_that_nobody_answers_at_is_trouble(worker: Callable[..., Worker]) -> None:
    one = worker("--master", "spark://127.0.0.1:1")
    told = one.until(lambda line: True)
    assert told["is"] == "trouble"
    assert "nobody answers there" in told["reason"]
    assert one.process.wait(60) == 1


def test_the_folder_says_whose_it_is(tmp_path: Path) -> None:
    assert Folder(folder(tmp_path, sweep()).path).sweep().name == "small"
