"""The timed commands of a scenario document: workload and faults.

One class per `do`. Fields that need the network to be judged (known nodes, existing links) are checked in
`engine.world.roster`. A storm and a loss burst stand for many commands: `engine.world.schedule` writes them out.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from engine.world.fields import (
    Coordinate,
    Link,
    Name,
    NodeId,
    Number,
    Numbers,
    Part,
    Share,
    Span,
    Switch,
    Text,
    Time,
    Whole,
    plain,
    refuse,
)
from engine.world.limits import MAX_NODES, MAX_SEED, MAX_STORM

ANY = "*"
Value = Annotated[float | tuple[float, ...], Numbers(2**53)]
WholeValue = Annotated[int | tuple[int, ...], Numbers(2**53, whole=True)]
Nodes = Annotated[tuple[NodeId, ...], Field(min_length=1, max_length=MAX_NODES)]


class Event(Part):
    """Something that happens at `t` seconds of virtual time; equal times play in document order."""

    t: Time


class Subscribe(Event):
    """A node starts to listen to a channel."""

    do: Literal["subscribe"]
    node: NodeId
    channel: Name


class Unsubscribe(Event):
    """A node stops listening to a channel."""

    do: Literal["unsubscribe"]
    node: NodeId
    channel: Name


class Publish(Event):
    """A node publishes on a channel."""

    do: Literal["publish"]
    node: NodeId
    channel: Name
    data: Annotated[str, Text(1_000)] = ""


class FailNode(Event):
    """A node stops: it neither sends nor hears."""

    do: Literal["fail-node"]
    node: NodeId


class RestoreNode(Event):
    """A failed node runs again."""

    do: Literal["restore-node"]
    node: NodeId


class FailLink(Event):
    """Nothing crosses a link any more; with `oneway` only from its first node to its second."""

    do: Literal["fail-link"]
    link: Link
    oneway: Switch = False


class RestoreLink(Event):
    """A failed link carries messages again; with `oneway` only from its first node to its second."""

    do: Literal["restore-link"]
    link: Link
    oneway: Switch = False


class RestoreAll(Event):
    """Every failed link carries messages again, also after a partition."""

    do: Literal["restore-all"]


class SetLoss(Event):
    """From now on this share of messages is lost, everywhere or on one link; 1 loses all, as when jammed."""

    do: Literal["set-loss"]
    loss: Share
    link: Link | None = None


class Partition(Event):
    """Every link between these nodes and all others fails."""

    do: Literal["partition"]
    nodes: Nodes


class MoveNode(Event):
    """A node is somewhere else; where links follow from a range, its links change with it."""

    do: Literal["move-node"]
    node: NodeId
    x: Coordinate
    y: Coordinate


class AddNode(Event):
    """A node joins, last in the order; where links follow from a range, give no links."""

    do: Literal["add-node"]
    id: NodeId
    x: Coordinate
    y: Coordinate
    links: tuple[NodeId, ...] = Field(default=(), max_length=MAX_NODES)


class Corrupt(Event):
    """A transient fault: random values, or the given one, in a node's variables."""

    do: Literal["corrupt"]
    node: NodeId = Field(description='a node id, or "*" for every node')
    layer: Name = Field(description='a layer of the protocol, or "*" for every layer')
    field: Name | None = None
    value: Value | None = None


class CorruptMessages(Event):
    """This share of the messages in flight gets random fields."""

    do: Literal["corrupt-messages"]
    share: Share


class Inject(Event):
    """A made-up message arrives at `to` as if its neighbour `from` had sent it."""

    do: Literal["inject"]
    to: NodeId
    from_: NodeId = Field(alias="from")
    message: Name
    fields: dict[Name, WholeValue] = Field(default={}, max_length=32)


Rate = Annotated[float, Number(0, 1_000, "a second")]


class Storm(Event):
    """A random schedule of faults, drawn from a seed. What fails works again within the storm, unless asked otherwise."""

    do: Literal["storm"]
    duration_s: Span
    seed: Annotated[int, Whole(0, MAX_SEED)] | None = Field(
        default=None, description="default: the scenario's"
    )
    link_flaps_per_s: Rate = Field(default=0.0, description="a link fails and works again after a while")
    crashes_per_s: Rate = Field(default=0.0, description="a node fails and runs again after a while")
    corruptions_per_s: Rate = Field(default=0.0, description="every variable of one node gets a random value")
    joins_per_s: Rate = Field(default=0.0, description="a new node joins beside one that is there")
    leaves_per_s: Rate = Field(default=0.0, description="a node goes for good")
    churn_per_s: Rate = Field(default=0.0, description="a subscription ends, and another node takes it up")
    repair_s: Annotated[float, Number(0.001, 10_000, "seconds")] = Field(
        default=5.0, description="mean time until what failed works again"
    )
    repair_all: Switch = Field(default=True, description="false: what is broken at the end stays so")

    @property
    def rates(self) -> dict[str, float]:
        """The rates above zero, by field."""
        named = {name: value for name, value in self if name.endswith("_per_s")}
        return {name: rate for name, rate in named.items() if rate > 0.0}

    @model_validator(mode="after")
    def _some(self) -> Storm:
        """Refuse a storm in which nothing happens, or far too much."""
        if not self.rates:
            raise refuse(
                "nothing happens in this storm", "at least one rate above 0, such as link_flaps_per_s"
            )
        asked = self.duration_s * sum(self.rates.values())
        if asked > MAX_STORM:
            allowed = f"at most {MAX_STORM:,} faults: lower rates, or a shorter duration_s"
            raise refuse(f"about {plain(round(asked))} faults in one storm", allowed)
        return self


class LossBurst(Event):
    """For a while this share of messages is lost: everywhere, on one link, or on all links of some nodes."""

    do: Literal["loss-burst"]
    loss: Share
    duration_s: Span
    link: Link | None = None
    nodes: Nodes | None = None

    @model_validator(mode="after")
    def _one_place(self) -> LossBurst:
        """Refuse two answers to the question where."""
        if self.link is not None and self.nodes is not None:
            raise refuse("both a link and nodes", "link, or nodes, or neither (everywhere)")
        return self


class LossBurstOver(Event):
    """The end of the loss burst that is event `burst` of the document; no document has it, a schedule writes it."""

    do: Literal["loss-burst-over"]
    burst: int


AnyEvent = Annotated[
    Subscribe
    | Unsubscribe
    | Publish
    | FailNode
    | RestoreNode
    | FailLink
    | RestoreLink
    | RestoreAll
    | SetLoss
    | Partition
    | MoveNode
    | AddNode
    | Corrupt
    | CorruptMessages
    | Inject
    | Storm
    | LossBurst,
    Field(discriminator="do"),
]
