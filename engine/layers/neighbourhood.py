"""Neighbourhood: which of the nodes in radio reach a node works with (topology control, TCA).

Source: PSVR §3, slides "Neighborhood Management Layer". Stabilises: yes. Deviations: the papers leave the rule open;
this one takes bidirectional links only, at most C_N (`max_neighbours`) a node, chosen by a rank that both ends of a link
agree on (node order). Each node wants its best-ranked candidates, skips those that are full with better ones, and uses a
link when both ends want it: by induction over the ranks every start ends in the one greedy choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol

from engine.core.declare import NONE, Column, Env, Flag, Input, Int, Ints, Layer, Net, Param, Seconds, Table

NEVER = -1000.0


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
    for j in slots(st, v):
        if last[j] > now:
            last[j] = now  # a stamp from the future is a fault
        if last[j] < oldest:
            last[j], theirs[j], bar[j], want[j], in_use[j] = NEVER, 0, NONE, 0, 0
        else:
            hears_me = theirs[j] > 0
            want[j] = 1 if hears_me and (bar[j] == NONE or rank(st, v, peer[j]) <= bar[j]) else 0
            in_use[j] = 1 if want[j] == 1 and theirs[j] == 2 else 0
            wanted += want[j]
            used += in_use[j]
            said[size] = 2 * peer[j] + want[j]
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
        if hood.last[v][j] > NEVER:
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
    if place >= m.size or heard[place] >> 1 != v:  # not where it was last time
        place = 0
        while place < m.size and heard[place] >> 1 != v:
            place += 1
        hood.place[v][j] = place
    if place < m.size:
        theirs = 1 + (heard[place] & 1)
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
    return [("Neighbours", value, note)]


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
    ),
)
