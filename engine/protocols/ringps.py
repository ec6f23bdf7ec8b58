"""RingPS: publish/subscribe by walks around the virtual ring.

Source: slides, from "Self-stabilizing Publish/Subscribe Layer" on; PSVR §4.2 and Fig. 6, on its reference [14]. They give
no pseudo-code, this is what they tell. Stabilises: yes, above a stable ring, if SUBs come around.
Symbols: C_S = wants; fPos of a position = ns, the next subscriber on the ring; renewals every lease_s; expiry = forget_s.

  SUB    Once a lease and channel, from the first position through all others: each node notes, by own position, the next
         subscriber. What was not renewed in time is deleted.
  PUB    One walk: to the neighbour position farthest along, but not beyond the next subscriber, until the next hop would
         reach or pass the position where the publication began. Where no subscriber is known, to the next position.

Weaknesses, kept: the walk goes on behind the last subscriber, and may come to a node several times (PSVR §4.2 improves on
both); a SUB takes L - 1 messages for each channel, and all of its way is lost with one of them.
Deviations: a subscriber delivers at the first of its positions on the way only, so once. Walks count their hops, which ends
them while positions are out of order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol

from engine.core.declare import (
    NONE,
    Column,
    Cube,
    Env,
    Input,
    Int,
    Ints,
    Layer,
    Message,
    Net,
    Position,
    ProtocolSpec,
    Seconds,
)
from engine.layers import application, on_ring, on_tree
from engine.layers.application import Publish, Subscribe, Unsubscribe, renewed
from engine.layers.neighbourhood import Hood
from engine.layers.on_ring import closest, towards
from engine.layers.spanning_tree import Tree
from engine.layers.virtual_ring import Ring, RingState, in_half, in_open, own


class PubSub(NamedTuple):
    """The next subscriber, per channel and own position."""

    wants: Annotated[Column[int], Input("subscribed channels", 0, "channels")]
    ns: Annotated[Cube[int], "channel", "pos", Position("next subscriber", NONE, NONE)]
    heard: Annotated[Cube[float], "channel", "pos", Seconds("renewed")]


class Sub(NamedTuple):
    """On its way around the ring: a subscriber of this channel has these positions."""

    from_pos: Annotated[int, Position("from position")]
    goal: Annotated[int, Position("goal")]
    hops: Annotated[int, Int("hops", 0, "ring")]
    channel: Annotated[int, Int("channel", 0, "channel")]
    size: Annotated[int, Int("positions", 0, "n")]
    pos: Annotated[Ints, Position("position of the subscriber")]


class Pub(NamedTuple):
    """On its way around the ring, from where it started."""

    from_pos: Annotated[int, Position("from position")]
    goal: Annotated[int, Position("goal")]
    start: Annotated[int, Position("where the walk began")]
    channel: Annotated[int, Int("channel", 0, "channel")]
    publication: Annotated[int, Int("publication", 0, 0)]
    hops: Annotated[int, Int("hops", 0, 0)]


class RingPsState(RingState, Protocol):
    """The whole stack, as the handlers see it."""

    @property
    def pubsub(self) -> PubSub: ...


# --- subscriptions


def on_subscribe(st: RingPsState, net: Net, v: int, j: int, m: Subscribe) -> None:
    st.pubsub.wants[v] |= 1 << m.channel
    announce(st, net, v, m.channel)


def on_unsubscribe(st: RingPsState, net: Net, v: int, j: int, m: Unsubscribe) -> None:
    st.pubsub.wants[v] &= ~(1 << m.channel)


def renew(st: RingPsState, net: Net, v: int) -> None:
    """Every lease, channel by channel."""
    for c in range(st.env.channels):
        if st.pubsub.wants[v] >> c & 1:
            announce(st, net, v, c)


def announce(st: RingPsState, net: Net, v: int, c: int) -> None:
    size = len(own(st, v))
    if st.ring.length[v] > 0 and size > 0:
        p = st.ring.pos[v][0]
        goal = (p + 1) % st.ring.length[v]
        j = towards(st, v, goal)
        if j != NONE:
            net.unicast(v, j, Sub(p, goal, 1, c, size, st.ring.pos[v]))


def on_sub(st: RingPsState, net: Net, v: int, j: int, m: Sub) -> None:
    """Note it, and pass it on until it has been at every position."""
    for i in range(m.size):
        update_next(st, net, v, m.channel, m.pos[i])
    if index(st, v, m.goal) != NONE and m.hops < st.ring.length[v] - 1:
        goal = (m.goal + 1) % st.ring.length[v]
        i = towards(st, v, goal)
        if i != NONE:
            net.unicast(v, i, Sub(m.goal, goal, m.hops + 1, m.channel, m.size, m.pos))


def update_next(st: RingPsState, net: Net, v: int, c: int, sp: int) -> None:
    """For all own positions: sp, if no subscriber is known that comes before it."""
    ns, heard, length = st.pubsub.ns[v][c], st.pubsub.heard[v][c], st.ring.length[v]
    if length > 0 and index(st, v, sp) == NONE:  # nobody is its own next subscriber
        for k in own(st, v):
            if ns[k] == NONE or in_half(sp, st.ring.pos[v][k], ns[k], length):
                ns[k], heard[k] = sp, net.now()


def index(st: RingPsState, v: int, p: int) -> int:
    """Which of the own positions p is, or NONE."""
    for k in own(st, v):
        if st.ring.pos[v][k] == p:
            return k
    return NONE


def clean(st: RingPsState, net: Net, v: int) -> None:
    """Delete what was not renewed in time."""
    now, forget, count = net.now(), st.par.forget_s, len(own(st, v))
    for c in range(st.env.channels):
        ns = st.pubsub.ns[v][c]
        for k in range(count):
            if ns[k] != NONE:
                heard = st.pubsub.heard[v][c]
                if heard[k] > now:
                    heard[k] = now  # a stamp from the future is a fault
                if now - heard[k] > forget:
                    ns[k] = NONE


# --- publications


def on_publish(st: RingPsState, net: Net, v: int, j: int, m: Publish) -> None:
    if len(own(st, v)) > 0:
        start = st.ring.pos[v][0]
        walk(st, net, v, start, start, m.channel, m.publication, 0)


def on_pub(st: RingPsState, net: Net, v: int, j: int, m: Pub) -> None:
    if st.pubsub.wants[v] >> m.channel & 1 and is_first(st, v, m.goal, m.start):
        net.deliver(v, m.channel, m.publication)
    if m.hops < 2 * st.env.n:  # more than positions, so all of them while the ring is in order
        walk(st, net, v, m.goal, m.start, m.channel, m.publication, m.hops)


def is_first(st: RingPsState, v: int, p: int, start: int) -> bool:
    """Whether a walk from `start` comes to p before all other own positions; never so for the publisher."""
    for k in own(st, v):
        x = st.ring.pos[v][k]
        if x == start or in_open(x, start, p, max(1, st.ring.length[v])):
            return False
    return True


def walk(st: RingPsState, net: Net, v: int, p: int, start: int, c: int, publication: int, hops: int) -> None:
    """One hop on, unless that would reach or pass the start."""
    length, k = st.ring.length[v], index(st, v, p)
    if length > 0 and k != NONE:
        ns = st.pubsub.ns[v][c][k]
        j, goal = closest(st, v, p, ns if ns != NONE else (p + 1) % length, length)
        if j != NONE and in_open(goal, p, start, length):
            net.unicast(v, j, Pub(p, goal, start, c, publication, hops + 1))


# --- for readers


def facts(st: RingPsState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help)."""
    known = sum(1 for c in range(st.env.channels) for k in own(st, v) if st.pubsub.ns[v][c][k] != NONE)
    return [("Routing entries", str(known), "next subscribers known, over all channels and positions")]


def table(st: RingPsState, v: int, c: int, now: float) -> dict[str, Any]:
    """The next subscribers for one channel: a row a position."""
    rows = []
    for k in own(st, v):
        p, ns = st.ring.pos[v][k], st.pubsub.ns[v][c][k]
        age = renewed(now - st.pubsub.heard[v][c][k], st.par.lease_s) if ns != NONE else None
        rows.append((k, p, (p, ns, age)))
    columns = (("Position", ""), ("Next", "position"), ("Renewed", ""))
    note = f"An entry not renewed for {st.par.forget_s:g} s is deleted; without one, on to the next position."
    return {"title": "Next subscriber, by position", "columns": columns, "rows": rows, "note": note}


PUBSUB = Layer(
    name="pubsub",
    key="pubsub",
    title="Pub/sub",
    summary="Subscriptions walk around the ring and leave, at each position, the next subscriber; publications follow.",
    state=PubSub,
    every={renew: "lease_s", clean: "clean_s"},
    on={Subscribe: on_subscribe, Unsubscribe: on_unsubscribe, Publish: on_publish, Sub: on_sub, Pub: on_pub},
    facts=facts,
    table=table,
    params=application.LEASES,
    check=application.check_leases,
)


class RingPs(NamedTuple):
    """The state of the RingPS stack, bottom up."""

    env: Env
    par: Any
    hood: Hood
    tree: Tree
    ring: Ring
    pubsub: PubSub


RINGPS = ProtocolSpec(
    name="ringps",
    title="RingPS",
    summary="Publish/subscribe by walks around the virtual ring: one for each publication, from subscriber to subscriber.",
    source="Siegemund, Maâmra, Turau: A Self-stabilizing Publish/Subscribe Middleware for WSN (NetSys 2015)",
    state=RingPs,
    layers=(*on_ring.LAYERS, PUBSUB),
    messages=(
        Message(Pub, "PUB", "publication", "A publication on its walk.", shown=("from_pos", "goal", "start")),
        Message(Sub, "SUB", "subscription", "A subscriber's positions on their way around the ring."),
        *on_ring.MESSAGES,
        *application.MESSAGES,
    ),
    params=(on_tree.ROOT, on_ring.SHORTCUTS, application.CHANNELS),
    overlays={**on_ring.OVERLAYS, "subscriptions": {"wants": "pubsub.wants"}},
    subscribe=Subscribe,
    unsubscribe=Unsubscribe,
    publish=Publish,
    stabilises=True,
    compiled=True,
)
