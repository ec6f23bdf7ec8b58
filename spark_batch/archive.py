"""`python -m spark_batch archive`: Java loads some fifteen thousand classes before Spark's first statistics are there. Here
they are loaded once and written down as they lie in memory (class data sharing), which halves that time from then on.

The file belongs to one Java and one Spark: others pass it over, and start as slowly as before.
"""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

from spark_batch.java import LIGHT, classes
from spark_batch.session import Session, connect
from spark_batch.statistics import by_point, differences

WAIT_S = 120.0


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
    """What a small sweep asks of Spark."""
    session.warm()
    row = "id as run", "id % 4 as point", "id % 3 as seed", "cast(null as string) as error", "1.0D * id as x"
    with tempfile.TemporaryDirectory() as folder:
        session.spark.range(0, 24, 1, 2).selectExpr(*row).write.parquet(f"{folder}/rows")
        rows = session.spark.read.parquet(f"{folder}/rows")
        by_point(rows, ["x"]).write.parquet(f"{folder}/summary")
        differences(rows, ["x"], 2, 2).collect()


def _end(session: Session) -> None:
    """Stop, and wait until Java has written its classes down, which it does as its last act."""
    gateway: Any = session.spark.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(WAIT_S)
