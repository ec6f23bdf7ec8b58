"""`python -m spark_batch archive`: Java loads some fifteen thousand classes before Spark's first statistics are there. Here
they are loaded once and written down as they lie in memory (class data sharing), which halves that time from then on.

The file belongs to one Java and one Spark: others pass it over, and start as slowly as before.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

from engine.sweeps import Folder, load_sweep
from spark_batch.java import LIGHT, classes
from spark_batch.job import Job
from spark_batch.session import Session, connect
from spark_batch.statistics import by_point, differences

WAIT_S = 120.0
SWEEP = {
    "version": 1,
    "base": {
        "version": 1,
        "topology": {"kind": "ring", "n": 4},
        "protocol": {"name": "psvr"},
        "duration_s": 2.0,
    },
    "axes": [{"path": "radio.loss", "values": [0.0, 0.1]}],
    "repetitions": 4,
    "compare": "radio.loss",
    "method": "interpreted",
}


def main() -> int:
    """Make the file anew; 1 where that fails, which costs nothing but time later."""
    place = classes()
    part = place.with_suffix(f".{os.getpid()}")
    place.unlink(missing_ok=True)
    try:
        session = connect(
            "local[2]", {"spark.driver.extraJavaOptions": f"{LIGHT} -XX:ArchiveClassesAtExit={part}"}
        )
        _use(session)
        _end(session)
        if part.exists():
            part.replace(place)
    finally:
        part.unlink(missing_ok=True)
    sys.stdout.write(f"{place}\n" if place.exists() else "this Java wrote nothing down\n")
    return int(not place.exists())


def _use(session: Session) -> None:
    """What sweeps ask of Spark: statistics of many rows, and a small sweep from its folder to its summary."""
    session.warm()
    row = "id as run", "id % 4 as point", "id % 3 as seed", "cast(null as string) as error", "1.0D * id as x"
    with tempfile.TemporaryDirectory() as folder:
        session.spark.range(0, 24, 1, 2).selectExpr(*row).write.parquet(f"{folder}/rows")
        rows = session.spark.read.parquet(f"{folder}/rows")
        by_point(rows, ["x"]).write.parquet(f"{folder}/summary")
        differences(rows, ["x"], 2, 2).collect()
        small = Folder(f"{folder}/sweep")
        small.claim(load_sweep(SWEEP))
        Job(session, small, "archive").play()


def _end(session: Session) -> None:
    """Stop, and wait until Java has written its classes down, which it does as its last act."""
    gateway: Any = session.spark.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(WAIT_S)
