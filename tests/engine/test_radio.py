"""The shared medium: what is heard, what is lost and why, and that everything else goes on as it should."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

from engine.core import medium
from engine.core.errors import ScenarioError
from engine.core.medium import Medium
from engine.core.simulator import Simulator
from engine.core.trace import BUSY, COLLISION, DROP, RECV, SEND
from engine.registry import as_tuple, parameters
from engine.world import radio as radios
from engine.world.radio import (
    LogDistance,
    UnitDisk,
    erfc,
    link_quality,
    mean_power,
    medium_of,
    milliwatts,
    normal,
)
from engine.world.scenario import load_scenario
from tests.engine.support import play, publish, scenario, subscribe
from tests.minimal import MINIMAL, Ping

# --- numbers


@pytest.mark.parametrize("x", [0.0, 0.1, 1.0, 2.4999, 2.5, 4.0, 6.0])
def test_erfc_is_the_c_librarys(x: float) -> None:
    assert erfc(x) == pytest.approx(math.erfc(x), rel=1e-9)


def test_normal_inverts_the_distribution() -> None:
    for p in (0.001, 0.2, 0.5, 0.841344746, 0.999):
        assert 0.5 * math.erfc(-normal(p) / math.sqrt(2)) == pytest.approx(p, abs=1e-9)


def test_survival_is_the_exponential() -> None:
    table = Medium([], [], [], [], radios._decay(), [], [])
    for peril in (0.0, 1e-9, 0.003, 0.5, 1.0, 7.77, 39.9):
        assert medium.survival(table, peril) == pytest.approx(math.exp(-peril), rel=1e-10)


@pytest.mark.parametrize(("size", "metres"), [(23, 39.7), (35, 38.1), (125, 34.2)])
def test_half_of_the_frames_are_lost_where_castalia_loses_them(size: int, metres: float) -> None:
    radio = LogDistance(kind="log-distance", shadowing_db=0.0)
    power = mean_power(radio, 1, (0.0, 0.0, 0.0), (metres, 0.0, 0.0))
    assert link_quality(radio, power, size) == pytest.approx(0.5, abs=0.03)


def test_carrier_sense_reaches_46_metres() -> None:
    radio = LogDistance(kind="log-distance", shadowing_db=0.0)
    reach = [d for d in range(1, 80) if mean_power(radio, 1, (0, 0, 0), (d, 0, 0)) >= milliwatts(-95.0)]
    assert reach[-1] == 46


def test_shadowing_is_fixed_for_a_pair_of_places_and_normal_over_many() -> None:
    radio = LogDistance(kind="log-distance")
    spots = [(10.0 * i, 10.0 * j, 0.0) for i in range(30) for j in range(30)]
    calm = LogDistance(kind="log-distance", shadowing_db=0.0)
    found = []
    for a, b in pairwise(spots):
        there, back = mean_power(radio, 7, a, b), mean_power(radio, 7, b, a)
        assert there == back
        found.append(10 * math.log10(there / mean_power(calm, 7, a, b)))
    mean = sum(found) / len(found)
    spread = math.sqrt(sum((x - mean) ** 2 for x in found) / len(found))
    assert abs(mean) < 0.5
    assert 3.5 < spread < 4.5


# --- the air, with pings on a few nodes


def air(links: list[tuple[int, int]], n: int, **given: Any) -> Simulator:
    """Nodes that ping when told to, under a unit-disk radio."""
    peers: list[list[int]] = [[] for _ in range(n)]
    for a, b in links:
        peers[a].append(b)
        peers[b].append(a)
    peers = [sorted(row) for row in peers]
    radio = UnitDisk(kind="unit-disk", **{"jitter_s": 0.0, **given})
    values = parameters(MINIMAL, {"ping_s": 60.0}, [str(v) for v in range(n)])
    sim = Simulator(
        MINIMAL, peers, as_tuple(MINIMAL, values), seed=3, medium=medium_of(radio, 3, peers, ([], [], None))
    )
    sim.watched = [True]
    sim.agenda.replace([])  # no timers: only what a test sends
    return sim


def heard(sim: Simulator) -> list[tuple[int, int]]:
    """(receiver, sender) of every receipt."""
    return [(r[3], r[4]) for r in sim.trace if r[0] == RECV]


def lost(sim: Simulator) -> list[tuple[int, int, int]]:
    """(receiver, sender, reason) of every loss."""
    return [(r[3], r[4], r[6]) for r in sim.trace if r[0] == DROP]


def test_a_frame_takes_as_long_as_its_bits() -> None:
    sim = air([(0, 1)], 2, bitrate_bps=1000.0, overhead_bytes=10, field_bytes=5)
    sim.net.broadcast(0, Ping(1))
    sim.run(10.0)
    assert [r[1] for r in sim.trace if r[0] == RECV] == [pytest.approx(8 * 15 / 1000)]


def test_two_at_once_destroy_each_other_where_both_are_heard() -> None:
    sim = air([(0, 1), (1, 2), (2, 3)], 4, carrier_sense=False)
    sim.net.broadcast(0, Ping(1))
    sim.net.broadcast(2, Ping(1))
    sim.run(1.0)
    assert heard(sim) == [(3, 2)]
    assert lost(sim) == [(1, 0, COLLISION), (1, 2, COLLISION)]


def test_who_sends_hears_nothing() -> None:
    sim = air([(0, 1)], 2, carrier_sense=False)
    sim.net.broadcast(0, Ping(1))
    sim.net.broadcast(1, Ping(1))
    sim.run(1.0)
    assert lost(sim) == [(1, 0, COLLISION), (0, 1, COLLISION)]


def test_carrier_sense_takes_turns_but_cannot_see_the_hidden() -> None:
    near = air([(0, 1), (0, 2), (1, 2)], 3)
    near.net.broadcast(0, Ping(1))
    near.net.broadcast(2, Ping(1))
    near.run(1.0)
    assert sorted(heard(near)) == [(0, 2), (1, 0), (1, 2), (2, 0)]
    hidden = air([(0, 1), (1, 2)], 3)
    hidden.net.broadcast(0, Ping(1))
    hidden.net.broadcast(2, Ping(1))
    hidden.run(1.0)
    assert [reason for _, _, reason in lost(hidden)] == [COLLISION, COLLISION]


def test_a_medium_that_is_always_busy_is_given_up() -> None:
    sim = air([(0, 1)], 2, bitrate_bps=1000.0, backoffs=2, backoff_s=0.001)
    sim.net.broadcast(0, Ping(1))
    sim.run(0.01)
    sim.net.broadcast(1, Ping(1))
    sim.run(1.0)
    assert lost(sim)[0] == (0, 1, BUSY)
    assert heard(sim) == [(1, 0)]


def test_a_full_queue_loses_the_latest() -> None:
    sim = air([(0, 1)], 2, queue=2)
    for _ in range(3):
        sim.net.broadcast(0, Ping(1))
    sim.run(1.0)
    assert heard(sim) == [(1, 0), (1, 0)]
    assert lost(sim) == [(1, 0, BUSY)]


@pytest.mark.parametrize(("retries", "deaf"), [(0, 1), (3, 1), (3, 4)])
def test_a_unicast_frame_is_repeated_until_it_is_acknowledged(retries: int, deaf: int) -> None:
    """Node 1's ear is jammed, by a broken link, for the first `deaf` attempts."""
    sim = air([(0, 1)], 2, retries=retries, jitter_s=0.1)
    attempts: list[float] = []
    sim.works[0][0] = False
    sim.listen(0)
    sim.net.unicast(0, 0, Ping(1))
    assert sim.radio is not None
    while sim.step():
        if (
            sim.radio.flight[0][medium.M_STATE] == medium.ANSWERED
            and len(attempts) < sim.radio.flight[0][medium.M_SENT] + 1
        ):
            attempts.append(sim.now)
            sim.works[0][0] = len(attempts) >= deaf
            sim.listen(0)
    delivered = deaf <= retries
    assert len(attempts) == min(deaf, retries) + 1
    assert heard(sim) == ([(1, 0)] if delivered else [])
    assert len(lost(sim)) == (0 if delivered else 1)


def test_a_repeated_frame_is_handed_over_once() -> None:
    """The way back is broken, so no ACK ever comes."""
    sim = air([(0, 1)], 2, retries=3)
    sim.radio.mac[medium.ACK_BITS] = 0  # type: ignore[union-attr]
    sim.radio.radio[medium.SENSITIVITY] = 0.5  # type: ignore[union-attr]
    sim.radio.mean[1] = 0.0  # type: ignore[union-attr]
    sim.net.unicast(0, 0, Ping(1))
    sim.run(5.0)
    assert heard(sim) == [(1, 0)]
    assert lost(sim) == []


def test_what_a_failed_node_had_to_send_dies_with_it() -> None:
    sim = air([(0, 1)], 2)
    for _ in range(3):
        sim.net.broadcast(0, Ping(1))
    sim.alive[0] = False
    sim.hush(0)
    sim.relisten(0)
    sim.run(1.0)
    assert heard(sim) == []
    sim.alive[0] = True
    sim.relisten(0)
    sim.net.broadcast(0, Ping(1))
    sim.run(2.0)
    assert heard(sim) == [(1, 0)]


# --- unfair schedulers


def arrivals(order: str, sent: list[float]) -> list[tuple[float, float]]:
    """(sent, arrived) of pings of node 0 to node 1, by arrival."""
    radio = radios.IdealRadio(order=order, delay_s=0.01, worst_delay_s=1.0)  # type: ignore[arg-type]
    peers = [[1], [0]]
    values = parameters(MINIMAL, {"ping_s": 60.0}, ["0", "1"])
    given = medium_of(radio, 3, peers, ([], [], None))
    sim = Simulator(MINIMAL, peers, as_tuple(MINIMAL, values), seed=3, medium=given)
    sim.watched = [True]
    sim.agenda.replace([])
    for t in sent:
        sim.run(t)
        sim.net.broadcast(0, Ping(1))
    sim.run(100.0)
    began = {r[2]: r[1] for r in sim.trace if r[0] == SEND}
    return [(began[r[2]], r[1]) for r in sim.trace if r[0] == RECV]


@pytest.mark.parametrize("order", radios.ORDERS[1:])
def test_every_order_keeps_its_bound_and_loses_nothing(order: str) -> None:
    sent = [0.1 * k for k in range(1, 40)]
    found = arrivals(order, sent)
    assert len(found) == len(sent)
    assert all(0.01 - 1e-9 <= there - began <= 1.0 + 1e-9 for began, there in found)


def test_unfair_orders_let_the_new_overtake_the_old() -> None:
    sent = [0.1 * k for k in range(1, 40)]
    for order in ("random", "newest-first", "stale"):
        began = [t for t, _ in arrivals(order, sent)]
        assert began != sorted(began), order


# --- whole runs

SQUARE = {"kind": "geometric", "n": 16, "side_m": 60.0, "range_m": 30.0, "allow_disconnected": True}
RADIOS = [
    {"kind": "ideal", "order": "stale", "worst_delay_s": 0.5},
    {"kind": "unit-disk"},
    {"kind": "log-distance", "fading_db": 1.0},
]


@pytest.mark.parametrize("radio", RADIOS, ids=lambda r: str(r["kind"]))
def test_the_stack_stabilises_and_delivers(radio: dict[str, Any]) -> None:
    """From corruption of everything, under a real radio too; a link or two may flicker, so most, not all, must arrive."""
    params = {"hello_s": 2.0, "hello_timeout_s": 20.0, "beacon_s": 2.0, "quality_in": 0.9, "quality_out": 0.2}
    if radio["kind"] == "ideal":
        params = {}
    events = [subscribe("3"), subscribe("9"), {"t": 60.0, "do": "corrupt", "node": "*", "layer": "*"}]
    events += [publish("5", 150.0 + 2 * k) for k in range(60)]
    run = play(scenario(SQUARE, events, 280.0, radio=radio, params=params, seed=5))
    expected = sum(len(p.expected) for p in run.publications)
    assert expected == 120
    assert sum(len(p.delivered) for p in run.publications) >= 0.85 * expected


@pytest.mark.parametrize("radio", RADIOS, ids=lambda r: str(r["kind"]))
def test_a_snapshot_goes_on_exactly(radio: dict[str, Any]) -> None:
    events = [
        subscribe("3"),
        *(publish("5", 10.0 + k) for k in range(10)),
        {"t": 12.0, "do": "fail-node", "node": "4"},
    ]
    document = scenario(SQUARE, events, 30.0, radio=radio)
    straight = play(document)
    halved = play(document, until=11.0013)
    again = type(halved).resume(halved.snapshot())
    again.advance(30.0)
    assert again.digest == straight.digest
    assert again.report() == straight.report()


def test_frames_lost_say_why() -> None:
    crowd = {"kind": "geometric", "n": 40, "side_m": 90.0, "range_m": 30.0, "allow_disconnected": True}
    run = play(scenario(crowd, [], 20.0, radio={"kind": "log-distance", "carrier_sense": False}))
    assert run.dropped["fading"] > 0
    assert run.dropped["collision"] > 0
    sensing = play(scenario(crowd, [], 20.0, radio={"kind": "log-distance"}))
    assert sensing.dropped["collision"] < run.dropped["collision"] / 2


def test_moving_changes_who_is_heard() -> None:
    nodes = [{"id": "a", "x": 0, "y": 0}, {"id": "b", "x": 20, "y": 0}, {"id": "c", "x": 400, "y": 0}]
    document = scenario(
        {"kind": "explicit", "nodes": nodes, "range_m": 30},
        [{"t": 10.0, "do": "move-node", "node": "c", "x": 20, "y": 15}, subscribe("c"), publish("a", 40.0)],
        60.0,
        radio={"kind": "log-distance", "shadowing_db": 0.0},
    )
    run = play(document)
    assert len(run.network.links) == 3
    assert run.publications[0].delivered.keys() == {2}


@pytest.mark.parametrize(
    ("radio", "path", "says"),
    [
        ({"kind": "log-distance"}, "radio.kind", "metres"),
        ({"kind": "unit-disk", "bitrate_bps": 0}, "radio.bitrate_bps", "1,000"),
        ({"kind": "unit-disk", "retries": -1}, "radio.retries", "0 to 100"),
        ({"kind": "unit-disk", "delay_s": 1}, "radio.delay_s", "fields"),
        ({"kind": "ideal", "order": "fair"}, "radio.order", "stale"),
        ({"order": "random", "delay_s": 1.0, "worst_delay_s": 0.5}, "radio", "at least 1"),
    ],
)
def test_a_radio_that_cannot_be_is_refused_by_place_and_remedy(
    radio: dict[str, Any], path: str, says: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        play(scenario({"kind": "line", "n": 3}, [], 1.0, radio=radio))
    assert caught.value.path == path
    assert says in f"{caught.value.problem} {caught.value.allowed}"


def test_a_radio_is_ideal_unless_it_says_otherwise() -> None:
    loaded = load_scenario(scenario({"kind": "line", "n": 3}, [], 1.0, radio={"loss": 0.5}))
    assert loaded.radio == radios.IdealRadio(loss=0.5)


def test_weak_links_are_none() -> None:
    radio = LogDistance(kind="log-distance", shadowing_db=0.0)
    near, far = ((0.0, 0.0, 0.0), (35.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), (50.0, 0.0, 0.0))
    hears = radios.audible_by(radio, 1)
    assert hears is not None
    assert hears(*near)
    assert not hears(*far)
