"""Garbage on the socket: answered with words and a proper close code, and the server stays up."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from backend.routes.socket import PATIENCE
from backend.wire import Close
from tests.backend.decode import Frame
from tests.backend.support import Serving, Viewer, kind, wait_for


@pytest.fixture(autouse=True)
def _stays_up(server: Serving) -> Iterator[None]:
    yield
    assert server.http.get("/api/health").status_code == 200
    server.create()


@pytest.fixture
def stranger(server: Serving) -> Iterator[Callable[..., Viewer]]:
    """A connection that has not said anything yet."""
    opened: list[Viewer] = []

    def connect(path: str | None = None, **extra: Any) -> Viewer:
        path = path or server.create()["ws"]
        opened.append(Viewer(f"ws://127.0.0.1:{server.port}{path}", hello=False, **extra))
        return opened[-1]

    yield connect
    for viewer in opened:
        viewer.close()


def said(viewer: Viewer, code: int) -> str:
    """The words of the bye that came with this close code."""
    bye, closed = viewer.until_closed()
    assert closed == code
    assert bye is not None
    assert bye["code"] == code
    assert bye["message"]
    return str(bye["message"])


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"binary", Close.UNSUPPORTED),
        ("not json", Close.NO_HELLO),
        ("", Close.NO_HELLO),
        ("{}", Close.NO_HELLO),
        ("null", Close.NO_HELLO),
        ('{"type": "play"}', Close.NO_HELLO),
        ('{"type": "hello"}', Close.NO_HELLO),
        ('{"type": "hello", "v": 1, "token": 7}', Close.NO_HELLO),
        ('{"type": "hello", "v": 1, "token": "' + "x" * 300 + '"}', Close.NO_HELLO),
        ('{"type": "hello", "v": 2, "token": null}', Close.VERSION),
        ('{"type": "hello", "v": 2, "token": null, "new": true}', Close.VERSION),
        ('{"type": "hello", "v": "newest"}', Close.VERSION),
        ('{"type": "hello", "v": 1, "token": "wrong"}', Close.TOKEN),
        ('{"type": "hello", "v": 1, "token": "\\ud800"}', Close.NO_HELLO),
        ("[" * 50_000, Close.NO_HELLO),
        ("x" * 70_000, Close.TOO_BIG),
        ("é" * 40_000, Close.TOO_BIG),
    ],
)
def test_a_wrong_beginning(stranger: Callable[..., Viewer], data: str | bytes, code: int) -> None:
    viewer = stranger()
    viewer.ws.send(data)
    said(viewer, code)


def test_an_unknown_session(stranger: Callable[..., Viewer]) -> None:
    for path in ("/ws/unknown", "/ws/" + "x" * 1_000, "/ws/%00"):
        viewer = stranger(path)
        viewer.send(type="hello", v=1, token=None)
        assert "no such session" in said(viewer, Close.UNKNOWN_SESSION)


def test_silence(own_server: Callable[..., Serving]) -> None:
    server = own_server(hello_s=0.05)
    with Viewer(f"ws://127.0.0.1:{server.port}{server.create()['ws']}", hello=False) as viewer:
        assert "no hello within 0.05 s" in said(viewer, Close.NO_HELLO)


def test_a_message_far_beyond_the_limit(stranger: Callable[..., Viewer]) -> None:
    """Too big even to be read: closed by the protocol itself."""
    viewer = stranger()
    viewer.ws.send("x" * 1_000_000)
    _, code = viewer.until_closed()
    assert code == Close.TOO_BIG


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("not json", "message"),
        ("[]", "message"),
        ('{"type": "dance"}', "type"),
        ('{"type": 7}', "type"),
        ("{}", "type"),
        ('{"type": "speed"}', "value"),
        ('{"type": "speed", "value": 1, "more": 2}', "more"),
        ('{"type": "speed", "value": NaN}', "value"),
        ('{"type": "step", "what": "back"}', "what"),
        ('{"type": "command", "ref": 3}', "event"),
        ('{"type": "command", "ref": -3, "event": {}}', "ref"),
        ('{"type": "command", "ref": "x", "event": {}}', "ref"),
        ('{"type": "command", "ref": 3, "event": 5}', "event"),
        ('{"type": "select", "node": 5}', "node"),
        ('{"type": "show", "messages": "PUB"}', "messages"),
        ('{"type": "hello", "v": 1}', "type"),
    ],
)
def test_a_message_that_makes_no_sense_gets_words_and_nothing_else_happens(
    server: Serving, text: str, path: str
) -> None:
    with server.viewer(server.create()) as viewer:
        viewer.ws.send(text)
        error = viewer.until("error")
        assert error["path"] == path, error
        assert error["message"]
        assert error["allowed"]
        assert kind(viewer.command(4, do="fail-node", node="1")) == "done"


def test_a_refused_command_is_answered_with_its_ref(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        viewer.ws.send('{"type": "command", "ref": 77, "event": []}')
        assert viewer.until("error")["ref"] == 77


def test_deeply_nested_events_are_refused(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        deep: Any = 1
        for _ in range(100):
            deep = {"x": deep}
        viewer.send(type="command", ref=1, event=deep)
        assert viewer.until("error")["ref"] == 1


def test_binary_after_the_hello(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        viewer.ws.send(b"\x00\x01")
        said(viewer, Close.UNSUPPORTED)


def test_endless_garbage_ends_the_connection(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        for _ in range(PATIENCE):
            viewer.ws.send("garbage")
        said(viewer, Close.GARBAGE)


def test_too_many_commands_are_refused_not_queued(own_server: Callable[..., Serving]) -> None:
    server = own_server(command_rate=0.01, command_burst=3)
    with server.viewer(server.create()) as viewer:
        for ref in range(5):
            viewer.send(type="command", ref=ref, event={"do": "fail-node", "node": str(ref)})
        refused = viewer.until("error")
        assert (refused["ref"], refused["message"]) == (3, "too many messages")
        viewer.send(type="ping", ref=1)
        viewer.until("pong")


def test_a_page_of_another_site_gets_no_socket(server: Serving) -> None:
    session = server.create()
    with pytest.raises(InvalidStatus) as caught:
        Viewer(f"ws://127.0.0.1:{server.port}{session['ws']}", origin="https://evil.example")
    assert caught.value.response.status_code == 403
    with Viewer(
        f"ws://127.0.0.1:{server.port}{session['ws']}", origin=f"http://127.0.0.1:{server.port}"
    ) as viewer:
        viewer.until("welcome")


def test_another_host_name_gets_no_socket(server: Serving) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 10) as raw:
        raw.sendall(
            b"GET /ws/x HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        assert b" 403 " in raw.recv(4_096).split(b"\r\n")[0]


def test_no_more_viewers_than_allowed(own_server: Callable[..., Serving]) -> None:
    server = own_server(max_viewers=2)
    session = server.create()
    third = f"ws://127.0.0.1:{server.port}{session['ws']}"
    with server.viewer(session), server.viewer(session, owner=False), Viewer(third) as viewer:
        assert "at most 2 viewers" in said(viewer, Close.FULL)


def test_a_viewer_that_stops_reading_stalls_nobody(own_server: Callable[..., Serving]) -> None:
    """Its socket fills up; the others go on; it is let go, and the server can stop."""
    server = own_server(stuck_s=0.5)
    session = server.create({"example": "first-visit"})
    lazy = _lazy(server, session)
    with server.viewer(session) as viewer:
        names = [m["name"] for m in viewer.all("welcome")[0]["protocol"]["messages"] if m["shape"] != "local"]
        viewer.send(type="speed", value=30)
        wait_for(lambda: len(server.sessions.live[session["id"]].viewers) == 2, "both viewers")
        lazy.sendall(_masked(json.dumps({"type": "show", "messages": names})))
        wait_for(
            lambda: viewer.receive() and len(server.sessions.live[session["id"]].viewers) == 1,
            "the lazy one to be let go",
        )
        reached = viewer.mirror.t
        viewer.until(lambda m: isinstance(m, Frame) and m.t > reached + 1)
        assert all(
            b.number == a.number + 1
            for a, b in zip(viewer.frames(), viewer.frames()[1:], strict=False)
            if b.kind == 2
        )
    lazy.close()


def _masked(text: str) -> bytes:
    data = text.encode()
    assert len(data) < 126
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


def _lazy(server: Serving, session: dict[str, Any]) -> socket.socket:
    """A viewer that says hello and never reads."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    raw.connect(("127.0.0.1", server.port))
    raw.sendall(
        f"GET {session['ws']} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += raw.recv(1)
    raw.sendall(_masked('{"type": "hello", "v": 1, "token": null}'))
    return raw
