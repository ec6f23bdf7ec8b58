"""Shen: branches of the tree, repair by neighbours' tables, and what they cannot repair."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.api import Run
from engine.core.declare import NONE
from engine.core.simulator import Simulator
from engine.kernels.studies import gains, workload
from engine.layers.application import Publish, Subscribe, Unsubscribe
from engine.oracle.structure import Truth, branches
from engine.protocols.shen import (
    SHEN,
    Pub,
    Sub,
    Tables,
    exchange,
    on_pub,
    on_publish,
    on_sub,
    on_subscribe,
    on_tables,
    on_unsubscribe,
)
from engine.registry import as_tuple, parameters
from engine.world.scenario import load_scenario
from tests.engine.support import FakeNet, Guarded, legitimate, play, publish, scenario, subscribe
from tests.engine.test_stabilisation import FEW, converge, networks, publish_from_everywhere


def shen(topology: dict[str, Any], events: list[dict[str, Any]], duration: float = 60.0, **more: Any) -> Any:
    """A scenario document."""
    protocol = {"name": "shen", "params": {"exchange_s": 1.0, **more.pop("params", {})}}
    return scenario(topology, events, duration, protocol=protocol, **more)


def lose(node: str, t: float | None = None) -> list[dict[str, Any]]:
    """A node's whole routing table is gone."""
    when = {} if t is None else {"t": t}
    fields = ("own", "behind")
    return [
        {**when, "do": "corrupt", "node": node, "layer": "pubsub", "field": f, "value": 0} for f in fields
    ]


# --- rules


def stack() -> Any:
    """Node 1 of the line 0 – 1 – 2, rooted at 0."""
    values = {**parameters(SHEN, {}, []), "max_depth": 3}
    sim = Simulator(SHEN, [[1], [0, 2], [1]], as_tuple(SHEN, values), root=0, channels=4)
    for v, peers in enumerate(sim.peers):
        sim.st.hood.degree[v] = len(peers)
        sim.st.hood.peer[v][:] = peers
        sim.st.hood.up[v][:] = [1] * len(peers)
        sim.st.tree.dist[v], sim.st.tree.parent[v] = v, 0 if v > 0 else NONE
        for j, w in enumerate(peers):
            sim.st.tree.heard[v][j] = w
            sim.st.tree.child[v][j] = int(w > v)
        sim.st.pubsub.awake[v] = 1
    return sim.st


def test_a_subscription_is_noted_and_told_to_all(net: FakeNet) -> None:
    st = stack()
    on_subscribe(st, net, 2, NONE, Subscribe(3))
    assert (st.pubsub.wants[2], st.pubsub.own[2]) == (8, 8)
    on_sub(st, net, 1, 1, Sub(NONE, 0, 8))
    on_sub(st, net, 1, 0, Sub(NONE, 0, 1))  # from above, down
    assert st.pubsub.behind[1] == [1, 8]
    assert net.sent == [(2, Sub(NONE, 0, 8)), (1, Sub(2, 0, 8)), (1, Sub(0, 1, 1))]
    on_sub(st, net, 2, 0, Sub(2, 0, 8))  # its own comes back
    on_sub(st, net, 2, 0, Sub(0, 1, 1))
    assert st.pubsub.behind[2] == [1]
    assert len(net.sent) == 3, "a leaf does not forward"


def test_tables_say_what_is_on_either_side_of_a_link(net: FakeNet) -> None:
    st = stack()
    st.pubsub.wants[1] = st.pubsub.own[1] = 1
    st.pubsub.behind[1][:] = [3, 6]
    exchange(st, net, 1)
    assert net.sent == [(1, 0, Tables(mine=1 | 6, yours=3)), (1, 1, Tables(mine=1 | 3, yours=6))]


def test_what_a_neighbour_has_lost_it_is_told_and_its_word_counts(net: FakeNet) -> None:
    st = stack()
    st.pubsub.behind[1][:] = [0, 8]
    on_tables(st, net, 1, 1, Tables(0, 0))
    assert net.sent == [(1, 1, Tables(0, 8))]
    assert st.pubsub.behind[1] == [0, 0]
    st.pubsub.wants[2] = 8
    on_tables(st, net, 2, 0, Tables(0, 8))
    assert st.pubsub.own[2] == 8
    st.pubsub.wants[2] = 0
    st.pubsub.own[2] = 0
    on_tables(st, net, 2, 0, Tables(0, 8))
    assert st.pubsub.own[2] == 0, "who does not subscribe is not to be talked into it"


def test_an_own_entry_is_dropped_without_an_application_but_not_made_up_for_one(net: FakeNet) -> None:
    st = stack()
    st.pubsub.wants[1], st.pubsub.own[1] = 0b011, 0b110
    exchange(st, net, 1)
    assert st.pubsub.own[1] == 0b010
    st.pubsub.awake[1] = 0  # as after power-on
    exchange(st, net, 1)
    assert (st.pubsub.own[1], st.pubsub.awake[1]) == (0b011, 1)


def test_what_is_noted_for_others_than_tree_neighbours_is_void(net: FakeNet) -> None:
    st = stack()
    st.pubsub.behind[1][:] = [1, 1]
    st.tree.child[1][1] = 0
    on_tables(st, net, 1, 1, Tables(2, 0))
    assert st.pubsub.behind[1] == [1, 1]
    exchange(st, net, 1)
    assert st.pubsub.behind[1] == [1, 0]
    assert net.sent == [(1, 0, Tables(0, 1))]


def test_publications_go_into_branches_but_not_back(net: FakeNet) -> None:
    st = stack()
    st.pubsub.behind[1][:] = [1, 1]
    st.pubsub.wants[1] = 1
    on_publish(st, net, 1, NONE, Publish(0, 5))
    assert net.sent == [(1, 0, Pub(0, 5, 1)), (1, 1, Pub(0, 5, 1))]
    net.sent.clear()
    on_pub(st, net, 1, 0, Pub(0, 5, 1))
    assert net.sent == [(1, 0, 5), (1, 1, Pub(0, 5, 2))]
    net.sent.clear()
    on_pub(st, net, 1, 0, Pub(0, 5, 3))  # as many hops as there are nodes
    assert net.sent == [(1, 0, 5)]


def test_unsubscribing_clears_the_own_entry(net: FakeNet) -> None:
    st = stack()
    on_subscribe(st, net, 1, NONE, Subscribe(0))
    on_unsubscribe(st, net, 1, NONE, Unsubscribe(0))
    assert (st.pubsub.wants[1], st.pubsub.own[1]) == (0, 0)


# --- the oracle


def sides(truth: Truth, wants: list[int]) -> tuple[list[int], list[int]]:
    """Inside and outside each subtree, by walking it."""
    inside, outside = [], []
    for v in range(len(wants)):
        below, todo = {v}, [v]
        while todo:
            fresh = truth.children[todo.pop()]
            below.update(fresh)
            todo += fresh
        rest = set(truth.parts[truth.part[v]]) - below if truth.parent[v] != NONE else set()
        inside.append(union(wants, below))
        outside.append(union(wants, rest))
    return inside, outside


def union(wants: list[int], nodes: set[int]) -> int:
    found = 0
    for v in nodes:
        found |= wants[v]
    return found


@FEW
@given(networks(), some.integers(0, 10_000), some.lists(some.integers(0, 15), min_size=24, max_size=24))
def test_the_oracle_knows_what_is_wanted_on_either_side(
    network: tuple[dict[str, Any], list[str]], seed: int, wants: list[int]
) -> None:
    run = Run(load_scenario(shen(network[0], [], seed=seed)))
    n = run.scene.sim.n
    truth = run.scene.truth()
    assert branches(truth, wants[:n]) == sides(truth, wants[:n])


# --- whole networks


def test_fig_5_takes_the_links_of_the_tree() -> None:
    events = [subscribe("a"), subscribe("b"), publish("d", 60)]
    run = play(shen({"kind": "builtin", "name": "psvr-fig5"}, events, 61, params={"root": "r"}))
    ids = run.network.ids
    sends = [(ids[a], ids[b], m.hops) for _, a, b, m in run.publications[0].sends]
    assert sorted(sends) == [("c", "a", 3), ("d", "b", 1), ("d", "e", 1), ("e", "c", 2)]
    assert run.publications[0].delivered.keys() == run.publications[0].expected
    tables = {x: run.inspect(v, "c")["table"]["rows"] for v, x in enumerate(ids)}
    assert [row["cells"] for row in tables["e"]] == [["r", "no"], ["c", "yes"], ["d", "yes"]]
    assert [row["in_use"] for row in tables["e"]] == [False, True, False]
    assert [row["cells"] for row in tables["b"]] == [["d", "yes"]]
    assert not any(row["wrong"] for rows in tables.values() for row in rows)


def subtree(truth: Truth, ends: set[int]) -> int:
    """Links of the smallest part of the tree that holds these nodes."""
    paths = []
    for v in ends:
        path = [v]
        while truth.parent[path[-1]] != NONE:
            path.append(truth.parent[path[-1]])
        paths.append({frozenset(link) for link in pairwise(path)})
    return len(set[frozenset[int]]().union(*paths) - paths[0].intersection(*paths[1:]))


@FEW
@given(networks(), some.integers(0, 10_000))
def test_publications_take_the_links_of_the_pruned_tree_and_arrive_exactly_once(
    network: tuple[dict[str, Any], list[str]], seed: int
) -> None:
    topology, nodes = network
    run = Run(
        load_scenario(shen(topology, [subscribe(v, "xy"[k % 2]) for k, v in enumerate(nodes)], seed=seed))
    )
    converge(run, 60.0)
    publish_from_everywhere(run, "xy")
    truth, messages = run.scene.truth(), run.publications
    assert [p.messages for p in messages] == [subtree(truth, {p.node, *p.expected}) for p in messages]


@pytest.mark.parametrize("seed", range(8))
def test_as_many_messages_as_the_static_analysis_of_t_s_counts(seed: int) -> None:
    n, subscribers, publications = 12 + 4 * seed, 1 + seed % 4, 6
    wanted, publishers = workload(n, subscribers, publications, seed)
    events = [subscribe(str(v), t=1.0) for v in wanted]
    events += [publish(str(v), 40.0 + i) for i, v in enumerate(publishers)]
    run = play(shen({"kind": "gnp", "n": n, "mean_degree": 5.0}, events, 48.0, seed=seed))
    assert legitimate(run)
    assert (
        run.tallies()["transmissions"] == gains(n, 5.0, subscribers, publications, [seed])["tree_of_root"][0]
    )


def test_the_loss_of_any_one_table_is_repaired() -> None:
    topology = {"kind": "builtin", "name": "mesh-17"}
    ids = Run(load_scenario(shen(topology, []))).network.ids
    run = play(shen(topology, [subscribe(ids[3], "x"), subscribe(ids[9], "y")]), 20.0)
    for node in ids:
        assert legitimate(run)
        for event in lose(node):
            run.command(event)
        assert run.samples[-1][1][-1] > 0
        converge(run, 10.0)


def test_what_a_subscriber_and_its_tree_neighbours_lose_at_once_is_gone() -> None:
    line = {"kind": "line", "n": 5}
    losses = [event for node in ("3", "4") for event in lose(node, 20.0)]
    events = [subscribe("4"), *losses, publish("0", 19), publish("0", 290)]
    run = play(shen(line, events, 300.0, params={"root": "0"}))
    before, after = run.publications
    assert before.missing() == set()
    assert after.missing() == {4}
    assert run.samples[-1][1] == (
        0,
        0,
        run.since[1] is not None and 5,
    )  # own entry, and four nodes towards it
    run.command({"do": "subscribe", "node": "4", "channel": "c"})
    converge(run, 10.0)


@FEW
@given(networks(), some.data())
def test_tables_follow_the_tree(network: tuple[dict[str, Any], list[str]], data: Any) -> None:
    topology, nodes = network
    run = Run(load_scenario(shen(topology, [subscribe(v) for v in nodes])))
    run.advance(8.0)
    ids, links = run.network.ids, run.network.links
    for v in data.draw(some.lists(some.sampled_from(ids), max_size=3, unique=True)):
        run.command({"do": "fail-node", "node": v})
    for a, b in data.draw(some.lists(some.sampled_from(links), max_size=4, unique=True)) if links else []:
        run.command({"do": "fail-link", "link": [ids[a], ids[b]]})
    converge(run, 150.0)
    publish_from_live_nodes(run)


def publish_from_live_nodes(run: Run) -> None:
    for v, node in enumerate(run.network.ids):
        if run.alive(v):
            run.command({"do": "publish", "node": node, "channel": "c"})
    run.advance(run.now + 1.0)
    assert all(p.delivered.keys() == p.expected and p.duplicates == 0 for p in run.publications)


def test_a_node_that_is_switched_on_again_subscribes_anew() -> None:
    run = play(shen({"kind": "grid", "rows": 3, "cols": 3}, [subscribe("8")]), 15.0)
    run.command({"do": "fail-node", "node": "8"})
    run.advance(30.0)
    assert legitimate(run)
    run.command({"do": "restore-node", "node": "8"})
    converge(run, 30.0)
    assert run.scene.sim.st.pubsub.own[8] == 1


def test_the_end_of_a_subscription_spreads_table_by_table() -> None:
    run = play(shen({"kind": "line", "n": 6}, [subscribe("1"), subscribe("5")], params={"root": "0"}), 20.0)
    run.command({"do": "unsubscribe", "node": "5", "channel": "c"})
    assert run.samples[-1][1][-1] > 0
    converge(run, 15.0)
    assert [row[-1] for row in run.scene.sim.st.pubsub.behind[:2]] == [1, 0]


def test_no_rule_touches_another_node() -> None:
    peers = [[(v - 1) % 8, (v + 1) % 8] for v in range(8)]
    values = {**parameters(SHEN, {}, []), "max_depth": 8}
    sim = Simulator(SHEN, peers, as_tuple(SHEN, values), root=0, guard=Guarded)
    Guarded.sim = sim
    for v in range(8):
        sim.st.hood.degree[v] = 2
        sim.st.hood.peer[v][:] = sim.peers[v]
    sim.run(10.0)
    sim.inject(3, Subscribe(0))
    sim.run(20.0)
    sim.inject(0, Publish(0, 1))
    sim.run(21.0)
    assert sim.counts[0] == 3
