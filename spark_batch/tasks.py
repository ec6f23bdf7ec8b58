"""What runs in Spark's Python workers. It is sent by value, so it imports nothing of ours before the program is
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from spark_batch.shipping import Program, install

TASK_SCHEMA = "chunk long, runs long, failed long"


def chunk_task(
    plain: str, out: str, chunks: tuple[tuple[int, int, int], ...], code: Program | None
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function for mapInArrow: batches with places in `chunks` (number, first run, one behind the last) to a row a chunk.

    plain: the sweep document; out: its folder; code: the program, None where it is installed.
    """

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        if code is not None:
            install(code)
        import pyarrow as pa

        from engine.sweeps import Folder
        from spark_batch.chunks import play_chunk
        from spark_batch.here import sweep_of, warm

        for batch in batches:
            for place in batch.column(0).to_pylist():
                number, first, behind = chunks[place]
                try:
                    failed = play_chunk(warm(sweep_of(plain)), Folder(out), number, first, behind)
                except OSError as error:  # a full disk, a folder that is gone: no use to go on
                    raise RuntimeError(f"ringcast-trouble: {out}: {error.strerror or error}") from None
                told = {"chunk": [number], "runs": [behind - first], "failed": [failed]}
                yield pa.RecordBatch.from_pydict(told)

    return run


def idle_task(sweep: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A task that does nothing but load what the others need, where the program is installed; `sweep` may be empty."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        from contextlib import suppress

        with suppress(ImportError):
            import spark_batch.chunks  # noqa: F401
            from spark_batch.here import sweep_of, warm

            if sweep:
                warm(sweep_of(sweep))
        yield from batches

    return run


def unit_task(
    unit: str, args: tuple[str, ...], code: Program | None
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function for mapInArrow: batches with places in `args` (JSON lists) to rows of a place and its result as JSON."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        if code is not None:
            install(code)
        import json

        import pyarrow as pa

        from engine.units import UNITS

        for batch in batches:
            places = batch.column(0).to_pylist()
            told = [json.dumps(UNITS[unit](*json.loads(args[place]))) for place in places]
            yield pa.RecordBatch.from_pydict({"place": places, "told": pa.array(told, pa.string())})

    return run
