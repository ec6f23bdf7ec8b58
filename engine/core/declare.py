"""Declare a layer once; storage, corruption, labels, units, columns and the digest follow from it.

A layer's state is a NamedTuple of annotated fields. The first index of every field is the node, the named axes follow:

    heard: Annotated[Table[int], "slot", Hops("distance last heard")]        ->  st.tree.heard[v][j]

Axes: `slot` (one entry a radio neighbour, in node order), `pos` (own ring positions), `channel`, `node` (one entry for
every node of the network), `slot, near` (the positions of the neighbour behind a slot), and the name of a whole-number
parameter, for a memory of that size. Rows are ragged: a node has as many slots as neighbours, at most that many positions.
A `Kind` gives an entry's domain, its value at power-on, and what a reader should be told about it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import (
    Annotated,
    Any,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from engine.core.errors import ProtocolBug
from engine.core.rng import Stream

NONE = -1

T = TypeVar("T")
Column: TypeAlias = list[T]
Table: TypeAlias = list[list[T]]
Cube: TypeAlias = list[list[list[T]]]
Ints: TypeAlias = Sequence[int]
"""The one bounded list a message may carry; its length is the message's field `size`."""


class Env(NamedTuple):
    """What no fault can touch: the sizes of the network and the node configured as root (or NONE)."""

    n: int
    root: int
    channels: int

    def bound(self, name: str) -> int:
        """A domain bound given by name: `n`, `node` (n-1), `ring` (longest ring, 2(n-1)), `pairs` (n²), `channel`, or
        `channels`, a set of them as bits.
        """
        sizes = {
            "n": self.n,
            "node": self.n - 1,
            "ring": max(0, 2 * (self.n - 1)),
            "pairs": self.n * self.n,
            "channel": self.channels - 1,
        }
        return sizes[name] if name in sizes else (1 << self.channels) - 1


@dataclass(frozen=True)
class Kind:
    """Domain lo … hi of whole numbers (hi may name a bound of Env), value at power-on, label and unit.

    `needs` names a parameter: while that is 0, a field over some axis takes no room at all, and no rule may index it.
    """

    label: str = ""
    lo: int = 0
    hi: int | str = 1
    start: int | float | str = 0
    unit: str = ""
    name: str = "int"
    needs: str = ""

    def top(self, env: Env) -> int:
        """The largest value of the domain."""
        return env.bound(self.hi) if isinstance(self.hi, str) else self.hi

    def draw(self, stream: Stream, env: Env, width: int) -> int | float:
        """Any value of the domain; `width` is the number of slots (for pointers)."""
        return self.lo + stream.below(self.top(env) - self.lo + 1)

    def initial(self, env: Env, v: int) -> int | float:
        """The value at power-on of node v."""
        if self.start == "self":
            return v
        return env.bound(self.start) if isinstance(self.start, str) else self.start


def Hops(label: str = "", start: int | str = "n") -> Kind:
    return Kind(label, 0, "n", start, "hops", "hops")


def Position(label: str = "", start: int = 0, lo: int = 0) -> Kind:
    return Kind(label, lo, "ring", start, "", "position")


def NodeId(label: str = "", start: int | str = NONE) -> Kind:
    return Kind(label, NONE, "node", start, "", "node")


def Flag(label: str = "", needs: str = "") -> Kind:
    return Kind(label, 0, 1, 0, "", "flag", needs)


def Int(label: str, lo: int, hi: int | str, start: int = 0, unit: str = "", needs: str = "") -> Kind:
    return Kind(label, lo, hi, start, unit, "int", needs)


@dataclass(frozen=True)
class Slot(Kind):
    """A pointer to a neighbour: one of the node's slots or NONE."""

    lo: int = NONE
    start: int | float | str = NONE
    name: str = "slot"

    def draw(self, stream: Stream, env: Env, width: int) -> int:
        return stream.below(width + 1) - 1


@dataclass(frozen=True)
class Seconds(Kind):
    """A time stamp; corrupt ones may lie in the future."""

    start: int | float | str = 0.0
    unit: str = "s"
    name: str = "seconds"
    latest: float = 1000.0

    def draw(self, stream: Stream, env: Env, width: int) -> float:
        return self.latest * stream.uniform()


@dataclass(frozen=True)
class Input(Kind):
    """Given from outside: memory faults leave it alone, a restart keeps it.

    In any layer, an input `degree` is filled with the number of radio neighbours, and `peer`, over `slot`, with the nodes.
    """

    name: str = "input"


class Param(NamedTuple):
    """One parameter of a protocol: what a form and a checker need."""

    name: str
    kind: str  # int, float, choice, node
    default: Any
    title: str
    help: str
    lo: float = 0.0
    hi: float = 0.0
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # (value, what it means)
    symbol: str = ""  # the paper's


class Net(Protocol):
    """The only exit of a handler. Slots are the acting node's own."""

    def broadcast(self, v: int, m: Any) -> None: ...
    def unicast(self, v: int, j: int, m: Any) -> None: ...
    def after(self, v: int, delay: float, m: Any) -> None: ...
    def deliver(self, v: int, channel: int, publication: int) -> None: ...
    def uniform(self, v: int) -> float: ...
    def now(self) -> float: ...


Timer: TypeAlias = Callable[[Any, Any, int], None]
Handler: TypeAlias = Callable[[Any, Any, int, int, Any], None]
Check: TypeAlias = Callable[[Mapping[str, Any]], Sequence[str]]
"""Looks at all parameters by name: raises ScenarioError where they cannot work together, and tells in words what will not
work as one might expect."""


@dataclass(frozen=True)
class Layer:
    """One layer: its state and rules. `every` maps a timer to the parameter that holds its period.

    `judge(truth, st)` looks at the whole network, as no node can: how many of this layer's variables are wrong at each
    node (see engine.oracle.structure for `truth`). The layers of PSVR are judged without; any other without is not judged.

    `table(st, v, channel, now)` is node v's routing table for the inspector: `title`, `columns` as (name, kind), kind
    position (shown with its owner), node, or empty; `rows` as (own position or slot, in order; the ring position or node
    that a publication leaves from or goes to when it uses the entry; cells, None or NONE: nothing); `note`.
    """

    name: str
    key: str
    title: str
    summary: str
    state: type
    every: Mapping[Timer, str]
    on: Mapping[type, Handler]
    params: tuple[Param, ...] = ()
    gate: str = ""  # a slot flag: layers above hear only through slots where it is set
    facts: Callable[[Any, int, Callable[[int], str]], list[tuple[str, str, str]]] | None = None
    table: Callable[[Any, int, int, float], dict[str, Any]] | None = None
    judge: Callable[[Any, Any], Sequence[int]] | None = None
    check: Check | None = None


@dataclass(frozen=True)
class Message:
    """How a message kind is called, counted, drawn and explained."""

    type: type
    name: str
    shape: str  # publication, subscription, structure, local
    doc: str
    over: str = ""  # a broadcast meant for: "tree", or every neighbour
    shown: tuple[str, ...] = ()  # fields a report lists


@dataclass(frozen=True)
class ProtocolSpec:
    """All that the rest of the system knows about a protocol.

    `overlays` names the state fields that are drawn: neighbourhood (up), tree (root, depth, parent), ring (length, size,
    positions), subscriptions (wants). `subscribe(channel)`, `unsubscribe(channel)` and `publish(channel, number)` make the
    messages by which an application asks its node; None: the protocol has no such service.
    """

    name: str
    title: str
    summary: str
    source: str
    state: type
    layers: tuple[Layer, ...]
    messages: tuple[Message, ...]
    params: tuple[Param, ...]
    overlays: Mapping[str, Mapping[str, str]]
    stabilises: bool
    compiled: bool
    subscribe: Callable[[int], Any] | None = None
    unsubscribe: Callable[[int], Any] | None = None
    publish: Callable[[int, int], Any] | None = None
    check: Check | None = None

    @property
    def services(self) -> dict[str, Callable[..., Any]]:
        """What an application can ask of its node: event of the scenario -> maker of the message."""
        offered = {"subscribe": self.subscribe, "unsubscribe": self.unsubscribe, "publish": self.publish}
        return {do: make for do, make in offered.items() if make is not None}

    def all_params(self) -> tuple[Param, ...]:
        """Own parameters first, then the layers' from the bottom up."""
        return self.params + tuple(p for layer in self.layers for p in layer.params)

    def layer(self, name: str) -> Layer:
        """The layer called `name`. Raises KeyError."""
        return next(layer for layer in self.layers if layer.name == name)


class Field(NamedTuple):
    """A declared field: name, axes after the node, kind."""

    name: str
    axes: tuple[str, ...]
    kind: Kind


@cache
def fields(declared: type) -> tuple[Field, ...]:
    """The annotated fields of a state or message type, in order."""
    found = []
    for name, hint in get_type_hints(declared, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            raise ProtocolBug(f"{declared.__name__}.{name} is not declared with Annotated[…]")
        _, *axes, kind = get_args(hint)
        found.append(Field(name, tuple(axes), kind))
    return tuple(found)


def int_fields(message: type) -> list[str]:
    """Names of a message's whole-number fields; a list, if any, is its last field and has `size` entries."""
    hints = get_type_hints(message)
    return [name for name in hints if hints[name] is int]


def has_list(message: type) -> bool:
    """Whether the message ends in a bounded list."""
    return len(int_fields(message)) < len(get_type_hints(message))
