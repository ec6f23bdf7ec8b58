"""The server assumes nothing about a protocol that it does not declare."""

from __future__ import annotations

from itertools import pairwise

import pytest

from backend.report import Report
from engine import registry
from tests.backend.decode import Frame
from tests.backend.support import Serving, kind, scenario
from tests.minimal import MINIMAL


def test_a_protocol_with_one_layer_and_no_judge_is_played(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.PROTOCOLS, "minimal", MINIMAL)
    session = server.create(protocol={"name": "minimal"}, events=[])
    with server.viewer(session) as viewer:
        welcome = viewer.all("welcome")[0]
        assert welcome["layers"] == welcome["history"]["wrong"] == welcome["protocol"]["services"] == []
        assert welcome["columns"] == ["flags", "part"]
        assert welcome["world"]["root"] == -1
        viewer.send(type="select", node="2", channel=None)
        viewer.send(type="show", messages=["PING"])
        viewer.send(type="speed", value=20)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 3)
        inspected = viewer.until("inspect")
        assert [layer["facts"][0]["label"] for layer in inspected["layers"]] == ["Pings heard"]
        assert viewer.command(1, do="fail-node", node="1")["type"] == "done"
        assert viewer.command(2, do="corrupt", node="*", layer="*")["type"] == "done"
        refused = viewer.command(3, do="publish", node="0", channel="c")
        assert (refused["type"], refused["path"]) == ("error", "event.do")
        assert "Minimal has no publish" in refused["message"]
        viewer.send(type="undo", ref=4)
        viewer.until(lambda m: kind(m) == "done" and m["ref"] == 4)
        viewer.send(type="step", what="round")
        viewer.until(lambda m: kind(m) == "run" and not m["playing"])
    report = server.http.get(f"/api/sessions/{session['id']}/report").json()
    assert Report.model_validate(report).legitimacy == {}


def test_the_token_is_in_the_frames_without_being_asked_for(server: Serving) -> None:
    session = server.create(protocol={"name": "token-ring"}, events=[])
    with server.viewer(session) as viewer:
        welcome = viewer.all("welcome")[0]
        assert welcome["layers"] == ["neighbourhood", "tree", "ring", "token"]
        token = [m["name"] for m in welcome["protocol"]["messages"]].index("TOKEN")
        viewer.send(type="speed", value=20)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 20)
        sends = [send for frame in viewer.frames() for send in frame.sends]
        assert sends
        assert {of for *_, of in sends} == {token}
        hops = [(from_pos, to_pos) for _, _, _, _, from_pos, to_pos, _, _ in sends[-8:]]
        assert all(q == (p + 1) % 8 for p, q in hops)
        assert all(a[1] == b[0] for a, b in pairwise(hops))


@pytest.mark.parametrize(
    ("name", "layers", "columns"),
    [
        ("ringps", ["neighbourhood", "tree", "ring", "pubsub"], ["Position", "Next", "Renewed"]),
        ("shen", ["neighbourhood", "tree", "pubsub"], ["Neighbour", "Subscribers behind"]),
    ],
)
def test_publications_and_tables_come_as_the_protocol_declares_them(
    server: Serving, name: str, layers: list[str], columns: list[str]
) -> None:
    events = [
        {"t": 1, "do": "subscribe", "node": "4", "channel": "news"},
        {"t": 30, "do": "publish", "node": "0", "channel": "news"},
    ]
    session = server.create(topology={"kind": "line", "n": 5}, protocol={"name": name}, events=events)
    with server.viewer(session) as viewer:
        welcome = viewer.all("welcome")[0]
        assert welcome["layers"] == layers
        assert ("ring_length" in welcome["columns"]) == ("ring" in layers)
        pub = [m["name"] for m in welcome["protocol"]["messages"]].index("PUB")
        viewer.send(type="select", node="0", channel="news")
        viewer.send(type="speed", value=40)
        viewer.send(type="play")
        table = viewer.until(lambda m: kind(m) == "inspect" and m["t"] > 31)["table"]
        assert table["columns"] == columns
        assert [row["in_use"] for row in table["rows"]] == [True]
        assert [row["wrong"] for row in table["rows"]] == [False]
        sends = [send for frame in viewer.frames() for send in frame.sends if send[-1] == pub]
        assert len(sends) >= 4


def test_a_document_with_foreign_events_is_refused(server: Serving) -> None:
    body = {"scenario": scenario(protocol={"name": "token-ring"})}  # subscribes
    response = server.http.post("/api/sessions", json=body)
    assert response.status_code == 422
    assert "token-ring" in response.text
    assert "events[0].do" in response.text
