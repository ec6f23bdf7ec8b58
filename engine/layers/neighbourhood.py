"""Neighbourhood: which of the nodes in radio reach a node works with (topology control, TCA).

Source: PSVR §3, slides "Neighborhood Management Layer". Stabilises: yes. Deviations: the papers leave the rule open;
this one takes bidirectional links only, at most C_N (`max_neighbours`) a node, chosen by a rank that both ends of a link
agree on (node order). Each node wants its best-ranked candidates, skips those that are full with better ones, and uses a
link when both ends want it: by induction over the ranks every start ends in the one greedy choice.

Link quality (off unless `quality_in` is given) comes before all that: the share of own hello periods in which a hello of
the neighbour was heard, as a moving average over about STEP periods. A neighbour is trusted from `quality_in` on until its
quality falls below `quality_out`; one that is not trusted counts as not heard. So a link is used only while it is good both
ways, and one whose quality wanders between the two thresholds stays as it is (hysteresis).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, Protocol

from engine.core.declare import NONE, Column, Env, Flag, Input, Int, Ints, Layer, Net, Param, Seconds, Table
from engine.core.errors import ScenarioError

NEVER = -1000.0
WHOLE = 1000  # a hello heard in every period
STEP = 8  # periods that the moving average looks back, about
LATE = 1.15  # own periods within which the next hello comes, if it is not lost: periods jitter by a tenth, radios wait


class Hood(NamedTuple):
    """What a node knows of the nodes around it."""

    degree: Annotated[Column[int], Input("radio neighbours", 0, "n")]
    peer: Annotated[Table[int], "slot", Input("radio neighbour", 0, "node")]
    last: Annotated[Table[float], "slot", Seconds("last heard", start=NEVER)]
    theirs: Annotated[Table[int], "slot", Int("hears me (1), wants me (2)", 0, 2)]
    bar: Annotated[Table[int], "slot", Int("full with links up to this rank", NONE, "pairs", NONE)]
    want: Annotated[Table[int], "slot", Flag("wanted")]
    up: Annotated[Table[int], "slot", Flag("in use")]
    said: Annotated[Table[int], "slot", Int("what the last hello listed", 0, "pairs")]
    place: Annotated[Table[int], "slot", Int("where its hello listed me last", 0, "n")]
    quality: Annotated[Table[int], "slot", Int("hellos heard", 0, WHOLE, 0, "‰", needs="quality_in")]
    trusted: Annotated[Table[int], "slot", Flag("good enough", needs="quality_in")]


class Hello(NamedTuple):
    """I hear these nodes (2·node, +1 where I want the link); I am full with links ranked up to `bar`."""

    bar: Annotated[int, Int("full up to rank", NONE, "pairs", NONE)]
    size: Annotated[int, Int("nodes listed", 0, "n")]
    heard: Annotated[Ints, Int("node and choice", 0, "pairs")]


class HoodState(Protocol):
    """A stack with a neighbourhood."""

    @property
    def env(self) -> Env: ...
    @property
    def par(self) -> Any: ...
    @property
    def hood(self) -> Hood: ...


def slots(st: HoodState, v: int) -> range:
    """All slots of v, in node order."""
    return range(st.hood.degree[v])


def up(st: HoodState, v: int, j: int) -> bool:
    """Whether v works with the neighbour behind slot j."""
    return j != NONE and st.hood.up[v][j] == 1


def rank(st: HoodState, v: int, w: int) -> int:
    """The order of preference among links, the same at both ends: lower is better."""
    return min(v, w) * st.env.n + max(v, w)


def weigh(st: HoodState, v: int, now: float) -> None:
    """Bring the quality of every link up to date, and with it who is trusted."""
    hood, since = st.hood, now - LATE * st.par.hello_s
    last, quality, trusted = hood.last[v], hood.quality[v], hood.trusted[v]
    for j in slots(st, v):
        if last[j] >= since:
            quality[j] += (WHOLE - quality[j] + STEP - 1) // STEP
        else:
            quality[j] -= (quality[j] + STEP - 1) // STEP
        if quality[j] >= st.par.quality_in * WHOLE:
            trusted[j] = 1
        elif quality[j] < st.par.quality_out * WHOLE:
            trusted[j] = 0


def trusts(st: HoodState, v: int, j: int) -> bool:
    """Whether the link from the neighbour behind slot j is good enough."""
    return st.par.quality_in == 0.0 or st.hood.trusted[v][j] == 1


def hello(st: HoodState, net: Net, v: int) -> None:
    """Every period: forget the silent, want the best candidates, tell."""
    hood, now, most, size, wanted, used = st.hood, net.now(), st.par.max_neighbours, 0, 0, 0
    peer, last, theirs, bar, want, in_use, said = (
        hood.peer[v],
        hood.last[v],
        hood.theirs[v],
        hood.bar[v],
        hood.want[v],
        hood.up[v],
        hood.said[v],
    )
    oldest = now - st.par.hello_timeout_s
    weighed = st.par.quality_in > 0.0
    trusted = hood.trusted[v]
    if weighed:
        weigh(st, v, now)
    for j in slots(st, v):
        stamp = last[j]
        if stamp > now:
            stamp = last[j] = now  # a stamp from the future is a fault
        if stamp < oldest:
            last[j], theirs[j], bar[j], want[j], in_use[j] = NEVER, 0, NONE, 0, 0
        elif weighed and trusted[j] == 0:
            want[j], in_use[j] = 0, 0
        else:
            w, choice, full = peer[j], theirs[j], bar[j]
            wants, uses = 0, 0
            if choice > 0 and (full == NONE or rank(st, v, w) <= full):  # it hears me, and has room
                wants = 1
                wanted += 1
                if choice == 2:  # it wants me as well
                    uses = 1
                    used += 1
            want[j], in_use[j] = wants, uses
            said[size] = 2 * w + wants
            size += 1
    if wanted > most:
        size, used = narrow(st, v, wanted - most)
    net.broadcast(v, Hello(worst(st, v) if used >= most else NONE, size, said))


def narrow(st: HoodState, v: int, excess: int) -> tuple[int, int]:
    """Give up the worst-ranked candidates; how many nodes are listed and how many links in use then."""
    hood = st.hood
    for _ in range(excess):
        last, highest = NONE, NONE
        for j in slots(st, v):
            if hood.want[v][j] == 1 and rank(st, v, hood.peer[v][j]) > highest:
                last, highest = j, rank(st, v, hood.peer[v][j])
        hood.want[v][last] = 0
        hood.up[v][last] = 0
    size, used = 0, 0
    for j in slots(st, v):
        used += hood.up[v][j]
        if hood.last[v][j] > NEVER and trusts(st, v, j):
            hood.said[v][size] = 2 * hood.peer[v][j] + hood.want[v][j]
            size += 1
    return size, used


def worst(st: HoodState, v: int) -> int:
    """The rank of the worst link in use."""
    highest = NONE
    for j in slots(st, v):
        if st.hood.up[v][j] == 1:
            highest = max(highest, rank(st, v, st.hood.peer[v][j]))
    return highest


def on_hello(st: HoodState, net: Net, v: int, j: int, m: Hello) -> None:
    """Note that the neighbour is alive and what it thinks of me."""
    hood, heard, theirs = st.hood, m.heard, 0
    place = hood.place[v][j]
    if place < m.size and heard[place] >> 1 == v:  # where it was last time
        theirs = 1 + (heard[place] & 1)
    else:
        for i in range(m.size):
            if heard[i] >> 1 == v:
                theirs, hood.place[v][j] = 1 + (heard[i] & 1), i
                break
    hood.last[v][j] = net.now()
    hood.bar[v][j] = m.bar
    hood.theirs[v][j] = theirs
    hood.up[v][j] = 1 if theirs == 2 and hood.want[v][j] == 1 else 0


def facts(st: HoodState, v: int, name: Callable[[int], str]) -> list[tuple[str, str, str]]:
    """(label, value, help) for a reader."""
    used = [j for j in slots(st, v) if up(st, v, j)]
    value = f"{len(used)} of at most {st.par.max_neighbours}"
    excluded = len(slots(st, v)) - len(used)
    note = f"{len(slots(st, v))} in radio reach" + (f", {excluded} not in use" if excluded else "")
    told = [("Neighbours", value, note)]
    if st.par.quality_in > 0.0:
        shares = [f"{name(st.hood.peer[v][j])} {st.hood.quality[v][j] / 10:.0f} %" for j in slots(st, v)]
        bad = sum(not trusts(st, v, j) for j in slots(st, v))
        told.append(("Hellos heard", ", ".join(shares) or "none", f"{bad} of these links not trusted"))
    return told


def check(par: Mapping[str, Any]) -> list[str]:
    """What will not work as it may seem, in words. Raises ScenarioError for what cannot work together."""
    if par["hello_timeout_s"] <= par["hello_s"]:
        problem = "every neighbour would be dropped between two hellos"
        allowed = f"more than hello_s = {par['hello_s']:g} s"
        raise ScenarioError("protocol.params.hello_timeout_s", par["hello_timeout_s"], allowed, problem)
    if par["quality_out"] > par["quality_in"]:
        problem = "a link would be dropped as soon as it is trusted"
        allowed = f"at most quality_in = {par['quality_in']:g}"
        raise ScenarioError("protocol.params.quality_out", par["quality_out"], allowed, problem)
    found = []
    if par["hello_timeout_s"] <= 2.2 * par["hello_s"]:
        found.append(
            f"hello_timeout_s = {par['hello_timeout_s']:g} s leaves no time for two hellos: one that is lost drops "
            "a neighbour"
        )
    if par["quality_in"] > 0.0 and par["quality_out"] == par["quality_in"]:
        found.append("quality_out = quality_in: links of about that quality come and go, without hysteresis")
    return found


NEIGHBOURHOOD = Layer(
    name="neighbourhood",
    key="hood",
    title="Neighbourhood",
    summary="Hellos find the neighbours in radio reach; only links that work both ways are used, at most C_N a node.",
    state=Hood,
    every={hello: "hello_s"},
    on={Hello: on_hello},
    gate="up",
    facts=facts,
    check=check,
    params=(
        Param(
            "hello_s", "float", 1.0, "Hello period", "How often a node says that it is there.", 0.1, 60.0, "s"
        ),
        Param(
            "hello_timeout_s",
            "float",
            3.2,
            "Hello timeout",
            "A neighbour unheard for this long is dropped. Keep it above two hello periods.",
            0.2,
            300.0,
            "s",
        ),
        Param(
            "max_neighbours",
            "int",
            256,
            "Most neighbours",
            "Links a node may use. A small value can cut the network into parts, which is shown.",
            1,
            1000,
            symbol="C_N",
        ),
        Param(
            "quality_in",
            "float",
            0.0,
            "Quality to begin",
            "A link is used once this share of hellos has been heard lately, at both ends. 0: no matter how many.",
            0.0,
            1.0,
        ),
        Param(
            "quality_out",
            "float",
            0.0,
            "Quality to end",
            "A link in use is given up when less than this share of hellos is heard. At most the quality to begin.",
            0.0,
            1.0,
        ),
    ),
)
