"""What a protocol declares about itself, as the engine's registry describes it (`ringcast protocols --json`)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Declared(BaseModel):
    """Part of a declaration; a field the engine adds must be added here too."""

    model_config = ConfigDict(extra="forbid")


class Choice(Declared):
    """One value of a parameter that is chosen from a list."""

    value: str
    title: str


class Param(Declared):
    """One parameter: what a form needs."""

    name: str
    layer: str = Field(description="the layer it belongs to; empty: the protocol as a whole")
    kind: Literal["int", "float", "choice", "node"]
    default: Any
    title: str
    help: str
    lo: float
    hi: float
    unit: str
    symbol: str = Field(description="the paper's")
    choices: list[Choice]


class DeclaredField(Declared):
    """One variable of a layer's state, per node."""

    name: str
    axes: list[str] = Field(
        description="further indices: slot (a neighbour), pos (an own ring position), channel, …"
    )
    kind: str = Field(description="int, hops, position, node, flag, seconds, slot or input")
    label: str
    unit: str
    lo: int
    hi: int | str = Field(description="a number, or the name of a bound that depends on the network")
    corruptible: bool


class DeclaredLayer(Declared):
    """One layer of the stack."""

    name: str
    title: str
    summary: str
    fields: list[DeclaredField]


class DeclaredMessage(Declared):
    """One kind of message; `kind` in state frames counts through these in order."""

    name: str
    shape: Literal["publication", "subscription", "structure", "local"]
    doc: str
    over: str = Field(description="the overlay a broadcast is meant for; empty: every neighbour")
    fields: list[str]


class Protocol(Declared):
    """A protocol's declaration."""

    name: str
    title: str
    summary: str
    source: str
    stabilises: bool
    compiled: bool = Field(description="whether the compiled engine can run it")
    services: list[Literal["subscribe", "unsubscribe", "publish"]] = Field(
        description="events by which an application asks its node for something"
    )
    layers: list[DeclaredLayer] = Field(description="bottom up")
    messages: list[DeclaredMessage]
    params: list[Param]
    overlays: dict[str, dict[str, str]] = Field(
        description="structures to draw, and the fields they are read from"
    )
