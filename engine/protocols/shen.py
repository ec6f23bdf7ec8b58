"""Shen: publish/subscribe on the spanning tree, with routing tables that neighbours exchange.

Source: slides, "Self-stabilizing Attempt II"; PSVR §2 and §5, on its reference [13]. They give no pseudo-code, this is what
they tell. Stabilises: no.

  SUB    Floods the tree, once. Each node notes, per channel, the tree neighbours behind which a subscriber lives.
  PUB    Into the branches noted for its channel, but not back.
  TABLE  "Regular exchange of neighbouring routing tables", the only repair. Each tells a tree neighbour what its table says
         of either side of their link: `mine` replaces the entry there, `yours` reminds a subscriber of itself.

Weakness, kept: subscriptions are not renewed ("no renewal of routing tables"). A subscriber's own entry is part of its
table and can be lost like any other. Its neighbours then remind it; when they have lost theirs at the same time, nobody is
left who could tell, and the subscriber gets no publications any more (PSVR §2: "the concurrent loss of routing entries").
Deviations: the papers say nothing about the end of a subscription: it leaves the own entry, and then, table by table, the
others. A node that is switched on subscribes anew to what its applications want. SUBs say whether they are on their way
down, so that they end while nodes disagree about parents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol

from engine.core.declare import (
    NONE,
    Column,
    Env,
    Flag,
    Input,
    Int,
    Layer,
    Message,
    Net,
    NodeId,
    Param,
    ProtocolSpec,
    Table,
)
from engine.layers import application, on_tree
from engine.layers.application import Publish, Subscribe, Unsubscribe
from engine.layers.neighbourhood import Hood, slots
from engine.layers.on_tree import branch_table, has_child
from engine.layers.spanning_tree import Tree, TreeState, from_child, from_parent, is_tree


class PubSub(NamedTuple):
    """The routing table; sets of channels are bits of a number."""

    wants: Annotated[Column[int], Input("subscribed channels", 0, "channels")]
    own: Annotated[Column[int], Int("own entry: channels subscribed to", 0, "channels")]
    behind: Annotated[
        Table[int], "slot", Int("channels with a subscriber behind this neighbour", 0, "channels")
    ]
    awake: Annotated[Column[int], Flag("has made its own entry since it was switched on")]


class Sub(NamedTuple):
    """A subscriber of these channels lives here; `previous` sent it to the node that sends it now."""

    previous: Annotated[int, NodeId("previous sender")]
    down: Annotated[int, Flag("on its way down")]
    channels: Annotated[int, Int("channels", 0, "channels")]


class Tables(NamedTuple):
    """What the sender's table says of a link of the tree: subscribers on the sender's side, and on the receiver's."""

    mine: Annotated[int, Int("channels on the sender's side", 0, "channels")]
    yours: Annotated[int, Int("channels on the receiver's side", 0, "channels")]


class Pub(NamedTuple):
    """A publication in a branch, with the hops it made."""

    channel: Annotated[int, Int("channel", 0, "channel")]
    publication: Annotated[int, Int("publication", 0, 0)]
    hops: Annotated[int, Int("hops", 0, 0)]


class ShenState(TreeState, Protocol):
    """The whole stack, as the handlers see it."""

    @property
    def pubsub(self) -> PubSub: ...


# --- subscriptions


def on_subscribe(st: ShenState, net: Net, v: int, j: int, m: Subscribe) -> None:
    st.pubsub.wants[v] |= 1 << m.channel
    st.pubsub.own[v] |= 1 << m.channel
    net.broadcast(v, Sub(NONE, 0, 1 << m.channel))


def on_unsubscribe(st: ShenState, net: Net, v: int, j: int, m: Unsubscribe) -> None:
    st.pubsub.wants[v] &= ~(1 << m.channel)
    st.pubsub.own[v] &= ~(1 << m.channel)


def on_sub(st: ShenState, net: Net, v: int, j: int, m: Sub) -> None:
    above = from_parent(st, v, j)
    if m.previous == v or not (above or (m.down == 0 and from_child(st, v, j))):
        return
    st.pubsub.behind[v][j] |= m.channels
    if has_child(st, v):
        net.broadcast(v, Sub(st.hood.peer[v][j], 1 if above else 0, m.channels))


# --- the exchange of tables


def exchange(st: ShenState, net: Net, v: int) -> None:
    """Every period, with every tree neighbour; what is noted for others is void."""
    table, behind = st.pubsub, st.pubsub.behind[v]
    if table.awake[v] == 0:
        table.awake[v], table.own[v] = 1, table.wants[v]
    table.own[v] &= table.wants[v]
    for j in slots(st, v):
        if not is_tree(st, v, j):
            behind[j] = 0
    once, twice = held(st, v)
    for j in slots(st, v):
        if is_tree(st, v, j):
            net.unicast(v, j, Tables(twice | once & ~behind[j], behind[j]))


def held(st: ShenState, v: int) -> tuple[int, int]:
    """Channels in at least one entry of the table, and in more than one: what is left of these without one entry e is
    twice | once & ~e.
    """
    once, twice = st.pubsub.own[v], 0
    for j in slots(st, v):
        twice |= once & st.pubsub.behind[v][j]
        once |= st.pubsub.behind[v][j]
    return once, twice


def on_tables(st: ShenState, net: Net, v: int, j: int, m: Tables) -> None:
    if not is_tree(st, v, j):
        return
    table, behind = st.pubsub, st.pubsub.behind[v]
    table.own[v] |= m.yours & table.wants[v]
    noted = behind[j]
    behind[j] = m.mine
    if noted & ~m.mine:  # has the neighbour lost it, or ended it? It knows once it is told.
        once, twice = held(st, v)
        net.unicast(v, j, Tables(twice | once & ~m.mine, noted))


# --- publications


def on_publish(st: ShenState, net: Net, v: int, j: int, m: Publish) -> None:
    spread(st, net, v, NONE, m.channel, m.publication, 0)


def on_pub(st: ShenState, net: Net, v: int, j: int, m: Pub) -> None:
    if is_tree(st, v, j):
        if st.pubsub.wants[v] >> m.channel & 1:
            net.deliver(v, m.channel, m.publication)
        if m.hops < st.env.n:  # while parents form a circle, so might publications
            spread(st, net, v, j, m.channel, m.publication, m.hops)


def spread(st: ShenState, net: Net, v: int, back: int, c: int, publication: int, hops: int) -> None:
    """Into the branches with a subscriber, except back."""
    for j in slots(st, v):
        if j != back and st.pubsub.behind[v][j] >> c & 1 and is_tree(st, v, j):
            net.unicast(v, j, Pub(c, publication, hops + 1))


# --- for readers


def facts(st: ShenState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help)."""
    branches = [j for j in slots(st, v) if is_tree(st, v, j)]
    used = sum(st.pubsub.behind[v][j] != 0 for j in branches)
    lost = st.pubsub.wants[v] & ~st.pubsub.own[v]
    own = "lost" if lost else "subscribed" if st.pubsub.own[v] else "none"
    return [
        ("Branches in use", f"{used} of {len(branches)}", "tree neighbours with a subscriber behind them"),
        (
            "Own entry",
            own,
            "what the table says of this node itself; lost if less than its applications want",
        ),
    ]


def table(st: ShenState, v: int, c: int, now: float) -> dict[str, Any]:
    """The branches for one channel: a row a tree neighbour."""
    return branch_table(st, v, c, st.pubsub.behind[v], "Not renewed: neighbours repair each other's tables.")


PUBSUB = Layer(
    name="pubsub",
    key="pubsub",
    title="Pub/sub",
    summary="Each node keeps the tree neighbours behind which subscribers live, and neighbours repair each other's tables. "
    "What several lose at once is not repaired.",
    state=PubSub,
    every={exchange: "exchange_s"},
    on={
        Subscribe: on_subscribe,
        Unsubscribe: on_unsubscribe,
        Publish: on_publish,
        Sub: on_sub,
        Tables: on_tables,
        Pub: on_pub,
    },
    facts=facts,
    table=table,
    params=(
        Param(
            "exchange_s",
            "float",
            2.0,
            "Exchange period",
            "How often tree neighbours tell each other their routing tables.",
            0.1,
            600.0,
            "s",
        ),
    ),
)


class Shen(NamedTuple):
    """The state of Shen's stack, bottom up."""

    env: Env
    par: Any
    hood: Hood
    tree: Tree
    pubsub: PubSub


SHEN = ProtocolSpec(
    name="shen",
    title="Shen",
    summary="Publish/subscribe on the spanning tree: cheap, but what several nodes lose at once is not repaired.",
    source="Z. Shen: Techniques for building a scalable and reliable distributed content-based pub/sub system (2007)",
    state=Shen,
    layers=(*on_tree.LAYERS, PUBSUB),
    messages=(
        Message(Pub, "PUB", "publication", "A publication on its way down a branch.", shown=("hops",)),
        Message(Sub, "SUB", "subscription", "A subscription floods the tree.", over="tree"),
        Message(Tables, "TABLE", "structure", "What my routing table says of your side and mine."),
        *on_tree.MESSAGES,
        *application.MESSAGES,
    ),
    params=(on_tree.ROOT, application.CHANNELS),
    overlays={**on_tree.OVERLAYS, "subscriptions": {"wants": "pubsub.wants"}},
    subscribe=Subscribe,
    unsubscribe=Unsubscribe,
    publish=Publish,
    stabilises=False,
    compiled=True,
)
