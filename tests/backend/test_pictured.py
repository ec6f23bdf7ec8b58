"""What the page shows of radios and deliveries: link quality, losses and why, who was reached, what parameters do."""

from __future__ import annotations

from typing import Any

from backend.picture import reached
from engine.api import Run
from engine.core.trace import COLLISION, FADING
from engine.world.scenario import load_scenario
from tests.backend.decode import Frame
from tests.backend.support import Serving, scenario
from tests.backend.test_http import refused

AIRY: dict[str, Any] = scenario(
    topology={"kind": "geometric", "n": 30, "range_m": 30, "side_m": 100},
    radio={"kind": "log-distance"},
    protocol={"name": "psvr", "params": {"hello_s": 2, "hello_timeout_s": 7, "beacon_s": 2}},
    events=[],
)


def test_links_have_a_quality_where_it_is_known(server: Serving) -> None:
    def quality(document: dict[str, Any]) -> tuple[dict[str, Any], list[float]]:
        with server.viewer(server.create({"scenario": document, "play": False})) as viewer:
            world = viewer.all("welcome")[0]["world"]
            return world, world["quality"]

    assert quality(scenario())[1] == []
    world, reported = quality(
        scenario(topology={"kind": "builtin", "name": "leipzig"}, protocol={"name": "psvr"}, events=[])
    )
    assert len(reported) == len(world["links"])
    assert any(a != b for a, b in zip(reported[::2], reported[1::2], strict=True))
    world, heard = quality(AIRY)
    assert len(heard) == len(world["links"])
    assert heard[::2] == heard[1::2]
    assert all(0 <= q <= 1 for q in heard)
    assert max(heard) > 0.9
    assert min(heard) < 0.7


def test_a_node_that_moves_has_links_of_another_quality() -> None:
    run = Run(load_scenario(AIRY), trace="none")
    before = dict(zip(run.network.links, run.link_quality(), strict=True))
    run.command(
        {"do": "move-node", "node": run.network.ids[0], "x": run.network.x[0] + 4, "y": run.network.y[0]}
    )
    after = dict(zip(run.network.links, run.link_quality(), strict=True))
    same = [link for link in before if link in after]
    assert any(before[link] != after[link] for link in same if 0 in link)
    assert all(before[link] == after[link] for link in same if 0 not in link)


def test_every_loss_is_streamed_with_its_reason_on_demand(server: Serving) -> None:
    with server.viewer(server.create({"scenario": AIRY, "play": False})) as viewer:
        viewer.send(type="show", messages=[], losses=True)
        viewer.send(type="speed", value=20)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 20)
        reasons = {reason for frame in viewer.frames() for *_, reason in frame.drops}
        assert {FADING, COLLISION} & reasons


def test_who_was_reached_comes_with_the_curves(server: Serving) -> None:
    body = {
        "scenario": scenario(protocol={"name": "psvr", "params": {"root": "0", "lease_s": 2}}),
        "play": False,
    }
    session = server.create(body)
    with server.viewer(session) as viewer:
        viewer.send(type="speed", value=50)
        viewer.send(type="play")
        viewer.until(lambda m: isinstance(m, Frame) and m.t > 25)
        viewer.command(1, do="publish", node="1", channel="c")
        viewer.until(lambda m: m.get("done") is True if isinstance(m, dict) else False)
        with server.viewer(session, owner=False) as other:
            told = other.all("welcome")[0]["history"]["publications"]
    assert told == {"first": 1, "t": [viewer.all("publication")[0]["t"]], "expected": [1], "reached": [1]}


def test_only_the_latest_publications_are_told() -> None:
    work = {"publishers": 1, "subscribers": 2, "rate_per_s": 50, "publications": "periodic", "start_s": 1}
    run = Run(load_scenario(scenario(workload=work, events=[])), trace="none")
    run.advance(50.0)
    told = reached(run)
    assert len(told.t) == len(told.expected) == len(told.reached) == 2_000
    assert told.first + 1_999 == len(run.publications)


def test_parameters_that_mislead_are_named(server: Serving) -> None:
    def check(params: dict[str, Any]) -> Any:
        return server.http.post("/api/protocols/psvr/check", json={"params": params})

    assert check({"root": "anything"}).json() == []
    [caution] = check({"hello_timeout_s": 2.1}).json()
    assert caution["params"][0] == "hello_timeout_s"
    assert "2.1 s" in caution["text"]
    assert refused(check({"hello_timeout_s": 0.9}), 422)["path"] == "protocol.params.hello_timeout_s"
    assert refused(check({"hello_s": "often"}), 422)["path"] == "protocol.params.hello_s"
    refused(server.http.post("/api/protocols/psfr/check", json={}), 404)
