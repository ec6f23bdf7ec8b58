"""Convergence from any state, closure of the legitimate ones, and exactly-once delivery in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from engine.api import Run
from engine.core.errors import ProtocolBug
from engine.core.simulator import Simulator
from engine.layers.application import Subscribe
from engine.protocols.psvr import PSVR
from engine.registry import as_tuple, parameters
from engine.world.scenario import load_scenario
from tests.engine.support import Guarded, legitimate, play, publish, scenario, subscribe

FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@some.composite
def networks(draw: Callable[..., Any]) -> tuple[dict[str, Any], list[str]]:
    """A random network (connected or not) and some of its nodes."""
    n = draw(some.integers(1, 24))
    degree = draw(some.sampled_from([2.5, 4, 7]))
    apart = draw(some.booleans())
    topology: dict[str, Any] = {"kind": "line", "n": n}
    if n > 8:
        topology = {"kind": "gnp", "n": n, "mean_degree": degree, "allow_disconnected": apart}
    chosen = draw(some.lists(some.integers(0, n - 1), max_size=8, unique=True))
    return topology, [str(v) for v in chosen]


def converge(run: Run, within: float) -> None:
    """Play until every layer has been legitimate for two seconds. Fails after `within` seconds."""
    end = run.now + within
    calm = 0.0
    while calm < 2.0:
        assert run.now < end, f"not legitimate after {within} s: {run.samples[-1]}"
        run.advance(run.now + 0.5)
        calm = calm + 0.5 if legitimate(run) else 0.0


def publish_from_everywhere(run: Run, channels: str) -> None:
    """Every node publishes on every channel; each publication must arrive exactly once at each subscriber."""
    for node in run.network.ids:
        for channel in channels:
            run.command({"do": "publish", "node": node, "channel": channel})
    run.advance(run.now + 1.0)
    for p in run.publications:
        assert p.delivered.keys() == p.expected, f"{p.id} reached {p.delivered.keys()}, not {p.expected}"
        assert p.duplicates == 0, f"{p.id} was delivered twice"


@FEW
@given(
    networks(),
    some.integers(0, 10_000),
    some.sampled_from([64, 3]),
    some.sampled_from(["all-links", "non-tree"]),
)
def test_any_state_becomes_legitimate_and_then_delivers_exactly_once(
    network: tuple[dict[str, Any], list[str]], seed: int, most: int, shortcuts: str
) -> None:
    heals(scenario, network, seed, {"max_neighbours": most, "shortcuts": shortcuts})


def heals(
    made: Callable[..., dict[str, Any]],
    network: tuple[dict[str, Any], list[str]],
    seed: int,
    params: dict[str, Any],
) -> None:
    """A run of the document that `made` makes heals when everything is corrupted, and delivers exactly once then."""
    topology, nodes = network
    events = [subscribe(v, "xy"[k % 2]) for k, v in enumerate(nodes)]
    events.append({"t": 6, "do": "corrupt", "node": "*", "layer": "*"})
    run = Run(load_scenario(made(topology, events, seed=seed, params=params)))
    run.advance(6.0)
    converge(run, 120.0)
    samples = len(run.samples)
    publish_from_everywhere(run, "xy")
    assert not any(any(wrong) for _, wrong in run.samples[samples:]), "a legitimate state was left"


@FEW
@given(networks(), some.data())
def test_failures_heal_in_every_part(network: tuple[dict[str, Any], list[str]], data: Any) -> None:
    topology, nodes = network
    run = Run(load_scenario(scenario(topology, [subscribe(v) for v in nodes])))
    run.advance(8.0)
    for v in data.draw(some.lists(some.sampled_from(run.network.ids), max_size=4, unique=True)):
        run.command({"do": "fail-node", "node": v})
    for a, b in data.draw(
        some.lists(some.sampled_from(run.network.links or [(0, 0)]), max_size=4, unique=True)
    ):
        if a != b:
            oneway = data.draw(some.booleans())
            run.command(
                {"do": "fail-link", "link": [run.network.ids[a], run.network.ids[b]], "oneway": oneway}
            )
    converge(run, 150.0)


@pytest.mark.parametrize("layer", ["neighbourhood", "tree", "ring", "pubsub"])
def test_each_layer_heals_from_its_own_corruption(layer: str) -> None:
    topology = {"kind": "builtin", "name": "mesh-17"}
    ids = Run(load_scenario(scenario(topology, []))).network.ids
    run = play(scenario(topology, [subscribe(ids[3]), subscribe(ids[9])]), 30.0)
    assert legitimate(run)
    run.command({"do": "corrupt", "node": "*", "layer": layer})
    assert run.samples[-1][1][run.layers.index(layer)] > 0
    converge(run, 60.0)


def test_corrupt_and_injected_messages_are_data() -> None:
    topology = {"kind": "builtin", "name": "mesh-17"}
    run = play(scenario(topology, [], radio={"kind": "ideal", "delay_s": 0.3}), 5.0)
    ids = run.network.ids
    for step in range(20):
        run.command({"do": "corrupt-messages", "share": 1.0})
        run.advance(5.0 + 0.2 * step)
    a, b = run.network.links[0]
    for message in (m.name for m in run.protocol.messages if m.shape != "local"):
        run.command({"do": "inject", "to": ids[a], "from": ids[b], "message": message})
    converge(run, 60.0)


def test_a_part_without_the_root_grows_a_ring_of_its_own() -> None:
    line = {"kind": "line", "n": 10}
    events = [
        subscribe("1"),
        subscribe("8"),
        {"t": 10, "do": "fail-link", "link": ["4", "5"]},
        publish("6", 55),
        publish("3", 55),
    ]
    run = play(scenario(line, events, 56, params={"root": "0"}))
    assert legitimate(run)
    assert [part["root"] for part in run.report()["parts"]] == ["0", "5"]
    ring = run.report()["ring"]["positions"]
    assert ring["5"] == [0]
    assert ring["9"] == [4]
    right, left = run.publications
    assert set(right.delivered) == right.expected == {8}
    assert set(left.delivered) == left.expected == {1}


def test_unsubscribing_keeps_routing_correct_and_is_forgotten() -> None:
    topology = {"kind": "grid", "rows": 3, "cols": 4}
    events = [
        subscribe("2"),
        subscribe("9"),
        {"t": 15, "do": "unsubscribe", "node": "2", "channel": "c"},
        publish("5", 16),
    ]
    run = play(scenario(topology, events), 17.0)
    assert set(run.publications[0].delivered) == run.publications[0].expected == {9}
    assert run.samples[-1][1][3] > 0
    converge(run, 30.0)


def guarded_run(until: float) -> Simulator:
    """Ten nodes in a circle under a guard, with two subscribers."""
    peers = [[(v - 1) % 10, (v + 1) % 10] for v in range(10)]
    par = as_tuple(PSVR, {**parameters(PSVR, {}, []), "max_depth": 10})
    sim = Simulator(PSVR, peers, par, root=0, guard=Guarded)
    Guarded.sim = sim
    for v in range(10):
        sim.st.hood.degree[v] = 2
        sim.st.hood.peer[v][:] = sim.peers[v]
    for v in (2, 6):
        sim.inject(v, Subscribe(0))
    sim.run(until)
    return sim


def test_no_rule_touches_another_node() -> None:
    assert guarded_run(20.0).st.ring.length[3] == 18


def test_the_guard_catches_a_rule_that_does() -> None:
    sim = guarded_run(1.0)
    beacon = next(k for k, m in enumerate(PSVR.messages) if m.name == "BEACON")

    def cheat(st: Any, net: Any, v: int, j: int, m: Any) -> None:
        st.tree.heard[v][j] = st.tree.dist[st.hood.peer[v][j]]

    sim.handlers[beacon] = sim._watched_over(cheat)
    with pytest.raises(ProtocolBug, match="reaches for node"):
        sim.run(5.0)
