"""The judge's idea of the truth, against plain definitions; and its books."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from engine.core.declare import NONE
from engine.oracle.structure import Truth, next_subscribers, structure
from tests.engine.support import play, publish, scenario, subscribe


def truth_of(graph: Any, root: int, most: int = 99) -> Truth:
    peers = [sorted(graph[v]) for v in range(len(graph))]
    works = [[True] * len(row) for row in peers]
    return structure(peers, works, [True] * len(peers), root=root, most_neighbours=most)


@settings(deadline=None, max_examples=40)
@given(some.integers(2, 30), some.integers(0, 10_000))
def test_tree_and_ring_are_what_the_definitions_say(n: int, seed: int) -> None:
    graph = nx.gnp_random_graph(n, 4 / n, seed=seed)
    truth = truth_of(graph, 0)
    assert sorted(map(sorted, truth.parts)) == sorted(map(sorted, nx.connected_components(graph)))
    for owner, nodes in zip(truth.owner, truth.parts, strict=True):
        top = 0 if 0 in nodes else min(nodes)
        hops = nx.single_source_shortest_path_length(graph, top)
        for v in nodes:
            assert truth.root[v] == top
            assert truth.dist[v] == hops[v]
            closer = [w for w in graph[v] if hops[w] == hops[v] - 1]
            assert truth.parent[v] == (min(closer) if closer else NONE)
        if len(nodes) > 1:
            assert len(owner) == 2 * (len(nodes) - 1)
            tree = {frozenset((v, truth.parent[v])) for v in nodes if v != top}
            steps = [frozenset(pair) for pair in zip(owner, owner[1:] + owner[:1], strict=True)]
            assert set(steps) == tree, "the ring walks the tree"
            assert all(steps.count(link) == 2 for link in tree), "each link once down and once up"
            assert all(truth.pos[v] == [p for p, w in enumerate(owner) if w == v] for v in nodes)


@settings(deadline=None, max_examples=40)
@given(some.integers(2, 25), some.integers(0, 10_000), some.data())
def test_next_subscribers_are_found_by_walking(n: int, seed: int, data: Any) -> None:
    graph = nx.random_labeled_tree(n, seed=seed)
    truth = truth_of(graph, 0)
    subscribed = data.draw(some.lists(some.booleans(), min_size=n, max_size=n))
    owner = truth.owner[0]
    for v, row in enumerate(next_subscribers(truth, subscribed)):
        for p, found in zip(truth.pos[v], row, strict=True):
            walk = [(p + step) % len(owner) for step in range(1, len(owner))]
            assert found == next((q for q in walk if subscribed[owner[q]] and owner[q] != v), NONE)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_node_uses_more_links_than_it_may(most: int) -> None:
    graph = nx.complete_graph(7)
    truth = truth_of(graph, 0, most)
    assert max(sum(row) for row in truth.up) <= most


def test_a_small_neighbourhood_can_cut_the_network_and_that_is_reported() -> None:
    run = play(scenario({"kind": "star", "n": 6}, [], params={"max_neighbours": 2}), 20.0)
    assert [part["nodes"] for part in run.report()["parts"]] == [3, 1, 1, 1]
    assert run.report()["legitimacy"]["ring"]["wrong"] == 0


def test_the_books_count_expected_delivered_and_messages() -> None:
    # The publisher's own subscription is no delivery, and a subscriber cut off is not expected.
    events = [subscribe(v) for v in ("0", "2", "5")]
    events += [{"t": 10, "do": "fail-node", "node": "4"}, publish("0", 30), publish("1", 30)]
    run = play(scenario({"kind": "line", "n": 6}, events), 31.0)
    first, second = (run.report()["publications"][k] for k in (0, 1))
    assert first["expected"] == ["2"]
    assert second["expected"] == ["0", "2"]
    assert first["delivered"]["2"]["hops"] == 2
    assert first["messages"] == len(first["sends"]) == 2
    assert second["duplicates"] == 0


def test_when_all_subscribe_the_tree_is_used_exactly() -> None:
    topology = {"kind": "gnp", "n": 20, "mean_degree": 6}
    run = play(scenario(topology, [*(subscribe(str(v)) for v in range(20)), publish("7", 30)]), 31.0)
    assert run.publications[0].messages == 19
