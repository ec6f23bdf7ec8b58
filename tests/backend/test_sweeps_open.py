"""A run of a sweep, opened: played to a moment first, and compared with the digest of its row at the end."""

from __future__ import annotations

from typing import Any

import pytest

from engine.batch import play_one
from tests.backend.decode import Frame
from tests.backend.support import Serving, kind, scenario


def row_of(document: dict[str, Any]) -> dict[str, Any]:
    """What a sweep would write of this document's run."""
    row = play_one(document, {})
    assert row["error"] is None
    return row


def test_a_session_plays_to_a_moment_first_and_ends_with_the_digest_of_the_row(server: Serving) -> None:
    document = scenario(radio={"kind": "ideal", "delay_s": 0.05, "loss": 0.1})
    row = row_of(document)
    session = server.create({"scenario": document, "from_s": 41.5, "digest": row["digest"], "play": False})
    with server.viewer(session) as viewer:
        assert viewer.all("welcome")[0]["expected_digest"] == row["digest"]
        there = viewer.until(lambda m: kind(m) == "run" and m["replaying"] is None)
        assert (there["t"], there["playing"], there["verified"]) == (41.5, False, None)
        viewer.send(type="speed", value=100)
        viewer.send(type="play")
        end = viewer.until(lambda m: kind(m) == "run" and m["verified"] is not None)
        assert (end["t"], end["digest"], end["verified"]) == (60.0, row["digest"], True)
        assert end["events"] == row["events"]
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 60)
    assert server.http.get(f"/api/sessions/{session['id']}/scenario").json()["radio"]["loss"] == 0.1


def test_a_session_that_is_to_go_on_does_so_from_the_moment(server: Serving) -> None:
    session = server.create({"scenario": scenario(), "from_s": 30})
    with server.viewer(session) as viewer:
        frame = viewer.until(lambda m: isinstance(m, Frame) and m.t > 30)
        assert frame.t < 60, "played on at the usual speed"


def test_another_digest_than_the_promised_one_is_told(server: Serving) -> None:
    session = server.create({"scenario": scenario(), "from_s": 60, "digest": "0" * 16, "play": False})
    with server.viewer(session) as viewer:
        assert viewer.until(lambda m: kind(m) == "run" and m["verified"] is not None)["verified"] is False


def test_a_command_makes_it_another_run_and_undo_the_promised_one_again(server: Serving) -> None:
    row = row_of(scenario())
    session = server.create({"scenario": scenario(), "from_s": 50, "digest": row["digest"], "play": False})
    with server.viewer(session) as viewer:
        viewer.until(lambda m: kind(m) == "run" and m["replaying"] is None)
        viewer.command(1, do="fail-node", node="2")
        viewer.send(type="speed", value=100)
        viewer.send(type="play")
        later = viewer.until(lambda m: kind(m) == "run" and m["t"] > 60)
        assert later["verified"] is None
        viewer.send(type="undo", ref=2)
        again = viewer.until(lambda m: kind(m) == "run" and m["verified"] is not None)
        assert (again["t"], again["verified"]) == (60.0, True)


@pytest.mark.parametrize(
    ("extra", "path"),
    [
        ({"from_s": -1}, "from_s"),
        ({"from_s": "late"}, "from_s"),
        ({"from_s": 1e9}, "from_s"),
        ({"digest": 7}, "digest"),
        ({"digest": "x" * 1000}, "digest"),
    ],
)
def test_a_moment_that_cannot_be_reached_is_refused(
    server: Serving, extra: dict[str, Any], path: str
) -> None:
    response = server.http.post("/api/sessions", json={"scenario": scenario(), **extra})
    assert response.status_code == 422
    assert response.json()["error"]["path"] == path


def test_a_link_brings_its_own_moment(server: Serving) -> None:
    response = server.http.post("/api/sessions", json={"link": "s1.x", "from_s": 3})
    assert response.status_code == 422
    assert "no from_s beside a link" in response.json()["error"]["allowed"]
