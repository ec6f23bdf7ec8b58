"""Bodies of the HTTP API: what is asked and what is answered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_FRAGMENT = 4_000_000

Fragment = Annotated[
    str, Field(max_length=MAX_FRAGMENT, description="a share link's part after `#`, with or without the `#`")
]
Document = Annotated[
    dict[str, Any], Field(description="a scenario document; GET /api/schemas/scenario describes it")
]


class Asked(BaseModel):
    """A body sent to the server."""

    model_config = ConfigDict(extra="forbid")


class NewSession(Asked):
    """Where a new session starts from: exactly one of `scenario`, `link`, `example`."""

    scenario: Document | None = None
    link: Fragment | None = None
    example: Annotated[str, Field(max_length=100, description="a name from GET /api/examples")] | None = None
    play: bool | None = Field(
        None, description="start playing when the first viewer comes; default: true, false for a link"
    )
    from_s: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        description="first play a scenario or an example to this virtual time, as fast as it goes",
    )
    digest: str | None = Field(
        None,
        max_length=64,
        description="what the digest of a scenario or an example must be at its duration_s: `run.verified` tells",
    )

    @model_validator(mode="after")
    def _one_of(self) -> NewSession:
        given = [name for name in ("scenario", "link", "example") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("exactly one of scenario, link and example is needed")
        for name in ("from_s", "digest"):
            if self.link is not None and getattr(self, name) is not None:
                raise ValueError(f"no {name} beside a link, which brings its own")
        return self


class FragmentBody(Asked):
    """A share link's fragment."""

    fragment: Fragment


class Created(BaseModel):
    """A new session. Whoever holds the token controls it."""

    id: str
    token: str
    ws: str = Field(description="path of the WebSocket")
    note: str | None = Field(None, description="what a viewer should know first, in words")


class SessionInfo(BaseModel):
    """What anybody may know about a session."""

    id: str
    name: str = Field(description="the document's name")
    protocol: str
    nodes: int
    t: float
    digest: str
    viewers: int
    playing: bool
    parked: bool = Field(description="on disk; a visit brings it back")


class SharedLink(BaseModel):
    """The run so far as a share link."""

    fragment: str
    length: int
    url_path: str = Field(description="path and fragment to append to the server's address")
    digest: str
    end_s: float
    engine: str
    short: bool = Field(description="so long that a short link (POST /api/links) should be offered")


class Unlinked(BaseModel):
    """What a share link holds."""

    scenario: dict[str, Any]
    engine: str
    digest: str | None
    end_s: float | None
    note: str | None = Field(description="set when the link was made by another engine version")


class ShortLink(BaseModel):
    """A short link, content-addressed and immutable."""

    hash: str
    path: str
    kept_until: str = Field(description="date, moved on each time the link is opened")


class StoredLink(BaseModel):
    """The fragment behind a short link."""

    fragment: str
    kept_until: str


class Example(BaseModel):
    """A scenario to start from."""

    name: str
    title: str
    summary: str


class Checked(BaseModel):
    """A scenario that can be run."""

    ok: Literal[True] = True
    nodes: int
    links: int
    events: int


class ProtocolAsked(Asked):
    """A protocol's parameters, as far as they are given."""

    params: dict[str, Any] = Field({}, max_length=100)


class Caution(BaseModel):
    """Parameters that will not do what one might expect."""

    text: str
    params: list[str] = Field(description="names of those it speaks of, in that order")


class NetworkFacts(BaseModel):
    """A network's size and shape."""

    nodes: int
    links: int
    components: list[int] = Field(description="sizes of the connected parts, largest first")
    degree: float = Field(description="mean number of neighbours")
    max_degree: int
    diameter: int = Field(
        description="longest shortest path of the largest part, in hops: a lower bound, often exact"
    )


class BuiltinNetwork(BaseModel):
    """A built-in network, written out."""

    name: str
    title: str
    topology: dict[str, Any] = Field(description="of kind `explicit`, ready for a scenario document")
    facts: NetworkFacts


class UploadedNetwork(BaseModel):
    """A network file, read; of a scenario, the network it starts on."""

    topology: dict[str, Any] = Field(description="of kind `explicit`, ready for a scenario document")
    facts: NetworkFacts
    format: str = Field(description="told by the content")
    notes: list[str] = Field(description="what a reader should know about it")
    needs_range: bool = Field(
        description="positions only: `topology.range_m` is an offer that can be changed"
    )


class Health(BaseModel):
    """The server is up."""

    ok: Literal[True] = True
    version: str = Field(description="of the engine")
    sessions: int = Field(description="in memory")
    viewers: int
    uptime_s: float


class CatalogueEntry(BaseModel):
    """A built-in network."""

    name: str
    title: str
    summary: str
    nodes: int
    links: int = Field(description="at the default range, where links follow from one")
    components: int = Field(description="connected parts")
    source: str
    licence: str
    range_m: float | None = Field(None, description="default range, for networks that have positions only")
