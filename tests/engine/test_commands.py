"""What each command does, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from engine.api import Run
from engine.core.errors import ScenarioError
from tests.engine.support import legitimate, play, publish, scenario, subscribe

LINE: dict[str, Any] = {"kind": "line", "n": 6}


def calm(topology: dict[str, Any] = LINE, **more: Any) -> Run:
    """A legitimate run with subscriber 4."""
    run = play(scenario(topology, [subscribe("4")], **more), 20.0)
    assert legitimate(run)
    return run


def test_a_failed_node_neither_sends_nor_hears_and_starts_afresh() -> None:
    run = calm()
    run.command({"do": "fail-node", "node": "4"})
    assert not run.alive(4)
    run.advance(21.0)
    assert run.dropped["dead-node"] > 0
    run.command({"do": "restore-node", "node": "4"})
    st = run.scene.sim.st
    assert st.ring.size[4] == 0, "its memory is gone"
    assert st.pubsub.wants[4] == 1, "what its application wants is not"
    run.advance(45.0)
    assert legitimate(run)
    run.command({"do": "publish", "node": "0", "channel": "c"})
    run.advance(46.0)
    assert set(run.publications[0].delivered) == {4}


def test_a_link_that_fails_one_way_is_not_used() -> None:
    run = calm({"kind": "ring", "n": 6})
    run.command({"do": "fail-link", "link": ["2", "3"], "oneway": True})
    k = run.network.link(2, 3)
    assert k is not None
    assert run.link_byte(k) & 3 == 2
    run.advance(40.0)
    assert legitimate(run)
    assert run.link_byte(k) >> 2 == 0
    run.command({"do": "restore-link", "link": ["2", "3"]})
    run.advance(60.0)
    assert run.link_byte(k) == 15


def test_partition_and_restore_all() -> None:
    run = calm({"kind": "grid", "rows": 3, "cols": 3})
    run.command({"do": "partition", "nodes": ["0", "1", "2"]})
    assert sorted(set(run.parts())) == [0, 1]
    assert [part["nodes"] for part in run.report()["parts"]] == [6, 3]
    run.command({"do": "restore-all"})
    assert set(run.parts()) == {0}


def test_loss_on_one_link_only() -> None:
    run = calm()
    run.command({"do": "set-loss", "loss": 1.0, "link": ["4", "5"]})
    run.advance(30.0)
    assert run.dropped["loss"] > 0
    assert run.scene.sim.st.hood.up[4] == [1, 0], "the neighbourhood gives up that link and no other"
    run.command({"do": "set-loss", "loss": 0.0})
    assert not run.scene.sim.lossy


def test_a_new_node_joins_and_gets_messages() -> None:
    run = calm()
    run.command({"do": "add-node", "id": "late", "x": 1, "y": 1, "links": ["5", "0"]})
    run.command({"do": "subscribe", "node": "late", "channel": "c"})
    run.advance(60.0)
    assert legitimate(run)
    run.command({"do": "publish", "node": "2", "channel": "c"})
    run.advance(61.0)
    assert set(run.publications[0].delivered) == {4, 6}


def test_moving_changes_links_where_they_follow_from_a_range() -> None:
    nodes = [{"id": str(v), "x": 10.0 * v, "y": 0.0} for v in range(6)]
    run = calm({"kind": "explicit", "nodes": nodes, "range_m": 12.0})
    assert run.network.link(0, 2) is None
    run.command({"do": "move-node", "node": "0", "x": 22.0, "y": 5.0})
    assert run.network.link(0, 2) is not None
    k = run.network.link(0, 1)
    assert k is not None
    assert run.link_byte(k) & 3 == 0, "13 m away, out of range"
    run.advance(60.0)
    assert legitimate(run)


def test_corrupting_one_variable_with_a_value() -> None:
    run = calm()
    run.command({"do": "corrupt", "node": "3", "layer": "tree", "field": "dist", "value": 0})
    assert run.scene.sim.st.tree.dist[3] == 0
    assert run.wrong_bits()[3] == 2
    assert run.node_columns()["flags"][3] & 8
    run.advance(35.0)
    assert legitimate(run)
    assert not run.node_columns()["flags"][3] & 8


@pytest.mark.parametrize(
    ("event", "path", "words"),
    [
        ({"do": "fail-node", "node": "9"}, "event.node", "unknown node"),
        ({"do": "fail-link", "link": ["0", "3"]}, "event.link", "no such link"),
        ({"do": "corrupt", "node": "0", "layer": "roof"}, "event.layer", "unknown layer"),
        (
            {"do": "corrupt", "node": "0", "layer": "tree", "field": "colour"},
            "event.field",
            "no such variable",
        ),
        (
            {"do": "corrupt", "node": "0", "layer": "tree", "field": "dist", "value": 99},
            "event.value",
            "outside",
        ),
        (
            {"do": "corrupt", "node": "0", "layer": "tree", "field": "dist", "value": 0.5},
            "event.value",
            "outside",
        ),
        ({"do": "corrupt", "node": "0", "layer": "*", "field": "dist"}, "event.layer", "needs its layer"),
        (
            {"do": "corrupt", "node": "0", "layer": "pubsub", "field": "wants"},
            "event.field",
            "no such variable",
        ),
        ({"do": "inject", "to": "0", "from": "3", "message": "PUB"}, "event.from", "no neighbour"),
        ({"do": "inject", "to": "0", "from": "1", "message": "NOPE"}, "event.message", "unknown message"),
        (
            {"do": "inject", "to": "0", "from": "1", "message": "UCM", "fields": {"x": 1}},
            "event.fields.x",
            "unknown field",
        ),
        (
            {"do": "inject", "to": "0", "from": "1", "message": "UCM", "fields": {"nodes": 99}},
            "event.fields.nodes",
            "hold",
        ),
        ({"do": "add-node", "id": "0", "x": 0, "y": 0}, "event.id", "already taken"),
    ],
)
def test_refusals_name_the_place_and_leave_the_run_as_it_was(
    event: dict[str, Any], path: str, words: str
) -> None:
    run = Run(play(scenario(LINE, []), 1.0).scenario)
    run.advance(1.0)
    before = (run.digest, len(run.scenario.events))
    with pytest.raises(ScenarioError, match=words) as refused:
        run.command(event)
    assert refused.value.path == path
    assert (run.digest, len(run.scenario.events)) == before


def test_the_application_of_a_failed_node_is_refused_live_and_ignored_in_a_script() -> None:
    run = calm()
    run.command({"do": "fail-node", "node": "1"})
    with pytest.raises(ScenarioError, match="has failed"):
        run.command({"do": "publish", "node": "1", "channel": "c"})
    events = [{"t": 1, "do": "fail-node", "node": "1"}, publish("1", 2)]
    assert play(scenario(LINE, events), 3.0).publications == []


def test_channels_have_room() -> None:
    run = play(scenario(LINE, [subscribe("1", "a")], params={"channels": 2}), 1.0)
    run.command({"do": "subscribe", "node": "2", "channel": "b"})
    with pytest.raises(ScenarioError, match="too many channels"):
        run.command({"do": "subscribe", "node": "3", "channel": "third"})
    events = [subscribe("1", name) for name in "abc"]
    with pytest.raises(ScenarioError, match="too many channels") as refused:
        play(scenario(LINE, events, params={"channels": 2}))
    assert refused.value.path == "events[2].channel"


@pytest.mark.parametrize(
    ("params", "path", "words"),
    [
        ({"root": "99"}, "root", "unknown node"),
        ({"rule": "best"}, "rule", "not one of the choices"),
        ({"lease_s": -1}, "lease_s", "out of range"),
        ({"lease_s": "3"}, "lease_s", "not a number"),
        ({"max_neighbours": 2.5}, "max_neighbours", "not a whole number"),
        ({"lease_s": 5, "forget_s": 10}, "forget_s", "forgotten"),
        ({"hello_s": 2, "hello_timeout_s": 1}, "hello_timeout_s", "dropped"),
        ({"speed": 1}, "speed", "no such parameter"),
    ],
)
def test_parameters_are_checked(params: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=words) as refused:
        play(scenario(LINE, [], params=params))
    assert refused.value.path == f"protocol.params.{path}"


def test_links_that_come_after_a_loss_was_set_lose_broadcasts_too() -> None:
    document = scenario(
        {"kind": "explicit", "nodes": [{"id": "a"}, {"id": "b"}], "links": []},
        [
            {"t": 1.0, "do": "set-loss", "loss": 0.5},
            {"t": 2.0, "do": "add-node", "id": "c", "x": 0.0, "y": 0.0, "links": ["a", "b"]},
        ],
    )
    assert play(document, 20.0).dropped["loss"] > 10


def test_a_command_leaves_room_for_the_channels_that_the_document_still_needs() -> None:
    later = [subscribe("1", "a"), subscribe("2", "b", 20.0)]
    run = play(scenario({"kind": "line", "n": 4}, later, 30.0, params={"channels": 2}), until=5.0)
    with pytest.raises(ScenarioError) as caught:
        run.command({"do": "subscribe", "node": "3", "channel": "c"})
    assert (caught.value.path, caught.value.value) == ("event.channel", "c")
    run.command({"do": "subscribe", "node": "3", "channel": "b"})
    again = Run.resume(run.snapshot())
    again.advance(30.0)
    run.advance(30.0)
    assert again.digest == run.digest
