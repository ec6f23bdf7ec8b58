"""The messages on the socket, version 1: these models are the protocol, docs/wire.md explains it.

`tools/gen_wire.py` turns them into `frontend/src/wire.gen.ts`. Binary state frames are in `backend.frames`.
Times are virtual seconds. A node is an index into the latest world where the field says so, its id elsewhere.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from backend.declaration import Protocol

VERSION = 1
MIN_SPEED, MAX_SPEED = 0.1, 100.0
MAX_HISTORY = 2_000
MAX_SENDS = 4_000
MAX_LINES = 60

Short = Annotated[str, Field(max_length=200)]
Ref = Annotated[int, Field(ge=0, le=2**53 - 1, description="chosen by the browser, repeated in the answer")]


class Strict(BaseModel):
    """A model that refuses fields it does not know and values that only look right."""

    model_config = ConfigDict(extra="forbid", strict=True)


# --- From the browser


class Hello(Strict):
    """Must come first. The owner's token makes an owner, none a watcher."""

    type: Literal["hello"]
    v: int = Field(description="the version of this protocol, 1")
    token: Short | None = None


class Play(Strict):
    """Let virtual time pass."""

    type: Literal["play"]


class Pause(Strict):
    """Hold virtual time."""

    type: Literal["pause"]


class Reset(Strict):
    """Back to t = 0, every command kept: they take effect again as time passes."""

    type: Literal["reset"]


class Speed(Strict):
    """How fast virtual time passes."""

    type: Literal["speed"]
    value: Annotated[float, Field(ge=MIN_SPEED, le=MAX_SPEED, description="virtual seconds a second")]


class Step(Strict):
    """One engine event, or until every live node has ticked once more; pauses first."""

    type: Literal["step"]
    what: Literal["event", "round"]


class Command(Strict):
    """A scenario event without `t`: takes effect now and is appended to the document."""

    type: Literal["command"]
    ref: Ref
    event: dict[str, Any]


class Undo(Strict):
    """Back to the moment before the latest command, which leaves the document."""

    type: Literal["undo"]
    ref: Ref


class Select(Strict):
    """Ask for `inspect` messages about this node, until another one is selected."""

    type: Literal["select"]
    node: Short | None = Field(description="id")
    channel: Short | None = Field(None, description="whose routing table is wanted")


class Show(Strict):
    """What to stream besides publications and subscriptions in flight and what is lost of them."""

    type: Literal["show"]
    messages: Annotated[list[Short], Field(max_length=64, description="names: these in flight, and lost")]
    losses: bool = Field(False, description="what the radio loses of every message")


class Ping(Strict):
    """Answered by `pong`."""

    type: Literal["ping"]
    ref: Ref


ClientMessage: TypeAlias = Annotated[
    Hello | Play | Pause | Reset | Speed | Step | Command | Undo | Select | Show | Ping,
    Field(discriminator="type"),
]
CLIENT: tuple[type[Strict], ...] = get_args(get_args(ClientMessage)[0])
WATCHERS_MAY = (Hello, Select, Show, Ping)

parse_client: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)


# --- From the server


class Outgoing(BaseModel):
    """A message from the server."""

    model_config = ConfigDict(extra="forbid")


class World(Outgoing):
    """The network, sent again with a new epoch when nodes or links are added or moved."""

    type: Literal["world"] = "world"
    epoch: int
    ids: list[str]
    names: list[str]
    x: list[float] = Field(description="drawing coordinates")
    y: list[float] = Field(description="grows downwards")
    links: list[int] = Field(description="indices: a0, b0, a1, b1, …")
    root: int = Field(description="index of the dedicated root, -1 for none")
    channels: list[str] = Field(description="names by channel number")
    components: list[int] = Field(
        description="sizes of the connected parts of the document's network, largest first"
    )
    quality: list[float] = Field(
        description="per link, there and back: the share of frames that get through, 0: not known; empty: of none"
    )


class Repair(Outgoing):
    """What followed the latest fault, power-on the first; lists by judged layer, null: not legitimate now."""

    t: float = Field(description="of the fault")
    caused_by: dict[str, int] = Field(description="commands by what they do; empty: power-on")
    seconds: list[float | None] = Field(
        description="from the fault until the layer was legitimate, to stay so"
    )
    rounds: list[int | None] = Field(description="the same in asynchronous rounds")


class RunState(Outgoing):
    """How the run stands."""

    type: Literal["run"] = "run"
    t: float
    playing: bool
    speed: float = Field(description="asked for")
    achieved: float = Field(description="measured, virtual seconds a second; 0 while paused")
    digest: str = Field(
        description="16 hexadecimal digits: a hash over every send, receipt, drop and delivery so far"
    )
    events: int = Field(description="engine events so far")
    viewers: int
    counts: dict[str, int] = Field(description="messages sent, by name")
    dropped: dict[str, int] = Field(description="messages lost, by reason")
    ended: bool = Field(description="no more virtual time is left in this session")
    replaying: float | None = Field(None, description="the server is replaying the document up to this time")
    verified: bool | None = Field(
        None,
        description="whether the digest at a link's or a sweep run's end was the expected one; null: not compared (yet)",
    )
    undoable: int = Field(0, description="commands that `undo` can take back")
    repair: Repair
    warnings: list[Short] = Field(
        [], description="what parameters do, by themselves or to this network now, that one might not expect"
    )


class Reached(Outgoing):
    """What became of the latest publications, at most 2,000, in the order of their numbers."""

    first: int = Field(description="number of the first one here")
    t: list[float]
    expected: list[int] = Field(description="how many should get it")
    reached: list[int] = Field(description="how many of these did")


class History(Outgoing):
    """The layers' curves so far, thinned to at most 2,000 samples; of samples merged the worst is kept."""

    type: Literal["history"] = "history"
    t: list[float]
    wrong: list[list[int]] = Field(description="per layer: wrong variables at each t")
    since: list[float | None] = Field(
        description="per layer: legitimate since, without a break; null: it is not"
    )
    publications: Reached


By = Literal["owner", "scenario", "event", "workload"]


class EventMessage(Outgoing):
    """A command took effect: one of the document, or one that the workload or an event of it stands for."""

    type: Literal["event"] = "event"
    index: int | None = Field(description="place in the document's events; null: the workload")
    event: dict[str, Any]
    by: By = Field(
        description="event: written out of the storm or loss burst at `index`, and no event of the document itself"
    )


class Delivered(Outgoing):
    """One delivery."""

    t: float
    hops: int


class Publication(Outgoing):
    """A publication; sent when published and whenever it changed."""

    type: Literal["publication"] = "publication"
    id: str
    number: int = Field(description="what sends and deliveries in state frames call it")
    t: float
    node: str = Field(description="id of the publisher")
    channel: str
    data: Any = None
    expected: list[str] = Field(description="ids: subscribers alive and reachable when published")
    delivered: dict[str, Delivered] = Field(description="by id")
    duplicates: int
    messages: int
    done: bool = Field(description="everybody expected got it")


LogKind: TypeAlias = Literal["send", "receive", "deliver", "drop", "layer", "command", "publication"]


class Line(Outgoing):
    """One line of the event log."""

    t: float
    node: int = Field(description="index, or -1")
    kind: LogKind
    message: str | None = Field(description="name of the message")
    text: str


class Log(Outgoing):
    """Lines of the event log, the most informative ones where there are too many."""

    type: Literal["log"] = "log"
    lines: list[Line]


class Fact(Outgoing):
    """One value of a layer, in words."""

    label: str
    value: str
    wrong: bool
    help: str


class LayerFacts(Outgoing):
    """What a node's layer holds."""

    name: str
    title: str
    wrong: int = Field(description="wrong variables of this node's layer")
    facts: list[Fact]


class Row(Outgoing):
    """A row of a table."""

    cells: list[str]
    wrong: bool
    in_use: bool = Field(description="the latest publication here used this entry")


class Table(Outgoing):
    """A node's routing table."""

    title: str
    columns: list[str]
    rows: list[Row]
    note: str


class Inspect(Outgoing):
    """The selected node from inside."""

    type: Literal["inspect"] = "inspect"
    node: str = Field(description="id")
    t: float
    name: str
    layers: list[LayerFacts]
    table: Table | None
    messages: list[Line] = Field(description="the node's latest log lines, newest last")


class Done(Outgoing):
    """The command with this `ref` was applied."""

    type: Literal["done"] = "done"
    ref: int
    index: int = Field(description="place in the document's events; after `undo`, the place it had")


class ErrorMessage(Outgoing):
    """Something asked for was refused."""

    type: Literal["error"] = "error"
    ref: int | None
    path: str
    value: str
    allowed: str
    message: str


class Bye(Outgoing):
    """The server is about to close the connection."""

    type: Literal["bye"] = "bye"
    message: str
    code: int = Field(description="the close code that follows")


class Pong(Outgoing):
    """Answers `ping`."""

    type: Literal["pong"] = "pong"
    ref: int


class Welcome(Outgoing):
    """Everything a viewer needs to start; replaces whatever it knew."""

    type: Literal["welcome"] = "welcome"
    v: int
    session: str
    role: Literal["owner", "watcher"]
    engine: str = Field(description="version")
    scenario: dict[str, Any] = Field(description="the document so far")
    protocol: Protocol
    columns: list[str] = Field(description="names of the node columns, in the order of their ids")
    layers: list[str] = Field(
        description="names of the judged layers, bottom up: the order of `history` and of flag bits"
    )
    world: World
    run: RunState
    history: History
    publications: list[Publication]
    expected_digest: str | None = Field(description="what the share link or the sweep's row promised")
    note: str | None = Field(None, description="what a viewer should know about this session, in words")


ServerMessage: TypeAlias = Annotated[
    Welcome
    | World
    | RunState
    | History
    | EventMessage
    | Publication
    | Log
    | Inspect
    | Done
    | ErrorMessage
    | Bye
    | Pong,
    Field(discriminator="type"),
]


class Close:
    """Close codes (RFC 6455 §7.4; 4000 and up are this protocol's own)."""

    GOING_AWAY = 1001
    UNSUPPORTED = 1003
    POLICY = 1008
    TOO_BIG = 1009
    MISTAKE = 1011
    RESTARTING = 1012
    FULL = 1013
    NO_HELLO = 4000
    VERSION = 4001
    TOKEN = 4003
    UNKNOWN_SESSION = 4004
    TOO_SLOW = 4008
    GARBAGE = 4010
