"""`ringcast sweep` and `ringcast cluster`: handed on to a process for batch work, which Spark has to itself."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

COMMANDS = {
    "sweep": "play a sweep document into a folder, on this machine or on a Spark cluster",
    "cluster": "start and stop a small Spark cluster on this machine",
}


def hand_on(argv: Sequence[str]) -> NoReturn:
    """Be that process: its terminal, its Ctrl-C, its exit code are ours."""
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "spark_batch", *argv])
