"""The compiled engine made ready in the background: the first sweep, or the first long run, then need not wait for it.

Half a minute a protocol, once a machine: a process of its own, which gives way to everything else and ends with the server.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import Sequence
from contextlib import suppress

log = logging.getLogger("ringcast")

WAIT_S = 5.0
"""After the start of the server: the first page comes first."""
COMMAND = (sys.executable, "-m", "backend.cli", "compile", "--idle")


class Ahead:
    """The process, from `start` until it has done its work or `close`."""

    def __init__(self, command: Sequence[str] = COMMAND, wait_s: float = WAIT_S) -> None:
        self._command, self._wait_s = command, wait_s
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin soon."""
        self._task = asyncio.create_task(self._work(), name="compile ahead")

    async def _work(self) -> None:
        await asyncio.sleep(self._wait_s)
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True
            )
        except OSError as error:
            log.warning("nothing is compiled ahead: %s", error)
            return
        try:
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def close(self) -> None:
        """End it, whatever it is at: what is half compiled is compiled again by who needs it."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
