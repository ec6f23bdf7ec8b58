"""What a protocol declares about itself, as the engine's registry describes it (`ringcast protocols --json`)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class Choice(BaseModel):
    """One value of a parameter that is chosen from a list."""

    value: str
    help: str


class Param(BaseModel):
    """One parameter: what a form needs."""

    name: str
    kind: Literal["int", "float", "choice", "node"]
    default: Any
    title: str
    help: str
    lo: float | None = None
    hi: float | None = None
    unit: str = ""
    choices: list[Choice] = []
    symbol: str = Field("", description="the paper's")
    layer: str | None = Field(None, description="the layer it belongs to; null: the protocol as a whole")


class DeclaredLayer(BaseModel):
    """One layer of the stack."""

    name: str
    title: str
    summary: str


class DeclaredMessage(BaseModel):
    """One kind of message; `kind` in state frames counts through these in order."""

    name: str
    shape: Literal["publication", "subscription", "structure", "local"]
    doc: str


class Protocol(BaseModel):
    """A protocol's declaration."""

    name: str
    title: str
    summary: str
    source: str
    stabilises: bool
    layers: list[DeclaredLayer] = Field(description="bottom up")
    messages: list[DeclaredMessage]
    params: list[Param]
