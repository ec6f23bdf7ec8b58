"""`ringcast serve`: the server, from an open port to a clean stop."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import os
import socket

import uvicorn
from starlette.types import ASGIApp

from backend.app import create_app, state_of
from backend.settings import Settings
from backend.ws_protocol import LettingGo
from engine.core.errors import ScenarioError

GRACE_S = 1


def serve(host: str, port: int) -> int:
    """Serve until told to stop. Raises ScenarioError for a port or a data folder that cannot be used."""
    logging.basicConfig(format="%(levelname)s: %(message)s", level=logging.WARNING)
    settings = Settings.from_env()
    with listening(host, port) as sock:
        server = make_server(settings, host, sock)
        server.run(sockets=[sock])
        return 0 if server.started else 1


def make_server(settings: Settings, host: str, sock: socket.socket) -> Server:
    """A server for this socket, not yet running."""
    app = create_app(settings, loopback=is_loopback(host))
    config = uvicorn.Config(
        app,
        log_level="warning",
        log_config=None,
        access_log=False,
        ws=LettingGo,
        ws_max_size=4
        * settings.max_message,  # the server words its own refusals; this is for what is far beyond
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host
    shown = f"[{shown}]" if ":" in shown else shown
    return Server(config, app, f"http://{shown}:{sock.getsockname()[1]}/")


class Server(uvicorn.Server):
    """Says where it serves once it really does, and parks the sessions before the connections go."""

    def __init__(self, config: uvicorn.Config, app: ASGIApp, url: str) -> None:
        super().__init__(config)
        self.state, self.url = state_of(app), url

    def announce(self, text: str) -> None:
        """Tell whoever started the server."""
        print(text, flush=True)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.announce(f"Ringcast is at {self.url}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self.servers:
            listener.close()
        await asyncio.gather(self.state.sessions.close(), self.state.jobs.close())
        await asyncio.sleep(0)  # the byes are on their way
        await super().shutdown(sockets)


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach a server listening there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def listening(host: str, port: int) -> socket.socket:
    """A listening socket. Raises ScenarioError."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind)
    except (OSError, UnicodeError):
        raise ScenarioError("--host", host, "the name or address of this machine", "not known") from None
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(100)
        sock.set_inheritable(False)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            allowed = f"another port, such as --port {port % 65535 + 1}, or 0 for any free one"
            raise ScenarioError("--port", port, allowed, "this port is taken") from None
        if error.errno == errno.EACCES:
            raise ScenarioError("--port", port, "a port above 1023", "this port needs more rights") from None
        raise ScenarioError(
            "--host", host, "an address of this machine", os.strerror(error.errno or 0).lower()
        ) from None
    return sock
