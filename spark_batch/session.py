"""A Spark session, classic or Connect, and the little that the rest needs of it: run, cancel, how many slots.

One session lasts as long as its process and serves all sweeps in turn or at once: each gets a pool of its own, and
pools share fairly.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from engine.core.errors import ScenarioError
from spark_batch.java import LIGHT, java_home, options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "RINGCAST_MASTER"
DEFAULT = "local[*]"
ANSWER_S = 10.0
"""How long a master may take to accept a connection."""
START_S = 90.0
"""How long a session, and its first task, may take to start."""
TRIES = 3
"""A task whose worker dies is tried so often."""
T = TypeVar("T")


class Session:
    """`local`: all on this machine and in this installation. `slots`: tasks at a time."""

    def __init__(self, spark: SparkSession, master: str) -> None:
        self.spark, self.master = spark, master
        self.connect = master.startswith("sc://")
        self.local = master.startswith("local")
        self.slots = 2 if self.connect else max(1, int(spark.sparkContext.defaultParallelism))

    def tagged(self, tag: str, action: Callable[[], T], pool: str = "") -> T:
        """Run a Spark action that `cancel` can end, from this thread, in a pool named by the tag and `pool`.

        Pools share the slots fairly; inside a pool what comes later waits for what came before.
        """
        if self.connect:
            self.spark.addTag(tag)
            try:
                return action()
            finally:
                self.spark.removeTag(tag)
        context = self.spark.sparkContext
        context.setLocalProperty("spark.scheduler.pool", f"{tag} {pool}".strip())
        context.setJobGroup(tag, tag, interruptOnCancel=True)
        return action()

    def cancel(self, tag: str) -> None:
        """End what runs under this tag. A cancel that comes before its job is lost, so ask again until it has ended."""
        if self.connect:
            self.spark.interruptTag(tag)
        else:
            self.spark.sparkContext.cancelJobGroup(tag)

    def warm(self, sweep: str = "") -> None:
        """A task on every slot, which loads this sweep's code; without one, statistics of nothing, for Spark's own."""
        from spark_batch.statistics import by_point
        from spark_batch.tasks import idle_task

        places = self.spark.range(0, self.slots, 1, self.slots)
        places.mapInArrow(idle_task(sweep), "id long").collect()
        if not sweep:
            row = "id as run", "id as point", "cast(null as string) as error", "1.0D as metric_of_none"
            by_point(self.spark.range(0, 1, 1, 1).selectExpr(*row), ["metric_of_none"], one=True).collect()

    def thread(self, work: Callable[[], None], name: str) -> threading.Thread:
        """A thread that may use the session."""
        if self.connect:  # tags are given in the thread itself
            return threading.Thread(target=work, name=name, daemon=True)
        from pyspark import InheritableThread

        made: threading.Thread = InheritableThread(target=work, name=name, daemon=True)
        return made

    def stop(self) -> None:
        """End it."""
        with suppress(Exception):  # it may be gone already
            self.spark.stop()


def connect(master: str | None = None, conf: Mapping[str, str] | None = None) -> Session:
    """A session on this master (RINGCAST_MASTER, else local[*]), with a first task played.

    Raises: ScenarioError when there is no Java, or no master or worker answers in time.
    """
    master = master or os.environ.get(MASTER) or DEFAULT
    _check_answers(master)
    if not master.startswith("sc://"):
        _environment(master)
    made: list[Session] = []
    trouble: list[BaseException] = []

    def start() -> None:
        try:
            session = Session(_spark(master, dict(conf or {})), master)
            if not session.local:
                session.spark.range(1).count()
            made.append(session)
        except BaseException as error:
            trouble.append(error)

    thread = threading.Thread(target=start, name="spark starts", daemon=True)
    thread.start()
    thread.join(START_S)
    if made:
        return made[0]
    if trouble and isinstance(trouble[0], ScenarioError):
        raise trouble[0]
    allowed = f"a master with free workers that answers within {START_S:g} s, such as local[*]"
    problem = f"Spark did not start: {_first_line(trouble[0])}" if trouble else "no worker took a task"
    raise ScenarioError("master", master, allowed, problem)


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(error).__name__


def _check_answers(master: str) -> None:
    """Refuse a master that is none, or that nobody listens at."""
    kinds = ("local", "spark://", "sc://", "yarn", "k8s://")
    if not master.startswith(kinds):
        raise ScenarioError("master", master, "local[*], spark://…, sc://…, yarn, k8s://…", "no Spark master")
    if master.startswith(("spark://", "sc://")):
        places = urlsplit(master).netloc.split("@")[-1].split(",")
    elif master.startswith("k8s://"):
        places = [urlsplit(master.removeprefix("k8s://")).netloc]
    else:
        return
    for place in places:
        host, _, port = place.rpartition(":")
        if not port.isdigit():
            host, port = place, {"sc": "15002", "spark": "7077"}.get(urlsplit(master).scheme, "443")
        with suppress(OSError), socket.create_connection((host, int(port)), ANSWER_S):
            return
    allowed = f"a master that answers within {ANSWER_S:g} s; is it started, and its address right?"
    raise ScenarioError("master", master, allowed, "nobody answers there")


def _environment(master: str) -> None:
    """What Spark's launcher and its Python workers read."""
    os.environ["JAVA_HOME"] = str(java_home())
    os.environ.pop("SPARK_HOME", None)  # another Spark than the installed package
    os.environ["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON") or sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if _here(master):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def _here(master: str) -> bool:
    """Whether all of it is on this machine."""
    return master.startswith("local") or urlsplit(master).hostname in ("127.0.0.1", "localhost")


def _spark(master: str, conf: dict[str, str]) -> SparkSession:
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder.appName("ringcast")
    if master.startswith("sc://"):
        return builder.remote(master).getOrCreate()  # type: ignore[no-any-return]
    if master in ("local", "local[*]") or (master.startswith("local[") and "," not in master):
        slots = master.removeprefix("local").strip("[]") or "1"
        master = f"local[{slots},{TRIES}]"
    logging = Path(__file__).parent / "log4j2.properties"
    settings = {
        "spark.master": master,
        "spark.driver.memory": "900m",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{logging} {options()}",
        "spark.executor.extraJavaOptions": options() if _here(master) else LIGHT,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.scheduler.mode": "FAIR",
        "spark.python.worker.reuse": "true",
        "spark.task.maxFailures": str(TRIES),
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.objectHashAggregate.sortBased.fallbackThreshold": "16",
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
        "spark.sql.files.openCostInBytes": "65536",
    }
    if master.startswith("local"):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        settings |= {"spark.python.daemon.module": "spark_batch.daemon"}
    for name, value in {**settings, **conf}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()  # type: ignore[no-any-return]
