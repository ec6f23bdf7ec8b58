"""Who may talk to the server, and how much: Host and Origin checks, body size, security headers.

Without these, any page in the same browser could use a server on this machine: by a name that points to 127.0.0.1 (DNS
rebinding), by posting forms, or by opening a WebSocket, which browsers allow across origins.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from backend.errors import answer
from backend.refusal import Problem
from backend.settings import Settings
from backend.state import State
from engine.core.errors import shown

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
DISCARD_S = 2.0
"""How long the rest of a body that is too big is thrown away, so that its sender gets to read the refusal."""


def host_name(host: str) -> str:
    """`localhost:8000` as `localhost`, `[::1]:8000` as `::1`."""
    if host.startswith("["):
        return host[1:].split("]")[0].casefold()
    return host.rsplit(":", 1)[0].casefold() if host.count(":") == 1 else host.casefold()


def same_origin(headers: Headers, settings: Settings) -> bool:
    """No origin (not a page), the server's own, or one that was allowed."""
    origin = headers.get("origin")
    if origin is None:
        return True
    if origin.casefold() in settings.allowed_origins:
        return True
    try:
        return urlsplit(origin).netloc.casefold() == headers.get("host", "").casefold()
    except ValueError:  # no address at all
        return False


class Guard:
    """Turns down what is not meant for this server, and sets the headers that keep the page to itself."""

    def __init__(self, app: ASGIApp, state: State, loopback: bool, policy: str) -> None:
        self.app, self.state, self.policy = app, state, policy
        self.settings = settings = state.settings
        self.hosts = settings.allowed_hosts or (LOOPBACK if loopback else frozenset())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._problem(scope, headers)
        if scope["type"] == "websocket":
            if problem is not None:
                await receive()
                await WebSocketClose(1008, problem.message)(scope, receive, send)
                return
            await self.app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._dress(MutableHeaders(scope=message), scope["path"])
            await send(message)

        if problem is not None:
            await answer(421 if problem.path == "Host" else 403, problem)(scope, receive, dressed)
            return
        body = Body(receive, self.settings.max_body)
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self.settings.max_body:
            await self._too_big(scope, dressed, receive, int(length))
            return
        started = False

        async def unless_too_big(message: Message) -> None:
            nonlocal started
            if not body.too_big:
                started = True
                await dressed(message)

        try:
            await self.app(scope, body, unless_too_big)
        except Exception:
            if not (started or body.too_big):  # else answered and logged already
                raise
        if body.too_big and not started:
            await self._too_big(scope, dressed, receive, body.size)

    def _problem(self, scope: Scope, headers: Headers) -> Problem | None:
        host = headers.get("host", "")
        if self.hosts and host_name(host) not in self.hosts:
            allowed = ", ".join(sorted(self.hosts)) + "; others by RINGCAST_HOSTS"
            return Problem(
                path="Host", value=shown(host), allowed=allowed, message="this server has another name"
            )
        if (scope["type"] == "websocket" or scope["method"] not in SAFE) and not same_origin(
            headers, self.settings
        ):
            allowed = "pages of this server; others by RINGCAST_ORIGINS"
            origin = shown(headers.get("origin"))
            return Problem(
                path="Origin", value=origin, allowed=allowed, message="a page of another site asked for this"
            )
        return None

    async def _too_big(self, scope: Scope, send: Send, receive: Receive, size: int) -> None:
        most = self.settings.max_body
        problem = Problem(
            path="body", value=f"{size:,} bytes", allowed=f"at most {most:,} bytes", message="too big"
        )
        await answer(413, problem)(scope, receive, send)
        try:
            async with asyncio.timeout(DISCARD_S):
                while (message := await receive())["type"] == "http.request" and message.get("more_body"):
                    pass
        except TimeoutError:
            pass

    def _dress(self, headers: MutableHeaders, path: str) -> None:
        headers.setdefault("Content-Security-Policy", self.policy)
        headers.setdefault("X-Content-Type-Options", "nosniff")
        headers.setdefault("X-Frame-Options", "DENY")
        headers.setdefault("Referrer-Policy", "no-referrer")
        headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        if path.startswith("/api/"):
            headers.setdefault("Cache-Control", "no-store")


class Body:
    """A request's body, counted; to its reader, one that is too big breaks off."""

    def __init__(self, receive: Receive, most: int) -> None:
        self.receive, self.most, self.size = receive, most, 0

    @property
    def too_big(self) -> bool:
        return self.size > self.most

    async def __call__(self) -> Message:
        message = await self.receive()
        if message["type"] == "http.request":
            self.size += len(message.get("body", b""))
            if self.too_big:
                return {"type": "http.disconnect"}
        return message


def policy(index: Path) -> str:
    """The content security policy: this server only, and the inline scripts of its own page by their hashes."""
    hashes = ""
    if index.is_file():
        for script in re.findall(r"<script>(.*?)</script>", index.read_text("utf-8"), re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            hashes += f" 'sha256-{digest}'"
    return (
        f"default-src 'none'; script-src 'self'{hashes}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        "font-src 'self'; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
