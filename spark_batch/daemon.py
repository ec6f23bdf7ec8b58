"""Spark's Python daemon, with the engine loaded before it forks: a new worker begins at once, and shares the memory.

What starts threads of its own when it is imported (pandas, pyarrow) must stay out: a fork would leave them behind.
"""

from __future__ import annotations

import gc
import os
import sys

# Spark puts a zip of itself first, which Python would compile anew in every process; the same is installed beside us.
sys.path[:] = [place for place in sys.path if not place.endswith(".zip")]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's pool: nothing here multiplies matrices

import pyspark.worker  # noqa: E402, F401
from pyspark.daemon import manager  # noqa: E402

# Only to have them loaded, as pyspark.worker:
import engine.compiled.simulator  # noqa: E402
import engine.kernels.studies  # noqa: E402, F401
import spark_batch.here  # noqa: E402, F401

if __name__ == "__main__":
    gc.freeze()  # nothing of it becomes garbage: a worker looks for that after every task, and would copy it to do so
    manager()
