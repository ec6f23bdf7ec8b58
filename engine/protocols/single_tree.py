"""T_S: publications over the one spanning tree, only into branches with subscribers.

Source: PSVR §5 (T_S). Stabilises: yes, above a stable tree. The paper tells what T_S costs, not how nodes know the
branches; here each tells every tree neighbour, period for period, which channels are wanted on its own side of that link.
What is said about a link hangs only on what is said about links farther away from it, and a tree has no circles: after as
many periods as its longest way has hops all tables are right, whatever they held. They are soft state: nothing is kept but
the last word of each tree neighbour, and that is forgotten when the link is no longer in the tree.

A publication takes as many messages as the smallest subtree with the publisher and all subscribers has links.
Weakness, kept on purpose: the tree is rooted in one place, so the way between two neighbours can lead through the root.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol

from engine.core.declare import NONE, Column, Env, Input, Int, Layer, Message, Net, Param, ProtocolSpec, Table
from engine.layers import application, on_tree
from engine.layers.application import Publish, Subscribe, Unsubscribe
from engine.layers.neighbourhood import Hood, slots
from engine.layers.on_tree import branch_table
from engine.layers.spanning_tree import Tree, TreeState, is_tree


class Branches(NamedTuple):
    """Per tree neighbour: the channels that somebody behind it wants, as bits."""

    wants: Annotated[Column[int], Input("subscribed channels", 0, "channels")]
    behind: Annotated[Table[int], "slot", Int("channels wanted behind it", 0, "channels")]


class Wanted(NamedTuple):
    """To a tree neighbour: these channels are wanted on my side of our link."""

    channels: Annotated[int, Int("channels", 0, "channels")]


class Pub(NamedTuple):
    """A publication, and the hops it made."""

    channel: Annotated[int, Int("channel", 0, "channel")]
    publication: Annotated[int, Int("publication", 0, 0)]
    hops: Annotated[int, Int("hops", 0, "n")]


class SingleTreeState(TreeState, Protocol):
    """The whole stack, as the handlers see it."""

    @property
    def pubsub(self) -> Branches: ...


# --- subscribing


def on_subscribe(st: SingleTreeState, net: Net, v: int, j: int, m: Subscribe) -> None:
    st.pubsub.wants[v] |= 1 << m.channel
    tell(st, net, v)


def on_unsubscribe(st: SingleTreeState, net: Net, v: int, j: int, m: Unsubscribe) -> None:
    st.pubsub.wants[v] &= ~(1 << m.channel)
    tell(st, net, v)


def tell(st: SingleTreeState, net: Net, v: int) -> None:
    """Every period, and at once when the application changes its mind: what I and all others want, to each neighbour."""
    behind, wanted, twice = st.pubsub.behind[v], st.pubsub.wants[v], 0
    for j in slots(st, v):
        if is_tree(st, v, j):
            twice |= wanted & behind[j]
            wanted |= behind[j]
        else:
            behind[j] = 0
    for j in slots(st, v):
        if is_tree(st, v, j):
            net.unicast(v, j, Wanted(twice | (wanted & ~behind[j])))  # also by others than j


def on_wanted(st: SingleTreeState, net: Net, v: int, j: int, m: Wanted) -> None:
    if is_tree(st, v, j):
        st.pubsub.behind[v][j] = m.channels


# --- publications


def on_publish(st: SingleTreeState, net: Net, v: int, j: int, m: Publish) -> None:
    forward(st, net, v, NONE, m.channel, m.publication, 1)


def on_pub(st: SingleTreeState, net: Net, v: int, j: int, m: Pub) -> None:
    if not is_tree(st, v, j):
        return  # the tree is being repaired: nodes disagree about it
    if st.pubsub.wants[v] >> m.channel & 1:
        net.deliver(v, m.channel, m.publication)
    if m.hops < st.env.n:
        forward(st, net, v, j, m.channel, m.publication, m.hops + 1)


def forward(st: SingleTreeState, net: Net, v: int, back: int, c: int, publication: int, hops: int) -> None:
    """Into every branch with a subscriber, but not back."""
    for j in slots(st, v):
        if j != back and is_tree(st, v, j) and st.pubsub.behind[v][j] >> c & 1:
            net.unicast(v, j, Pub(c, publication, hops))


# --- for readers


def facts(st: SingleTreeState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help) for a reader."""
    used = [j for j in slots(st, v) if is_tree(st, v, j) and st.pubsub.behind[v][j]]
    told = [f"{name(st.hood.peer[v][j])} ({st.pubsub.behind[v][j].bit_count()})" for j in used]
    note = "in brackets: how many channels are wanted behind this tree neighbour"
    return [("Subscribers behind", ", ".join(told) or "nobody", note)]


def table(st: SingleTreeState, v: int, c: int, now: float) -> dict[str, Any]:
    """The branches for one channel: a row a tree neighbour."""
    return branch_table(st, v, c, st.pubsub.behind[v], "Told anew every period.")


BRANCHES = Layer(
    name="pubsub",
    key="pubsub",
    title="Pub/sub",
    summary="Each node knows which channels are wanted behind each tree neighbour; publications follow these branches.",
    state=Branches,
    every={tell: "tell_s"},
    on={
        Subscribe: on_subscribe,
        Unsubscribe: on_unsubscribe,
        Publish: on_publish,
        Wanted: on_wanted,
        Pub: on_pub,
    },
    facts=facts,
    table=table,
    params=(
        Param(
            "tell_s",
            "float",
            1.0,
            "Table period",
            "How often a node tells its tree neighbours which channels are wanted.",
            0.1,
            60.0,
            "s",
        ),
    ),
)


class SingleTree(NamedTuple):
    """The state of the stack, bottom up."""

    env: Env
    par: Any
    hood: Hood
    tree: Tree
    pubsub: Branches


SINGLE_TREE = ProtocolSpec(
    name="single-tree",
    title="Single tree (T_S)",
    summary="Publications over one spanning tree, pruned to the subscribers.",
    source="Siegemund, Turau: PSVR (SSS 2015), §5: T_S",
    state=SingleTree,
    layers=(*on_tree.LAYERS, BRANCHES),
    messages=(
        Message(Pub, "PUB", "publication", "A publication on its way over the tree.", shown=("hops",)),
        Message(Wanted, "WANTED", "subscription", "These channels are wanted on my side of the link."),
        *on_tree.MESSAGES,
        *application.MESSAGES,
    ),
    params=(on_tree.ROOT, application.CHANNELS),
    overlays={**on_tree.OVERLAYS, "subscriptions": {"wants": "pubsub.wants"}},
    subscribe=Subscribe,
    unsubscribe=Unsubscribe,
    publish=Publish,
    stabilises=True,
    compiled=True,
)
