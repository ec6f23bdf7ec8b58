"""PSVR: self-stabilising publish/subscribe on a virtual ring with shortcuts.

Source: PSVR §4, Alg. 1 (subscribing), Alg. 2 (publications), Alg. 3 (unsubscriptions). Stabilises: yes.
Symbols: C_S = wants; RS[c, p] = (ns, heard, spare), printed as (ns, t_s, nstmp); δ_S = lease_s; T_wb = forget_s.
Deviations, each an erratum of the print:
  1. Alg. 1 updates RS for the channels a node subscribes to; it must be for those in the message: all nodes route. As
     printed: `update = own-channels`.
  2. Alg. 2 forwards from every own position; it must be from those between the position reached and the end point. The
     printed rule can be chosen (`rule = as-printed`), and needs a hop limit.
  3. nstmp carries no time stamp and can come back long after: it is dropped whenever ns is renewed. As printed:
     `update = old-candidates`.
  4. A SUB also says whether it is on its way down. While a tree is being repaired, nodes disagree about parents, and
     without this SUBs multiply in circles; with it a SUB climbs, then descends, and ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol

from engine.core.declare import (
    NONE,
    Column,
    Cube,
    Env,
    Flag,
    Input,
    Int,
    Ints,
    Layer,
    Message,
    Net,
    NodeId,
    Param,
    Position,
    ProtocolSpec,
    Seconds,
)
from engine.layers import application, on_ring, on_tree
from engine.layers.application import Publish, Subscribe, Unsubscribe, renewed
from engine.layers.neighbourhood import Hood
from engine.layers.on_ring import closest
from engine.layers.on_tree import has_child
from engine.layers.spanning_tree import Tree, from_child, from_parent
from engine.layers.virtual_ring import Ring, RingState, in_half, in_open, own

AS_PRINTED, OWN_CHANNELS, OLD_CANDIDATES = 1, 1, 2  # places in the lists of choices


class PubSub(NamedTuple):
    """The routing structure RS, per channel and own position."""

    wants: Annotated[Column[int], Input("subscribed channels", 0, "channels")]
    ns: Annotated[Cube[int], "channel", "pos", Position("next subscriber", NONE, NONE)]
    heard: Annotated[Cube[float], "channel", "pos", Seconds("renewed")]
    spare: Annotated[Cube[int], "channel", "pos", Position("candidate while stale", NONE, NONE)]


class Sub(NamedTuple):
    """SUB⟨r, C, P⟩: a subscriber of channels C has positions P; r sent it to the node that sends it now."""

    previous: Annotated[int, NodeId("previous sender")]
    down: Annotated[int, Flag("on its way down")]
    channels: Annotated[int, Int("channels", 0, "channels")]
    size: Annotated[int, Int("positions", 0, "n")]
    pos: Annotated[Ints, Position("position of the subscriber")]


class Pub(NamedTuple):
    """PUB⟨goal, ep, c, data⟩, with the position it left from and the hops it made."""

    from_pos: Annotated[int, Position("from position")]
    goal: Annotated[int, Position("goal")]
    ep: Annotated[int, Position("end point")]
    channel: Annotated[int, Int("channel", 0, "channel")]
    publication: Annotated[int, Int("publication", 0, 0)]
    hops: Annotated[int, Int("hops", 0, 0)]


class PsvrState(RingState, Protocol):
    """The whole stack, as the handlers see it."""

    @property
    def pubsub(self) -> PubSub: ...


# --- Alg. 1: subscribing


def on_subscribe(st: PsvrState, net: Net, v: int, j: int, m: Subscribe) -> None:
    st.pubsub.wants[v] |= 1 << m.channel
    renew(st, net, v)


def on_unsubscribe(st: PsvrState, net: Net, v: int, j: int, m: Unsubscribe) -> None:
    st.pubsub.wants[v] &= ~(1 << m.channel)


def renew(st: PsvrState, net: Net, v: int) -> None:
    """TIMER_SUB, every δ_S, and at once on subscribing."""
    size = len(own(st, v))
    if st.pubsub.wants[v] != 0 and size > 0:
        net.broadcast(v, Sub(NONE, 0, st.pubsub.wants[v], size, st.ring.pos[v]))


def on_sub(st: PsvrState, net: Net, v: int, j: int, m: Sub) -> None:
    above = from_parent(st, v, j)
    if m.previous == v or not (above or (m.down == 0 and from_child(st, v, j))):
        return
    updated = m.channels
    if st.par.update == OWN_CHANNELS:
        updated &= st.pubsub.wants[v]  # erratum 1
    for c in range(st.env.channels):
        if updated >> c & 1:
            for i in range(m.size):
                update_next(st, net, v, c, m.pos[i])
    rest = m.channels & ~st.pubsub.wants[v]
    if rest != 0 and has_child(st, v):
        net.broadcast(v, Sub(st.hood.peer[v][j], 1 if above else 0, rest, m.size, m.pos))


# --- Alg. 3: the next subscriber, and forgetting


def update_next(st: PsvrState, net: Net, v: int, c: int, sp: int) -> None:
    """UpdSn for one subscriber position."""
    ns, heard, spare = st.pubsub.ns[v][c], st.pubsub.heard[v][c], st.pubsub.spare[v][c]
    length, now = st.ring.length[v], net.now()
    if length == 0:
        return
    for k in own(st, v):
        if sp == st.ring.pos[v][k]:
            return  # from before a renumbering: nobody is its own next subscriber
    for k in own(st, v):
        p = st.ring.pos[v][k]
        if ns[k] == NONE or in_half(sp, p, ns[k], length):
            ns[k], heard[k] = sp, now
            if st.par.update != OLD_CANDIDATES:
                spare[k] = NONE  # erratum 3
        elif now - heard[k] > st.par.lease_s and (spare[k] == NONE or in_half(sp, p, spare[k], length)):
            spare[k] = sp


def clean(st: PsvrState, net: Net, v: int) -> None:
    """TIMER_CLEAN: what was not renewed for T_wb gives way to its candidate."""
    rs, now, forget, each = st.pubsub, net.now(), st.par.forget_s, own(st, v)
    table = rs.ns[v]
    for c in range(st.env.channels):
        ns = table[c]
        for k in each:
            if ns[k] != NONE:
                heard = rs.heard[v][c]
                if heard[k] > now:
                    heard[k] = now  # a stamp from the future is a fault
                if now - heard[k] > forget:
                    ns[k], heard[k], rs.spare[v][c][k] = rs.spare[v][c][k], now, NONE


# --- Alg. 2: publications


def on_publish(st: PsvrState, net: Net, v: int, j: int, m: Publish) -> None:
    if st.ring.length[v] > 0 and len(own(st, v)) > 0:
        start = st.ring.pos[v][0]
        route(st, net, v, start, start, m.channel, m.publication, 0)


def on_pub(st: PsvrState, net: Net, v: int, j: int, m: Pub) -> None:
    if st.pubsub.wants[v] >> m.channel & 1:
        net.deliver(v, m.channel, m.publication)
    most = (
        st.par.hop_limit if st.par.rule == AS_PRINTED else 2 * st.env.n
    )  # the corrected rule ends by itself
    if st.ring.length[v] > 0 and m.hops < most:
        route(st, net, v, m.goal, m.ep, m.channel, m.publication, m.hops)


def route(st: PsvrState, net: Net, v: int, cur: int, ep: int, c: int, publication: int, hops: int) -> None:
    """handlePub: into every branch that begins between here and the end point and holds a subscriber."""
    pos, length, count = st.ring.pos[v], st.ring.length[v], len(own(st, v))
    printed = st.par.rule == AS_PRINTED
    for k in range(count):
        p, after = pos[k], pos[(k + 1) % count]
        if printed or cur == ep or p == cur or in_open(p, cur, ep, length):  # erratum 2
            new_ep = after if p == ep or in_open(after, p, ep, length) else ep
            ns = st.pubsub.ns[v][c][k]
            if ns != NONE and in_open(ns, cur if printed else p, new_ep, length):
                j, goal = closest(st, v, p, ns, length)
                if j != NONE:
                    net.unicast(v, j, Pub(p, goal, new_ep, c, publication, hops + 1))


# --- for readers


def facts(st: PsvrState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help)."""
    known = sum(1 for c in range(st.env.channels) for k in own(st, v) if st.pubsub.ns[v][c][k] != NONE)
    return [("Routing entries", str(known), "next subscribers known, over all channels and positions")]


def table(st: PsvrState, v: int, c: int, now: float) -> dict[str, Any]:
    """RS(v) for one channel: a row a position."""
    rs, rows = st.pubsub, []
    for k in own(st, v):
        p, ns, spare = st.ring.pos[v][k], rs.ns[v][c][k], rs.spare[v][c][k]
        age = renewed(now - rs.heard[v][c][k], st.par.lease_s) if ns != NONE else None
        rows.append((k, p, (p, ns, age, spare)))
    columns = (("Position", ""), ("Next", "position"), ("Renewed", ""), ("Candidate", "position"))
    note = f"An entry not renewed for {st.par.forget_s:g} s gives way to its candidate."
    return {"title": "Next subscriber, by position", "columns": columns, "rows": rows, "note": note}


PUBSUB = Layer(
    name="pubsub",
    key="pubsub",
    title="Pub/sub",
    summary="Each node keeps, for each of its ring positions, the next subscriber; publications jump towards it.",
    state=PubSub,
    every={renew: "lease_s", clean: "clean_s"},
    on={Subscribe: on_subscribe, Unsubscribe: on_unsubscribe, Publish: on_publish, Sub: on_sub, Pub: on_pub},
    facts=facts,
    table=table,
    params=application.LEASES,
    check=application.check_leases,
)


class Psvr(NamedTuple):
    """The state of the PSVR stack, bottom up."""

    env: Env
    par: Any
    hood: Hood
    tree: Tree
    ring: Ring
    pubsub: PubSub


PSVR = ProtocolSpec(
    name="psvr",
    title="PSVR",
    summary="Self-stabilising publish/subscribe on a virtual ring with shortcuts.",
    source="Siegemund, Turau: PSVR – Self-stabilizing Publish/Subscribe Communication for Ad-hoc Networks (SSS 2015)",
    state=Psvr,
    layers=(*on_ring.LAYERS, PUBSUB),
    messages=(
        Message(Pub, "PUB", "publication", "A publication on its way.", shown=("from_pos", "goal", "ep")),
        Message(Sub, "SUB", "subscription", "A subscriber's positions spread over the tree.", over="tree"),
        *on_ring.MESSAGES,
        *application.MESSAGES,
    ),
    params=(
        on_tree.ROOT,
        Param(
            "rule",
            "choice",
            "corrected",
            "Forwarding rule",
            "As printed, Alg. 2 duplicates most publications and may not stop.",
            choices=(
                ("corrected", "forward only from positions before the end point: exactly once"),
                ("as-printed", "Alg. 2 as printed, stopped by the hop limit"),
            ),
        ),
        Param(
            "update",
            "choice",
            "corrected",
            "Update rule",
            "As printed, Alg. 1 leaves nodes that do not subscribe without routes, and Alg. 3 brings old candidates back.",
            choices=(
                ("corrected", "every channel of a SUB; a renewed entry drops its candidate"),
                ("own-channels", "Alg. 1 as printed: only channels that the node subscribes to itself"),
                ("old-candidates", "Alg. 3 as printed: a renewed entry keeps its candidate"),
            ),
        ),
        on_ring.SHORTCUTS,
        Param(
            "hop_limit",
            "int",
            10,
            "Hop limit",
            "Stops publications under the printed rule, where copies breed copies. The corrected rule needs none.",
            1,
            64,
            "hops",
        ),
        application.CHANNELS,
    ),
    overlays={**on_ring.OVERLAYS, "subscriptions": {"wants": "pubsub.wants"}},
    subscribe=Subscribe,
    unsubscribe=Unsubscribe,
    publish=Publish,
    stabilises=True,
    compiled=True,
)
