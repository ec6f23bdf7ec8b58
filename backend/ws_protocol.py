"""uvicorn's WebSocket protocol, made to let go of connections whose other end has stopped reading.

A transport that is closed with unsent bytes waits until they are taken, which for a stopped reader is never: it would
hold its buffers, and the server's shutdown, for ever.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

LINGER_S = 3.0


class LettingGo(WebSocketsSansIOProtocol):
    """Aborts what is still open a moment after the application is done with it."""

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        super().on_task_complete(task)
        if not self.disconnected:
            self.loop.call_later(LINGER_S, self._let_go)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._let_go()

    def _let_go(self) -> None:
        if not self.disconnected:
            self.transport.abort()
