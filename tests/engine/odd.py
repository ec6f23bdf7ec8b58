"""Protocols that break a bound, or that are hard on the event queue: for tests of the engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from engine.core.declare import Column, Env, Input, Int, Ints, Layer, Message, Net, Param, ProtocolSpec, Table

(
    NOTHING,
    LONG_LIST,
    NEGATIVE_SIZE,
    BAD_SLOT,
    PAST,
    TOO_LARGE,
    FLOOD,
    FLOOD_LISTS,
    FLOOD_SELF,
    FLOOD_APPLICATION,
) = range(10)


class Odd(NamedTuple):
    """What a node keeps."""

    degree: Annotated[Column[int], Input("neighbours", 0, "n")]
    peer: Annotated[Table[int], "slot", Input("neighbour", 0, "node")]
    small: Annotated[Column[int], Int("few", 0, 9)]
    heard: Annotated[Column[int], Int("messages heard", 0, 1 << 40)]
    latest: Annotated[Column[int], Int("a number from the latest", 0, 1 << 40)]


class Ping(NamedTuple):
    """A number."""

    number: Annotated[int, Int("number", 0, 1 << 40)]


class Roll(NamedTuple):
    """Some of my neighbours."""

    size: Annotated[int, Int("nodes", 0, "n")]
    who: Annotated[Ints, Int("node", 0, "node")]


class State(NamedTuple):
    """The whole stack."""

    env: Env
    par: Any
    odd: Odd


def stray(st: Any, net: Net, v: int) -> None:
    """Do what the parameter says; node 1 only."""
    fault, odd = st.par.fault, st.odd
    if v != 1:
        return
    if fault == NOTHING:
        net.broadcast(v, Roll(odd.degree[v], odd.peer[v]))
    elif fault == LONG_LIST:
        net.broadcast(v, Roll(odd.degree[v] + 7, odd.peer[v]))
    elif fault == NEGATIVE_SIZE:
        net.after(v, 1.0, Roll(-1, odd.peer[v]))
    elif fault == BAD_SLOT:
        net.unicast(v, odd.degree[v], Ping(1))
    elif fault == PAST:
        net.after(v, -0.5, Ping(1))
    elif fault == TOO_LARGE:
        odd.small[v] = 1000
    while fault == FLOOD:
        net.broadcast(v, Ping(2))
    while fault == FLOOD_LISTS:
        net.broadcast(v, Roll(odd.degree[v], odd.peer[v]))
    while fault == FLOOD_SELF:
        net.after(v, 1.0, Ping(3))
    while fault == FLOOD_APPLICATION:
        net.deliver(v, 0, 1)


def on_ping(st: Any, net: Net, v: int, j: int, m: Ping) -> None:
    st.odd.heard[v] += 1
    st.odd.latest[v] = (st.odd.latest[v] * 31 + m.number) % 1000003


def on_roll(st: Any, net: Net, v: int, j: int, m: Roll) -> None:
    st.odd.heard[v] += 1
    for i in range(m.size):
        st.odd.latest[v] = (st.odd.latest[v] * 31 + m.who[i]) % 1000003


def hurry(st: Any, net: Net, v: int) -> None:
    """Every millisecond: a message to itself at any time of the next hour, one at a full second, and a list soon."""
    number = st.odd.heard[v]
    net.after(v, 3600.0 * net.uniform(v), Ping(number))
    u = net.uniform(v)
    net.after(v, 5.0 * u * u * u, Ping(number + 1))
    net.after(v, float(int(net.now()) + 2) - net.now(), Ping(number + 2))
    net.after(v, 0.25, Roll(st.odd.degree[v], st.odd.peer[v]))


def rest(st: Any, net: Net, v: int) -> None:
    """Every quarter of an hour."""
    net.broadcast(v, Ping(st.odd.latest[v]))


def spec(name: str, every: Mapping[Any, str], params: tuple[Param, ...]) -> ProtocolSpec:
    """A protocol of one layer with these timers."""
    layer = Layer(
        name="odd",
        key="odd",
        title="Odd",
        summary="",
        state=Odd,
        every=every,
        on={Ping: on_ping, Roll: on_roll},
        params=params,
    )
    return ProtocolSpec(
        name=name,
        title=name,
        summary="",
        source="",
        state=State,
        layers=(layer,),
        messages=(Message(Ping, "PING", "structure", ""), Message(Roll, "ROLL", "structure", "")),
        params=(),
        overlays={},
        stabilises=False,
        compiled=True,
    )


STRAYING = spec(
    "straying",
    {stray: "stray_s"},
    (Param("stray_s", "float", 1.0, "", "", 0.1, 60.0), Param("fault", "int", 0, "", "", 0, 9)),
)
UNEVEN = spec(
    "uneven",
    {hurry: "hurry_s", rest: "rest_s"},
    (
        Param("hurry_s", "float", 0.001, "", "", 0.0001, 60.0),
        Param("rest_s", "float", 1000.0, "", "", 1.0, 1e4),
    ),
)


def with_timer(rule: Any, name: str = "made-up") -> ProtocolSpec:
    """STRAYING with another rule."""
    (layer,) = STRAYING.layers
    return replace(STRAYING, name=name, layers=(replace(layer, every={rule: "stray_s"}),))
