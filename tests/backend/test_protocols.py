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


def test_a_document_with_foreign_events_is_refused(server: Serving) -> None:
    body = {"scenario": scenario(protocol={"name": "token-ring"})}  # subscribes
    response = server.http.post("/api/sessions", json=body)
    assert response.status_code == 422
    assert "token-ring" in response.text
    assert "events[0].do" in response.text
