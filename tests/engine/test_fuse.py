"""Fused handlers do what the handlers do, and what cannot be fused is not."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from engine.core import storage
from engine.core.declare import NONE
from engine.core.errors import ProtocolBug
from engine.core.fuse import fuse
from engine.core.rng import Stream
from engine.core.simulator import Simulator
from engine.layers.application import Publish, Subscribe
from engine.layers.spanning_tree import SPANNING_TREE, Beacon
from engine.protocols.psvr import PSVR
from engine.registry import as_tuple, parameters

Handler = Callable[[Any, Any, int, int, Any], None]


class Layer(NamedTuple):
    """A small layer."""

    best: list[int]
    heard: list[list[int]]
    total: list[int]


class State(NamedTuple):
    """A stack of that layer."""

    low: Layer


class Offer(NamedTuple):
    """A message."""

    value: int
    size: int
    items: tuple[int, ...]


class Clock:
    """All of `net` that these handlers need."""

    def now(self) -> float:
        return 4.0


RECEIVERS = [(0, 1), (2, 0), (1, 1), (2, 1), (0, 0)]
OFFER = Offer(3, 4, (5, 3, 9, 3))


def fresh() -> State:
    return State(Layer([4, 2, 9], [[0, 7], [3, 1], [8, 2]], [0, 0, 0]))


def better(st: State, v: int, x: int) -> bool:
    return x < st.low.best[v]


def returns_early(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    if m.value >= st.low.best[v]:
        st.low.total[v] += 1
        return
    st.low.best[v] = m.value


def asks_a_helper(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    low, now, found = st.low, net.now(), 0
    for i in range(m.size):
        if better(st, v, m.items[i]):
            found += 1
    heard = low.heard
    heard[v][j] = found + int(now)


def names_things_otherwise(state: State, radio: Clock, me: int, slot: int, offer: Offer) -> None:
    low, value = state.low, offer.value
    row = low.heard[me]
    row[slot], receivers = value, len(row)
    low.total[me] += receivers
    while value > 0 and low.best[me] > 0:
        low.best[me] -= 1
        if low.best[me] == value:
            break


def renames_a_constant(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    limit = m.value
    if v == 1:
        limit = m.size
    st.low.best[v] = limit


def sees_those_before(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    st.low.total[0] += 1
    st.low.heard[v][j] = st.low.total[0]


@pytest.mark.parametrize(
    "handler",
    [returns_early, asks_a_helper, names_things_otherwise, renames_a_constant, sees_those_before],
    ids=lambda h: h.__name__,
)
def test_fused_leaves_the_same_state(handler: Handler) -> None:
    one_by_one, at_once = fresh(), fresh()
    for v, j in RECEIVERS:
        handler(one_by_one, Clock(), v, j, OFFER)
    fused = fuse(handler)
    assert fused is not None
    fused(at_once, Clock(), RECEIVERS, OFFER)
    assert at_once == one_by_one != fresh()


def test_helpers_are_those_of_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    fused = fuse(asks_a_helper)
    assert fused is not None
    monkeypatch.setitem(globals(), "better", lambda st, v, x: True)
    st = fresh()
    fused(st, Clock(), [(1, 0)], OFFER)
    assert st.low.heard[1][0] == 4 + 4


def test_constants_are_looked_up_once_a_frame() -> None:
    asked = []

    class Asked(Clock):
        def now(self) -> float:
            asked.append(1)
            return 4.0

    fused = fuse(asks_a_helper)
    assert fused is not None
    fused(fresh(), Asked(), RECEIVERS, OFFER)
    assert len(asked) == 1


def test_a_traceback_shows_the_line_of_the_handler() -> None:
    fused = fuse(returns_early)
    assert fused is not None
    with pytest.raises(IndexError) as caught:
        fused(fresh(), Clock(), [(7, 0)], OFFER)
    assert str(caught.traceback[-1].statement).strip() == "if m.value >= st.low.best[v]:"


# --- what is not fused


def returns_from_a_loop(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    for i in range(m.size):
        if m.items[i] == st.low.best[v]:
            return
    st.low.best[v] = m.value


def returns_a_value(st: State, net: Clock, v: int, j: int, m: Offer) -> int:
    return m.value


def moves_on(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    j += 1
    st.low.heard[v][j] = 0


def may_read_what_another_left(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    if v == 0:
        left = m.value
    st.low.best[v] = left


def adds_to_what_another_left(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    if v == 0:
        count = 0
    count += 1


def has_a_scope_inside(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    st.low.best[v] = sum(x for x in m.items)


def has_a_function_inside(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    def inner() -> int:
        return 1

    st.low.best[v] = inner()


def tries(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    try:
        st.low.best[v] = m.value
    finally:
        st.low.total[v] += 1


def takes_the_rest(st: State, net: Clock, v: int, *rest: Any) -> None:
    st.low.best[v] = 0


def plain(handler: Handler) -> Handler:
    """A decorator that changes nothing."""
    return handler


@plain
def is_decorated(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
    st.low.best[v] = m.value


def closure(value: int) -> Handler:
    def stores(st: State, net: Clock, v: int, j: int, m: Offer) -> None:
        st.low.best[v] = value

    return stores


def without_source() -> Handler:
    made: dict[str, Handler] = {}
    exec("def sourceless(st, net, v, j, m):\n    st.low.best[v] = m.value", made)
    return made["sourceless"]


def of_another_source() -> Handler:
    """As when the file was edited after it was imported."""
    made: dict[str, Handler] = {}
    name = "<edited>"
    text = "def edited(st, net, v, j, m):\n    st.low.best[v] = {}\n"
    exec(compile(text.format(1), name, "exec"), made)
    lines = text.format(2).splitlines(keepends=True)
    linecache.cache[name] = (len(lines), None, lines, name)
    return made["edited"]


@pytest.mark.parametrize(
    "handler",
    [
        returns_from_a_loop,
        returns_a_value,
        moves_on,
        may_read_what_another_left,
        adds_to_what_another_left,
        has_a_scope_inside,
        has_a_function_inside,
        tries,
        takes_the_rest,
        is_decorated,
        closure(1),
        lambda st, net, v, j, m: None,
        without_source(),
        of_another_source(),
    ],
    ids=lambda h: h.__name__,
)
def test_what_is_not_plainly_the_same_is_not_fused(handler: Handler) -> None:
    assert fuse(handler) is None


# --- in the simulator


def test_all_of_psvr_is_fused() -> None:
    assert all(fuse(handler) is not None for layer in PSVR.layers for handler in layer.on.values())


def psvr(peers: list[list[int]], seed: int, loss: float, **more: Any) -> Simulator:
    """PSVR on a network, with two subscribers and the digest on."""
    par = as_tuple(PSVR, {**parameters(PSVR, {"lease_s": 2.0, "forget_s": 5.0}, []), "max_depth": len(peers)})
    sim = Simulator(PSVR, peers, par, root=0, channels=2, seed=seed, loss=loss, **more)
    for v, row in enumerate(sim.peers):
        sim.st.hood.degree[v] = len(row)
        sim.st.hood.peer[v][:] = row
    for v in (0, len(peers) - 1):
        sim.inject(v, Subscribe(0))
    return sim


def play(sim: Simulator, dead: int) -> tuple[Any, ...]:
    """Ten seconds with a node failing, all memory corrupted and a publication; everything that came of it."""
    sim.run(3.0)
    sim.alive[dead] = False
    sim.relisten(dead)
    sim.run(4.0)
    storage.corrupt(PSVR, sim.st, Stream(sim.seed, "corrupt"), list(range(sim.n)), sim.peers)
    sim.run(5.0)
    sim.alive[dead] = True
    sim.relisten(dead)
    sim.inject(0, Publish(0, 1))
    sim.run(10.0)
    return sim.digest.hex(), sim.events, sim.dropped, sim.counts, storage.plain(sim.st)


@some.composite
def networks(draw: Callable[..., Any]) -> list[list[int]]:
    """Adjacency of a random network of 2 to 12 nodes, connected or not."""
    n = draw(some.integers(2, 12))
    pairs = [(a, b) for b in range(n) for a in range(b)]
    links = draw(some.lists(some.sampled_from(pairs), min_size=n - 1, max_size=3 * n, unique=True))
    return [[w for w in range(n) if (v, w) in links or (w, v) in links] for v in range(n)]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(networks(), some.integers(0, 10_000), some.sampled_from([0.0, 0.15]), some.data())
def test_fusing_changes_no_run(peers: list[list[int]], seed: int, loss: float, data: Any) -> None:
    dead = data.draw(some.integers(0, len(peers) - 1))
    fused, plain_run = psvr(peers, seed, loss), psvr(peers, seed, loss)
    assert all(fused.fused[handler] for handler in fused.handlers)
    plain_run.fused.clear()
    assert play(fused, dead) == play(plain_run, dead)


def test_single_steps_are_not_fused() -> None:
    sim = psvr([[1, 2], [0, 2], [0, 1]], 1, 0.0)

    def never(st: Any, net: Any, receivers: Any, m: Any) -> None:
        raise AssertionError("a step serves one receiver")

    sim.fused = dict.fromkeys(sim.handlers, never)
    while sim.now < 5.0:
        sim.step()
    assert sim.st.tree.heard_root[2] == [0, 0]
    with pytest.raises(AssertionError, match="one receiver"):
        sim.run(7.0)


def test_a_replaced_handler_is_the_one_that_runs() -> None:
    sim = psvr([[1, 2], [0, 2], [0, 1]], 1, 0.0)
    heard = []
    sim.handlers[sim.kinds[Beacon]] = lambda st, net, v, j, m: heard.append(v)
    sim.run(5.0)
    assert set(heard) == {0, 1, 2}


class Guarded(list[Any]):
    """A field that only the acting node may index."""

    sim: Simulator | None = None

    def __getitem__(self, v: Any) -> Any:
        acting = NONE if Guarded.sim is None else Guarded.sim.acting
        if acting not in (NONE, v):
            raise ProtocolBug(f"node {acting} reaches for node {v}")
        return super().__getitem__(v)


def reads_its_neighbour(st: Any, net: Any, v: int, j: int, m: Any) -> None:
    st.tree.heard[v][j] = st.tree.dist[st.hood.peer[v][j]]


def test_a_guard_sees_each_acting_node() -> None:
    assert fuse(reads_its_neighbour) is not None  # but for the guard it would be
    on = {**SPANNING_TREE.on, Beacon: reads_its_neighbour}
    layers = tuple(replace(layer, on=on) if layer is SPANNING_TREE else layer for layer in PSVR.layers)
    cheating = replace(PSVR, layers=layers)
    for spec in (PSVR, cheating):
        par = as_tuple(spec, {**parameters(spec, {}, []), "max_depth": 3})
        sim = Guarded.sim = Simulator(spec, [[1], [0, 2], [1]], par, root=0, guard=Guarded)
        for v, row in enumerate(sim.peers):
            sim.st.hood.degree[v] = len(row)
            sim.st.hood.peer[v][:] = row
        assert not any(sim.fused.values())
        if spec is PSVR:
            sim.run(5.0)
        else:
            with pytest.raises(ProtocolBug, match="reaches for node"):
                sim.run(5.0)
