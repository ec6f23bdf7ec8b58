"""Curves of a long run, and log lines."""

from __future__ import annotations

import json
from typing import Any

from backend.lines import command_words
from backend.picture import Curves, component_sizes


def test_curves_stay_small_and_keep_short_faults() -> None:
    curves = Curves(limit=100)
    for k in range(10_000):
        curves.add(k / 10, (1 if k == 4_321 else 0, k))
    assert 50 <= len(curves.rows) <= 100
    assert [t for t, _ in curves.rows] == sorted(t for t, _ in curves.rows)
    assert max(row[0] for _, row in curves.rows) == 1
    hit = next(t for t, row in curves.rows if row[0])
    assert abs(hit - 432.1) < 2 * 1_000 / 50
    assert curves.rows[-1][1][1] == 9_999


def test_every_sample_of_a_short_run_is_kept() -> None:
    curves = Curves()
    for k in range(2_000):
        curves.add(k / 10, (k,))
    assert [row for _, row in curves.rows] == [(k,) for k in range(2_000)]


def test_curves_can_be_cut_and_go_on() -> None:
    curves = Curves()
    for k in range(10):
        curves.add(float(k), (k,))
    curves.cut(4.0)
    curves.add(4.5, (99,))
    assert curves.rows[-2:] == [(4.0, (4,)), (4.5, (99,))]


def test_curves_survive_being_parked() -> None:
    curves = Curves(limit=10)
    for k in range(100):
        curves.add(float(k), (k, -k))
    again = Curves.from_plain(json.loads(json.dumps(curves.as_plain())))
    assert again.rows == curves.rows
    assert again.stride == curves.stride


def test_components_are_counted() -> None:
    assert component_sizes(6, [(0, 1), (1, 2), (4, 5)]) == [3, 2, 1]


def test_commands_in_words() -> None:
    def told(event: dict[str, Any]) -> str:
        return command_words(event, lambda id: {"c": "Church", "d": "Dam"}.get(id, id))

    assert told({"do": "fail-link", "link": ["c", "d"]}) == "link Church – Dam fails"
    assert (
        told({"do": "fail-link", "link": ["c", "d"], "oneway": True})
        == "link Church – Dam fails from Church to Dam only"
    )
    assert told({"do": "set-loss", "loss": 0.25}) == "25% of messages are lost"
    assert (
        told({"do": "corrupt", "node": "*", "layer": "*"}) == "a fault corrupts every variable of every node"
    )
    assert told({"do": "corrupt", "node": "a", "layer": "tree"}) == "a fault corrupts the tree layer of a"
    assert told({"do": "corrupt-messages", "share": 1}) == "corrupt messages"
