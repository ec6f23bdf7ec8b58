"""The topology part of a scenario document: what network a run starts on.

Every kind says what it allows; building one is `engine.world.topology`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from engine.world.fields import (
    Coordinate,
    Count,
    Link,
    Metres,
    NodeId,
    Number,
    Part,
    Share,
    Switch,
    Text,
    Whole,
    refuse,
)
from engine.world.limits import MAX_ID, MAX_LINKS, MAX_NODES

Degree = Annotated[float, Number(0, 1_000, "links per node on average", open_low=True)]


class NodeSpec(Part):
    """One node of an explicit network; without x and y it is given a place."""

    id: NodeId
    name: Annotated[str, Text(200, printable=True)] | None = Field(
        default=None, description="what people call it, where that is not the id"
    )
    x: Coordinate | None = None
    y: Coordinate | None = Field(default=None, description="grows downwards, as on a screen")
    z: Coordinate | None = Field(
        default=None, description="height in metres; counts only where links follow from a range"
    )

    @model_validator(mode="after")
    def _placed_or_not(self) -> NodeSpec:
        if (self.x is None) != (self.y is None):
            raise refuse("only one of x and y", "both x and y, or neither")
        return self


class Explicit(Part):
    """Nodes and links written down, or nodes in metres and the range of their radio."""

    kind: Literal["explicit"]
    nodes: tuple[NodeSpec, ...] = Field(min_length=1, max_length=MAX_NODES)
    links: tuple[Link, ...] = Field(default=(), max_length=MAX_LINKS)
    range_m: Metres | None = Field(
        default=None, description="links follow from positions in metres; then give no links"
    )
    quality: tuple[tuple[Share, Share], ...] | None = Field(
        None,
        max_length=MAX_LINKS,
        description="per link: transmit quality there and back, 0 where not reported",
    )

    @model_validator(mode="after")
    def _one_source_of_links(self) -> Explicit:
        if self.range_m is not None:
            if self.links:
                raise refuse("both links and range_m", "links, or positions and range_m")
            if any(node.x is None for node in self.nodes):
                raise refuse("range_m with unplaced nodes", "x and y in metres for every node")
        if self.quality is not None and len(self.quality) != len(self.links):
            raise refuse(
                f"{len(self.quality):,} qualities for {len(self.links):,} links",
                "one pair of qualities per link",
            )
        return self


class Line(Part):
    """n nodes in a row."""

    kind: Literal["line"]
    n: Count


class Ring(Part):
    """n nodes in a circle."""

    kind: Literal["ring"]
    n: Annotated[int, Whole(3, MAX_NODES)]


class Star(Part):
    """One centre, the first node, and n - 1 nodes linked to it."""

    kind: Literal["star"]
    n: Annotated[int, Whole(2, MAX_NODES)]


class Grid(Part):
    """rows × cols nodes, linked to those beside, above and below; or n nodes, as square as possible."""

    kind: Literal["grid"]
    rows: Count | None = None
    cols: Count | None = None
    n: Count | None = None

    @model_validator(mode="after")
    def _size(self) -> Grid:
        allowed = f"either rows and cols (at most {MAX_NODES:,} nodes in all), or n"
        if self.n is not None:
            if self.rows is not None or self.cols is not None:
                raise refuse("n beside rows or cols", allowed)
        elif self.rows is None or self.cols is None:
            raise refuse("no size", allowed)
        elif self.rows * self.cols > MAX_NODES:
            raise refuse(f"{self.rows * self.cols:,} nodes", allowed)
        return self


class Gnp(Part):
    """Random graph: every pair of nodes is linked with the same probability, mean_degree / (n - 1)."""

    kind: Literal["gnp"]
    n: Count
    mean_degree: Degree
    allow_disconnected: Switch = False

    @model_validator(mode="after")
    def _possible(self) -> Gnp:
        _check_degree(self.n, self.mean_degree)
        return self


class Geometric(Part):
    """Random positions in a square; a link wherever two nodes are within range_m of each other.

    With mean_degree the range is chosen so that this is the expected degree, the border counted in.
    """

    kind: Literal["geometric"]
    n: Count
    mean_degree: Degree | None = None
    range_m: Metres | None = None
    side_m: Metres = Field(default=1000.0, description="side of the square")
    allow_disconnected: Switch = False

    @model_validator(mode="after")
    def _one_density(self) -> Geometric:
        if (self.mean_degree is None) == (self.range_m is None):
            raise refuse(
                "neither or both of mean_degree and range_m", "exactly one of mean_degree and range_m"
            )
        if self.mean_degree is not None:
            _check_degree(self.n, self.mean_degree)
        return self


class Zones(Part):
    """Z × Z zones, a router each, linked where zones share a side; clients hang on their zone's router."""

    kind: Literal["zones"]
    Z: Annotated[int, Whole(1, 141, "zones a side")]
    clients: Annotated[int, Whole(0, MAX_NODES)] = 0

    @model_validator(mode="after")
    def _size(self) -> Zones:
        if self.Z**2 + self.clients > MAX_NODES:
            raise refuse(
                f"{self.Z**2 + self.clients:,} nodes",
                f"Z·Z routers and clients, at most {MAX_NODES:,} in all",
            )
        return self


class Builtin(Part):
    """A network that ships with the product."""

    kind: Literal["builtin"]
    name: Annotated[str, Text(MAX_ID, 1, printable=True)]
    range_m: Metres | None = Field(default=None, description="for the networks that have positions only")
    n: Annotated[int, Whole(1, MAX_NODES)] | None = Field(
        default=None, description="only so many of its nodes, drawn by the seed; for the same networks"
    )


Topology = Annotated[
    Explicit | Line | Ring | Star | Grid | Gnp | Geometric | Zones | Builtin, Field(discriminator="kind")
]


def _check_degree(n: int, mean_degree: float) -> None:
    if mean_degree > max(n - 1, 1):
        raise refuse(
            f"mean_degree {mean_degree:g} with {n:,} nodes", f"mean_degree of at most n - 1 = {n - 1:,}"
        )
    if n * mean_degree / 2 > MAX_LINKS:
        raise refuse(
            f"{n * mean_degree / 2:,.0f} links", f"n · mean_degree / 2 of at most {MAX_LINKS:,} links"
        )
