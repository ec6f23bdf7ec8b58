"""Stabilisation measured: seconds, rounds, messages and deliveries from each fault to legitimacy."""

from __future__ import annotations

from typing import Any

from engine.oracle.repairs import KEPT, Repairs, rounds
from tests.engine.support import play, publish, scenario, subscribe

LINE = {"kind": "line", "n": 8}


def test_a_layer_is_stable_since_the_last_time_it_became_right() -> None:
    repairs = Repairs(2, 1)
    repairs.fault(10.0, "corrupt", [5])
    for t, wrong, sent in ((10.0, (0, 3), 5), (11.0, (2, 0), 9), (12.0, (0, 0), 14), (13.0, (0, 0), 20)):
        repairs.note(t, wrong, [sent])
    assert repairs.last.seconds() == [2.0, 1.0]
    assert (repairs.last.end, repairs.last.before, repairs.last.after) == (12.0, [5], [14])


def test_one_that_becomes_wrong_again_is_not_stable() -> None:
    repairs = Repairs(1, 1)
    repairs.fault(1.0, "fail-link", [0])
    repairs.note(2.0, (0,), [1])
    repairs.note(3.0, (1,), [2])
    assert (repairs.last.seconds(), repairs.last.end, repairs.last.after) == ([None], None, None)


def test_faults_of_one_moment_are_one_and_the_first_is_power_on() -> None:
    repairs = Repairs(1, 1)
    repairs.fault(0.0, "subscribe", [0])
    repairs.fault(0.0, "subscribe", [0])
    repairs.fault(4.0, "fail-node", [7])
    repairs.fault(4.0, "corrupt", [7])
    told = [(r.t, r.caused_by) for r in repairs.all]
    assert told == [(0.0, {}), (0.0, {"subscribe": 2}), (4.0, {"fail-node": 1, "corrupt": 1})]


def test_only_the_latest_are_remembered() -> None:
    repairs = Repairs(1, 1)
    for t in range(KEPT + 5):
        repairs.fault(float(t + 1), "corrupt", [0])
    assert len(repairs.all) == KEPT
    assert repairs.last.t == KEPT + 5


def test_a_round_that_has_begun_counts() -> None:
    assert [rounds(s, 1.1) for s in (None, 0.0, 0.5, 1.1, 2.2, 3.3000000000000003, 3.4)] == [
        None,
        0,
        1,
        1,
        2,
        3,
        4,
    ]


def faults(document: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = play(document).report()["stabilisation"]["faults"]
    return found


def test_the_report_tells_what_followed_each_fault() -> None:
    events = [
        subscribe("7"),
        {"t": 20.0, "do": "fail-link", "link": ["3", "4"]},
        publish("0", 21.0),
        {"t": 40.0, "do": "restore-link", "link": ["3", "4"]},
        publish("0", 40.05),
        publish("0", 59.0),
    ]
    start, subscribed, cut, mended = faults(scenario(LINE, events))
    assert (start["caused_by"], subscribed["caused_by"]) == ({}, {"subscribe": 1})
    assert (cut["t"], cut["caused_by"], mended["caused_by"]) == (20.0, {"fail-link": 1}, {"restore-link": 1})
    assert 0 < cut["layers"]["neighbourhood"]["seconds"] <= cut["layers"]["all"]["seconds"] < 20.0
    assert mended["layers"]["all"]["rounds"] == rounds(mended["layers"]["all"]["seconds"], 1.1)
    # Node 7 cannot be reached while the link is down, and is not yet when it has just come back.
    assert (cut["publications"], cut["expected"]) == (1, 0)
    assert (mended["publications"], mended["expected"], mended["delivered"]) == (1, 1, 0)
    took = mended["layers"]["all"]["seconds"]
    assert 8 * (took - 1) / 1.1 <= mended["messages"]["HELLO"] <= 8 * (took + 1) / 0.9


def test_what_is_not_repaired_before_the_next_fault_has_no_time() -> None:
    events = [{"t": 20.0 + k, "do": "corrupt", "node": "*", "layer": "*"} for k in range(2)]
    _, first, last = faults(scenario(LINE, events))
    assert first["layers"]["ring"] == {"seconds": None, "rounds": None}
    assert first["messages"]["HELLO"] in range(6, 11)
    assert last["layers"]["all"]["rounds"] > 0


def test_a_live_command_and_its_replay_are_measured_alike() -> None:
    run = play(scenario(LINE, [subscribe("5")]), 10.0)
    run.command({"do": "fail-node", "node": "3"})
    run.command({"do": "corrupt", "node": "*", "layer": "tree"})
    run.advance(60.0)
    again = play(scenario(LINE, [subscribe("5"), *run.report()["scenario"]["events"][1:]]))
    assert again.report()["stabilisation"] == run.report()["stabilisation"]
