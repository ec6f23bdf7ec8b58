"""A workload in a few numbers: who publishes, who subscribes, on which channels, how often; written out as ordinary events.

Everything is drawn from streams of the scenario's seed, one per purpose and node: another publisher leaves the others as
they were, and a larger count takes in the nodes of a smaller one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum
from typing import Annotated, Any, Literal

from pydantic import Field, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema, core_schema

from engine.core.errors import ScenarioError
from engine.core.exact import exp, log
from engine.core.rng import Stream
from engine.world.events import AnyEvent, Publish, Subscribe, Unsubscribe
from engine.world.fields import NodeId, Number, Part, Time, Whole, refuse
from engine.world.limits import MAX_EVENTS, MAX_NODES
from engine.world.network import Network

MAX_CHANNELS = 64


class ShareOfNodes(Part):
    """So many of all nodes, rounded to the nearest whole number, but one at least."""

    share: Annotated[float, Number(0, 1, open_low=True)]


class _OneOfThree:
    """A count, a share or a list of nodes: words for whatever is neither."""

    def words(self) -> str:
        return 'a count, {"share": 0.2}, or a list of node ids'

    def check(self, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int | dict | list | tuple | ShareOfNodes):
            raise refuse("not a choice of nodes", self.words())
        return Whole(1, MAX_NODES, "nodes").check(value) if isinstance(value, int) else value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))


Ids = Annotated[tuple[NodeId, ...], Field(min_length=1, max_length=MAX_NODES)]
Chosen = Annotated[int | ShareOfNodes | Ids, Field(union_mode="left_to_right"), _OneOfThree()]


class Workload(Part):
    """Publications and subscriptions of a whole network. Rates are per second of virtual time."""

    publishers: Chosen = Field(default=1, description="how many nodes, which share of them, or which")
    subscribers: Chosen = Field(default=1, description="likewise; a node may do both")
    channels: Annotated[int, Whole(1, MAX_CHANNELS)] = Field(default=1, description="named c1, c2, …")
    zipf: Annotated[float, Number(0, 10)] = Field(
        default=0.0, description="channel k is chosen in proportion to 1/k^zipf; 0: all alike"
    )
    subscriptions: Annotated[int, Whole(1, MAX_CHANNELS)] = Field(
        default=1, description="different channels of each subscriber"
    )
    subscribe_s: Time = Field(default=0.0, description="when the subscribers subscribe")
    publications: Literal["poisson", "periodic"] = "poisson"
    rate_per_s: Annotated[float, Number(0, 1_000, "a second", open_low=True)] = Field(
        default=0.1, description="of each publisher"
    )
    start_s: Time = Field(default=30.0, description="no publication before")
    end_s: Time | None = Field(
        default=None, description="no publication or change after; default: duration_s"
    )
    churn_per_s: Annotated[float, Number(0, 1_000, "a second")] = Field(
        default=0.0, description="in the whole network: a subscription ends, and another node takes it up"
    )

    @model_validator(mode="after")
    def _fit(self) -> Workload:
        if self.subscriptions > self.channels:
            raise refuse(
                f"{self.subscriptions} subscriptions a node", f"at most channels, which is {self.channels}"
            )
        if self.end_s is not None and self.end_s < self.start_s:
            raise refuse("end_s lies before start_s", f"an end_s from {self.start_s:g} s")
        return self

    @property
    def names(self) -> list[str]:
        """The channels, the most popular first."""
        return [f"c{k + 1}" for k in range(self.channels)]


def expand(workload: Workload, network: Network, seed: int, duration_s: float) -> list[AnyEvent]:
    """The workload as events in the order they play.

    Raises: ScenarioError for unknown nodes and for more than MAX_EVENTS events.
    """
    end = duration_s if workload.end_s is None else workload.end_s
    publishers = _chosen(workload.publishers, network, Stream(seed, "workload publishers"), "publishers")
    subscribers = _chosen(workload.subscribers, network, Stream(seed, "workload subscribers"), "subscribers")
    asked = max(0.0, end - workload.start_s) * workload.rate_per_s * len(publishers)
    asked += max(0.0, end - workload.subscribe_s) * workload.churn_per_s * 2
    if asked + len(subscribers) * workload.subscriptions > MAX_EVENTS:
        allowed = f"at most {MAX_EVENTS:,} events: lower rates, fewer publishers, or a smaller end_s"
        raise ScenarioError("workload", f"about {asked:,.0f} events", allowed, "too much to do")
    popular = _Popular(workload.channels, workload.zipf)
    wants: dict[str, list[str]] = {name: [] for name in workload.names}  # by channel
    events: list[AnyEvent] = []
    for v in subscribers:
        stream = Stream(seed, "workload subscriptions", v)
        for k in sorted(popular.several(stream, workload.subscriptions)):
            name = workload.names[k]
            wants[name].append(network.ids[v])
            events.append(
                Subscribe.model_construct(
                    do="subscribe", t=workload.subscribe_s, node=network.ids[v], channel=name
                )
            )
    for v in publishers:
        stream = Stream(seed, "workload publications", v)
        for t in _moments(workload.publications, stream, workload.rate_per_s, workload.start_s, end):
            name = workload.names[popular.one(stream)]
            events.append(Publish.model_construct(do="publish", t=t, node=network.ids[v], channel=name))
    stream = Stream(seed, "workload churn")
    for t in poisson(stream, workload.churn_per_s, workload.subscribe_s, end):
        events += changed(wants, network.ids, t, stream)
    return sorted(events, key=lambda event: event.t)


def changed(
    wants: dict[str, list[str]], nodes: Sequence[str], t: float, stream: Stream
) -> list[Unsubscribe | Subscribe]:
    """One subscription passes from a node to another that has none there; `wants` follows. Nothing where none can."""
    held = [(name, node) for name, subscribed in wants.items() for node in subscribed]
    if not held:
        return []
    name, node = held[stream.below(len(held))]
    others = [other for other in nodes if other not in wants[name]]
    if not others:
        return []
    other = others[stream.below(len(others))]
    wants[name].remove(node)
    wants[name].append(other)
    return [
        Unsubscribe.model_construct(do="unsubscribe", t=t, node=node, channel=name),
        Subscribe.model_construct(do="subscribe", t=t, node=other, channel=name),
    ]


def poisson(stream: Stream, rate: float, start: float, end: float) -> Iterator[float]:
    """Moments of a Poisson process of this rate (a second) after `start` and up to `end`, in microseconds."""
    t = start
    while rate > 0.0:
        t -= log(1.0 - stream.uniform()) / rate
        if t > end:
            return
        yield min(end, max(start, round(t, 6)))


def waiting(stream: Stream, mean: float) -> float:
    """A time drawn from the exponential distribution of this mean."""
    return -log(1.0 - stream.uniform()) * mean


def _moments(kind: str, stream: Stream, rate: float, start: float, end: float) -> Iterator[float]:
    """When a publisher publishes; periodic ones begin somewhere in their first period."""
    if kind == "poisson":
        yield from poisson(stream, rate, start, end)
        return
    phase, k = stream.uniform(), 0
    while (t := start + (phase + k) / rate) <= end:
        yield round(t, 6)
        k += 1


def _chosen(asked: Any, network: Network, stream: Stream, field: str) -> list[int]:
    """The nodes that a workload asks for, in node order of their drawing."""
    path = f"workload.{field}"
    if isinstance(asked, tuple):
        nodes = [network.index(node, f"{path}[{k}]") for k, node in enumerate(asked)]
        if len(set(nodes)) < len(nodes):
            twice = next(node for node in asked if asked.count(node) > 1)
            raise ScenarioError(path, twice, "each node once", "node given twice")
        return nodes
    count = max(1, int(asked.share * network.n + 0.5)) if isinstance(asked, ShareOfNodes) else asked
    if count > network.n:
        raise ScenarioError(path, count, f"at most {network.n:,}, the nodes there are", "too many nodes")
    order = list(range(network.n))
    for k in range(count):  # the first steps of a shuffle
        other = k + stream.below(network.n - k)
        order[k], order[other] = order[other], order[k]
    return order[:count]


class _Popular:
    """Channels drawn with Zipf's law: weight 1/k^s for the k-th."""

    def __init__(self, count: int, s: float) -> None:
        self.weights = [exp(-s * log(float(k + 1))) for k in range(count)]

    def one(self, stream: Stream) -> int:
        """A channel."""
        return self._draw(stream, range(len(self.weights)))

    def several(self, stream: Stream, count: int) -> list[int]:
        """Different channels."""
        left, found = list(range(len(self.weights))), []
        for _ in range(count):
            found.append(self._draw(stream, left))
            left.remove(found[-1])
        return found

    def _draw(self, stream: Stream, among: Sequence[int]) -> int:
        x = stream.uniform() * fsum(self.weights[k] for k in among)
        for k in among:
            x -= self.weights[k]
            if x < 0.0:
                return k
        return among[-1]
