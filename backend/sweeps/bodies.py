"""Bodies of the sweeps' part of the HTTP API: what is asked and what is answered."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field

from backend.documents import NetworkFacts

SweepDocument = Annotated[
    dict[str, Any], Field(description="a sweep document; GET /api/schemas/sweep describes it")
]
SweepState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
Value: TypeAlias = str | int | float | bool | None


class Job(BaseModel):
    """A sweep on this server: what it is and how far it has got."""

    id: str = Field(description="a hash of the document: the same sweep, the same id")
    name: str
    state: SweepState
    made: str = Field(description="when it was first asked for: ISO 8601, UTC")
    runs: int = Field(description="planned")
    points: int = Field(description="combinations of the axes' values, each of them run with every seed")
    done: int = Field(description="runs finished, failed ones among them")
    failed: int = Field(description="runs that ended with an error, which is in their row")
    per_s: float | None = Field(None, description="runs a second, lately")
    left_s: float | None = Field(None, description="seconds until the end, about")
    doing: str | None = Field(None, description="while running: what comes before the first runs, in words")
    queue_place: int | None = Field(None, description="while queued: 1 is next")
    reason: str | None = Field(
        None, description="in words: why it failed or was cancelled; while queued, what it waits for"
    )
    summary_version: int = Field(0, description="rises whenever GET …/summary has something new")
    yours: bool = Field(description="whether this browser may cancel, resume and delete it")


class SweepEstimate(BaseModel):
    """What a sweep would cost, from a few runs of it tried for a moment."""

    runs: int
    points: int
    seconds: float | None = Field(description="of wall time, about; null: not known")
    disk_mb: float
    method: str = Field(description="how runs would be played: compiled, interpreted or routes")
    workers: int = Field(description="runs at a time")
    metrics: list[str] = Field(description="what would be measured")
    measurable: list[str] = Field(description="all that can be")
    warnings: list[str] = Field(description="what to know before starting, in words")


class SweepSpread(BaseModel):
    """One metric over the runs of a point."""

    n: int = Field(description="runs that have a value")
    mean: float | None
    sd: float | None
    ci95_low: float | None
    ci95_high: float | None
    min: float | None
    max: float | None
    q: list[float] | None = Field(description="percentiles 0 to 100; null where values are few")
    median_run: int | None = Field(description="number of the run in the middle")
    worst_run: int | None = Field(description="number of the run that is worst by this metric")


class SweepPoint(BaseModel):
    """One combination of the axes' values."""

    point: int
    values: dict[str, Value] = Field(description="by the path of the axis; whole objects as their label")
    metrics: dict[str, SweepSpread]


class SweepDifference(BaseModel):
    """Point b less point a, which differ in the compared axis only, paired by seed."""

    point_a: int
    point_b: int
    metric: str
    n: int
    mean: float | None
    ci95_low: float | None
    ci95_high: float | None


class SweepSummary(BaseModel):
    """What the finished runs come to so far."""

    runs_done: int = 0
    runs_failed: int = 0
    points: list[SweepPoint] = []
    differences: list[SweepDifference] = []
    truncated: bool = Field(False, description="more points than are told here; summary.csv has all")


class SweepDots(BaseModel):
    """Single runs, as columns; evenly thinned, each point's median and worst run always among them."""

    run: list[int]
    point: list[int]
    seed: list[int]
    value: list[float]
    of: int = Field(description="runs finished so far")


class SweepRun(BaseModel):
    """One run, and the document that plays it again."""

    run: int
    point: int
    seed: int
    values: dict[str, Value] = Field(description="by the path of the axis; whole objects as their label")
    metrics: dict[str, float | None]
    method: str
    digest: str | None = Field(description="at the document's end; null: the method keeps none")
    error: str | None
    worst_s: float | None = Field(description="virtual time of the worst moment; null: there is none")
    worst_why: str | None = Field(description="what happened then")
    document: dict[str, Any] = Field(description="a scenario document, to make a session from")


class SweepPicture(BaseModel):
    """A network to be drawn small: nodes by their number."""

    x: list[float]
    y: list[float] = Field(description="grows downwards")
    links: list[int] = Field(description="both ends of each link in turn")
    parent: list[int] | None = Field(
        description="in the tree once all layers are legitimate, -1: none; null: not known beforehand"
    )
    roots: list[int] = Field(description="one of each connected part that has a tree")


class SweepNetwork(BaseModel):
    """The network that a run starts on, before any fault."""

    facts: NetworkFacts
    depth: int | None = Field(description="of the tree, in hops; null: not known beforehand")
    picture: SweepPicture | None = Field(description="null: too large to be drawn small")


class SweepFailure(BaseModel):
    """A run that ended with an error."""

    run: int
    point: int
    seed: int
    error: str


class SweepGone(BaseModel):
    """A sweep that was deleted."""

    id: str
