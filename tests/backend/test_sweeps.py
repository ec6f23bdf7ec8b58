"""Sweeps as jobs: queued, run by a process of their own, cancelled, resumed, deleted; that process dies, or the server."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from backend.store import Store
from backend.sweeps import foreman, worker
from backend.sweeps.table import TABLE, Entry, Table
from backend.wire import Close
from tests.backend.support import PATIENCE_S, Serving, scenario, serving, settings_for, wait_for

SLOWLY_S = 60.0  # a process takes seconds to start, and again after it died
SCRIPT = Path(__file__).with_name("sweep_worker.py")
Post = Callable[..., dict[str, Any]]


def sweep(name: str = "", **changes: Any) -> dict[str, Any]:
    """Six runs of a few milliseconds: three losses, two seeds."""
    return {
        "version": 1,
        "name": name,
        "base": scenario(duration_s=5, events=[{"t": 4, "do": "publish", "node": "0", "channel": "c"}]),
        "axes": [{"path": "radio.loss", "values": [0.0, 0.1, 0.2]}],
        "repetitions": 2,
        "metrics": ["messages", "stabilised_s.tree"],
        **changes,
    }


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """The process without Spark in place of the other; call it to change how that begins."""

    def begin(*arguments: str) -> None:
        command = [sys.executable, str(SCRIPT), *arguments]
        monkeypatch.setattr(worker, "command_of", lambda master: command)

    begin()
    return begin


def post(server: Serving, name: str = "", status: int = 201, **changes: Any) -> dict[str, Any]:
    response = server.http.post("/api/sweeps", json=sweep(name, **changes))
    assert response.status_code == status, response.text
    return dict(response.json())


def job(server: Serving, id: str) -> dict[str, Any]:
    return dict(server.http.get(f"/api/sweeps/{id}").json())


def until(server: Serving, id: str, state: str, **more: Any) -> dict[str, Any]:
    """Its Job once it is in this state."""
    wanted = {"state": state, **more}.items()
    wait_for(lambda: wanted <= job(server, id).items(), f"{id} to be {state}", SLOWLY_S)
    return job(server, id)


def go(server: Serving, id: str) -> None:
    """Let a sweep that waits go on."""
    (server.settings.data / "sweeps" / id / "go").touch()


def played(server: Serving, id: str) -> list[int]:
    """The chunks that were played, in that order."""
    return [int(n) for n in (server.settings.data / "sweeps" / id / "played").read_text().split()]


def pid(server: Serving) -> int:
    found = server.server.state.jobs.foreman.worker.pid
    assert found is not None
    return int(found)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_sweep_is_queued_run_and_done(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    first = post(server, "a question")
    assert (first["state"], first["queue_place"], first["runs"], first["points"]) == ("queued", 1, 6, 3)
    assert first["name"] == "a question"
    done = until(server, first["id"], "done")
    assert (done["done"], done["failed"], done["queue_place"], done["reason"]) == (6, 0, None, None)
    assert done["summary_version"] > 0
    assert server.http.get("/api/sweeps").json() == [done]
    summary = server.http.get(f"/api/sweeps/{first['id']}/summary").json()
    assert summary["runs_done"] == 6
    assert [p["values"] for p in summary["points"]] == [{"radio.loss": x} for x in (0.0, 0.1, 0.2)]


def test_the_same_document_is_the_same_sweep(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    first = post(server)
    until(server, first["id"], "done")
    before = played(server, first["id"])
    again = post(server, status=200)
    assert (again["id"], again["state"]) == (first["id"], "done")
    spaced = server.http.post(
        "/api/sweeps", content=json.dumps(sweep(), indent=7), headers={"Content-Type": "application/json"}
    )
    assert spaced.json()["id"] == first["id"]
    assert played(server, first["id"]) == before
    assert post(server, repetitions=3)["id"] != first["id"]


def test_an_estimate_warms_the_process_and_ends_when_idle(own_server: Callable[..., Serving]) -> None:
    server = own_server(sweeps_idle_s=2.0)
    response = server.http.post("/api/sweeps/estimate", json=sweep("looked at"))
    found = response.json()
    assert response.status_code == 200, found
    assert (found["runs"], found["points"], found["method"]) == (6, 3, "compiled")
    assert found["seconds"] > 0
    assert found["metrics"] == ["messages", "stabilised_s.tree"]
    assert {"delivery_ratio", "sent.PUB"} <= set(found["measurable"])
    batch = server.server.state.jobs.foreman.worker
    wait_for(lambda: batch.ready, "the process to be warm", SLOWLY_S)
    started = pid(server)
    warmed = server.settings.data / "sweeps" / "warmed"
    wait_for(lambda: warmed.exists() and warmed.read_text() == "looked at\n", "the order to load the code")
    server.http.post("/api/sweeps/estimate", json=sweep("looked at again"))
    wait_for(lambda: not batch.on, "the idle process to end", SLOWLY_S)
    assert warmed.read_text() == "looked at\n", "once is enough"
    assert not alive(started)
    until(server, post(server)["id"], "done")


def test_a_cancel_keeps_what_is_done_and_a_resume_goes_on_from_there(
    own_server: Callable[..., Serving],
) -> None:
    server = own_server()
    id = post(server, "wait")["id"]
    until(server, id, "running", done=1)
    response = server.http.post(f"/api/sweeps/{id}/cancel")
    assert response.json()["state"] == "cancelled", "when it is answered it is over"
    assert response.json()["done"] == 1
    assert played(server, id) == [0]
    started = pid(server)
    go(server, id)
    assert server.http.post(f"/api/sweeps/{id}/resume").json()["state"] == "queued"
    assert until(server, id, "done")["done"] == 6
    assert sorted(played(server, id)) == [0, 1, 2, 3], "no chunk twice, none left out"
    assert pid(server) == started, "the process is still warm"
    assert server.http.post(f"/api/sweeps/{id}/cancel").json()["state"] == "done", "too late"
    assert server.http.post(f"/api/sweeps/{id}/resume").json()["state"] == "done"


def test_what_somebody_started_others_can_look_at_and_no_more(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    id = post(server, "wait")["id"]
    assert server.http.get(f"/api/sweeps/{id}").json()["yours"]
    with httpx2.Client(base_url=server.http.base_url) as other:
        assert not other.get(f"/api/sweeps/{id}").json()["yours"]
        assert [job["yours"] for job in other.get("/api/sweeps").json()] == [False]
        again = other.post("/api/sweeps", json=sweep("wait"))
        assert (again.status_code, again.json()["yours"]) == (200, False)
        for call in (
            other.post(f"/api/sweeps/{id}/cancel"),
            other.post(f"/api/sweeps/{id}/resume"),
            other.delete(f"/api/sweeps/{id}"),
        ):
            assert (call.status_code, call.json()["error"]["path"]) == (403, "sweep")
        cookie = again.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
    assert server.http.delete(f"/api/sweeps/{id}").json() == {"id": id}


def test_a_table_of_an_earlier_version_is_taken_over(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.database() as db:
        db.execute(TABLE.replace(",\n    owner TEXT NOT NULL DEFAULT ''", ""))
        assert "owner" not in {row[1] for row in db.execute("PRAGMA table_info(sweeps)")}
    table = Table(store)
    table.save(Entry("a", "A", "done", 1.0, 1.0, 2, 1))
    assert [(entry.id, entry.owner) for entry in Table(store).all()] == [("a", "")]


def test_a_process_that_does_not_cancel_is_killed_and_others_go_on(
    own_server: Callable[..., Serving],
) -> None:
    server = own_server()
    deaf, other = post(server, "deaf")["id"], post(server, "wait")["id"]
    for id in (deaf, other):
        until(server, id, "running", done=1)
    started = pid(server)
    assert server.http.post(f"/api/sweeps/{deaf}/cancel").json()["state"] == "cancelled"
    assert not alive(started)
    until(server, other, "running")
    go(server, other)
    until(server, other, "done")
    assert server.server.state.jobs.all[other].entry.tries == 0, "it was not to blame"


def test_some_sweeps_run_side_by_side_and_the_rest_wait_their_turn(
    own_server: Callable[..., Serving],
) -> None:
    server = own_server(sweeps_at_once=2)
    a, b, c, d = (post(server, f"wait {name}")["id"] for name in "abcd")
    for id in (a, b):
        until(server, id, "running")
    assert [job(server, id)["queue_place"] for id in (c, d)] == [1, 2]
    assert job(server, c)["reason"] == "other sweeps run"
    assert server.http.post(f"/api/sweeps/{c}/cancel").json()["state"] == "cancelled"
    assert job(server, d)["queue_place"] == 1
    go(server, b)
    until(server, b, "done")
    until(server, d, "running")
    assert job(server, a)["state"] == "running"


def test_a_death_of_the_process_costs_no_finished_run(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    id = post(server, "die-once")["id"]
    assert until(server, id, "done")["done"] == 6
    assert sorted(played(server, id)) == [0, 1, 2, 3]


def test_a_sweep_that_kills_the_process_fails_in_the_end_and_takes_no_other_along(
    own_server: Callable[..., Serving],
) -> None:
    server = own_server()
    bad, good = post(server, "die")["id"], post(server, "wait")["id"]
    failed = until(server, bad, "failed")
    assert f"died {foreman.MOST_TRIES} times" in failed["reason"]
    assert failed["reason"].endswith("its last words: out of memory, or so (exit status 3)")
    go(server, good)
    until(server, good, "done")
    assert len(played(server, bad)) == foreman.MOST_TRIES


def test_a_killed_process_is_started_again(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    id = post(server, "wait")["id"]
    until(server, id, "running", done=1)
    started = pid(server)
    os.kill(started, signal.SIGKILL)
    wait_for(
        lambda: server.server.state.jobs.foreman.worker.pid not in (None, started),
        "another process",
        SLOWLY_S,
    )
    go(server, id)
    until(server, id, "done")
    assert sorted(played(server, id)) == [0, 1, 2, 3]


def test_trouble_fails_what_waits_with_its_reason(
    own_server: Callable[..., Serving], scripted: Callable[..., None]
) -> None:
    scripted("--trouble", "no Java was found")
    server = own_server()
    id = post(server)["id"]
    assert until(server, id, "failed")["reason"] == "no Java was found"
    warned = server.http.post("/api/sweeps/estimate", json=sweep()).json()["warnings"]
    assert warned[0] == "Spark could not be used the last time: no Java was found"
    assert not server.server.state.jobs.foreman.worker.on, "not tried over and over"


def test_a_process_that_cannot_start_is_not_started_for_ever(
    own_server: Callable[..., Serving], scripted: Callable[..., None]
) -> None:
    scripted("--broken", "No module named nowhere")
    server = own_server()
    reason = until(server, post(server)["id"], "failed")["reason"]
    words = "No module named nowhere (exit status 1)"
    assert reason == f"the batch process cannot be started; its last words: {words}"


def test_a_sweep_that_fails_says_why_and_can_be_resumed(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    id = post(server, "full")["id"]
    failed = until(server, id, "failed")
    assert (failed["reason"], failed["done"]) == ("No space left on device", 1)
    assert server.http.post(f"/api/sweeps/{id}/resume").json()["reason"] != failed["reason"]


def test_a_disk_that_fills_up_ends_what_runs_with_words(
    own_server: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = own_server()
    id = post(server, "wait")["id"]
    until(server, id, "running", done=1)
    monkeypatch.setattr(foreman, "DISK_S", 0.0)
    with monkeypatch.context() as patched:
        full = SimpleNamespace(free=7_000_000)
        patched.setattr(shutil, "disk_usage", lambda path: full)
        failed = until(server, id, "failed")
        assert failed["reason"] == "the disk is nearly full: 7 MB are left; make room, then resume"
        assert failed["done"] == 1
        assert server.http.post(f"/api/sweeps/{id}/resume").status_code == 503, "still full"
    go(server, id)
    assert server.http.post(f"/api/sweeps/{id}/resume").json()["state"] == "queued"
    assert until(server, id, "done")["done"] == 6


def test_a_restart_of_the_server_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path, sweeps_at_once=1)) as server:
        running, waiting = post(server, "wait")["id"], post(server, "second")["id"]
        until(server, running, "running", done=1)
        made = {id: job(server, id)["made"] for id in (running, waiting)}
        process = pid(server)
    assert not alive(process), "it must not outlive its server"
    go(server, running)
    with serving(settings_for(tmp_path, sweeps_at_once=1)) as server:
        for id in (running, waiting):
            done = until(server, id, "done")
            assert (done["done"], done["made"]) == (6, made[id])
        assert sorted(played(server, running)) == [0, 1, 2, 3]


def test_a_server_that_is_killed_takes_its_process_along(tmp_path: Path) -> None:
    """The process has nobody to tell it to stop but the end of its orders."""
    code = f"import backend.sweeps.worker as w, sys; w.command_of = lambda m: [sys.executable, {str(SCRIPT)!r}]; "
    code += "from backend.cli import main; sys.exit(main(['serve', '--port', '0']))"
    env = {**os.environ, "RINGCAST_DATA": str(tmp_path / "data")}
    made = subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)
    assert made.stdout is not None
    with made, made.stdout:
        address = made.stdout.readline().split()[-1]
        with httpx2.Client(base_url=address, timeout=PATIENCE_S) as http:
            id = http.post("/api/sweeps", json=sweep("wait")).json()["id"]
            wait_for(lambda: http.get(f"/api/sweeps/{id}").json()["done"] == 1, "the first chunk", SLOWLY_S)
        made.kill()
        made.wait(PATIENCE_S)
    with serving(settings_for(tmp_path)) as server:  # its own process waits until the other is gone
        until(server, id, "running")
        go(server, id)
        until(server, id, "done")
        assert sorted(played(server, id)) == [0, 1, 2, 3]


def test_a_lost_database_is_made_again_from_the_folders(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path)) as server:
        done, stopped = post(server)["id"], post(server, "wait")["id"]
        until(server, done, "done")
        until(server, stopped, "running", done=1)
        server.http.post(f"/api/sweeps/{stopped}/cancel")
    for file in (tmp_path / "data").glob("ringcast.sqlite3*"):
        file.unlink()
    (tmp_path / "data" / "sweeps" / "something else").mkdir()
    with serving(settings_for(tmp_path)) as server:
        assert {j["id"]: (j["state"], j["done"]) for j in server.http.get("/api/sweeps").json()} == {
            done: ("done", 6),
            stopped: ("cancelled", 1),
        }


def test_a_sweep_is_deleted_with_its_results_running_or_not(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    for name, state in (("", "done"), ("wait", "running")):
        id = post(server, name)["id"]
        until(server, id, state)
        assert server.http.delete(f"/api/sweeps/{id}").json() == {"id": id}
        assert server.http.get(f"/api/sweeps/{id}").status_code == 404
        assert not (server.settings.data / "sweeps" / id).exists()
    assert server.http.get("/api/sweeps").json() == []
    assert post(server)["state"] == "queued", "it may come again"


def messages(server: Serving, id: str) -> tuple[list[dict[str, Any]], int]:
    """All that the live socket says, and its close code."""
    said = []
    address = f"ws://127.0.0.1:{server.port}/api/sweeps/{id}/live"
    cookies = "; ".join(f"{name}={value}" for name, value in server.http.cookies.items())
    with connect(address, additional_headers={"Cookie": cookies}) as socket:
        with suppress(ConnectionClosedError):
            for text in socket:
                said.append(json.loads(text))  # noqa: PERF401 (what came before the end counts)
        assert socket.close_code is not None
        return said, socket.close_code


def test_the_live_socket_tells_every_change_to_the_end(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    id = post(server)["id"]
    said, code = messages(server, id)
    assert code == 1000
    assert said[0]["state"] == "queued"
    assert said[-1] == job(server, id)
    assert [m["done"] for m in said] == sorted(m["done"] for m in said)
    assert messages(server, id) == ([job(server, id)], 1000), "one that has ended is told once"
    assert messages(server, "nothing") == ([], 4004)


def test_the_live_socket_tells_of_a_deletion(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    id = post(server, "wait")["id"]
    until(server, id, "running")
    with connect(f"ws://127.0.0.1:{server.port}/api/sweeps/{id}/live") as socket:
        assert json.loads(socket.recv(PATIENCE_S))["state"] == "running"
        wait_for(lambda: server.server.state.jobs.all[id].watchers == 1, "the watcher")
        server.http.delete(f"/api/sweeps/{id}")
        with suppress(ConnectionClosedError):
            for text in socket:
                assert json.loads(text)["state"] in ("running", "cancelled")
        assert socket.close_code in (1000, 4004)


def test_a_server_may_stop_while_the_process_is_being_started(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path)) as server:
        id = post(server)["id"]
        batch = server.server.state.jobs.foreman.worker
        wait_for(lambda: batch.on, "the process to be started")
        with connect(f"ws://127.0.0.1:{server.port}/api/sweeps/{id}/live") as socket:
            assert json.loads(socket.recv(PATIENCE_S))["reason"] == "Spark is starting"
            server.server.should_exit = True
            with suppress(ConnectionClosedError):
                for text in socket:
                    assert json.loads(text)["state"] == "queued"
            assert socket.close_code == Close.RESTARTING
    assert not batch.on


def test_of_two_servers_in_one_folder_one_waits_for_the_other(own_server: Callable[..., Serving]) -> None:
    first = own_server()
    until(first, post(first, "wait")["id"], "running")
    second = own_server()
    id = post(second)["id"]
    words = "another server works in the same folder"
    wait_for(lambda: job(second, id)["reason"] == words, "the other server to be noticed")
