"""Static routing counts: equal to the event engine, and to plain models of the trees and of the ring walk."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.api import Run
from engine.core.errors import ScenarioError
from engine.kernels.studies import COLUMNS, gains, workload
from engine.oracle.structure import Truth, next_subscribers, structure
from engine.world.network import Network, central_node
from engine.world.scenario import load_scenario
from engine.world.topology import build_network

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
    topology = load_scenario(document(n, degree, seed)).topology
    return build_network(topology, seed, drawn=False)


def document(n: int, degree: float, seed: int, **more: Any) -> dict[str, Any]:
    topology = {"kind": "gnp", "n": n, "mean_degree": min(degree, n - 1)}
    return {
        "version": 1,
        "seed": seed,
        "topology": topology,
        "protocol": {"name": "psvr"},
        "duration_s": 9.0,
    } | more


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


def walked(network: Network, truth: Truth, publisher: int, subscribers: set[int]) -> int:
    """RingPS, as the slides tell it: always to the farthest neighbour not beyond the next subscriber, once around."""
    owner = truth.owner[0]
    length = len(owner)
    p = start = truth.pos[publisher][0]
    messages = 0
    while True:
        v = owner[p]
        ahead = next((d for d in range(1, length) if owner[(p + d) % length] in subscribers - {v}), length)
        if (p - start) % length + ahead >= length:
            return messages
        near = {(x - p) % length for w in network.adjacency[v] for x in truth.pos[w]}
        p = (p + max(d for d in near if 0 < d <= ahead)) % length
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
    assert found["ringps"] == sum(walked(network, centre, v, set(wanted)) for v in publishers)
    assert (found["duplicates"], found["missed"]) == (0, 0)


@pytest.mark.parametrize(("n", "degree", "subscribers", "publications", "seed"), CASES[3:18])
@pytest.mark.parametrize("shortcuts", ["all-links", "non-tree"])
def test_psvr_equals_the_event_engine(
    n: int, degree: float, subscribers: int, publications: int, seed: int, shortcuts: str
) -> None:
    wanted, publishers = workload(n, subscribers, publications, seed)
    events = [{"t": 1.0, "do": "subscribe", "node": str(v), "channel": "c"} for v in wanted]
    events += [
        {"t": 60.0 + i, "do": "publish", "node": str(v), "channel": "c"} for i, v in enumerate(publishers)
    ]
    chosen = {"name": "psvr", "params": {"shortcuts": shortcuts}}
    run = Run(
        load_scenario(document(n, degree, seed, events=events, duration_s=70.0) | {"protocol": chosen}),
        engine="compiled",
        drawn=False,
    )
    run.advance(70.0)
    assert run.samples[-1][1] == (0, 0, 0, 0)
    column = "psvr_all_links" if shortcuts == "all-links" else "psvr_non_tree"
    assert (
        run.tallies()["transmissions"]
        == gains(n, min(degree, n - 1), subscribers, publications, [seed])[column][0]
    )


def test_a_row_a_seed_and_the_same_again() -> None:
    one = gains(20, 5.0, 3, 4, range(50))
    assert list(one) == list(COLUMNS)
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
