"""What the machine says of itself and of a process."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def peak_mb(pid: int | str = "self") -> float:
    """Most memory that a process has held so far, in MB.

    Not `getrusage`: a process begins there with what its parent held.
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/{pid}/status tells no peak memory")


def words() -> str:
    """Processor, number of cores, Python."""
    models = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    model = models[0] if models else platform.machine()
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
