"""Small sweeps, and what a plain loop makes of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from engine.sweeps import Folder, Sweep, load_sweep
from spark_batch.chunks import arrow_schema
from spark_batch.play import Player

BASE: dict[str, Any] = {
    "version": 1,
    "topology": {"kind": "gnp", "n": 12, "mean_degree": 4},
    "protocol": {"name": "psvr", "params": {"lease_s": 3.0, "forget_s": 8.0}},
    "duration_s": 30.0,
    "events": [
        {"t": 1.0, "do": "subscribe", "node": "2", "channel": "news"},
        {"t": 1.0, "do": "subscribe", "node": "7", "channel": "news"},
        {"t": 14.0, "do": "fail-node", "node": "5"},
        {"t": 25.0, "do": "publish", "node": "0", "channel": "news"},
    ],
}


def sweep(**more: Any) -> Sweep:
    """Two densities, one of them impossible on the smaller network, and two losses; repeated."""
    axes = [
        {"path": "topology.mean_degree", "values": [4, 13]},
        {"path": "topology.n", "values": [12, 16]},
        {"path": "radio.loss", "from": 0.0, "to": 0.2, "count": 2},
    ]
    document = {
        "version": 1,
        "name": "small",
        "base": BASE,
        "axes": axes,
        "repetitions": 6,
        "compare": "radio.loss",
    }
    return load_sweep({**document, **more})


def folder(path: Path, of: Sweep) -> Folder:
    """A folder with this sweep."""
    made = Folder(path)
    made.claim(of)
    return made


def command(out: Folder) -> list[str]:
    """The command that plays the sweep of a folder into it."""
    document = str(out.path / "sweep.json")
    return [sys.executable, "-m", "spark_batch", "sweep", document, "--out", str(out.path)]


def plain_loop(of: Sweep) -> list[dict[str, Any]]:
    """The rows of all runs, played one after the other."""
    player = Player(of)
    return [player.row(run) for run in range(of.runs)]


def rows(of: Folder) -> list[dict[str, Any]]:
    """All rows in the folder, by run."""
    found: list[dict[str, Any]] = []
    for number in of.chunks():
        table = pq.read_table(of.chunk(number), partitioning=None)
        assert table.schema.equals(arrow_schema(of.sweep()))
        found += table.to_pylist()
    return sorted(found, key=lambda row: int(row["run"]))
