"""What a benchmark is at, in one line that is written over; for a person at a terminal only."""

from __future__ import annotations

import sys


def tell(what: str) -> None:
    """Show it instead of what was shown before."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r  {what:<68}")
        sys.stderr.flush()


def told() -> None:
    """Nothing more: the line is free for results."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{'':<70}\r")
        sys.stderr.flush()
