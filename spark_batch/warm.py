"""Compiles what a sweep needs with the program that is sent to workers, so that its compiled code can be sent as well.

python -m spark_batch.warm < SWEEP        with PYTHONPATH and RINGCAST_CACHE set to the unpacked program and its cache
"""

from __future__ import annotations

import sys

from spark_batch.here import sweep_of, warm

if __name__ == "__main__":
    if plain := sys.stdin.read():
        warm(sweep_of(plain))
