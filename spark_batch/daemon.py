"""Spark's Python daemon, with the engine loaded before it forks: a new worker begins at once, and shares the memory.

What starts threads of its own when it is imported (pandas, pyarrow) must stay out: a fork would leave them behind.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's pool: nothing here multiplies matrices

from pyspark.daemon import manager

# Only to have them loaded:
import engine.compiled.simulator
import engine.kernels.studies  # noqa: F401
import spark_batch.here  # noqa: F401

if __name__ == "__main__":
    manager()
