"""How far a long command has got, in one line on standard error, if somebody may be watching."""

from __future__ import annotations

import sys
import time

WIDTH = 24
TELL_S = 0.2


class Bar:
    """A bar that is gone when the command ends."""

    def __init__(self, title: str) -> None:
        self._title, self._told, self._shown = title, 0.0, False

    def show(self, share: float, note: str = "") -> None:
        """So much is done, 0 … 1."""
        now = time.monotonic()
        if not sys.stderr.isatty() or now - self._told < TELL_S:
            return
        self._told, self._shown = now, True
        full = round(WIDTH * min(1.0, share))
        bar = "█" * full + "·" * (WIDTH - full)
        sys.stderr.write(f"\r\033[K{self._title} {bar} {share:4.0%} {note}")
        sys.stderr.flush()

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Make room for a line of output."""
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        self._shown = False
