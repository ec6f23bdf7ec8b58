"""One viewer of a session: what it wants to see, and a bounded queue of what it has yet to be sent.

Theory of operation. The session puts messages and frames into every viewer's queue and never waits; `pump`, a task a
viewer, writes them to its connection as fast as that drains. A viewer whose queue grows loses its frames and log lines,
which the next full frame makes good, and keeps the rest, of which `run` and `inspect` matter only in their latest
form. One that takes nothing for `stuck_s`, or lets even the rest pile up, is let go; it may come back at any time.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Literal, Protocol

from pydantic import BaseModel
from starlette.websockets import WebSocketDisconnect

from backend.wire import Bye, Close

MAX_FRAMES = 12
MAX_FRAME_BYTES = 2_000_000
MAX_ITEMS = 2_000
MAX_BYTES = 16_000_000


class Connection(Protocol):
    """What a viewer needs of a WebSocket."""

    async def send_text(self, data: str) -> None: ...
    async def send_bytes(self, data: bytes) -> None: ...
    async def close(self, code: int = 1000, reason: str | None = None) -> None: ...


class _Item:
    """Something to be sent; `key` names what a later one of its kind may take the place of."""

    __slots__ = ("data", "key", "skippable")

    def __init__(self, data: str | bytes, key: str | None, skippable: bool) -> None:
        self.data, self.key, self.skippable = data, key, skippable


class Viewer:
    """A connection, its role and wishes."""

    def __init__(self, connection: Connection, role: Literal["owner", "watcher"], stuck_s: float) -> None:
        self.connection = connection
        self.role = role
        self.stuck_s = stuck_s
        self.selected: int | None = None
        self.channel: str | None = None
        self.show: frozenset[int] = frozenset()
        self.inspected = 0.0  # when, on the monotonic clock
        self.wants_full = True
        self.lagging = False  # frames were left out; a full one follows when the rest is sent
        self.gone = False
        self.drained: Callable[[], None] = lambda: None  # called when one that lagged can take more
        self._queue: deque[_Item] = deque()
        self._latest: dict[str, _Item] = {}
        self._frames = 0
        self._frame_bytes = 0
        self._bytes = 0
        self._filled = asyncio.Event()
        self._bye: Bye | None = None

    def send(self, message: BaseModel | str, key: str | None = None) -> None:
        """Queue a message; with a `key` it replaces an unsent one of the same key."""
        text = message if isinstance(message, str) else message.model_dump_json()
        old = self._latest.pop(key, None) if key is not None else None
        if old is not None:
            self._queue.remove(old)
            self._bytes -= len(old.data)
        self._put(_Item(text, key, skippable=False))

    def send_log(self, text: str) -> None:
        """Queue log lines, unless the viewer cannot keep up."""
        if not self.lagging:
            self._put(_Item(text, None, skippable=True))

    def send_frame(self, data: bytes, full: bool) -> None:
        """Queue a frame. A delta is only for a viewer that got everything before it."""
        if full:
            self.wants_full = False
        elif self.wants_full:
            return
        if not full and (self._frames >= MAX_FRAMES or self._frame_bytes + len(data) > MAX_FRAME_BYTES):
            self._skip()
            return
        self._frames += 1
        self._frame_bytes += len(data)
        self._put(_Item(data, None, skippable=True))

    def _skip(self) -> None:
        self.wants_full = self.lagging = True
        self._queue = deque(item for item in self._queue if not item.skippable)
        self._bytes = sum(len(item.data) for item in self._queue)
        self._frames = self._frame_bytes = 0

    def _put(self, item: _Item) -> None:
        if self.gone or self._bye is not None:
            return
        self._queue.append(item)
        self._bytes += len(item.data)
        if item.key is not None:
            self._latest[item.key] = item
        if len(self._queue) > MAX_ITEMS or self._bytes > MAX_BYTES:
            self.dismiss("this connection is too slow for the run; trying again may help", Close.TOO_SLOW)
        self._filled.set()

    def dismiss(self, message: str, code: int) -> None:
        """Say bye and close, instead of whatever is still queued."""
        if self._bye is None:
            self._bye = Bye(message=message, code=code)
            self._queue.clear()
            self._filled.set()

    async def pump(self) -> None:
        """Send what is queued until the viewer is dismissed, stuck or gone."""
        try:
            while self._bye is None:
                while self._queue:
                    item = self._queue.popleft()
                    self._bytes -= len(item.data)
                    if item.key is not None:
                        self._latest.pop(item.key, None)
                    async with asyncio.timeout(self.stuck_s):
                        if isinstance(item.data, bytes):
                            self._frames = max(0, self._frames - 1)
                            self._frame_bytes = max(0, self._frame_bytes - len(item.data))
                            await self.connection.send_bytes(item.data)
                        else:
                            await self.connection.send_text(item.data)
                if self._bye is None:
                    self._filled.clear()
                    if self.lagging:
                        self.lagging = False
                        self.drained()
                    await self._filled.wait()
            async with asyncio.timeout(min(self.stuck_s, 2.0)):
                await self.connection.send_text(self._bye.model_dump_json())
                await self.connection.close(self._bye.code, reason(self._bye.message))
        except (TimeoutError, RuntimeError, OSError, WebSocketDisconnect):
            pass  # gone, or not reading: the connection is closed by whoever runs this
        finally:
            self.gone = True


def reason(message: str) -> str:
    """As much of a message as fits into a close frame: 123 bytes."""
    return message.encode()[:123].decode(errors="ignore")


class Bucket:
    """A rate limit: `burst` at once, refilled at `rate` a second."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst, self.clock = rate, burst, clock
        self.left = float(burst)
        self.at = clock()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self.clock()
        self.left = min(float(self.burst), self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True
