"""Networks: generators, layouts, helpers, and the ones that ship with the product."""

from __future__ import annotations

import itertools
import math
from typing import Any

import networkx as nx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.core.errors import ScenarioError
from engine.core.rng import Stream
from engine.world.builtin import DATA, catalogue
from engine.world.explicit import to_explicit
from engine.world.generators import is_connected, range_for_degree
from engine.world.layout import place
from engine.world.network import Network, central_node, linked_within, sorted_links
from engine.world.scenario import load_topology
from engine.world.topology import build_network


def built(topology: dict[str, Any], seed: int = 1) -> Network:
    """The network of a topology given as plain data."""
    return build_network(load_topology(topology), seed)


def spread(x: tuple[float, ...], y: tuple[float, ...]) -> float:
    """The least distance between two drawn nodes."""
    return min(math.dist(a, b) for a, b in itertools.combinations(zip(x, y, strict=True), 2))


SMALL: list[tuple[dict[str, Any], int, int]] = [
    ({"kind": "line", "n": 1}, 1, 0),
    ({"kind": "line", "n": 40}, 40, 39),
    ({"kind": "ring", "n": 3}, 3, 3),
    ({"kind": "ring", "n": 30}, 30, 30),
    ({"kind": "star", "n": 2}, 2, 1),
    ({"kind": "star", "n": 60}, 60, 59),
    ({"kind": "grid", "rows": 3, "cols": 4}, 12, 17),
    ({"kind": "grid", "n": 10}, 10, 13),
    ({"kind": "grid", "n": 1}, 1, 0),
    ({"kind": "gnp", "n": 1, "mean_degree": 1}, 1, 0),
    ({"kind": "gnp", "n": 2, "mean_degree": 1}, 2, 1),
    ({"kind": "gnp", "n": 20, "mean_degree": 19}, 20, 190),
    ({"kind": "geometric", "n": 9, "range_m": 3, "side_m": 2}, 9, 36),
    ({"kind": "zones", "Z": 1, "clients": 4}, 5, 4),
    ({"kind": "zones", "Z": 4, "clients": 20}, 36, 44),
]


@pytest.mark.parametrize(("topology", "nodes", "links"), SMALL)
def test_generators_have_the_right_size_are_connected_and_draw_no_two_nodes_together(
    topology: dict[str, Any], nodes: int, links: int
) -> None:
    network = built(topology)
    assert (network.n, len(network.links), len(network.components())) == (nodes, links, 1)
    assert list(network.links) == sorted(set(network.links))
    assert all(0 <= i < j < network.n for i, j in network.links)
    assert len(set(network.ids)) == network.n == len(network.names) == len(network.x) == len(network.y)
    assert network.n == 1 or spread(network.x, network.y) > 0.01
    assert network.metric == (topology["kind"] == "geometric")


def refused_with_reason(error: ScenarioError, loose: Network) -> None:
    """The remedy is named, and the first draw indeed falls apart."""
    assert error.path == "topology.mean_degree"
    assert "larger mean_degree" in error.allowed
    assert len(loose.components()) > 1


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["gnp", "geometric"]), st.integers(1, 70), st.floats(0.2, 1.0), st.integers(0, 2**63 - 1)
)
def test_random_networks_repeat_with_their_seed_and_are_connected_or_refused(
    kind: str, n: int, share: float, seed: int
) -> None:
    topology = {"kind": kind, "n": n, "mean_degree": max(share * (n - 1), 0.5)}
    try:
        network = built(topology, seed)
    except ScenarioError as refused:
        refused_with_reason(refused, built({**topology, "allow_disconnected": True}, seed))
        return
    assert network == built(topology, seed)
    assert is_connected(network.n, network.links)
    assert nx.is_connected(network.to_networkx())
    if n >= 30 and share < 0.8:
        assert network.links != built({**topology, "allow_disconnected": True}, seed + 1).links


def test_the_mean_degree_is_what_was_asked_for() -> None:
    for kind in ("gnp", "geometric"):
        made = [
            built({"kind": kind, "n": 60, "mean_degree": 8, "allow_disconnected": True}, seed)
            for seed in range(20)
        ]
        mean = sum(2 * len(net.links) / net.n for net in made) / len(made)
        assert mean == pytest.approx(8, abs=0.45), kind


def test_the_range_for_a_degree_covers_the_whole_square_at_last() -> None:
    ranges = [range_for_degree(101, degree) for degree in (1, 5, 20, 60, 97, 98, 99.9, 100)]
    assert ranges == sorted(ranges)
    assert ranges[-1] == pytest.approx(math.sqrt(2))


def test_geometric_links_are_exactly_the_pairs_within_range() -> None:
    network = built({"kind": "geometric", "n": 60, "range_m": 300})
    assert network.range_m == 300
    spots = list(zip(network.x, network.y, strict=True))
    near = [(i, j) for i, j in itertools.combinations(range(60), 2) if math.dist(spots[i], spots[j]) <= 300]
    assert list(network.links) == near
    assert max(network.x) <= 1000


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(*[st.floats(-50, 50)] * 3), min_size=1, max_size=25),
    st.floats(0.5, 60),
)
@example([(-1e-300, 0.0, 0.0), (7.0, 0.0, 0.0)], 7.0)
def test_buckets_find_the_same_pairs_as_looking_at_all(spots: list[tuple[float, ...]], reach: float) -> None:
    x, y, z = zip(*spots, strict=True)
    slow = []
    for i, j in itertools.combinations(range(len(spots)), 2):
        dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
        if dx * dx + dy * dy + dz**2 <= reach * reach:
            slow.append((i, j))
    assert list(linked_within(x, y, reach, z)) == slow


def test_too_long_a_range_is_refused_before_memory_is_full() -> None:
    with pytest.raises(ScenarioError, match="too many links"):
        built({"kind": "geometric", "n": 3000, "range_m": 2000})


@pytest.mark.parametrize(
    ("topology", "path", "says"),
    [
        ({"kind": "line", "n": 20_001}, "topology.n", "1 to 20,000"),
        ({"kind": "ring", "n": 2}, "topology.n", "3 to"),
        ({"kind": "grid"}, "topology", "rows and cols"),
        ({"kind": "grid", "rows": 2}, "topology", "rows and cols"),
        ({"kind": "grid", "rows": 2, "cols": 2, "n": 4}, "topology", "or n"),
        ({"kind": "grid", "rows": 200, "cols": 200}, "topology", "20,000"),
        ({"kind": "gnp", "n": 10}, "topology.mean_degree", "above 0"),
        ({"kind": "gnp", "n": 10, "mean_degree": 10}, "topology", "n - 1 = 9"),
        ({"kind": "gnp", "n": 20_000, "mean_degree": 1000}, "topology", "400,000"),
        ({"kind": "gnp", "n": 100, "mean_degree": 1}, "topology.mean_degree", "allow_disconnected"),
        ({"kind": "geometric", "n": 100}, "topology", "exactly one"),
        ({"kind": "geometric", "n": 100, "mean_degree": 3, "range_m": 3}, "topology", "exactly one"),
        ({"kind": "geometric", "n": 100, "range_m": 1}, "topology.range_m", "larger range_m"),
        ({"kind": "zones", "Z": 142}, "topology.Z", "1 to 141"),
        ({"kind": "zones", "Z": 141, "clients": 200}, "topology", "20,000"),
        ({"kind": "zones", "z": 3}, "topology.z", "did you mean 'Z'"),
        ({"kind": "builtin", "name": "lepzig"}, "topology.name", "did you mean 'leipzig'"),
        ({"kind": "builtin", "name": "iotlab-lille"}, "topology.range_m", "2 suits iotlab-lille"),
        ({"kind": "builtin", "name": "leipzig", "range_m": 5}, "topology.range_m", "its own links"),
    ],
)
def test_an_impossible_network_is_refused(topology: dict[str, Any], path: str, says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        built(topology)
    assert caught.value.path == path
    assert says in caught.value.allowed


def test_a_disconnected_network_is_fine_where_it_was_asked_for_or_written_down() -> None:
    loose = built({"kind": "gnp", "n": 100, "mean_degree": 1, "allow_disconnected": True})
    parts = loose.components()
    assert len(parts) > 1
    assert sorted(v for part in parts for v in part) == list(range(100))
    assert [len(p) for p in parts] == sorted((len(p) for p in parts), reverse=True)
    written = built(
        {"kind": "explicit", "nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "links": [["c", "a"]]}
    )
    assert written.components() == [[0, 2], [1]]
    assert spread(written.x, written.y) > 10


def test_zones_are_linked_where_they_share_a_side_and_clients_to_their_router() -> None:
    network = built({"kind": "zones", "Z": 3, "clients": 5})
    assert network.ids[:3] == ("r0-0", "r1-0", "r2-0")
    assert network.ids[9:] == ("c0", "c1", "c2", "c3", "c4")
    assert {network.ids[j] for j in network.neighbours(4) if j < 9} == {"r1-0", "r0-1", "r2-1", "r1-2"}
    for client in range(9, 14):
        (router,) = network.neighbours(client)
        here = math.dist((network.x[client], network.y[client]), (network.x[router], network.y[router]))
        assert here < 50


def test_given_places_are_kept_and_the_rest_joins_them() -> None:
    nodes: list[dict[str, Any]] = [
        {"id": "r", "x": 0, "y": 0},
        {"id": "s", "x": 80, "y": 10.5},
        {"id": "e"},
        {"id": "f"},
    ]
    network = built(
        {"kind": "explicit", "nodes": [*nodes, {"id": "lone"}], "links": [["r", "s"], ["r", "e"], ["e", "f"]]}
    )
    assert list(zip(network.x, network.y, strict=True))[:2] == [(0, 0), (80, 10.5)]
    assert spread(network.x, network.y) > 20
    assert network == built(to_explicit(network).model_dump(exclude_none=True))


def test_qualities_follow_their_links_whichever_way_they_were_written() -> None:
    nodes = [{"id": i} for i in "abc"]
    made = built(
        {
            "kind": "explicit",
            "nodes": nodes,
            "links": [["c", "a"], ["a", "b"]],
            "quality": [[0.1, 0.2], [0.3, 0.4]],
        }
    )
    assert made.links == ((0, 1), (0, 2))
    assert made.quality == ((0.3, 0.4), (0.2, 0.1))


def test_an_unknown_node_is_answered_with_the_nearest() -> None:
    network = built({"kind": "zones", "Z": 2})
    assert network.index("r1-1") == 3
    with pytest.raises(ScenarioError, match=r"root: unknown node .*did you mean 'r0-1'"):
        network.index("R0-1", "root")


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10**6))
def test_the_central_node_is_close_to_a_real_centre(n: int, seed: int) -> None:
    network = built({"kind": "gnp", "n": n, "mean_degree": min(4, n - 1), "allow_disconnected": True}, seed)
    part = network.components()[0]
    depth: Any = nx.eccentricity(network.to_networkx().subgraph(network.ids[v] for v in part))
    chosen = central_node(network)
    assert chosen in part
    assert depth[network.ids[chosen]] <= min(depth.values()) + 1


def test_the_centre_of_a_line_and_of_a_star() -> None:
    assert central_node(built({"kind": "line", "n": 9})) == 4
    assert central_node(built({"kind": "line", "n": 10})) == 4
    assert central_node(built({"kind": "star", "n": 9})) == 0


def test_a_drawing_is_the_same_every_time_and_shows_distance() -> None:
    draw = Stream(5, "test")
    tree = sorted_links((draw.below(k), k) for k in range(1, 90))
    x, y = place(90, tree)
    assert (x, y) == place(90, tree)
    lengths = sorted(math.dist((x[i], y[i]), (x[j], y[j])) for i, j in tree)
    assert lengths[0] > 30
    assert lengths[-1] < 250
    assert spread(x, y) > 15


def test_parts_of_a_drawing_do_not_overlap() -> None:
    links = sorted_links(
        [(i, (i + 1) % 20) for i in range(20)] + [(20 + i, 20 + (i + 1) % 12) for i in range(12)]
    )
    x, y = place(40, links)
    boxes = []
    for part in (range(20), range(20, 32), [32], [39]):
        xs, ys = [x[v] for v in part], [y[v] for v in part]
        boxes.append((min(xs), max(xs), min(ys), max(ys)))
    for a, b in itertools.combinations(boxes, 2):
        assert a[1] < b[0] or b[1] < a[0] or a[3] < b[2] or b[3] < a[2]


@pytest.mark.parametrize("n", [300, 2100])
def test_bigger_drawings_keep_nodes_apart(n: int) -> None:
    network = built({"kind": "gnp", "n": n, "mean_degree": 12})
    width = max(network.x) - min(network.x)
    assert len(set(zip(network.x, network.y, strict=True))) == n
    assert 0.4 < width / (max(network.y) - min(network.y)) < 4


FACTS = {
    "psvr-fig5": (6, 6, 1),
    "psvr-fig4": (11, 12, 1),
    "mesh-17": (17, 25, 1),
    "leipzig": (210, 413, 1),
    "bremen": (833, 1505, 7),
    "munich": (1684, 2686, 15),
    "iotlab-grenoble": (347, 2133, 1),
    "iotlab-lille": (234, 834, 1),
}


def test_the_catalogue_states_the_facts() -> None:
    assert {c.name: (c.nodes, c.links, c.components) for c in catalogue()} == FACTS
    assert [c.name for c in catalogue() if c.needs_range] == ["iotlab-grenoble", "iotlab-lille"]
    for entry in catalogue():
        assert entry.title
        assert entry.description.endswith(".")
        assert entry.source
        assert entry.licence
        assert entry.needs_range == (entry.default_range_m is not None)


@pytest.mark.parametrize("entry", catalogue(), ids=lambda c: c.name)
def test_built_in_networks_are_whole_and_readable(entry: Any) -> None:
    topology = {"kind": "builtin", "name": entry.name, "range_m": entry.default_range_m}
    network = built(topology)
    assert len(set(network.ids)) == network.n == len(network.names) == len(network.x) == len(network.y)
    assert list(network.links) == sorted(set(network.links))
    assert network.quality is None or len(network.quality) == len(network.links)
    assert (network.range_m is not None) == entry.needs_range == network.metric
    # On a stage of 700 × 550 no two of up to 250 nodes touch.
    scale = min(700 / (max(network.x) - min(network.x)), 550 / (max(network.y) - min(network.y)))
    assert network.n > 250 or spread(network.x, network.y) * scale > 5
    assert build_network(to_explicit(network), 1) == network
    assert (DATA / f"{entry.name}.json").stat().st_size < 200_000


def ring_of(network: Network) -> list[str]:
    """The depth-first walk over the breadth-first tree at node 0, children in document order."""
    depth = {0: 0}
    children: dict[int, list[int]] = {v: [] for v in range(network.n)}
    for v in (order := [0]):
        for w in network.neighbours(v):
            if w not in depth:
                depth[w] = depth[v] + 1
                order.append(w)
    for w in range(1, network.n):
        parent = min(v for v in network.neighbours(w) if depth[v] == depth[w] - 1)
        children[parent].append(w)
    walk: list[int] = []

    def visit(v: int) -> None:
        walk.append(v)
        for child in children[v]:
            visit(child)
            walk.append(v)

    visit(0)
    return [network.ids[v] for v in walk[:-1]]


def test_the_ring_of_figure_5_comes_out_as_printed() -> None:
    assert ring_of(built({"kind": "builtin", "name": "psvr-fig5"})) == list("recacedbde")


def test_the_ring_of_figure_4_comes_out_as_printed() -> None:
    printed = {
        "X": [0, 8, 12, 14], "a": [1, 3, 7], "n2": [2], "n4": [4, 6], "n5": [5], "n9": [9, 11], "n10": [10],
        "n13": [13], "b": [15, 19], "n16": [16, 18], "n17": [17],
    }  # fmt: skip
    network = built({"kind": "builtin", "name": "psvr-fig4"})
    ring = ring_of(network)
    assert {node: [p for p, here in enumerate(ring) if here == node] for node in network.ids} == printed


def test_the_17_node_mesh_has_the_links_of_its_drawing() -> None:
    network = built({"kind": "builtin", "name": "mesh-17"})
    drawn = [
        "AC",
        "CF",
        "FK",
        "KL",
        "LQ",
        "AB",
        "BG",
        "GF",
        "GH",
        "GJ",
        "JK",
        "JM",
        "JN",
        "ML",
        "MN",
        "NP",
        "PQ",
        "PO",
        "HI",
    ]
    drawn += ["IN", "IO", "DC", "DE", "EK", "EQ"]
    assert {frozenset(pair) for pair in drawn} == {
        frozenset((network.ids[i], network.ids[j])) for i, j in network.links
    }


def test_some_nodes_of_a_testbed_are_drawn_by_the_seed() -> None:
    some = [build_network(load_topology(lille(n=40)), seed) for seed in (1, 1, 2)]
    assert some[0].ids == some[1].ids != some[2].ids
    whole = build_network(load_topology(lille()), 1)
    assert [some[0].n, len(set(some[0].ids))] == [40, 40]
    for v, node in enumerate(some[0].ids):
        at = whole.places[node]
        assert (some[0].x[v], some[0].y[v]) == (whole.x[at], whole.y[at])


@pytest.mark.parametrize(
    ("topology", "says"),
    [
        ({"kind": "builtin", "name": "iotlab-lille", "range_m": 2, "n": 235}, "at most 234"),
        ({"kind": "builtin", "name": "leipzig", "n": 10}, "comes whole"),
    ],
)
def test_a_number_of_nodes_that_a_network_cannot_give(topology: dict[str, Any], says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        build_network(load_topology(topology), 1)
    assert caught.value.path == "topology.n"
    assert says in caught.value.allowed


def lille(**more: Any) -> dict[str, Any]:
    return {"kind": "builtin", "name": "iotlab-lille", "range_m": 2.0, **more}
