"""A viewer's queue: in order, bounded, and never in anybody's way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from backend import viewer as module
from backend.viewer import Bucket, Viewer, reason
from backend.wire import Close, Pong


class Wire:
    """A connection that takes messages only while it is open."""

    def __init__(self) -> None:
        self.sent: list[str | bytes] = []
        self.open = asyncio.Event()
        self.code = 0

    async def send_text(self, data: str) -> None:
        await self.open.wait()
        self.sent.append(data)

    async def send_bytes(self, data: bytes) -> None:
        await self.open.wait()
        self.sent.append(data)

    async def close(self, code: int = 1000, reason: str | None = None) -> None:
        self.code = code

    def types(self) -> list[str]:
        return ["frame" if isinstance(m, bytes) else json.loads(m)["type"] for m in self.sent]


def play(story: Callable[[Viewer, Wire], Coroutine[Any, Any, None]], stuck_s: float = 30.0) -> Wire:
    """A story with a viewer whose messages are pumped."""

    async def run() -> Wire:
        wire = Wire()
        viewer = Viewer(wire, "owner", stuck_s)
        pump = asyncio.create_task(viewer.pump())
        await story(viewer, wire)
        pump.cancel()
        await asyncio.gather(pump, return_exceptions=True)
        return wire

    return asyncio.run(run())


async def settled() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


def test_messages_and_frames_keep_their_order() -> None:
    async def story(viewer: Viewer, wire: Wire) -> None:
        viewer.send(Pong(ref=1))
        viewer.send_frame(b"full", full=True)
        viewer.send(Pong(ref=2))
        viewer.send_frame(b"delta", full=False)
        wire.open.set()
        await settled()

    assert play(story).types() == ["pong", "frame", "pong", "frame"]


def test_a_delta_never_comes_before_a_full_frame() -> None:
    async def story(viewer: Viewer, wire: Wire) -> None:
        wire.open.set()
        viewer.send_frame(b"delta", full=False)
        await settled()

    assert play(story).sent == []


def test_a_slow_viewer_loses_frames_and_asks_for_a_full_one_when_it_is_through() -> None:
    asked = []

    async def story(viewer: Viewer, wire: Wire) -> None:
        viewer.drained = lambda: asked.append(viewer.wants_full)
        viewer.send_frame(b"full", full=True)
        await settled()  # the pump holds the full frame
        for k in range(100):
            viewer.send_frame(b"delta%d" % k, full=False)
            viewer.send_log('{"type":"log"}')
        viewer.send(Pong(ref=7))
        assert (viewer.lagging, asked) == (True, [])
        wire.open.set()
        await settled()
        assert (viewer.lagging, asked) == (False, [True])
        viewer.send_frame(b"full again", full=True)
        viewer.send_frame(b"delta", full=False)
        await settled()

    sent = play(story).sent
    assert [sent[0], *sent[2:]] == [b"full", b"full again", b"delta"]
    assert json.loads(sent[1]) == {"type": "pong", "ref": 7}


def test_of_messages_with_a_key_only_the_latest_is_sent() -> None:
    async def story(viewer: Viewer, wire: Wire) -> None:
        viewer.send(Pong(ref=0))
        await settled()
        for ref in range(1, 5):
            viewer.send(Pong(ref=ref), "run")
        wire.open.set()
        await settled()
        viewer.send(Pong(ref=9), "run")
        await settled()

    assert [json.loads(m)["ref"] for m in play(story).sent] == [0, 4, 9]


def test_a_viewer_that_lets_everything_pile_up_is_let_go_with_words() -> None:
    async def story(viewer: Viewer, wire: Wire) -> None:
        for ref in range(module.MAX_ITEMS + 1):
            viewer.send(Pong(ref=ref))
        wire.open.set()
        await settled()
        assert viewer.gone

    wire = play(story)
    assert wire.code == Close.TOO_SLOW
    assert json.loads(wire.sent[-1])["type"] == "bye"


def test_a_viewer_that_is_stuck_is_given_up() -> None:
    async def story(viewer: Viewer, wire: Wire) -> None:
        viewer.send(Pong(ref=1))
        async with asyncio.timeout(5):
            while not viewer.gone:
                await asyncio.sleep(0)

    assert play(story, stuck_s=0.01).sent == []


def test_a_bucket_lets_a_burst_through_and_then_the_rate() -> None:
    now = 0.0
    bucket = Bucket(2.0, 3, lambda: now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now = 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]
    now = 100.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_a_reason_fits_into_a_close_frame() -> None:
    assert len(reason("ö" * 200).encode()) <= 123
    assert reason("short") == "short"
