"""Rows of finished chunks, read and passed on; the only module of the server that knows Parquet.

It takes half a second to load, so it is imported by those who need it, in their thread.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from engine.sweeps.axes import RowType

TYPES = {"int64": pa.int64(), "double": pa.float64(), "bool": pa.bool_(), "string": pa.string()}
GROUP = 100_000
"""Rows that are put together for a row group of an export."""


def read(path: Path, columns: Sequence[str], places: Sequence[int] | None = None) -> dict[str, list[Any]]:
    """Some columns of a chunk as lists; `places`: of these rows only. Raises OSError."""
    table = pq.ParquetFile(path).read(columns=list(columns))
    if places is not None and len(places) == 1:
        table, places = table.slice(places[0], 1), None
    found = {name: table.column(name).to_pylist() for name in columns}
    if places is None:
        return found
    return {name: [column[place] for place in places] for name, column in found.items()}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Every row of a file."""
    for batch in pq.ParquetFile(path).iter_batches():
        yield from batch.to_pylist()


def has_any(path: Path, column: str) -> bool:
    """Whether a column of a chunk may have anything in it, by what the file says of itself."""
    metadata = pq.ParquetFile(path).metadata
    for k in range(metadata.num_row_groups):
        group = metadata.row_group(k)
        for c in range(group.num_columns):
            about = group.column(c)
            if about.path_in_schema == column:
                stats = about.statistics
                if stats is None or not stats.has_null_count or stats.null_count < group.num_rows:
                    return True
    return False


def _tables(paths: Sequence[Path], schema: pa.Schema) -> Iterator[pa.Table]:
    """The chunks in order, some put together."""
    waiting: list[pa.Table] = []
    for path in paths:
        waiting.append(pq.ParquetFile(path).read(columns=schema.names).cast(schema))
        if sum(t.num_rows for t in waiting) >= GROUP:
            yield pa.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting)


def _schema(columns: dict[str, RowType]) -> pa.Schema:
    return pa.schema([(name, TYPES[kind]) for name, kind in columns.items()])


def as_csv(paths: Sequence[Path], columns: dict[str, RowType]) -> Iterator[bytes]:
    """All rows as CSV, in pieces; the first line names the columns."""
    schema = _schema(columns)
    sink = io.BytesIO()
    with pa_csv.CSVWriter(sink, schema):
        pass
    yield sink.getvalue()
    for table in _tables(paths, schema):
        sink = io.BytesIO()
        pa_csv.write_csv(table, sink, pa_csv.WriteOptions(include_header=False))
        yield sink.getvalue()


class _Pieces(io.RawIOBase):
    """A file that keeps what is written until it is taken away."""

    def __init__(self) -> None:
        self.kept = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.kept += data
        return len(data)

    def take(self) -> bytes:
        taken = bytes(self.kept)
        self.kept.clear()
        return taken


def as_parquet(paths: Sequence[Path], columns: dict[str, RowType]) -> Iterator[bytes]:
    """All rows as one Parquet file, in pieces."""
    schema = _schema(columns)
    pieces = _Pieces()
    with pq.ParquetWriter(pieces, schema) as writer:
        for table in _tables(paths, schema):
            writer.write_table(table)
            yield pieces.take()
    yield pieces.take()
