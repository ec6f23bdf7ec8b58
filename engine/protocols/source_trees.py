"""T_D: a breadth-first tree for every publisher, pruned to the subscribers.

Source: PSVR §5 (T_D). Stabilises: yes. The paper tells what T_D costs, not how nodes know the trees; here they grow by
distance vectors and are pruned by what children want. Any node may publish at any time, so every node is a source:

- grow: each node tells its distance to every source (DIST). The parent towards a source is the first neighbour, in node
  order, that is closest to it. Distances that a fault made too small, or to a source that is gone, rise with every period
  and are given up at n: so after O(n) periods all are right, as with any distance vector.
- prune: each node tells for every source its parent and the channels that it, or a child in that source's tree, wants
  (WANTED). Parents forward only to children that want something. Right from the leaves up once the trees are.

All of it is told anew every period: soft state. A publication takes as many messages as the publisher's own tree, cut down
to the subscribers, has links. Weakness, kept on purpose: the memory of a node and the messages of every period grow with
the number of nodes, 2·n numbers a frame, which no sensor radio would carry beyond a few dozen.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import ne
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
    Param,
    ProtocolSpec,
    Slot,
    Table,
)
from engine.layers import application
from engine.layers.application import Publish, Subscribe, Unsubscribe
from engine.layers.neighbourhood import NEIGHBOURHOOD, Hello, Hood, HoodState, slots, up

NODES = 20  # bits for a node in an entry of WANTED
ENTRY = (1 << 32 + NODES) - 1


class Sources(NamedTuple):
    """Per source: where its tree comes from, and what is wanted down that tree."""

    wants: Annotated[Column[int], Input("subscribed channels", 0, "channels")]
    dist: Annotated[Table[int], "node", Int("distance to the source", NONE, "node", NONE, "hops")]
    parent: Annotated[Table[int], "node", Slot("parent towards the source")]
    behind: Annotated[Cube[int], "slot", "node", Int("channels wanted by this child", 0, "channels")]
    told: Annotated[Table[int], "node", Int("channels and parent last told", 0, ENTRY)]


class Dist(NamedTuple):
    """My distance to every source; NONE: I know of none."""

    size: Annotated[int, Int("sources", 0, "n")]
    dist: Annotated[Ints, Int("distance", NONE, "node")]


class Wanted(NamedTuple):
    """For every source: the channels wanted in my subtree, and my parent (its node + 1, in the last NODES bits)."""

    size: Annotated[int, Int("sources", 0, "n")]
    told: Annotated[Ints, Int("channels and parent", 0, ENTRY)]


class Pub(NamedTuple):
    """A publication, and the hops it made."""

    source: Annotated[int, Int("source", 0, "node")]
    channel: Annotated[int, Int("channel", 0, "channel")]
    publication: Annotated[int, Int("publication", 0, 0)]
    hops: Annotated[int, Int("hops", 0, "n")]


class SourceTreesState(HoodState, Protocol):
    """The whole stack, as the handlers see it."""

    @property
    def pubsub(self) -> Sources: ...


# --- grow


def grow(st: SourceTreesState, net: Net, v: int) -> None:
    """Every period: give up what has no parent any more, tell the distances."""
    dist, parent = st.pubsub.dist[v], st.pubsub.parent[v]
    for s in range(st.env.n):
        if s == v:
            dist[s], parent[s] = 0, NONE
        elif not up(st, v, parent[s]):
            dist[s], parent[s] = NONE, NONE
    net.broadcast(v, Dist(st.env.n, dist))


def on_dist(st: SourceTreesState, net: Net, v: int, j: int, m: Dist) -> None:
    dist, parent, n = st.pubsub.dist[v], st.pubsub.parent[v], st.env.n
    for s in range(min(m.size, n)):
        d = m.dist[s] + 1  # over this neighbour; 0: it knows no way
        if s == v:
            continue
        if d == 0 or d >= n:
            if parent[s] == j:
                dist[s], parent[s] = NONE, NONE
        elif parent[s] == j or parent[s] == NONE or d < dist[s] or (d == dist[s] and j < parent[s]):
            dist[s], parent[s] = d, j


# --- prune


def on_subscribe(st: SourceTreesState, net: Net, v: int, j: int, m: Subscribe) -> None:
    st.pubsub.wants[v] |= 1 << m.channel
    prune(st, net, v)


def on_unsubscribe(st: SourceTreesState, net: Net, v: int, j: int, m: Unsubscribe) -> None:
    st.pubsub.wants[v] &= ~(1 << m.channel)
    prune(st, net, v)


def prune(st: SourceTreesState, net: Net, v: int) -> None:
    """Every period, and at once when the application changes its mind: what is wanted here and below, by source."""
    parent, told, n = st.pubsub.parent[v], st.pubsub.told[v], st.env.n
    for s in range(n):
        told[s] = st.pubsub.wants[v]
    for j in slots(st, v):
        if up(st, v, j):
            behind = st.pubsub.behind[v][j]
            for s in range(n):
                if parent[s] != j:
                    told[s] |= behind[s]
    for s in range(n):
        above = st.hood.peer[v][parent[s]] + 1 if up(st, v, parent[s]) else 0
        told[s] = told[s] << NODES | above
    net.broadcast(v, Wanted(n, told))


def on_wanted(st: SourceTreesState, net: Net, v: int, j: int, m: Wanted) -> None:
    behind, known = st.pubsub.behind[v][j], (1 << st.env.channels) - 1
    for s in range(min(m.size, st.env.n)):
        is_child = m.told[s] & ((1 << NODES) - 1) == v + 1
        behind[s] = m.told[s] >> NODES & known if is_child else 0


# --- publications


def on_publish(st: SourceTreesState, net: Net, v: int, j: int, m: Publish) -> None:
    forward(st, net, v, v, m.channel, m.publication, 1)


def on_pub(st: SourceTreesState, net: Net, v: int, j: int, m: Pub) -> None:
    if st.pubsub.parent[v][m.source] != j:
        return  # the tree is being repaired: not the way it should come
    if st.pubsub.wants[v] >> m.channel & 1:
        net.deliver(v, m.channel, m.publication)
    if m.hops < st.env.n:
        forward(st, net, v, m.source, m.channel, m.publication, m.hops + 1)


def forward(st: SourceTreesState, net: Net, v: int, source: int, c: int, publication: int, hops: int) -> None:
    """To every child in the source's tree that wants it."""
    parent = st.pubsub.parent[v]
    for j in slots(st, v):
        if up(st, v, j) and j != parent[source] and st.pubsub.behind[v][j][source] >> c & 1:
            net.unicast(v, j, Pub(source, c, publication, hops))


# --- for readers


def judge(truth: Any, st: Any) -> list[int]:
    """Per node: wrong distances, parents, and entries about neighbours in use."""
    right = truth.notes.get("source trees")
    if right is None or right[0] != st.pubsub.wants:
        right = truth.notes["source trees"] = (list(st.pubsub.wants), *legitimate(truth, st))
    _, dist, parent, behind = right
    wrong = [0] * st.env.n
    for actual, true in ((st.pubsub.dist, dist), (st.pubsub.parent, parent)):
        for v, row in enumerate(actual):
            if row != true[v]:
                wrong[v] += sum(map(ne, row, true[v]))
    for v, rows in enumerate(st.pubsub.behind):
        for used, row, true in zip(truth.up[v], rows, behind[v], strict=True):
            if used and row != true:
                wrong[v] += sum(map(ne, row, true))
    return wrong


def legitimate(truth: Any, st: Any) -> tuple[Any, Any, Any]:
    """What `dist`, `parent` and `behind` should be."""
    n, peer, wants = st.env.n, st.hood.peer, st.pubsub.wants
    near = [[(j, w) for j, w in enumerate(peer[v]) if truth.up[v][j]] for v in range(n)]
    slot = [{w: j for j, w in enumerate(peer[v])} for v in range(n)]
    dist, parent = ([[NONE] * n for _ in range(n)] for _ in range(2))
    behind = [[[0] * n for _ in peer[v]] for v in range(n)]
    for s in range(n):
        dist[s][s] = 0
        order = [s]
        for v in order:
            for _, w in near[v]:
                if dist[w][s] == NONE:
                    dist[w][s] = dist[v][s] + 1
                    order.append(w)
        below = list(wants)
        for v in reversed(order[1:]):
            j, w = next((j, w) for j, w in near[v] if dist[w][s] == dist[v][s] - 1)
            parent[v][s] = j
            behind[w][slot[w][v]][s] = below[v]
            below[w] |= below[v]
    return dist, parent, behind


def facts(st: SourceTreesState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help) for a reader."""
    known = [s for s in range(st.env.n) if st.pubsub.dist[v][s] > 0]
    farthest = max((st.pubsub.dist[v][s] for s in known), default=0)
    serving = sum(any(st.pubsub.behind[v][j][s] for j in slots(st, v)) for s in range(st.env.n))
    return [
        (
            "Sources known",
            f"{len(known)}, up to {farthest} hops away",
            "other nodes, each the root of a tree",
        ),
        ("Trees forwarded", str(serving), "sources whose publications somebody below wants"),
    ]


def table(st: SourceTreesState, v: int, c: int, now: float) -> dict[str, Any]:
    """The children for one channel: a row a neighbour in use."""
    rows = []
    for j in slots(st, v):
        if up(st, v, j):
            w, behind = st.hood.peer[v][j], st.pubsub.behind[v][j]
            rows.append((j, w, (w, sum(behind[s] >> c & 1 for s in range(st.env.n)))))
    columns = (("Neighbour", "node"), ("Sources it wants by me", ""))
    note = "In the trees of so many sources it is a child of this node, with subscribers in its subtree."
    return {"title": "Children in the trees of all sources", "columns": columns, "rows": rows, "note": note}


TREES = Layer(
    name="pubsub",
    key="pubsub",
    title="Pub/sub",
    summary="Distances to every source make a tree for each; children tell which channels they want from it.",
    state=Sources,
    every={grow: "grow_s", prune: "prune_s"},
    on={
        Subscribe: on_subscribe,
        Unsubscribe: on_unsubscribe,
        Publish: on_publish,
        Dist: on_dist,
        Wanted: on_wanted,
        Pub: on_pub,
    },
    facts=facts,
    table=table,
    judge=judge,
    params=(
        Param(
            "grow_s",
            "float",
            1.0,
            "Distance period",
            "How often a node tells its distance to every source.",
            0.1,
            60.0,
            "s",
        ),
        Param(
            "prune_s",
            "float",
            1.0,
            "Pruning period",
            "How often a node tells its parents which channels are wanted.",
            0.1,
            60.0,
            "s",
        ),
    ),
)


class SourceTrees(NamedTuple):
    """The state of the stack, bottom up."""

    env: Env
    par: Any
    hood: Hood
    pubsub: Sources


SOURCE_TREES = ProtocolSpec(
    name="source-trees",
    title="Source trees (T_D)",
    summary="A breadth-first tree for every publisher, pruned to the subscribers.",
    source="Siegemund, Turau: PSVR (SSS 2015), §5: T_D",
    state=SourceTrees,
    layers=(NEIGHBOURHOOD, TREES),
    messages=(
        Message(
            Pub,
            "PUB",
            "publication",
            "A publication on its way down its source's tree.",
            shown=("source", "hops"),
        ),
        Message(
            Wanted, "WANTED", "subscription", "For every source: my parent, and the channels wanted below."
        ),
        Message(Dist, "DIST", "structure", "My distance to every source."),
        Message(Hello, "HELLO", "structure", "I am here, and these are the nodes I hear."),
        *application.MESSAGES,
    ),
    params=(application.CHANNELS,),
    overlays={"neighbourhood": {"up": "hood.up"}, "subscriptions": {"wants": "pubsub.wants"}},
    subscribe=Subscribe,
    unsubscribe=Unsubscribe,
    publish=Publish,
    stabilises=True,
    compiled=True,
)
