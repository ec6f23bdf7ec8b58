"""A real server in a thread, and viewers that speak to it as a browser would."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from backend.cli.serve import Server, listening, make_server
from backend.settings import Settings
from tests.backend.decode import Frame, Mirror, decode

PATIENCE_S = 15.0

LINE: dict[str, Any] = {
    "version": 1,
    "name": "a line of five",
    "seed": 3,
    "topology": {"kind": "line", "n": 5},
    "radio": {"kind": "ideal", "delay_s": 0.05},
    "protocol": {"name": "psvr", "params": {"root": "0"}},
    "events": [{"t": 1, "do": "subscribe", "node": "4", "channel": "c"}],
    "duration_s": 60,
}


def scenario(**changes: Any) -> dict[str, Any]:
    """A small scenario with some fields changed."""
    return {**LINE, **changes}


class Serving:
    """A running server and an HTTP client for it."""

    def __init__(self, server: Server, port: int, settings: Settings) -> None:
        self.server, self.port, self.settings = server, port, settings
        self.http = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S)

    @property
    def sessions(self) -> Any:
        """The server's own sessions, to look at."""
        return self.server.state.sessions

    def create(self, body: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
        """A new session: {id, token, ws, note}."""
        response = self.http.post(
            "/api/sessions", json=body or {"scenario": scenario(**changes), "play": False}
        )
        assert response.status_code == 201, response.text
        return dict(response.json())

    def viewer(self, session: dict[str, Any], *, owner: bool = True, **extra: Any) -> Viewer:
        """A viewer that has been welcomed and got its first frame."""
        viewer = Viewer(
            f"ws://127.0.0.1:{self.port}{session['ws']}", session["token"] if owner else None, **extra
        )
        viewer.until("welcome")
        viewer.until(lambda m: isinstance(m, Frame) and m.kind == 1)
        return viewer


@contextmanager
def serving(settings: Settings) -> Iterator[Serving]:
    """A server on a free port, for the time of a with block."""
    sock = listening("127.0.0.1", 0)
    server = make_server(settings, "127.0.0.1", sock)
    server.announce = lambda text: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    here = Serving(server, sock.getsockname()[1], settings)
    try:
        wait_for(lambda: server.started, "the server to start")
        yield here
    finally:
        here.http.close()
        server.should_exit = True
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), "the server did not stop"


def settings_for(folder: Path, **changes: Any) -> Settings:
    """Settings with a data folder of their own, quick to give up."""
    return Settings(data=folder / "data", **{"pause_s": 5.0, "create_burst": 500, **changes})


def wait_for(condition: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
    """Until the condition holds; fails after a while."""
    end = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.005)


class Viewer:
    """One WebSocket connection; `messages` are all that came, in order, frames taken apart and applied to `mirror`."""

    def __init__(self, url: str, token: str | None = None, *, hello: bool = True, **extra: Any) -> None:
        self._open = ExitStack()
        self.ws: ClientConnection = self._open.enter_context(
            connect(url, max_size=None, compression=None, **extra)
        )
        self.messages: list[Any] = []
        self.mirror = Mirror()
        self.seen = 0  # messages that `until` has passed
        self.closed: tuple[int, str] | None = None
        if hello:
            self.send(type="hello", v=1, token=token)

    def send(self, **message: Any) -> None:
        self.ws.send(json.dumps(message))

    def command(self, ref: int, **event: Any) -> dict[str, Any]:
        """Give a command and wait until it is done."""
        self.send(type="command", ref=ref, event=event)
        return dict(self.until(lambda m: kind(m) in ("done", "error") and m["ref"] == ref))

    def receive(self, timeout: float = PATIENCE_S) -> Any:
        """The next message; None once the connection is closed."""
        try:
            raw = self.ws.recv(timeout)
        except TimeoutError:
            raise AssertionError(f"nothing came; the latest: {self.messages[-5:]}") from None
        except ConnectionClosed as error:
            close = error.rcvd
            self.closed = (close.code, close.reason) if close is not None else (1006, "")
            return None
        if isinstance(raw, bytes):
            frame = decode(raw)
            self.mirror.apply(frame)
            self.messages.append(frame)
            return frame
        message = json.loads(raw)
        self.messages.append(message)
        return message

    def until(self, wanted: str | Callable[[Any], bool]) -> Any:
        """The next message that is wanted, by type or by a test; those before it are passed over."""
        test = wanted if callable(wanted) else (lambda m: kind(m) == wanted)
        end = time.monotonic() + PATIENCE_S
        while True:
            while self.seen < len(self.messages):
                message = self.messages[self.seen]
                self.seen += 1
                if test(message):
                    return message
            left = end - time.monotonic()
            assert left > 0, f"waited in vain; the latest: {[kind(m) for m in self.messages[-20:]]}"
            assert self.receive(left) is not None, f"closed: {self.closed}; the latest: {self.messages[-2:]}"

    def until_closed(self) -> tuple[dict[str, Any] | None, int]:
        """What the server said last, and its close code."""
        while self.receive() is not None:
            pass
        assert self.closed is not None
        byes = [m for m in self.messages if kind(m) == "bye"]
        return (byes[-1] if byes else None), self.closed[0]

    def all(self, wanted: str) -> list[Any]:
        """Every message of a type so far."""
        return [m for m in self.messages if kind(m) == wanted]

    def frames(self) -> list[Frame]:
        return [m for m in self.messages if isinstance(m, Frame)]

    def close(self) -> None:
        self._open.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()


def kind(message: Any) -> str:
    """`frame`, or the type of a JSON message."""
    return "frame" if isinstance(message, Frame) else str(message["type"])
