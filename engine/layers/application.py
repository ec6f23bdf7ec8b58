"""What an application asks of its node, the same in every publish/subscribe protocol: subscribe, unsubscribe, publish."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from engine.core.declare import Int, Message, Param


class Subscribe(NamedTuple):
    """The application wants a channel."""

    channel: Annotated[int, Int("channel", 0, "channel")]


class Unsubscribe(NamedTuple):
    """The application has had enough of a channel."""

    channel: Annotated[int, Int("channel", 0, "channel")]


class Publish(NamedTuple):
    """The application publishes."""

    channel: Annotated[int, Int("channel", 0, "channel")]
    publication: Annotated[int, Int("publication", 0, 0)]


MESSAGES = (
    Message(Subscribe, "subscribe", "local", "The application subscribes."),
    Message(Unsubscribe, "unsubscribe", "local", "The application unsubscribes."),
    Message(Publish, "publish", "local", "The application publishes."),
)
CHANNELS = Param(
    "channels", "int", 8, "Channels", "How many channels the nodes have room for.", 1, 32, symbol="n_c"
)
