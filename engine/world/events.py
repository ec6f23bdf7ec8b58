"""The timed commands of a scenario document: workload and faults.

One class per `do`. Fields that need the network to be judged (known nodes, existing links) are checked in
`engine.world.roster`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.world.fields import (
    Coordinate,
    Link,
    Name,
    NodeId,
    Numbers,
    Part,
    Share,
    Switch,
    Text,
    Time,
)
from engine.world.limits import MAX_NODES

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
    | Inject,
    Field(discriminator="do"),
]
