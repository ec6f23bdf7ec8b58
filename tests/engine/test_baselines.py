"""Flooding, T_S and T_D: exactly once, at the price that the static kernels tell, from any state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from engine.api import Run
from engine.core.declare import NONE, ProtocolSpec
from engine.core.simulator import Simulator
from engine.kernels.studies import gains, workload
from engine.layers.application import Publish, Subscribe
from engine.protocols import flooding, single_tree, source_trees
from engine.protocols.flooding import FLOODING
from engine.protocols.single_tree import SINGLE_TREE
from engine.protocols.source_trees import SOURCE_TREES
from engine.registry import as_tuple, parameters
from engine.world.scenario import load_scenario
from tests.engine.support import FakeNet, Guarded, legitimate, publish, subscribe

ALL = (FLOODING, SINGLE_TREE, SOURCE_TREES)
FEW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
by_name = pytest.mark.parametrize("spec", ALL, ids=lambda spec: spec.name)


def a_run(spec: ProtocolSpec, topology: dict[str, Any], events: list[dict[str, Any]], **more: Any) -> Run:
    """A run of the protocol, not played yet."""
    protocol = {"name": spec.name, "params": more.pop("params", {})}
    document = {"version": 1, "topology": topology, "protocol": protocol, "events": events, "duration_s": 90}
    return Run(load_scenario({**document, **more}))


def exactly_once(run: Run) -> bool:
    """Whether every publication reached all whom it should, and nobody twice."""
    return all(set(p.delivered) == p.expected and p.duplicates == 0 for p in run.publications)


def settled(run: Run) -> bool:
    """Whether every layer has been legitimate for some seconds."""
    return all(since is not None and run.now > since + 2.0 for since in run.since)


# --- in legitimate states


@pytest.mark.parametrize(
    ("n", "degree", "subscribers", "seed"),
    [(2, 1.0, 1, 1), (3, 2.0, 2, 2), (12, 11.0, 4, 3), (20, 4.5, 1, 4), (30, 5.0, 6, 5), (40, 6.0, 15, 6)],
)
def test_messages_are_those_of_the_kernels(n: int, degree: float, subscribers: int, seed: int) -> None:
    topology = {"kind": "gnp", "n": n, "mean_degree": degree}
    wanted, publishers = workload(n, subscribers, 5, seed)
    events = [subscribe(str(v)) for v in wanted]
    events += [publish(str(v), 40.0 + i) for i, v in enumerate(publishers)]
    counted = gains(n, degree, subscribers, 5, [seed])
    right = [  # flooding: one broadcast a node, the publisher and the leaves included
        (FLOODING, 5 * n),
        (SINGLE_TREE, counted["tree_of_root"][0]),
        (SOURCE_TREES, counted["tree_of_publisher"][0]),
    ]
    for spec, messages in right:
        run = a_run(spec, topology, events, seed=seed)
        run.advance(50.0)
        assert legitimate(run)
        assert exactly_once(run)
        assert run.tallies()["transmissions"] == messages, spec.name


@by_name
def test_channels_do_not_mix(spec: ProtocolSpec) -> None:
    events = [subscribe("1", "a"), subscribe("5", "b"), subscribe("5", "a"), subscribe("8", "b")]
    events += [{"t": 15, "do": "unsubscribe", "node": "5", "channel": "a"}]
    events += [publish("3", 40, "a"), publish("3", 41, "b"), publish("8", 42, "b"), publish("1", 43, "c")]
    run = a_run(spec, {"kind": "grid", "rows": 3, "cols": 3}, events)
    run.advance(45.0)
    assert [set(p.delivered) for p in run.publications] == [{1}, {5, 8}, {5}, set()]
    assert exactly_once(run)


@by_name
def test_a_node_that_joins_takes_part(spec: ProtocolSpec) -> None:
    run = a_run(spec, {"kind": "ring", "n": 6}, [subscribe("2"), subscribe("5")])
    run.advance(10.0)
    run.command({"do": "add-node", "id": "new", "x": 0, "y": 0, "links": ["0", "4"]})
    run.command({"do": "subscribe", "node": "new", "channel": "c"})
    run.advance(40.0)
    for node in ("new", "1", "5"):
        run.command({"do": "publish", "node": node, "channel": "c"})
    run.advance(45.0)
    assert [len(p.expected) for p in run.publications] == [2, 3, 2]
    assert legitimate(run)
    assert exactly_once(run)


# --- from any state


@some.composite
def networks(draw: Callable[..., Any]) -> dict[str, Any]:
    """A random network, connected or not."""
    n = draw(some.integers(1, 16))
    if n <= 4:
        return {"kind": "line", "n": n}
    degree = draw(some.sampled_from([2.5, 4.0]))
    return {"kind": "gnp", "n": n, "mean_degree": degree, "allow_disconnected": draw(some.booleans())}


@by_name
@FEW
@given(networks(), some.integers(0, 10_000), some.sampled_from([0.0, 0.05]), some.booleans())
def test_from_any_state_everything_is_right_again(
    spec: ProtocolSpec, topology: dict[str, Any], seed: int, loss: float, crash: bool
) -> None:
    run = a_run(spec, topology, [], seed=seed, radio={"kind": "ideal", "loss": loss})
    ids = list(run.network.ids)
    for v in ids[::3]:
        run.command({"do": "subscribe", "node": v, "channel": "c"})
    run.advance(6.0)
    run.command({"do": "corrupt", "node": "*", "layer": "*"})
    if crash and len(ids) > 2:
        run.command({"do": "fail-node", "node": ids[1]})
    run.advance(8.0 + 3 * len(ids))
    run.command({"do": "set-loss", "loss": 0.0})
    while run.now < 150.0 and not settled(run):
        run.advance(run.now + 0.5)
    assert legitimate(run)
    for v in ids[::2]:
        run.command({"do": "publish", "node": v, "channel": "c"})
        run.advance(run.now + 1.0)
    assert run.publications
    assert exactly_once(run)


def test_a_memory_full_of_publications_to_come_is_overwritten_by_as_many() -> None:
    run = a_run(FLOODING, {"kind": "line", "n": 3}, [subscribe("2")], params={"memory": 4})
    run.advance(5.0)
    for number in range(1, 5):
        place = {"node": "1", "layer": "flooding", "field": "seen", "value": number}
        run.command({"do": "corrupt", **place})
        run.command({"do": "publish", "node": "0", "channel": "c"})
        run.advance(run.now + 1.0)
        assert not run.publications[-1].delivered  # node 1 takes it for an old one
        if number == 1:
            run.command({"do": "corrupt", **place, "value": NONE})
    for _ in range(3):
        run.command({"do": "publish", "node": "0", "channel": "c"})
        run.advance(run.now + 1.0)
    assert len(run.publications[-1].delivered) == 1


# --- weaknesses


def test_flooding_delivers_twice_with_more_under_way_than_it_remembers() -> None:
    together = [publish(str(v), 20.0) for v in range(8)]
    for memory, twice in ((1, True), (8, False)):
        events = [subscribe("4"), *together]
        run = a_run(FLOODING, {"kind": "ring", "n": 9}, events, params={"memory": memory})
        run.advance(40.0)
        assert all(p.expected <= p.delivered.keys() for p in run.publications)
        assert (sum(p.duplicates for p in run.publications) > 0) == twice
        assert run.publications[0].last < 30.0, "copies die out, at the latest after n hops"


def test_the_single_tree_leads_neighbours_apart_around_the_root() -> None:
    events = [subscribe("5"), publish("4", 40.0)]
    for spec, hops in ((SINGLE_TREE, 8), (SOURCE_TREES, 1)):
        params = {"root": "0"} if spec is SINGLE_TREE else {}
        run = a_run(spec, {"kind": "ring", "n": 9}, events, params=params)
        run.advance(45.0)
        assert [h for _, h in run.publications[0].delivered.values()] == [hops]


# --- rules by hand


def stack(spec: ProtocolSpec) -> Any:
    """A star: 0 in the middle, 1, 2 and 3 around it; everything in use, 0 the root."""
    values = {**parameters(spec, {}, []), "max_depth": 4}
    sim = Simulator(spec, [[1, 2, 3], [0], [0], [0]], as_tuple(spec, values), root=0, channels=3)
    st = sim.st
    for v, row in enumerate(sim.peers):
        st.hood.degree[v], st.hood.peer[v][:], st.hood.up[v][:] = len(row), row, [1] * len(row)
    return st


def test_a_branch_is_told_what_others_want(net: FakeNet) -> None:
    st = stack(SINGLE_TREE)
    st.tree.child[0][:] = [1, 1, 1]
    st.pubsub.wants[0], st.pubsub.behind[0][:] = 0b001, [0b011, 0b100, 0]
    single_tree.tell(st, net, 0)
    assert [(j, m.channels) for _, j, m in net.sent] == [(0, 0b101), (1, 0b011), (2, 0b111)]


def test_a_parent_is_the_first_of_the_closest(net: FakeNet) -> None:
    st = stack(SOURCE_TREES)
    told = source_trees.Dist(4, (NONE, NONE, 0, 2))
    source_trees.on_dist(st, net, 0, 2, told)
    source_trees.on_dist(st, net, 0, 1, told)
    assert (st.pubsub.dist[0], st.pubsub.parent[0]) == ([NONE, NONE, 1, 3], [NONE, NONE, 1, 1])
    source_trees.on_dist(st, net, 0, 1, source_trees.Dist(4, (NONE, 3, NONE, 3)))
    assert (st.pubsub.dist[0], st.pubsub.parent[0]) == ([NONE] * 4, [NONE] * 4)
    source_trees.grow(st, net, 0)
    assert net.sent == [(0, source_trees.Dist(4, [0, NONE, NONE, NONE]))]


def test_flooding_passes_on_once(net: FakeNet) -> None:
    st = stack(FLOODING)
    st.flood.wants[1] = 1
    for publication in (7, 7, 8):
        flooding.on_pub(st, net, 1, 0, flooding.Pub(0, publication, 1))
    flooding.on_pub(st, net, 1, 0, flooding.Pub(0, 9, 4))  # has made n hops
    again = [flooding.Pub(0, number, 2) for number in (7, 8)]
    assert net.sent == [(1, 0, 7), (1, again[0]), (1, 0, 8), (1, again[1]), (1, 0, 9)]


@by_name
def test_no_rule_touches_another_node(spec: ProtocolSpec) -> None:
    peers = [[(v - 1) % 8, (v + 1) % 8] for v in range(8)]
    values = {**parameters(spec, {}, []), "max_depth": 8}
    sim = Simulator(spec, peers, as_tuple(spec, values), root=0, guard=Guarded)
    Guarded.sim = sim
    for v in range(8):
        sim.st.hood.degree[v] = 2
        sim.st.hood.peer[v][:] = sim.peers[v]
    sim.inject(3, Subscribe(0))
    sim.run(30.0)
    sim.inject(0, Publish(0, 1))
    sim.run(32.0)
    assert sim.counts[0] >= 3, "a publication has been on its way"


@by_name
def test_report_and_inspector_show_its_layers(spec: ProtocolSpec) -> None:
    run = a_run(spec, {"kind": "line", "n": 4}, [subscribe("3"), publish("0", 30)])
    run.advance(32.0)
    report = run.report()
    assert list(report["legitimacy"]) == run.layers
    assert report["publications"][0]["delivered"]["3"]["hops"] == 3
    shown = spec.messages[0].shown
    assert all(set(shown) == send["fields"].keys() for send in report["publications"][0]["sends"])
    seen = run.inspect(1, "c")
    if spec is not FLOODING:
        rows = seen["table"]["rows"]
        assert [row["in_use"] for row in rows] == [False, True]
        assert rows[1]["cells"][1] == ("yes" if spec is SINGLE_TREE else "2")  # of the sources 0 and 1
    told = seen["layers"]
    assert [layer["name"] for layer in told] == [layer.name for layer in spec.layers]
    assert all(fact["label"] and fact["value"] for layer in told for fact in layer["facts"])
