"""Where the pieces of a figure are worked out: in this process, or on Spark in a process that is started for it.

    with on_spark("local[*]"):
        results = each("geometric_routes", [[100, 8.0, seed, 1, ways] for seed in range(1000)])

Equal pieces come out equal either way, so a figure is the same to the byte.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, Any

from engine.batch import columns, run_batch
from engine.core.errors import ScenarioError
from engine.units import UNITS

AT_ONCE = 2_000
"""Pieces that Spark is given together: between two such parts it is told how far the figure is."""

_spark: ContextVar[subprocess.Popen[str] | None] = ContextVar("spark", default=None)


@contextmanager
def on_spark(master: str) -> Iterator[None]:
    """Pieces are worked out there until this ends. Raises: ScenarioError for a master that does not answer."""
    command = [sys.executable, "-m", "spark_batch", "units", "--master", master]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        answer = _answer(child)
        if "error" in answer:
            raise ScenarioError("--master", master, "see there", answer["error"])
        token = _spark.set(child)
        try:
            yield
        finally:
            _spark.reset(token)


def each(
    unit: str, args: Sequence[Sequence[Any]], told: Callable[[int], None] = lambda done: None
) -> list[Any]:
    """The results of a unit of `engine.units` for each of `args`, in their order; `told` hears how many are done."""
    child = _spark.get()
    found: list[Any] = []
    if child is None:
        for given in args:
            told(len(found))
            found.append(UNITS[unit](*given))
        return found
    assert child.stdin is not None
    for k in range(0, len(args), AT_ONCE):
        told(k)
        child.stdin.write(json.dumps({"unit": unit, "args": args[k : k + AT_ONCE]}) + "\n")
        child.stdin.flush()
        answer = _answer(child)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        found += answer["results"]
    return found


def batch(
    document: Mapping[str, Any],
    runs: Sequence[Mapping[str, Any]],
    threads: int,
    told: Callable[[int], None] = lambda done: None,
) -> dict[str, list[Any]]:
    """`engine.batch.run_batch` on the compiled engine: here with so many threads, on Spark a run a piece."""
    if _spark.get() is None:
        return run_batch(document, runs, threads=threads, engine="compiled", told=told)
    parts = each("batch", [[document, [dict(run)]] for run in runs], told)
    return columns({name: values[0] for name, values in part.items()} for part in parts)


def _answer(child: subprocess.Popen[str]) -> dict[str, Any]:
    out: IO[str] | None = child.stdout
    assert out is not None
    line = out.readline()
    if not line:
        return {"error": f"the batch process ended with {child.wait()}"}
    found: dict[str, Any] = json.loads(line)
    return found
