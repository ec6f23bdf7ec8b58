"""The WebSocket: a hello, then messages in and frames out until one side has had enough."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from typing import Any

from fastapi import APIRouter, WebSocket
from pydantic import ValidationError
from starlette.websockets import WebSocketDisconnect

from backend import control, wire
from backend.errors import first_problem
from backend.refusal import Refusal
from backend.session import Session
from backend.settings import Settings
from backend.state import Server
from backend.viewer import Bucket, Viewer, reason
from backend.wire import Close
from engine.core.errors import ScenarioError, shown

router = APIRouter()

PATIENCE = 50
"""Refused messages in a row before a viewer is let go."""


class Parting(Exception):
    """The connection ends, with words and a close code."""

    def __init__(self, message: str, code: int) -> None:
        self.message, self.code = message, code
        super().__init__(message)


@router.websocket("/ws/{id}")
async def socket(server: Server, websocket: WebSocket, id: str) -> None:
    """Watch or control a session; docs/wire.md says what is spoken here."""
    await websocket.accept()
    try:
        hello = await _hello(websocket, server.settings)
        try:
            session = await server.sessions.visit(id[:100])
        except Refusal as refusal:
            code = Close.UNKNOWN_SESSION if refusal.status == 404 else Close.FULL
            raise Parting(str(refusal), code) from None
        except ScenarioError as error:
            raise Parting(f"the session cannot be brought back: {error}", Close.UNKNOWN_SESSION) from None
        if hello.token is not None and not secrets.compare_digest(
            hello.token.encode(), session.token.encode()
        ):
            message = "this token does not belong to the session; without a token you may watch"
            raise Parting(message, Close.TOKEN)
        most = server.settings.max_viewers
        if len(session.viewers) + session.arriving >= most:
            raise Parting(f"at most {most} viewers can watch one session", Close.FULL)
        await _attend(websocket, session, server.settings, owner=hello.token is not None)
    except Parting as parting:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await websocket.send_text(wire.Bye(message=parting.message, code=parting.code).model_dump_json())
            await websocket.close(parting.code, reason(parting.message))
    except WebSocketDisconnect:
        pass


async def _hello(websocket: WebSocket, settings: Settings) -> wire.Hello:
    """The first message. Raises Parting for anything else, or none in time."""
    allowed = 'begin with {"type": "hello", "v": 1, "token": …}'
    try:
        async with asyncio.timeout(settings.hello_s):
            text = await _text(websocket, settings)
    except TimeoutError:
        raise Parting(f"no hello within {settings.hello_s:g} s; {allowed}", Close.NO_HELLO) from None
    try:
        message = wire.parse_client.validate_json(text)
    except ValidationError:
        message = None
        version = _version(text)
        if version is not None and version != wire.VERSION:
            raise _other_version(version) from None
    if not isinstance(message, wire.Hello):
        raise Parting(allowed, Close.NO_HELLO)
    if message.v != wire.VERSION:
        raise _other_version(message.v)
    return message


def _version(text: str) -> object:
    """The version of a hello this server does not understand otherwise."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found.get("v") if isinstance(found, dict) and found.get("type") == "hello" else None


def _other_version(version: object) -> Parting:
    return Parting(
        f"this server speaks version {wire.VERSION}, the page {shown(version, 20)}: reload the page",
        Close.VERSION,
    )


async def _text(websocket: WebSocket, settings: Settings) -> str:
    """The next text message. Raises Parting for a binary or an oversized one."""
    message = await websocket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    text = message.get("text")
    if text is None:
        raise Parting("binary messages are not understood here; send JSON as text", Close.UNSUPPORTED)
    if len(text) > settings.max_message or len(text.encode()) > settings.max_message:
        raise Parting(f"a message may have at most {settings.max_message:,} bytes", Close.TOO_BIG)
    return str(text)


async def _attend(websocket: WebSocket, session: Session, settings: Settings, owner: bool) -> None:
    """Serve one viewer until it goes, is let go, or the session ends."""
    viewer = Viewer(websocket, "owner" if owner else "watcher", settings.stuck_s)
    viewer.drained = lambda: session.post(lambda: session.drained(viewer))
    session.arriving += 1
    session.post(lambda: session.join(viewer))
    pump = asyncio.create_task(viewer.pump())
    listen = asyncio.create_task(_listen(websocket, viewer, session, settings))
    try:
        await asyncio.wait({pump, listen, session.task}, return_when=asyncio.FIRST_COMPLETED)
        if listen.done() and isinstance(parting := _outcome(listen), Parting):
            viewer.dismiss(parting.message, parting.code)
            await pump
        elif session.task.done() and not pump.done():
            viewer.dismiss("the session was put to rest; come back for it", Close.GOING_AWAY)
            await pump
    finally:
        for task in (pump, listen):
            task.cancel()
        await asyncio.gather(pump, listen, return_exceptions=True)
        viewer.gone = True
        session.post(lambda: session.leave(viewer))


def _outcome(task: asyncio.Task[None]) -> BaseException | None:
    error = task.exception()
    if error is not None and not isinstance(error, Parting | WebSocketDisconnect | RuntimeError):
        raise error
    return error


async def _listen(websocket: WebSocket, viewer: Viewer, session: Session, settings: Settings) -> None:
    """Take messages until the viewer goes. Raises Parting for one that is not to be put up with."""
    bucket = Bucket(settings.command_rate, settings.command_burst)
    refused = 0
    while True:
        text = await _text(websocket, settings)
        message, error = _parse(text)
        if isinstance(message, wire.Ping):
            viewer.send(wire.Pong(ref=message.ref))
            if bucket.take():
                refused = 0
                continue
        if error is None and not bucket.take():
            allowed = f"{settings.command_rate:g} a second on average, {settings.command_burst} at once"
            ref = getattr(message, "ref", None)
            error = wire.ErrorMessage(
                ref=ref, path="messages", value="", allowed=allowed, message="too many messages"
            )
        if isinstance(message, wire.Hello):
            error = wire.ErrorMessage(
                ref=None, path="type", value='"hello"', allowed="once", message="said already"
            )
        if error is not None:
            refused += 1
            if refused >= PATIENCE:
                raise Parting(
                    f"{PATIENCE} messages in a row could not be used: {error.message}", Close.GARBAGE
                )
            viewer.send(error)
            continue
        refused = 0
        session.post(lambda message=message: control.handle(session, viewer, message))  # type: ignore[misc]


def _parse(text: str) -> tuple[Any, wire.ErrorMessage | None]:
    """The message, or what is wrong with it."""
    try:
        return wire.parse_client.validate_json(text), None
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=True)
        tags = ", ".join(sorted(_tags()))
        first = problems[0]
        if first["type"] in ("union_tag_invalid", "union_tag_not_found"):
            kind = first["input"].get("type") if isinstance(first["input"], dict) else None
            value = "" if kind is None else shown(kind)
            return None, wire.ErrorMessage(
                ref=None, path="type", value=value, allowed=tags, message="unknown message"
            )
        found = first_problem([{**p, "loc": p["loc"][1:]} for p in problems], "message")
        return None, wire.ErrorMessage(ref=_ref(text), **found.model_dump())


def _tags() -> list[str]:
    return [str(m.model_fields["type"].annotation.__args__[0]) for m in wire.CLIENT]  # type: ignore[union-attr]


def _ref(text: str) -> int | None:
    """The `ref` of a message that is otherwise wrong, so that the sender knows which one was refused."""
    try:
        ref = json.loads(text).get("ref")
    except (ValueError, AttributeError, RecursionError):
        return None
    return ref if isinstance(ref, int) and not isinstance(ref, bool) and 0 <= ref < 2**53 else None
