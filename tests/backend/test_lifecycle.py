"""Sessions outlive their viewers and their server: paused, parked, brought back the same."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.wire import Close
from tests.backend.decode import Frame
from tests.backend.support import PATIENCE_S, Serving, Viewer, kind, scenario, serving, settings_for, wait_for


def play_a_while(server: Serving, session: dict[str, Any]) -> dict[str, Any]:
    """Some virtual time, two commands, and hold; the run as it then stands."""
    with server.viewer(session) as viewer:
        viewer.send(type="speed", value=40)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 15)
        viewer.command(1, do="fail-node", node="2")
        viewer.command(2, do="publish", node="0", channel="c", data="x")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 20)
        viewer.send(type="pause")
        return dict(viewer.until(lambda m: kind(m) == "run" and not m["playing"]))


def same(run: dict[str, Any], before: dict[str, Any]) -> None:
    for name in ("t", "digest", "events", "counts", "dropped", "speed", "undoable"):
        assert run[name] == before[name], name
    assert run["playing"] is False


def test_a_session_alone_pauses_and_then_parks(own_server: Callable[..., Serving]) -> None:
    server = own_server(pause_s=0.01, park_s=1.5)
    session = server.create()
    with server.viewer(session) as viewer:
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 0)
    live = server.sessions.live
    wait_for(lambda: session["id"] not in live or not live[session["id"]].playing, "the session to pause")
    wait_for(lambda: session["id"] not in live, "the session to be parked")
    info = server.http.get(f"/api/sessions/{session['id']}").json()
    assert info["parked"] is True
    assert (info["name"], info["nodes"]) == ("a line of five", 5)
    document = server.http.get(f"/api/sessions/{session['id']}/scenario").json()
    assert document["name"] == "a line of five"
    assert session["id"] not in live, "looking at it must not wake it"


def test_a_parked_session_comes_back_the_same(own_server: Callable[..., Serving]) -> None:
    server = own_server(park_s=0.01)
    session = server.create()
    before = play_a_while(server, session)
    wait_for(lambda: session["id"] not in server.sessions.live, "the session to be parked")
    with server.viewer(session) as viewer:
        welcome = viewer.all("welcome")[0]
        same(welcome["run"], before)
        assert welcome["run"]["replaying"] is None, "its snapshot was good"
        assert [p["data"] for p in welcome["publications"]] == ["x"]
        assert len(welcome["history"]["t"]) > 100
        viewer.send(type="undo", ref=5)
        assert kind(viewer.until(lambda m: kind(m) in ("done", "error"))) == "done"


def test_a_session_survives_a_restart_of_the_server(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path)) as server:
        session = server.create()
        before = play_a_while(server, session)
        with server.viewer(session, owner=False) as watcher:
            server.server.should_exit = True
            bye, code = watcher.until_closed()
            assert code == Close.RESTARTING
            assert bye is not None
            assert "comes back" in bye["message"]
    with serving(settings_for(tmp_path)) as server:
        assert server.http.get("/api/health").json()["sessions"] == 0
        with server.viewer(session) as viewer:
            welcome = viewer.all("welcome")[0]
            assert welcome["role"] == "owner"
            same(welcome["run"], before)
            viewer.send(type="play")
            viewer.until(lambda m: isinstance(m, Frame) and m.t > before["t"] + 1)


@pytest.mark.parametrize(
    "damage", ["snapshot = NULL", "snapshot = x'0011'", "engine = '0.1.0', snapshot = NULL", "digest = 'no'"]
)
def test_without_a_good_snapshot_the_document_is_replayed(tmp_path: Path, damage: str) -> None:
    with serving(settings_for(tmp_path)) as server:
        session = server.create()
        before = play_a_while(server, session)
    with sqlite3.connect(tmp_path / "data" / "ringcast.sqlite3") as db:
        assert db.execute(f"UPDATE sessions SET {damage}").rowcount == 1
    db.close()
    with serving(settings_for(tmp_path)) as server, server.viewer(session) as viewer:
        welcome = viewer.all("welcome")[0]
        run = viewer.until(lambda m: kind(m) == "run" and m["replaying"] is None)
        same(run, before)
        assert ("0.1.0" in (welcome["note"] or "")) == ("0.1.0" in damage)


def test_a_session_parked_while_replaying_goes_on_replaying(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path)) as server:
        session = server.create()
        before = play_a_while(server, session)
        link = server.http.get(f"/api/sessions/{session['id']}/link").json()["fragment"]
        shared = server.create({"link": link})
    with serving(settings_for(tmp_path)) as server, server.viewer(shared) as viewer:
        run = viewer.until(lambda m: kind(m) == "run" and m["verified"] is not None)
        assert (run["verified"], run["digest"]) == (True, before["digest"])


def test_when_all_places_are_taken_the_longest_alone_makes_room(own_server: Callable[..., Serving]) -> None:
    server = own_server(max_sessions=2)
    first, second = server.create(), server.create()
    with server.viewer(first) as viewer:
        third = server.create()
        assert set(server.sessions.live) == {first["id"], third["id"]}
        with server.viewer(third):
            response = server.http.post("/api/sessions", json={"scenario": scenario()})
            assert response.status_code == 503
            assert "all 2 places" in response.json()["error"]["message"]
            assert int(response.headers["Retry-After"]) > 0
            with Viewer(f"ws://127.0.0.1:{server.port}{second['ws']}") as refused:
                bye, code = refused.until_closed()
                assert code == Close.FULL
                assert bye is not None
                assert "all 2 places" in bye["message"]
        assert kind(viewer.command(1, do="fail-node", node="1")) == "done"
    with server.viewer(second) as viewer:
        assert viewer.all("welcome")[0]["role"] == "owner"


def test_a_disk_that_refuses_costs_no_session(
    own_server: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = own_server(park_s=0.01)

    def full(*args: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(server.server.state.store, "save", full)
        session = server.create()
        wait_for(lambda: caplog.text.count("disk is full") > 1, "the session to be parked in vain")
        with server.viewer(session) as viewer:
            assert kind(viewer.command(1, do="fail-node", node="2")) == "done"
    wait_for(lambda: session["id"] not in server.sessions.live, "the session to be parked")
    with server.viewer(session) as viewer:
        assert viewer.all("welcome")[0]["run"]["undoable"] == 1


def test_a_mistake_of_ours_ends_one_session_with_a_number_and_it_comes_back(
    server: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    session, other = server.create(), server.create()
    with server.viewer(session) as viewer, server.viewer(other) as bystander:

        def break_it() -> None:
            raise RuntimeError("made to fail")

        server.sessions.live[session["id"]].post(break_it)
        bye, code = viewer.until_closed()
        assert code == Close.MISTAKE
        assert bye is not None
        number = re.search(r"[0-9a-f]{8}", bye["message"])
        assert number is not None
        assert number[0] in caplog.text
        assert "made to fail" not in bye["message"]
        assert kind(bystander.command(1, do="fail-node", node="1")) == "done"
    with server.viewer(session) as viewer:
        assert kind(viewer.command(1, do="fail-node", node="1")) == "done"


# --- as a process of its own


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], int]]]:
    """Start `ringcast serve` and read where it serves."""
    started: list[subprocess.Popen[str]] = []
    env = {**os.environ, "RINGCAST_DATA": str(tmp_path / "data"), "RINGCAST_STOP_S": "4"}

    def start() -> tuple[subprocess.Popen[str], int]:
        command = [sys.executable, "-m", "backend.cli", "serve", "--port", "0"]
        made = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(made)
        assert made.stdout is not None
        line = made.stdout.readline()
        found = re.fullmatch(r"Ringcast is at http://127\.0\.0\.1:(\d+)/\n", line)
        assert found is not None, line
        return made, int(found[1])

    yield start
    for made in started:
        if made.poll() is None:
            made.kill()
        made.communicate()


def _session(port: int) -> dict[str, Any]:
    import httpx2

    return dict(
        httpx2.post(
            f"http://127.0.0.1:{port}/api/sessions", json={"scenario": scenario()}, timeout=PATIENCE_S
        ).json()
    )


def test_sessions_survive_the_end_of_the_process(
    process: Callable[..., tuple[subprocess.Popen[str], int]],
) -> None:
    made, port = process()
    session = _session(port)
    with Viewer(f"ws://127.0.0.1:{port}{session['ws']}", session["token"]) as viewer:
        viewer.until("welcome")
        viewer.command(1, do="fail-node", node="2")
        viewer.send(type="pause")
        held = viewer.until(lambda m: kind(m) == "run" and not m["playing"])
        began = time.monotonic()
        made.send_signal(signal.SIGTERM)
        made.wait(PATIENCE_S)
        assert time.monotonic() - began < 5, "a stop must be quick"
        assert made.communicate() == ("", "")

    made, port = process()
    with Viewer(f"ws://127.0.0.1:{port}{session['ws']}", session["token"]) as viewer:
        welcome = viewer.until("welcome")
        assert welcome["role"] == "owner"
        assert welcome["run"]["digest"] == held["digest"]
        assert welcome["scenario"]["events"][-1]["do"] == "fail-node"
    second = _session(port)
    made.kill()
    made.wait(PATIENCE_S)

    made, port = process()
    for each in (session, second):
        with Viewer(f"ws://127.0.0.1:{port}{each['ws']}", each["token"]) as viewer:
            assert viewer.until("welcome")["role"] == "owner"
