"""What an application asks of its node, the same in every publish/subscribe protocol: subscribe, unsubscribe, publish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from engine.core.declare import Int, Message, Param
from engine.core.errors import ScenarioError


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
LEASES = (
    Param("lease_s", "float", 10.0, "Lease", "How often a subscriber renews.", 0.2, 600.0, "s", symbol="δ_S"),
    Param(
        "forget_s",
        "float",
        25.0,
        "Forget after",
        "A next subscriber not renewed for this long gives way. More than two leases.",
        0.5,
        2000.0,
        "s",
        symbol="T_w/back",
    ),
    Param(
        "clean_s",
        "float",
        1.0,
        "Clean period",
        "How often stale entries are looked for.",
        0.1,
        60.0,
        "s",
        symbol="T_clean",
    ),
)


def check_leases(par: Mapping[str, Any]) -> list[str]:
    """Entries must outlive the wait for their renewal. What is doubtful, in words; raises ScenarioError."""
    lease, forget, clean = par["lease_s"], par["forget_s"], par["clean_s"]
    if forget <= 2 * lease:
        problem = "live subscribers would be forgotten between two renewals"
        allowed = f"more than 2·lease_s = {2 * lease:g} s"
        raise ScenarioError("protocol.params.forget_s", forget, allowed, problem)
    if clean > forget:
        return [
            f"clean_s = {clean:g} s is longer than forget_s: stale entries stay for up to {clean:g} s more"
        ]
    return []


def renewed(age: float, lease: float) -> str:
    """How long ago an entry was renewed (s), for a table."""
    return f"{max(0.0, age):.1f} s ago" + (", stale" if age > lease else "")
