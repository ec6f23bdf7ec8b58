"""The papers' worked examples, with their numbers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from engine.layers.application import Publish
from engine.protocols.psvr import Pub, Sub, on_publish, update_next
from tests.engine.support import NONE, FakeNet, legitimate, play, publish, scenario, stack, subscribe


def sends(run: Any, publication: int = 0) -> list[tuple[int, int, int]]:
    """(from position, goal, end point) of every PUB, in order of position."""
    return sorted((m.from_pos, m.goal, m.ep) for _, _, _, m in run.publications[publication].sends)


def builtin(name: str) -> dict[str, Any]:
    return {"kind": "builtin", "name": name}


def test_fig_1_gives_the_ring_of_the_paper() -> None:
    run = play(scenario(builtin("psvr-fig5"), [], 20, params={"root": "r"}))
    ring = run.report()["ring"]
    by_position = {p: node for node, row in ring["positions"].items() for p in row}
    assert "".join(by_position[p] for p in range(ring["length"])) == "recacedbde"
    assert ring["positions"]["c"] == [2, 4]
    assert ring["positions"]["d"] == [6, 8]


def test_fig_5_sends_exactly_three_messages() -> None:
    events = [subscribe("a"), subscribe("b"), publish("d", 60)]
    run = play(scenario(builtin("psvr-fig5"), events, 61, params={"root": "r"}))
    assert sends(run) == [(2, 3, 4), (6, 7, 8), (8, 2, 6)]
    delivered = run.report()["publications"][0]["delivered"]
    assert {node: d["hops"] for node, d in delivered.items()} == {"a": 2, "b": 1}
    assert delivered["b"]["t"] == 60.01
    assert delivered["a"]["t"] == 60.02


def fig_4(shortcuts: str, publisher: str) -> Any:
    events = [subscribe("n2"), subscribe("n5"), subscribe("n16"), publish(publisher, 50)]
    params = {"root": "X", "shortcuts": shortcuts}
    run = play(scenario(builtin("psvr-fig4"), events, 51, params=params))
    assert run.report()["ring"]["positions"]["X"] == [0, 8, 12, 14]
    assert run.report()["ring"]["positions"]["a"] == [1, 3, 7]
    assert run.report()["ring"]["positions"]["b"] == [15, 19]
    assert not run.publications[0].missing()
    assert run.publications[0].duplicates == 0
    return run


def test_fig_4_takes_seven_messages_with_shortcuts_outside_the_tree() -> None:
    expected = [(1, 2, 3), (3, 4, 7), (4, 5, 6), (7, 13, 1), (13, 14, 1), (14, 15, 0), (15, 16, 19)]
    assert sends(fig_4("non-tree", "a")) == expected


def test_fig_4_takes_six_messages_when_tree_links_are_shortcuts_too() -> None:
    run = fig_4("all-links", "a")
    assert run.publications[0].messages == 6
    assert (7, 14) in [(p, goal) for p, goal, _ in sends(run)]


def test_fig_4_publisher_b_starts_as_printed() -> None:
    first = [s for s in sends(fig_4("non-tree", "b")) if s[0] in (15, 19)]
    assert first == [(15, 16, 19), (19, 2, 15)]


def test_routing_structure_update_of_section_4_1(net: FakeNet) -> None:
    st = stack([(0, 1), (0, 2), (0, 3)], 4)
    st.ring.length[0], st.ring.size[0] = 24, 3
    st.ring.pos[0][:] = [5, 12, 18]
    st.pubsub.ns[0][0][:] = [14, 14, 20]
    for position in (3, 7):
        update_next(st, net, 0, 0, position)
    assert st.pubsub.ns[0][0] == [7, 14, 20]


def test_fig_3_a_subscriber_does_not_forward_the_subscription_of_another() -> None:
    # The line r – e – c – a – d – b – f; c has subscribed before, then a does, with positions 3 and 9.
    line = "recadbf"
    links = [[x, y] for x, y in pairwise(line)]
    topology = {"kind": "explicit", "nodes": [{"id": x} for x in line], "links": links}
    document = scenario(
        topology, [subscribe("c", t=18)], params={"root": "r", "lease_s": 100, "forget_s": 300}
    )
    run = play(document, 20, trace="SUB")
    run.drain()
    run.command({"do": "subscribe", "node": "a", "channel": "c"})
    run.advance(21)
    ids = run.network.ids
    relayed = [ids[r[4]] for r in run.drain() if r[0] == 0 and isinstance(r[7], Sub)]
    assert relayed == ["a", "d", "b"]  # not c, a subscriber, and not the leaf f
    positions = run.report()["ring"]["positions"]
    assert positions["a"] == [3, 9]
    rs = {x: run.scene.sim.st.pubsub.ns[v][0][: len(positions[x])] for v, x in enumerate(ids)}
    assert rs == {"r": [2], "e": [2, 2], "c": [3, 3], "a": [10, 10], "d": [9, 9], "b": [9, 9], "f": [9]}
    assert legitimate(run)


def test_a_publisher_splits_the_ring_at_its_own_positions(net: FakeNet) -> None:
    # PSVR §4.2: d of Fig. 5 knows both subscribers.
    st = stack([(0, 1), (0, 2)], 3)
    st.ring.length[0], st.ring.size[0] = 10, 2
    st.ring.pos[0][:] = [6, 8]
    st.pubsub.ns[0][0][:] = [7, 3]
    for j, positions in ((0, [7]), (1, [2, 4])):
        st.ring.near_size[0][j] = len(positions)
        st.ring.near[0][j] = positions
    on_publish(st, net, 0, NONE, Publish(0, 1))
    assert net.sent == [(0, 0, Pub(6, 7, 8, 0, 1, 1)), (0, 1, Pub(8, 2, 6, 0, 1, 1))]


@pytest.mark.parametrize("seed", [0, 5])
def test_the_printed_rule_duplicates_where_the_corrected_one_delivers_exactly_once(seed: int) -> None:
    events = [subscribe(str(v)) for v in (3, 7, 11, 15, 19, 23, 27)] + [publish("1", 20)]
    topology = {"kind": "gnp", "n": 30, "mean_degree": 4}
    printed = play(
        scenario(topology, events, 21, seed=seed, params={"rule": "as-printed", "hop_limit": 8})
    ).publications[0]
    right = play(scenario(topology, events, 21, seed=seed)).publications[0]
    assert printed.duplicates > 0
    assert max(printed.hops.values()) <= 8
    assert right.duplicates == 0
    assert right.missing() == set()
    assert right.delivered.keys() == right.expected
