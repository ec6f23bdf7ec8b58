"""Journeys through a live session: watch, play, command, step, undo, reset, leave and come back."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from backend import wire
from tests.backend.decode import Frame, decode
from tests.backend.support import Serving, Viewer, kind, scenario

FIG5 = {"example": "psvr-fig5", "play": False}


def test_a_viewer_is_welcomed_with_everything_it_needs(server: Serving) -> None:
    session = server.create()
    with server.viewer(session) as viewer:
        welcome = viewer.all("welcome")[0]
        assert welcome["v"] == wire.VERSION
        assert welcome["session"] == session["id"]
        assert welcome["role"] == "owner"
        assert welcome["scenario"]["name"] == "a line of five"
        assert [m["name"] for m in welcome["protocol"]["messages"]][:2] == ["PUB", "SUB"]
        assert welcome["columns"][0] == "flags"
        assert welcome["layers"] == ["neighbourhood", "tree", "ring", "pubsub"]
        assert welcome["world"]["links"] == [0, 1, 1, 2, 2, 3, 3, 4]
        assert welcome["world"]["components"] == [5]
        assert welcome["run"]["playing"] is False
        wire.Welcome.model_validate(welcome)
        first = viewer.frames()[0]
        assert (first.n, first.m, first.epoch) == (5, 4, welcome["world"]["epoch"])


def test_time_passes_only_while_playing(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        viewer.send(type="speed", value=20)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 2)
        viewer.send(type="pause")
        held = viewer.until(lambda m: kind(m) == "run" and not m["playing"])
        viewer.send(type="ping", ref=1)
        viewer.until("pong")
        assert all(frame.t <= held["t"] for frame in viewer.frames())


def test_deltas_add_up_to_the_state_a_newcomer_gets(server: Serving) -> None:
    session = server.create(
        {"scenario": scenario(topology={"kind": "gnp", "n": 40, "mean_degree": 4}, protocol={"name": "psvr"})}
    )
    with server.viewer(session) as viewer:
        viewer.send(type="speed", value=50)
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 30)
        for ref, node in enumerate(("7", "9", "11")):
            viewer.command(ref, do="fail-node", node=node)
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 60)
        viewer.send(type="pause")
        viewer.until(lambda m: kind(m) == "run" and not m["playing"])
        with server.viewer(session, owner=False) as other:
            viewer.until(lambda m: kind(m) == "run" and m["viewers"] == 2)
            assert other.mirror.number == viewer.mirror.number
            assert other.mirror.state() == viewer.mirror.state()
            flags, links = other.mirror.columns[0], other.mirror.links
            assert [v for v, bits in enumerate(flags) if not bits & 1] == [7, 9, 11]
            assert any(byte & 3 == 0 for byte in links)
            assert any(byte == 15 for byte in links)


def test_a_command_is_in_the_very_next_frame(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        before = len(viewer.frames())
        done = viewer.command(5, do="fail-node", node="2")
        assert done == {"type": "done", "ref": 5, "index": 1}
        assert len(viewer.frames()) == before + 1
        assert viewer.mirror.columns[0][2] & 1 == 0
        event = viewer.all("event")[-1]
        assert event["event"] == {"t": 0.0, "do": "fail-node", "node": "2"}
        assert event["by"] == "owner"
        assert any("2 fails" in line["text"] for log in viewer.all("log") for line in log["lines"])


def test_two_viewers_see_the_same_and_only_the_owner_acts(server: Serving) -> None:
    session = server.create()
    with server.viewer(session) as owner, server.viewer(session, owner=False) as watcher:
        assert watcher.all("welcome")[0]["role"] == "watcher"
        watcher.send(type="command", ref=3, event={"do": "fail-node", "node": "1"})
        refused = watcher.until("error")
        assert (refused["ref"], refused["message"]) == (3, "only the owner can do that")
        watcher.send(type="play")
        assert watcher.until("error")["ref"] is None
        owner.command(1, do="fail-node", node="3")
        event = watcher.until("event")
        assert event["event"]["node"] == "3"
        watcher.send(type="ping", ref=2)
        watcher.until("pong")
        assert watcher.mirror.state() == owner.mirror.state()


def test_the_worked_example_travels_over_the_wire(server: Serving) -> None:
    """Fig. 5: PUB⟨7,8⟩ from 6, PUB⟨2,6⟩ from 8, PUB⟨3,4⟩ from 2; three messages in flight between the right nodes."""
    with server.viewer(server.create(FIG5)) as viewer:
        welcome = viewer.all("welcome")[0]
        ids = welcome["world"]["ids"]
        pub = next(k for k, m in enumerate(welcome["protocol"]["messages"]) if m["name"] == "PUB")
        viewer.send(type="speed", value=50)
        viewer.send(type="play")
        done = viewer.until(lambda m: kind(m) == "publication" and m["id"] == "p1" and m["done"])
        assert sorted(done["expected"]) == ["a", "b"]
        assert {node: d["hops"] for node, d in done["delivered"].items()} == {"b": 1, "a": 2}
        assert (done["messages"], done["duplicates"]) == (3, 0)
        flown = [s for f in viewer.frames() for s in f.sends if s[7] == pub and s[6] == done["number"]]
        assert [(ids[s[2]], ids[s[3]], s[4], s[5]) for s in flown] == [
            ("d", "b", 6, 7),
            ("d", "c", 8, 2),
            ("c", "a", 2, 3),
        ]
        assert all(s[1] == pytest.approx(0.4) for s in flown)
        delivered = [ids[d[1]] for f in viewer.frames() for d in f.deliveries if d[2] == done["number"]]
        assert delivered == ["b", "a"]
        viewer.until(lambda m: kind(m) == "log" and any("p1 reached" in line["text"] for line in m["lines"]))
        text = [line["text"] for log in viewer.all("log") for line in log["lines"]]
        assert "d published p1 on news: 2 expected" in text
        assert "p1 reached all 2 after 0.80 s, 3 messages" in text
        assert "PUB to b: from pos 6, goal 7, ep 8" in text


def test_the_curves_reach_the_viewer(server: Serving) -> None:
    session = server.create(FIG5)
    with server.viewer(session) as viewer:
        viewer.send(type="speed", value=100)
        viewer.send(type="play")
        viewer.until(
            lambda m: isinstance(m, Frame) and any(s[0] > 30 and s[1] == (0, 0, 0, 0) for s in m.samples)
        )
        viewer.send(type="pause")
        viewer.until(lambda m: kind(m) == "run" and not m["playing"])
        samples = [s for f in viewer.frames() for s in f.samples]
        assert [t for t, _ in samples] == sorted(t for t, _ in samples)
        assert samples[0][1][1] > 0
        with server.viewer(session, owner=False) as late:
            history = late.all("welcome")[0]["history"]
            assert history["t"] == [t for t, _ in samples]
            assert list(zip(*history["wrong"], strict=True)) == [wrong for _, wrong in samples]
            assert all(since is not None for since in history["since"])


def test_messages_of_other_kinds_are_streamed_on_demand(server: Serving) -> None:
    session = server.create(FIG5)
    with server.viewer(session) as viewer, server.viewer(session, owner=False) as plain:
        names = [m["name"] for m in viewer.all("welcome")[0]["protocol"]["messages"]]
        viewer.send(type="show", messages=["BEACON"])
        viewer.send(type="ping", ref=1)
        viewer.until("pong")
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and any(names[s[7]] == "BEACON" for s in m.sends))
        plain.until(lambda m: isinstance(m, Frame) and m.number == viewer.mirror.number)
        assert {names[s[7]] for f in plain.frames() for s in f.sends} <= {"PUB", "SUB"}
        assert plain.mirror.state() == viewer.mirror.state()
        viewer.send(type="show", messages=["NONSENSE"])
        assert "BEACON" in viewer.until("error")["allowed"]


def test_a_selected_node_is_inspected(server: Serving) -> None:
    with server.viewer(server.create(FIG5)) as viewer:
        viewer.send(type="speed", value=100)
        viewer.send(type="play")
        viewer.until(lambda m: kind(m) == "publication" and m["done"])
        viewer.send(type="select", node="d", channel="news")
        inspect = viewer.until("inspect")
        wire.Inspect.model_validate(inspect)
        assert (inspect["node"], inspect["name"]) == ("d", "d")
        assert [layer["name"] for layer in inspect["layers"]] == ["neighbourhood", "tree", "ring", "pubsub"]
        table = inspect["table"]
        assert [row["cells"][0] for row in table["rows"]] == ["6", "8"]
        assert table["rows"][0]["cells"][1] == "7 (b)"
        assert any(row["in_use"] for row in table["rows"])
        assert {line["kind"] for line in inspect["messages"]} >= {"send", "receive"}
        later = viewer.until("inspect")
        assert later["t"] > inspect["t"]
        viewer.send(type="select", node="nobody")
        assert viewer.until("error")["path"] == "select.node"


def test_stepping_plays_one_event_and_one_round(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 0)
        viewer.send(type="step", what="event")
        first = viewer.until(lambda m: kind(m) == "run" and not m["playing"])
        viewer.send(type="step", what="event")
        second = viewer.until(lambda m: kind(m) == "run" and m["events"] > first["events"])
        viewer.send(type="step", what="event")
        third = viewer.until(lambda m: kind(m) == "run" and m["events"] > second["events"])
        assert third["events"] == second["events"] + 1
        viewer.send(type="step", what="round")
        later = viewer.until(lambda m: kind(m) == "run" and m["t"] > third["t"] + 0.5)
        assert later["events"] > third["events"] + 10
        assert not later["playing"]


def test_undo_goes_back_to_the_moment_before_the_command(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        viewer.send(type="speed", value=50)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 20)
        viewer.send(type="pause")
        held = viewer.until(lambda m: kind(m) == "run" and not m["playing"])
        before = deepcopy(viewer.mirror.state())
        viewer.command(1, do="fail-node", node="2")
        viewer.command(2, do="fail-link", link=["0", "1"])
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > held["t"] + 5)
        viewer.send(type="undo", ref=3)
        assert viewer.until("done") == {"type": "done", "ref": 3, "index": 2}
        viewer.send(type="pause")
        viewer.until(lambda m: kind(m) == "run" and not m["playing"])
        viewer.send(type="undo", ref=4)
        assert viewer.until("done") == {"type": "done", "ref": 4, "index": 1}
        back = viewer.all("run")[-1]
        assert (back["t"], back["digest"]) == (held["t"], held["digest"])
        assert (back["replaying"], back["undoable"]) == (None, 0)
        viewer.send(type="ping", ref=5)
        viewer.until("pong")
        assert viewer.mirror.state() == before
        viewer.send(type="undo", ref=6)
        assert viewer.until("error")["message"] == "there is nothing to undo"


def test_reset_keeps_every_command_and_replays_to_the_same_digest(server: Serving) -> None:
    session = server.create()
    with server.viewer(session) as viewer:
        viewer.send(type="speed", value=50)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 10)
        viewer.command(1, do="fail-node", node="3")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 12)
        viewer.send(type="pause")
        viewer.until(lambda m: kind(m) == "run" and not m["playing"])
        link = server.http.get(f"/api/sessions/{session['id']}/link").json()
        viewer.send(type="reset")
        start = viewer.until(lambda m: kind(m) == "run" and m["t"] == 0)
        assert start["events"] == 0
        assert viewer.all("history")[-1]["t"] == []
        document = server.http.get(f"/api/sessions/{session['id']}/scenario").json()
        assert [event["do"] for event in document["events"]] == ["subscribe", "fail-node"]
        again = server.create({"link": link["fragment"]})
        with server.viewer(again) as other:
            run = other.until(lambda m: kind(m) == "run" and m["verified"] is not None)
            assert run["verified"] is True
            assert run["digest"] == link["digest"]


def test_what_a_later_event_needs_cannot_be_undone(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        viewer.command(1, do="add-node", id="new", x=10, y=20, links=["4"])
        viewer.send(type="speed", value=20)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 5)
        viewer.command(2, do="fail-node", node="new")
        viewer.send(type="pause")
        viewer.send(type="reset")
        viewer.until(lambda m: kind(m) == "run" and m["t"] == 0 and not m["playing"])
        viewer.send(type="step", what="round")
        viewer.until(lambda m: kind(m) == "run" and m["undoable"] == 1)
        viewer.send(type="undo", ref=3)
        error = viewer.until("error")
        assert (error["ref"], error["value"]) == (3, '"new"')
        assert kind(viewer.command(4, do="fail-node", node="0")) == "done"


def test_nodes_that_join_make_a_new_world(server: Serving) -> None:
    session = server.create()
    with server.viewer(session) as viewer, server.viewer(session, owner=False) as watcher:
        epoch = viewer.all("welcome")[0]["world"]["epoch"]
        viewer.command(1, do="add-node", id="new", x=10, y=20, links=["4"])
        watcher.until(lambda m: isinstance(m, Frame) and m.n == 6)
        for each in (viewer, watcher):
            world, frame = each.all("world")[-1], each.frames()[-1]
            assert world["ids"][-1] == "new"
            assert world["epoch"] > epoch
            assert world["links"][-2:] == [4, 5]
            assert (frame.kind, frame.n, frame.epoch) == (1, 6, world["epoch"])
            assert each.messages.index(world) < each.messages.index(frame)


def test_a_new_channel_reaches_the_viewers(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        viewer.command(1, do="subscribe", node="1", channel="brand new")
        assert viewer.all("world")[-1]["channels"] == ["brand new"]


def test_a_wrong_command_says_what_is_allowed_and_changes_nothing(server: Serving) -> None:
    wrong: list[dict[str, Any]] = [
        {"do": "fail-node", "node": "nobody"},
        {"do": "fail-link", "link": ["0", "4"]},
        {"do": "explode", "node": "1"},
        {"do": "publish", "node": "1"},
        {"do": "set-loss", "loss": 7},
        {"do": "corrupt", "node": "1", "layer": "roof"},
        {"do": "subscribe", "node": "1", "channel": "c", "extra": 1},
        {"do": "fail-node", "node": "1", "t": 5},
        {},
    ]
    session = server.create()
    with server.viewer(session) as viewer:
        digest = viewer.all("welcome")[0]["run"]["digest"]
        for ref, event in enumerate(wrong):
            answer = viewer.command(ref, **event)
            assert kind(answer) == "error", event
            assert answer["path"].startswith("event"), answer
            assert answer["allowed"], answer
            assert answer["message"], answer
        assert server.http.get(f"/api/sessions/{session['id']}").json()["digest"] == digest
        assert len(server.http.get(f"/api/sessions/{session['id']}/scenario").json()["events"]) == 1


def test_a_reconnecting_owner_finds_the_run_going_on(server: Serving) -> None:
    session = server.create()
    with server.viewer(session) as viewer:
        viewer.send(type="speed", value=10)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 3)
        viewer.command(1, do="fail-node", node="4")
    left = viewer.mirror.t
    with server.viewer(session) as viewer:
        welcome = viewer.all("welcome")[0]
        assert welcome["role"] == "owner"
        assert welcome["run"]["t"] >= left
        assert welcome["run"]["playing"] is True
        assert welcome["run"]["undoable"] == 1
        assert welcome["scenario"]["events"][-1]["do"] == "fail-node"


def test_the_first_visit_is_alive_at_once(server: Serving) -> None:
    session = server.create({"example": "first-visit"})
    assert not server.sessions.live[session["id"]].playing, "time must not pass before anybody watches"
    with server.viewer(session) as viewer:
        welcome = viewer.all("welcome")[0]
        assert len(welcome["world"]["ids"]) == 210
        assert welcome["run"]["playing"] is True
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 0.2)


def test_speed_is_bounded_and_honest(server: Serving) -> None:
    with server.viewer(server.create()) as viewer:
        for value in (0, 0.05, 101, -1, "fast", None):
            viewer.send(type="speed", value=value)
            assert viewer.until("error")["path"] == "value"
        viewer.send(type="speed", value=100)
        viewer.send(type="play")
        run = viewer.until(lambda m: kind(m) == "run" and m["t"] > 50)
        assert run["speed"] == 100
        assert 0 < run["achieved"] <= 130


def test_frames_can_be_decoded_one_by_one(server: Serving) -> None:
    """The raw bytes of a frame, read by the decoder that follows the document."""
    session = server.create()
    viewer = Viewer(f"ws://127.0.0.1:{server.port}{session['ws']}", session["token"])
    with viewer:
        raw = next(data for data in iter(lambda: viewer.ws.recv(10), None) if isinstance(data, bytes))
        assert decode(raw).kind == 1
