"""Share links: the identical run, proved; and what becomes of altered ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from backend import sharing
from backend.origin import Origin
from engine import ENGINE_VERSION
from engine.api import Run
from engine.world import share
from engine.world.scenario import load_scenario
from tests.backend.decode import Frame
from tests.backend.support import Serving, kind, scenario, wait_for
from tests.backend.test_http import refused


def fragment(end_s: float = 20.0, engine: str = ENGINE_VERSION, digest: str | None = None) -> str:
    """A link to the small scenario, played for a while."""
    run = Run(load_scenario(scenario()))
    run.advance(end_s)
    return share.encode(run.scenario, engine=engine, digest=digest or run.digest, end_s=end_s)


def verified(server: Serving, link: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The welcome and the final state of a session made from a link."""
    with server.viewer(server.create({"link": link})) as viewer:
        run = viewer.until(lambda m: kind(m) == "run" and m["replaying"] is None)
        return viewer.all("welcome")[0], run


def test_a_link_opens_the_identical_run(server: Serving) -> None:
    session = server.create()
    with server.viewer(session) as viewer:
        viewer.send(type="speed", value=30)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 15)
        viewer.command(1, do="fail-node", node="2")
        viewer.command(2, do="corrupt", node="*", layer="*")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 20)
        viewer.send(type="step", what="event")
        viewer.send(type="step", what="event")
        viewer.command(3, do="publish", node="0", channel="c", data="hello")
        link = server.http.get(f"/api/sessions/{session['id']}/link").json()
        assert link["length"] == len(link["fragment"])
        assert link["url_path"] == "/#" + link["fragment"]
        assert link["short"] is False
        with server.viewer(server.create({"link": link["fragment"]})) as other:
            run = other.until(lambda m: kind(m) == "run" and m["replaying"] is None)
            assert run["verified"] is True
            assert (run["digest"], run["t"], run["playing"]) == (link["digest"], link["end_s"], False)
            viewer.send(type="ping", ref=9)
            viewer.until("pong")
            assert other.mirror.state() == viewer.mirror.state()
            welcome = other.all("welcome")[0]
            assert welcome["expected_digest"] == link["digest"]
            assert {p["data"] for p in welcome["publications"] + other.all("publication")} == {"hello"}


def test_a_link_whose_run_comes_out_differently_says_so(server: Serving) -> None:
    _, run = verified(server, fragment(digest="0123456789abcdef"))
    assert run["verified"] is False


def test_a_link_of_another_engine_version_opens_with_a_note(server: Serving) -> None:
    link = fragment(engine="0.9.0")
    assert "0.9.0" in server.create({"link": link})["note"]
    welcome, _ = verified(server, link)
    assert "0.9.0" in welcome["note"]
    found = server.http.post("/api/unlink", json={"fragment": "#" + link}).json()
    assert (found["engine"], found["end_s"], found["scenario"]["name"]) == ("0.9.0", 20.0, "a line of five")
    assert "0.9.0" in found["note"]
    assert server.http.post("/api/unlink", json={"fragment": fragment()}).json()["note"] is None


def test_while_replaying_nobody_can_command(server: Serving) -> None:
    big = scenario(topology={"kind": "gnp", "n": 300, "mean_degree": 6}, protocol={"name": "psvr"}, events=[])
    link = share.encode(load_scenario(big), engine=ENGINE_VERSION, digest="0" * 16, end_s=3_000.0)
    session = server.create({"link": link})
    with server.viewer(session) as viewer:
        assert viewer.all("welcome")[0]["run"]["replaying"] == 3_000.0
        answer = viewer.command(1, do="fail-node", node="2")
        assert answer["message"] == "the run is being replayed"
        viewer.until(lambda m: isinstance(m, Frame) and m.kind == 2)
        assert refused(server.http.get(f"/api/sessions/{session['id']}/report"), 503)["path"] == "session"
        assert server.http.get("/api/health").status_code == 200


def test_a_replay_waits_while_nobody_is_there(own_server: Callable[..., Serving]) -> None:
    server = own_server(pause_s=0.2)
    big = scenario(topology={"kind": "gnp", "n": 300, "mean_degree": 6}, protocol={"name": "psvr"}, events=[])
    link = share.encode(load_scenario(big), engine=ENGINE_VERSION, digest="0" * 16, end_s=50_000.0)
    session = server.create({"link": link})
    replay, load = server.sessions.live[session["id"]], server.sessions.load

    def waits() -> float:
        wait_for(lambda: load.busy == 0, "it to wait")
        return float(replay.run.now)

    with server.viewer(session):
        wait_for(lambda: replay.run.now > 0, "it to begin")
    before = waits()
    assert 0 < before < replay.goal == 50_000.0
    assert refused(server.http.get(f"/api/sessions/{session['id']}/report"), 503)["path"] == "session"
    wait_for(lambda: replay.run.now > before, "it to go on for somebody who asks")
    before = waits()
    with server.viewer(session) as viewer:
        viewer.until(lambda m: isinstance(m, Frame) and m.t > before)
        assert load.busy == 1


def test_a_link_too_long_to_replay_is_refused(own_server: Callable[..., Serving]) -> None:
    server = own_server(max_virtual_s=100.0)
    link = share.encode(load_scenario(scenario()), engine=ENGINE_VERSION, digest="0" * 16, end_s=101.0)
    assert (
        "100 virtual seconds"
        in refused(server.http.post("/api/sessions", json={"link": link}), 422)["allowed"]
    )


def test_a_session_ends_when_its_virtual_time_is_used_up(own_server: Callable[..., Serving]) -> None:
    server = own_server(max_virtual_s=2.0)
    with server.viewer(server.create()) as viewer:
        viewer.send(type="speed", value=100)
        viewer.send(type="play")
        run = viewer.until(lambda m: kind(m) == "run" and m["ended"])
        assert (run["t"], run["playing"]) == (2.0, False)


WHOLE = fragment()


@pytest.mark.parametrize("seed", range(12))
def test_an_altered_link_is_refused(server: Serving, seed: int) -> None:
    chance = random.Random(seed)
    at = chance.randrange(3, len(WHOLE))
    swapped = WHOLE[:at] + chance.choice("ABCxyz019-_") + WHOLE[at + 1 :]
    altered = chance.choice([WHOLE[:at], swapped, WHOLE + "A", WHOLE[:at] + "!" + WHOLE[at:]])
    if altered == WHOLE:
        altered += "B"
    for address, body in (
        ("/api/unlink", {"fragment": altered}),
        ("/api/sessions", {"link": altered}),
        ("/api/links", {"fragment": altered}),
    ):
        assert refused(server.http.post(address, json=body), 422)["path"].startswith("link")


@pytest.mark.parametrize(
    "text", ["", "#", "s1.", "s2." + WHOLE[3:], "hello", "x" * 100_000, "s1.é", "http://evil.example/"]
)
def test_what_is_no_link_is_refused(server: Serving, text: str) -> None:
    refused(server.http.post("/api/unlink", json={"fragment": text}), 422)


def test_a_link_from_a_newer_version_says_so(server: Serving) -> None:
    problem = refused(server.http.post("/api/unlink", json={"fragment": "s2." + WHOLE[3:]}), 422)
    assert problem["message"] == "made by a newer Ringcast"


def test_short_links_are_named_by_content(server: Serving) -> None:
    first = server.http.post("/api/links", json={"fragment": WHOLE})
    assert first.status_code == 201
    again = server.http.post("/api/links", json={"fragment": "#" + WHOLE}).json()
    assert again == first.json()
    assert again["path"] == f"/s/{again['hash']}"
    stored = server.http.get(f"/api/links/{again['hash']}").json()
    assert stored["fragment"] == WHOLE
    assert stored["kept_until"] > "2026"


def test_a_long_link_offers_a_short_one() -> None:
    nodes = [
        {"id": f"node number {k * 7919 % 997}", "x": k * 37 % 1013, "y": k * 91 % 1009} for k in range(400)
    ]
    links = [[nodes[k]["id"], nodes[k // 2]["id"]] for k in range(1, 400)]
    document = scenario(
        topology={"kind": "explicit", "nodes": nodes, "links": links}, protocol={"name": "psvr"}, events=[]
    )
    link = sharing.make_link(Run(load_scenario(document)))
    assert link.length > sharing.LONG
    assert link.short


def test_an_origin_survives_being_parked() -> None:
    origin = Origin(note="n", goal=3.0, expected="e", verified=False, play=True, speed=7.0, own=[1, 2])
    assert Origin.from_plain(origin.as_plain()).as_plain() == origin.as_plain()
