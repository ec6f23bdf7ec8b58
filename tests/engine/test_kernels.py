"""Static routing counts: equal to the event engine, and to plain models of the trees and of the ring walk."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import networkx as nx
import pytest

from backend.bench.plain import analysis
from backend.bench.proof import PLAYED, PUBLICATIONS, compare
from engine.core.errors import ScenarioError
from engine.kernels.studies import COLUMNS, WAYS, gains, messages, workload
from engine.oracle.structure import Truth, next_subscribers, structure
from engine.world.generators import gnp
from engine.world.network import Network, central_node
from engine.world.topologies import Gnp

CASES = [
    (n, degree, subscribers, publications, seed)
    for seed, (n, degree, subscribers, publications) in enumerate(
        [(2, 1.0, 1, 1), (2, 1.0, 2, 3), (3, 2.0, 1, 4), (9, 3.0, 3, 3), (17, 16.0, 5, 5), (30, 4.0, 30, 4)]
    )
] + [
    (
        draw.randint(4, 60),
        draw.uniform(4.5, 9.0),
        draw.randint(1, 4),
        draw.randint(1, 6),
        draw.randrange(10**6),
    )
    for draw in [random.Random(1)]
    for _ in range(40)
]


def network_of(n: int, degree: float, seed: int) -> Network:
    return gnp(Gnp(kind="gnp", n=n, mean_degree=min(degree, n - 1)), seed, drawn=False)


def truth_of(network: Network, root: int) -> Truth:
    peers = network.adjacency
    works = [[True] * len(row) for row in peers]
    return structure(peers, works, [True] * network.n, root=root, most_neighbours=network.n)


def subtree(truth: Truth, ends: set[int]) -> int:
    """Links of the smallest subtree that holds these nodes."""
    paths: list[set[tuple[int, int]]] = []
    for v in ends:
        path = [v]
        while truth.parent[path[-1]] >= 0:
            path.append(truth.parent[path[-1]])
        paths.append({(x, truth.parent[x]) for x in path[:-1]})
    return (
        len(set[tuple[int, int]]().union(*paths) - paths[0].intersection(*paths[1:])) if len(ends) > 1 else 0
    )


def walked(near: Sequence[Sequence[int]], truth: Truth, publisher: int, subscribers: set[int]) -> int:
    """RingPS, as the papers tell it: always to the farthest neighbour not beyond the next subscriber (to the next position,
    where there is none), until the next hop would reach or pass the start.
    """
    owner = truth.owner[0]
    length = len(owner)
    p = start = truth.pos[publisher][0]
    messages = 0
    while True:
        v = owner[p]
        ahead = next((d for d in range(1, length) if owner[(p + d) % length] in subscribers - {v}), 1)
        hop = max(d for w in near[v] for x in truth.pos[w] if 0 < (d := (x - p) % length) <= ahead)
        if (p - start) % length + hop >= length:
            return messages
        p = (p + hop) % length
        messages += 1


@pytest.mark.parametrize(("n", "degree", "subscribers", "publications", "seed"), CASES)
def test_trees_and_ring_walk_equal_plain_models(
    n: int, degree: float, subscribers: int, publications: int, seed: int
) -> None:
    found = {
        name: column[0]
        for name, column in gains(n, min(degree, n - 1), subscribers, publications, [seed]).items()
    }
    network = network_of(n, degree, seed)
    wanted, publishers = workload(n, subscribers, publications, seed)
    centre = truth_of(network, central_node(network))
    assert found["links"] == len(network.links)
    assert found["tree_of_root"] == sum(subtree(centre, {v, *wanted}) for v in publishers)
    own = {v: truth_of(network, v) for v in set(publishers)}
    assert found["tree_of_publisher"] == sum(subtree(own[v], {v, *wanted}) for v in publishers)
    assert found["ringps"] == sum(walked(network.adjacency, centre, v, set(wanted)) for v in publishers)
    assert (found["duplicates"], found["missed"]) == (0, 0)


@pytest.mark.parametrize("way", PLAYED)
def test_routes_equal_the_event_engine(way: str) -> None:
    assert compare(way, range(100)) == 100 * PUBLICATIONS


def test_a_difference_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLAYED, "psvr_non_tree", PLAYED["psvr_all_links"])
    with pytest.raises(RuntimeError, match=r"psvr_non_tree, case .*: the event engine has"):
        compare("psvr_non_tree", range(200))


@pytest.mark.parametrize(("n", "degree", "subscribers", "publications", "seed"), CASES)
def test_the_same_analysis_with_networkx_gives_the_same(
    n: int, degree: float, subscribers: int, publications: int, seed: int
) -> None:
    graph: Any = nx.Graph(network_of(n, degree, seed).links)
    wanted, publishers = workload(n, subscribers, publications, seed)
    found = analysis(graph, set(wanted), publishers)
    ours = gains(n, min(degree, n - 1), subscribers, publications, [seed], list(found))
    assert {name: ours[name][0] for name in found} == found


@pytest.mark.parametrize(("n", "degree", "subscribers", "publications", "seed"), CASES)
def test_a_given_network_costs_the_same_as_a_drawn_one(
    n: int, degree: float, subscribers: int, publications: int, seed: int
) -> None:
    network = network_of(n, degree, seed)
    apart = messages(n, network.links, central_node(network), *workload(n, subscribers, publications, seed))
    drawn = gains(n, min(degree, n - 1), subscribers, publications, [seed])
    del drawn["links"]
    assert {name: [sum(column)] for name, column in apart.items()} == drawn
    assert all(len(column) == publications for column in apart.values())


def test_only_what_is_asked_for_is_counted() -> None:
    every = gains(70, 6.0, 5, 5, range(20))
    for way in WAYS:
        alone = gains(70, 6.0, 5, 5, range(20), [way])
        hops = {"psvr_all_links": ["hops_all_links"], "psvr_non_tree": ["hops_non_tree"]}.get(way, [])
        assert set(alone) == {"links", way, *hops, "duplicates", "missed"}
        assert all(alone[name] == every[name] for name in alone)


@pytest.mark.parametrize("n", [63, 64, 65, 127, 129, 300])
def test_sets_of_any_number_of_words(n: int) -> None:
    """A star, and a ring whose positions fill words to their last bit."""
    star = messages(n, [(0, v) for v in range(1, n)], 0, [n - 1], [1, 0, n - 1])
    assert star["psvr_all_links"] == [2, 1, 0]
    circle = messages(n, [(v, (v + 1) % n) for v in range(n)], 0, [n // 2], [0, n - 1])
    assert circle["tree_of_root"] == [n // 2, n // 2 + 1]
    assert circle["psvr_all_links"] == [n // 2, n // 2 + 1]
    assert circle["missed"] == [0, 0]


def test_a_row_a_seed_and_the_same_again() -> None:
    one = gains(20, 5.0, 3, 4, range(50))
    assert list(one) == ["links", *COLUMNS]
    assert all(len(column) == 50 for column in one.values())
    assert one == gains(20, 5.0, 3, 4, list(range(50)))
    assert {name: column[7] for name, column in one.items()} == {
        name: column[0] for name, column in gains(20, 5.0, 3, 4, [7]).items()
    }


def test_next_subscribers_of_the_model_are_those_of_the_oracle() -> None:
    network = network_of(20, 5.0, 3)
    truth = truth_of(network, central_node(network))
    routes = next_subscribers(truth, [v in (4, 9) for v in range(20)])
    assert {truth.owner[0][p] for row in routes for p in row if p >= 0} == {4, 9}


def test_what_cannot_be_studied_is_refused() -> None:
    with pytest.raises(ScenarioError, match="subscribers"):
        gains(5, 3.0, 6, 1, [1])
    with pytest.raises(ScenarioError, match="connected"):
        gains(50, 0.5, 2, 1, [1])
    with pytest.raises(ScenarioError, match="connected"):
        messages(4, [(0, 1), (2, 3)], 0, [1], [0])
    with pytest.raises(ScenarioError, match="subscribers"):
        messages(4, [(0, 1), (1, 2), (2, 3)], 0, [], [0])
    with pytest.raises(ScenarioError, match="pigeons"):
        gains(5, 3.0, 2, 1, [1], ["pigeons"])
