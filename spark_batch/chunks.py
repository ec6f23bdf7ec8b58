"""A chunk of rows as a Parquet file that is there whole or not at all."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.sweeps import Folder, Sweep
from engine.sweeps.rows import row_columns
from spark_batch.play import Player

TYPES = {"int64": pa.int64(), "double": pa.float64(), "bool": pa.bool_(), "string": pa.string()}
NEVER_NULL = ("run", "point", "seed")
FAILED = b"failed"
"""Metadata of a chunk: how many of its runs have an error."""


def arrow_schema(sweep: Sweep) -> pa.Schema:
    """The schema of a sweep's rows."""
    return pa.schema(
        [
            pa.field(name, TYPES[kind], nullable=name not in NEVER_NULL)
            for name, kind in row_columns(sweep).items()
        ]
    )


def table(sweep: Sweep, rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Rows as a table, with the number of failed ones in its metadata."""
    kept = list(rows)
    schema = arrow_schema(sweep)
    failed = sum(row["error"] is not None for row in kept)
    columns = {name: [row[name] for row in kept] for name in schema.names}
    return pa.Table.from_pydict(columns, schema=schema.with_metadata({FAILED: str(failed)}))


def failed_in(path: Path) -> int:
    """How many runs of a chunk have an error."""
    return int(pq.read_metadata(path).metadata[FAILED])


def play_chunk(sweep: Sweep, folder: Folder, number: int, first: int, behind: int) -> int:
    """Play the runs of a chunk unless it is there, and write it; how many of them failed.

    Two that play the same chunk, as after a lost connection, write the same bytes to the same place.
    """
    path = folder.chunk(number)
    if path.exists():
        return failed_in(path)
    player = Player(sweep)
    rows = table(sweep, (player.row(run) for run in range(first, behind)))
    write(rows, path)
    return int(rows.schema.metadata[FAILED])


def write(rows: pa.Table, path: Path) -> None:
    """Write under another name, then rename: in one file system that happens at once or not at all.

    What is there by then, from one that outlived its cancelled or killed job, stays as it is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with part.open("wb") as file:
            pq.write_table(rows, file, compression="zstd")
            file.flush()
            os.fsync(file.fileno())
        if not path.exists():
            part.replace(path)
        for left in path.parent.glob(f".{path.name}.*"):  # this one, or of those that were killed on the way
            left.unlink(missing_ok=True)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
