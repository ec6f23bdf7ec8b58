"""Flooding: every node passes every publication on, once.

Source: the baseline of the slides. Stabilises: yes, by use: a node remembers the numbers of the last `memory` publications,
and whatever a fault wrote there is overwritten by as many new ones. No structure, so none that could be wrong.
A publication takes n messages: one broadcast by the publisher, one by each other node of its part, leaves included.

Weaknesses, kept on purpose: the price does not depend on how few subscribe; and with more publications under way than fit
into the memory, a node takes an old one for new, passes it on again and delivers it twice. A path without a circle has
fewer than n hops: frames that made more are dropped, else such copies could breed for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol

from engine.core.declare import NONE, Column, Env, Input, Int, Layer, Message, Net, Param, ProtocolSpec, Table
from engine.layers import application
from engine.layers.application import Publish, Subscribe, Unsubscribe
from engine.layers.neighbourhood import NEIGHBOURHOOD, Hello, Hood, HoodState

LARGEST = (1 << 31) - 1  # publication number
MOST = 1024  # publications remembered


class Flood(NamedTuple):
    """What a node remembers of publications."""

    wants: Annotated[Column[int], Input("subscribed channels", 0, "channels")]
    seen: Annotated[Table[int], "memory", Int("publication seen", NONE, LARGEST, NONE)]
    next: Annotated[Column[int], Int("place for the next", 0, MOST - 1)]


class Pub(NamedTuple):
    """A publication, and the hops it made."""

    channel: Annotated[int, Int("channel", 0, "channel")]
    publication: Annotated[int, Int("publication", 0, 0)]
    hops: Annotated[int, Int("hops", 0, "n")]


class FloodState(HoodState, Protocol):
    """The whole stack, as the handlers see it."""

    @property
    def flood(self) -> Flood: ...


def on_subscribe(st: FloodState, net: Net, v: int, j: int, m: Subscribe) -> None:
    st.flood.wants[v] |= 1 << m.channel


def on_unsubscribe(st: FloodState, net: Net, v: int, j: int, m: Unsubscribe) -> None:
    st.flood.wants[v] &= ~(1 << m.channel)


def on_publish(st: FloodState, net: Net, v: int, j: int, m: Publish) -> None:
    if not is_known(st, v, m.publication):
        remember(st, v, m.publication)
    net.broadcast(v, Pub(m.channel, m.publication, 1))


def on_pub(st: FloodState, net: Net, v: int, j: int, m: Pub) -> None:
    if is_known(st, v, m.publication):
        return
    remember(st, v, m.publication)
    if st.flood.wants[v] >> m.channel & 1:
        net.deliver(v, m.channel, m.publication)
    if m.hops < st.env.n:
        net.broadcast(v, Pub(m.channel, m.publication, m.hops + 1))


def is_known(st: FloodState, v: int, publication: int) -> bool:
    seen = st.flood.seen[v]
    for k in range(st.par.memory):
        if seen[k] == publication:
            return True
    return False


def remember(st: FloodState, v: int, publication: int) -> None:
    """In place of the oldest."""
    k = st.flood.next[v] % st.par.memory
    st.flood.seen[v][k] = publication
    st.flood.next[v] = (k + 1) % st.par.memory


def facts(st: FloodState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help) for a reader."""
    held = sum(x != NONE for x in st.flood.seen[v])
    return [("Publications seen", f"{held} of at most {st.par.memory}", "older ones are forgotten")]


FLOOD = Layer(
    name="flooding",
    key="flood",
    title="Flooding",
    summary="Each node passes a publication on to all neighbours, unless it remembers to have seen it.",
    state=Flood,
    every={},
    on={Subscribe: on_subscribe, Unsubscribe: on_unsubscribe, Publish: on_publish, Pub: on_pub},
    facts=facts,
    params=(
        Param(
            "memory",
            "int",
            16,
            "Memory",
            "Publications that a node remembers. With more of them under way at once it delivers duplicates.",
            1,
            MOST,
        ),
    ),
)


class Flooding(NamedTuple):
    """The state of the stack, bottom up."""

    env: Env
    par: Any
    hood: Hood
    flood: Flood


FLOODING = ProtocolSpec(
    name="flooding",
    title="Flooding",
    summary="Every node passes every publication on, once: n messages, however few subscribe.",
    source="the baseline of the slides",
    state=Flooding,
    layers=(NEIGHBOURHOOD, FLOOD),
    messages=(
        Message(Pub, "PUB", "publication", "A publication, passed on by everybody.", shown=("hops",)),
        Message(Hello, "HELLO", "structure", "I am here, and these are the nodes I hear."),
        *application.MESSAGES,
    ),
    params=(application.CHANNELS,),
    overlays={"neighbourhood": {"up": "hood.up"}, "subscriptions": {"wants": "flood.wants"}},
    subscribe=Subscribe,
    unsubscribe=Unsubscribe,
    publish=Publish,
    stabilises=True,
    compiled=True,
)
