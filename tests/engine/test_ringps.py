"""RingPS: the papers' numbers, one walk a publication, convergence, and what is weak about it."""

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
from engine.layers.application import Publish
from engine.protocols.ringps import RINGPS, Pub, Sub, clean, on_pub, on_publish, on_sub, renew, walk
from engine.registry import as_tuple, parameters
from tests.engine.support import FakeNet, Guarded, legitimate, play, publish, scenario, subscribe
from tests.engine.test_kernels import walked
from tests.engine.test_stabilisation import FEW, converge, heals, networks

FAST = {"lease_s": 3.0, "forget_s": 8.0}


def ringps(
    topology: dict[str, Any], events: list[dict[str, Any]], duration: float = 60.0, **more: Any
) -> Any:
    """A scenario document."""
    protocol = {"name": "ringps", "params": {**FAST, **more.pop("params", {})}}
    return scenario(topology, events, duration, protocol=protocol, **more)


def fig_5(**params: Any) -> Run:
    events = [subscribe("a"), subscribe("b"), publish("d", 60)]
    return play(ringps({"kind": "builtin", "name": "psvr-fig5"}, events, 61, params={"root": "r", **params}))


def fig_4(**params: Any) -> Run:
    events = [subscribe("n2"), subscribe("n5"), subscribe("n16"), publish("a", 60)]
    return play(ringps({"kind": "builtin", "name": "psvr-fig4"}, events, 61, params={"root": "X", **params}))


def positions(run: Run) -> list[int]:
    """Where the first publication went, in order."""
    sends = [m for _, _, _, m in run.publications[0].sends]
    assert all(a.goal == b.from_pos for a, b in pairwise(sends))
    return [sends[0].from_pos, *(m.goal for m in sends)]


def hops_from(run: Run, start: int) -> int:
    """Messages of a walk from this position, by the rule and the tables that the run has come to."""
    st, owner, net = run.scene.sim.st, run.scene.truth().owner[0], FakeNet()
    p = start
    while True:
        walk(st, net, owner[p], p, start, 0, 1, 0)
        if len(net.sent) == 0 or net.sent[-1][2].from_pos != p:
            return len(net.sent)
        p = net.sent[-1][2].goal


# --- the papers' examples


@pytest.mark.parametrize("shortcuts", ["all-links", "non-tree"])
def test_fig_5_walks_as_the_paper_says(shortcuts: str) -> None:
    run = fig_5(shortcuts=shortcuts)
    assert positions(run) == [6, 7, 8, 2, 3, 4]
    report = run.report()["publications"][0]
    assert {node: d["hops"] for node, d in report["delivered"].items()} == {"b": 1, "a": 4}
    assert report["duplicates"] == 0
    assert report["sends"][0]["fields"] == {"from_pos": 6, "goal": 7, "start": 6}


def test_fig_4_takes_twelve_messages_from_the_publishers_later_positions() -> None:
    """PSVR counts twelve. With its non-tree shortcuts that is so from positions 3 and 7 of the publisher, 1, 3, 7; from the
    first of them, where publications begin, the walk has 13 hops, and 10 when links of the tree are shortcuts too.
    """
    run = fig_4(shortcuts="non-tree")
    assert positions(run) == [1, 2, 3, 4, 5, 6, 7, 13, 14, 15, 16, 17, 18, 19]
    assert [hops_from(run, start) for start in (1, 3, 7)] == [13, 12, 12]
    assert positions(fig_4(shortcuts="all-links")) == [1, 2, 3, 4, 5, 6, 7, 14, 15, 16, 19]


def test_the_walk_goes_on_behind_the_last_subscriber() -> None:
    # PSVR Fig. 6. On the line 0 – 1 – … – 5, node 1 publishes and 2 subscribes: PSVR needs one message.
    line = {"kind": "line", "n": 6}
    run = play(ringps(line, [subscribe("2"), publish("1", 30)], 31, params={"root": "0"}))
    assert run.report()["ring"]["positions"]["1"] == [1, 9]
    assert positions(run) == [1, 2, 3, 8, 9]  # where node 2 leaves the ring, the next subscriber is itself
    assert run.publications[0].delivered.keys() == {2}


# --- rules


def stack(**params: Any) -> Any:
    """The ring ⟨0, 1, 0, 2⟩ of a root with two children."""
    values = {**parameters(RINGPS, params, []), "max_depth": 3}
    sim = Simulator(RINGPS, [[1, 2], [0], [0]], as_tuple(RINGPS, values), root=0, channels=2)
    for v, own in enumerate(([0, 2], [1], [3])):
        sim.st.hood.degree[v], sim.st.ring.length[v], sim.st.ring.size[v] = len(sim.peers[v]), 4, len(own)
        sim.st.ring.pos[v][:] = own
        for j, near in enumerate(([1], [3]) if v == 0 else ([0, 2],)):
            sim.st.hood.up[v][j], sim.st.ring.near_size[v][j] = 1, len(near)
            sim.st.ring.near[v][j][: len(near)] = near
    return sim.st


def test_a_subscription_starts_at_the_first_position_for_each_channel(net: FakeNet) -> None:
    st = stack()
    st.pubsub.wants[0] = 0b11
    renew(st, net, 0)
    assert net.sent == [(0, 0, Sub(0, 1, 1, c, 2, [0, 2])) for c in (0, 1)]


def test_it_is_noted_for_all_positions_and_goes_on_to_the_end_of_the_ring(net: FakeNet) -> None:
    st = stack()
    on_sub(st, net, 0, 0, Sub(1, 2, 1, 1, 1, [1]))
    assert st.pubsub.ns[0][1] == [1, 1]
    assert st.pubsub.ns[0][0] == [NONE, NONE]
    on_sub(st, net, 0, 1, Sub(3, 0, 1, 1, 1, [3]))
    assert st.pubsub.ns[0][1] == [1, 3]  # from position 2 the other comes first
    assert net.sent == [(0, 1, Sub(2, 3, 2, 1, 1, [1])), (0, 0, Sub(0, 1, 2, 1, 1, [3]))]
    net.sent.clear()
    on_sub(st, net, 0, 1, Sub(3, 0, 3, 1, 1, [1]))
    assert net.sent == []


def test_nobody_is_its_own_next_subscriber(net: FakeNet) -> None:
    st = stack()
    on_sub(st, net, 0, 0, Sub(1, 2, 2, 0, 2, [0, 2]))
    assert st.pubsub.ns[0][0] == [NONE, NONE]


def test_what_is_not_renewed_is_deleted_and_a_stamp_from_the_future_is_not_trusted(net: FakeNet) -> None:
    st = stack(**FAST)
    st.pubsub.ns[0][0][:], st.pubsub.heard[0][0][:] = [1, 3], [5.0, 500.0]
    net.time = 13.5
    clean(st, net, 0)
    assert st.pubsub.ns[0][0] == [NONE, 3]
    assert st.pubsub.heard[0][0][1] == 13.5


def test_without_an_entry_a_publication_goes_to_the_next_position(net: FakeNet) -> None:
    st = stack()
    on_publish(st, net, 0, NONE, Publish(0, 7))
    on_pub(st, net, 1, 0, Pub(0, 1, 0, 0, 7, 1))
    assert net.sent == [(0, 0, Pub(0, 1, 0, 0, 7, 1)), (1, 0, Pub(1, 2, 0, 0, 7, 2))]
    net.sent.clear()
    on_pub(st, net, 2, 0, Pub(2, 3, 0, 0, 7, 3))
    assert net.sent == [], "the next hop would reach the start"


def test_a_subscriber_delivers_at_its_first_position_on_the_way(net: FakeNet) -> None:
    st = stack()
    st.pubsub.wants[0] = 1
    on_pub(st, net, 0, 1, Pub(3, 0, 3, 0, 7, 1))
    assert net.sent[0] == (0, 0, 7)
    net.sent.clear()
    on_pub(st, net, 0, 0, Pub(1, 2, 3, 0, 7, 3))
    assert net.sent == []  # and position 3, the next, is the start


def test_what_makes_no_sense_is_data(net: FakeNet) -> None:
    st = stack()
    on_sub(st, net, 1, 0, Sub(0, 3, 1, 0, 3, [0, 2, 1]))  # position 3 is another's
    on_pub(st, net, 1, 0, Pub(0, 3, 2, 0, 7, 1))
    st.ring.length[1] = 0
    on_sub(st, net, 1, 0, Sub(0, 1, 1, 0, 1, [0]))
    on_pub(st, net, 1, 0, Pub(0, 1, 0, 0, 7, 1))
    assert net.sent == []


# --- whole networks


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
    heals(ringps, network, seed, {"max_neighbours": most, "shortcuts": shortcuts})


@pytest.mark.parametrize("seed", range(12))
def test_a_walk_takes_as_many_messages_as_a_plain_model_and_the_kernel_say(seed: int) -> None:
    n, subscribers, publications = 10 + 3 * seed, 1 + seed % 5, 6
    wanted, publishers = workload(n, subscribers, publications, seed)
    topology = {"kind": "gnp", "n": n, "mean_degree": 4.5}
    events = [subscribe(str(v)) for v in wanted]
    events += [publish(str(v), 40.0 + i) for i, v in enumerate(publishers)]
    run = play(ringps(topology, events, 47.0, seed=seed))
    assert legitimate(run)
    truth, peers = run.scene.truth(), run.scene.sim.peers
    found = [p.messages for p in run.publications]
    assert found == [walked(peers, truth, v, set(wanted)) for v in publishers]
    assert sum(found) == gains(n, 4.5, subscribers, publications, [seed])["ringps"][0]


def test_a_renewal_takes_a_walk_around_the_ring_for_each_channel() -> None:
    events = [subscribe("4", "x"), subscribe("4", "y")]
    run = play(ringps({"kind": "grid", "rows": 3, "cols": 3}, events, 20))
    before = run.counts["SUB"]
    run.advance(20 + 10 * FAST["lease_s"])
    walks, rest = divmod(run.counts["SUB"] - before, 15)  # L - 1
    assert rest == 0
    assert 18 <= walks <= 22


def test_unsubscribing_is_forgotten_and_routing_correct_meanwhile() -> None:
    events = [
        subscribe("2"),
        subscribe("9"),
        {"t": 15, "do": "unsubscribe", "node": "2", "channel": "c"},
        publish("5", 16),
    ]
    run = play(ringps({"kind": "grid", "rows": 3, "cols": 4}, events), 17.0)
    assert set(run.publications[0].delivered) == run.publications[0].expected == {9}
    assert run.samples[-1][1][3] > 0
    converge(run, 30.0)


def test_no_rule_touches_another_node() -> None:
    peers = [[(v - 1) % 8, (v + 1) % 8] for v in range(8)]
    values = {**parameters(RINGPS, FAST, []), "max_depth": 8}
    sim = Simulator(RINGPS, peers, as_tuple(RINGPS, values), root=0, guard=Guarded)
    Guarded.sim = sim
    for v in range(8):
        sim.st.hood.degree[v] = 2
        sim.st.hood.peer[v][:] = sim.peers[v]
    sim.st.pubsub.wants[3] = 1
    sim.run(20.0)
    sim.inject(0, Publish(0, 1))
    sim.run(21.0)
    assert sim.counts[0] > 0


def test_the_inspector_shows_its_table() -> None:
    run = fig_5()
    d = run.network.index("d")
    told = run.inspect(d, "c")
    assert told["layers"][-1]["facts"][0]["value"] == "2"
    table = told["table"]
    assert table["columns"] == ["Position", "Next", "Renewed"]
    assert [row["cells"][:2] for row in table["rows"]] == [["6", "7 (b)"], ["8", "3 (a)"]]
    assert [row["in_use"] for row in table["rows"]] == [True, True]
    assert not any(row["wrong"] for row in table["rows"])
    run.command({"do": "corrupt", "node": "d", "layer": "pubsub", "field": "ns", "value": 5})
    assert all(row["wrong"] for row in run.inspect(d, "c")["table"]["rows"])
    assert run.inspect(d, "c")["layers"][-1]["wrong"] == 2 * run.params["channels"]
