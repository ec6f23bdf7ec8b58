"""The run report as a schema: what `ringcast run` writes and GET /api/sessions/{id}/report answers."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Digest = Field(
    pattern="^[0-9a-f]{16}$",
    description="hash over every send, receipt, drop and delivery: equal digests, equal runs",
)


class Part(BaseModel):
    """Part of a report; a field the engine adds must be described here too."""

    model_config = ConfigDict(extra="forbid")


class ReportedDelivery(Part):
    """The first time a subscriber got a publication."""

    t: float
    hops: int


class ReportedSend(Part):
    """One hop of a publication."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    t: float
    from_: str = Field(alias="from")
    to: str
    fields: dict[str, int] = Field(
        description="the message's fields that tell its way, as its protocol declares"
    )


class ReportedPublication(Part):
    """A publication and what became of it."""

    id: str
    t: float
    node: str
    channel: str
    data: str | None
    expected: list[str] = Field(description="subscribers alive and reachable when published, in node order")
    delivered: dict[str, ReportedDelivery] = Field(description="by node id, in order of delivery")
    duplicates: int = Field(description="deliveries beyond the first of a node")
    messages: int
    sends: list[ReportedSend] = Field(description="the first 10,000")


class ReportedLayer(Part):
    """How legitimate a layer is at the end."""

    wrong: int = Field(description="wrong variables of all nodes")
    since_s: float | None = Field(description="legitimate since, without a break; null: it is not")


class ReportedPart(Part):
    """A connected part of the network at the end."""

    nodes: int
    root: str = Field(description="the true root of the part's tree")
    wrong_nodes: dict[str, int] = Field(description="by layer: nodes with a wrong variable")


class ReportedTime(Part):
    """From a fault to legitimacy; null: not before the next fault, or the end."""

    seconds: float | None
    rounds: int | None = Field(description="asynchronous rounds, the last begun one counted")


class ReportedFault(Part):
    """A fault, or several at one moment, and what followed until all layers were legitimate, or until the next fault."""

    t: float
    caused_by: dict[str, int] = Field(description="commands by what they do; empty: power-on")
    layers: dict[str, ReportedTime] = Field(description="by layer, bottom up; `all`: every layer at once")
    messages: dict[str, int] = Field(description="sent meanwhile, by name")
    publications: int = Field(description="made meanwhile")
    expected: int = Field(description="receivers of these publications")
    delivered: int = Field(description="those among them that they have reached by the end of the run")


class ReportedStabilisation(Part):
    """What followed the faults."""

    round_s: float = Field(description="the time in which every timer of the stack has fired at least once")
    faults: list[ReportedFault] = Field(description="the latest 1,000, in order")


class ReportedCommand(Part):
    """A command that the workload, a storm or a loss burst stands for, and that has taken effect."""

    of: int | None = Field(description="the event of the document that it belongs to; null: the workload")
    event: dict[str, Any]


class ReportedRing(Part):
    """The virtual ring as the nodes believe it is."""

    length: int = Field(description="as the root of the largest part has it")
    positions: dict[str, list[int]] = Field(description="by node id")


class Report(Part):
    """A run report."""

    engine: str = Field(description="version")
    scenario: dict[str, Any] = Field(description="the document, every command in it")
    end_s: float = Field(description="virtual seconds")
    digest: str = Digest
    events: int = Field(description="engine events played")
    messages: dict[str, int] = Field(description="sent, by name; a broadcast counts once")
    dropped: dict[str, int] = Field(description="receivers that a message did not reach, by reason")
    publications: list[ReportedPublication] = Field(description="in order of publishing")
    legitimacy: dict[str, ReportedLayer] = Field(description="by layer, bottom up")
    stabilisation: ReportedStabilisation
    written_out: list[ReportedCommand] = Field(description="in the order they took effect")
    parts: list[ReportedPart] = Field(description="connected parts, largest first")
    warnings: list[str] = Field(
        description="what parameters do, by themselves or to this network, that one might not expect"
    )
    ring: ReportedRing
