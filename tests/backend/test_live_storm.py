"""A storm in a live session: one line of the document, each of its commands told, the repair measured, undone as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from backend.lines import command_words
from tests.backend.decode import Frame
from tests.backend.support import Serving, Viewer, kind, scenario, serving, settings_for

STORM: dict[str, Any] = {
    "do": "storm",
    "duration_s": 10.0,
    "seed": 2,
    "link_flaps_per_s": 0.6,
    "crashes_per_s": 0.3,
    "joins_per_s": 0.3,
    "repair_s": 2.0,
}


def at(viewer: Viewer, t: float) -> dict[str, Any]:
    """Play past t and hold; how the run stands then."""
    viewer.send(type="speed", value=50)
    viewer.send(type="play")
    viewer.until(lambda m: isinstance(m, Frame) and m.t > t)
    viewer.send(type="pause")
    held: dict[str, Any] = viewer.until(lambda m: kind(m) == "run" and not m["playing"])
    return held


def test_a_storm_is_told_command_by_command_and_undone_as_one(server: Serving) -> None:
    session = server.create()
    with server.viewer(session) as viewer:
        before = at(viewer, 10.0)
        assert viewer.command(1, **STORM) == {"type": "done", "ref": 1, "index": 1}
        after = at(viewer, before["t"] + 15.0)
        told = viewer.all("event")
        owner = [m for m in told if m["by"] == "owner"]
        storm = [m for m in told if m["by"] == "event"]
        assert [m["event"]["do"] for m in owner] == ["storm"]
        assert {m["index"] for m in storm} == {1}
        assert {m["event"]["do"] for m in storm} >= {
            "fail-link",
            "restore-link",
            "fail-node",
            "restore-node",
            "add-node",
        }
        lines = [
            line["text"] for log in viewer.all("log") for line in log["lines"] if line["kind"] == "command"
        ]
        assert "a storm begins, for 10 s" in lines
        assert set(lines) & {command_words(m["event"], str) for m in storm}
        assert "storm2-1" in viewer.all("world")[-1]["ids"]
        document = server.http.get(f"/api/sessions/{session['id']}/scenario").json()
        assert [event["do"] for event in document["events"]] == ["subscribe", "storm"]
        report = server.http.get(f"/api/sessions/{session['id']}/report").json()
        assert [x["event"] for x in report["written_out"]] == [m["event"] for m in storm]
        repair = after["repair"]
        assert before["t"] < repair["t"] <= before["t"] + 10.0
        assert repair["caused_by"]
        assert len(repair["seconds"]) == len(repair["rounds"]) == 4

        viewer.send(type="undo", ref=2)
        assert viewer.until("done") == {"type": "done", "ref": 2, "index": 1}
        back = viewer.all("run")[-1]
        assert (back["t"], back["digest"]) == (before["t"], before["digest"])
        assert back["repair"] == before["repair"]
        assert viewer.all("world")[-1]["ids"] == ["0", "1", "2", "3", "4"]


def test_a_link_shared_in_the_middle_of_a_storm_is_verified(server: Serving) -> None:
    session = server.create()
    with server.viewer(session) as viewer:
        began = at(viewer, 5.0)["t"]
        viewer.command(1, **STORM)
        viewer.command(2, do="loss-burst", loss=0.7, duration_s=5.0)
        at(viewer, began + 4.0)
        link = server.http.get(f"/api/sessions/{session['id']}/link").json()
    with server.viewer(server.create({"link": link["fragment"]})) as other:
        run = other.until(lambda m: kind(m) == "run" and m["verified"] is not None)
        assert (run["verified"], run["digest"]) == (True, link["digest"])


def test_a_workload_is_told_as_such(server: Serving) -> None:
    workload = {"publishers": 2, "subscribers": ["1", "4"], "start_s": 2.0, "rate_per_s": 1.0}
    body = {"scenario": scenario(events=[], workload=workload)}
    with server.viewer(server.create(body)) as viewer:
        at(viewer, 6.0)
        told = viewer.all("event")
        assert {(m["by"], m["index"]) for m in told} == {("workload", None)}
        assert {m["event"]["do"] for m in told} == {"subscribe", "publish"}


def test_a_storm_that_would_add_too_many_nodes_is_refused(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path, max_nodes=50)) as server, server.viewer(server.create()) as viewer:
        viewer.send(type="command", ref=1, event={"do": "storm", "duration_s": 9.0, "joins_per_s": 10.0})
        error = viewer.until("error")
        assert (error["ref"], error["path"]) == (1, "event.joins_per_s")
        assert "a shorter storm" in error["allowed"]
        viewer.send(type="command", ref=2, event={"do": "storm", "duration_s": "x", "joins_per_s": 10.0})
        assert viewer.until("error")["path"] == "event.duration_s"
        assert viewer.all("event") == []
