"""The least a protocol can be: one layer, nobody to judge it, no parameter but a period, nothing to draw."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from engine.core.declare import Column, Env, Input, Int, Layer, Message, Net, Param, ProtocolSpec, Table


class Heard(NamedTuple):
    """What a node keeps."""

    degree: Annotated[Column[int], Input("neighbours")]
    peer: Annotated[Table[int], "slot", Input("neighbour")]
    pings: Annotated[Column[int], Int("Pings heard", 0, 1 << 30)]


class Ping(NamedTuple):
    """I am here."""

    number: Annotated[int, Int("number", 0, 9)]


class State(NamedTuple):
    """The whole stack."""

    env: Env
    par: Any
    heard: Heard


def ping(st: Any, net: Net, v: int) -> None:
    net.broadcast(v, Ping(st.heard.degree[v] % 10))


def on_ping(st: Any, net: Net, v: int, j: int, m: Ping) -> None:
    st.heard.pings[v] += 1


MINIMAL = ProtocolSpec(
    name="minimal",
    title="Minimal",
    summary="Nodes say that they are there.",
    source="",
    state=State,
    layers=(
        Layer(
            name="heard",
            key="heard",
            title="Heard",
            summary="How often a neighbour was heard.",
            state=Heard,
            every={ping: "ping_s"},
            on={Ping: on_ping},
            params=(Param("ping_s", "float", 1.0, "Period", "How often a node pings.", 0.1, 60.0, "s"),),
        ),
    ),
    messages=(Message(Ping, "PING", "structure", "I am here."),),
    params=(),
    overlays={},
    stabilises=False,
    compiled=True,
)
