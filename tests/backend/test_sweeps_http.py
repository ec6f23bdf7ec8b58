"""What a sweep found, over HTTP; what is refused and how; limits; and that the description of all this is true."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend.sweeps import bodies, estimate, networks, results, worker
from backend.sweeps.checking import nodes_of
from engine.api import Run
from engine.batch import play_one
from engine.core.errors import ScenarioError
from engine.sweeps import Folder, load_sweep
from engine.world.scenario import load_scenario
from tests.backend.decode import Frame
from tests.backend.support import Serving, kind, scenario, serving, settings_for, wait_for
from tests.backend.test_http import BAD_BODIES, _conforms, refused

SCRIPT = Path(__file__).with_name("sweep_worker.py")
SWEEP: dict[str, Any] = {
    "version": 1,
    "name": "losses",
    "base": scenario(
        duration_s=20,
        events=[
            {"t": 1, "do": "subscribe", "node": "4", "channel": "c"},
            {"t": 15, "do": "publish", "node": "0", "channel": "c"},
        ],
    ),
    "axes": [
        {"path": "radio.loss", "from": 0.0, "to": 0.2, "count": 3},
        {
            "path": "topology",
            "values": [{"kind": "line", "n": 5}, {"kind": "line", "n": 4}],
            "labels": ["five", "four"],
        },
    ],
    "repetitions": 3,
    "first_seed": 40,
    "metrics": ["messages", "delivery_ratio", "stabilised_s.ring"],
}
"""Eighteen runs, of which those on four nodes fail: the document names a fifth."""


def changed(**changes: Any) -> dict[str, Any]:
    return {**SWEEP, **changes}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, str]]:
    """A server, and the id of a sweep that is done."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(worker, "command_of", lambda master: [sys.executable, str(SCRIPT)])
        with serving(settings_for(tmp_path_factory.mktemp("sweeps"))) as server:
            id = server.http.post("/api/sweeps", json=SWEEP).json()["id"]
            address = f"/api/sweeps/{id}"
            wait_for(lambda: server.http.get(address).json()["state"] == "done", "the sweep", 60.0)
            yield server, id


def get(finished: tuple[Serving, str], what: str, **params: Any) -> Any:
    server, id = finished
    response = server.http.get(f"/api/sweeps/{id}{what}", params=params)
    assert response.status_code == 200, response.text
    return response


# --- what it found


def test_the_summary_is_what_the_model_says(finished: tuple[Serving, str]) -> None:
    summary = get(finished, "/summary").json()
    assert bodies.SweepSummary.model_validate(summary).model_dump() == summary
    assert (summary["runs_done"], summary["runs_failed"]) == (18, 9)
    assert [p["values"]["topology"] for p in summary["points"]] == ["five", "four"] * 3


def test_dots_are_all_runs_that_have_the_metric_or_an_even_choice(finished: tuple[Serving, str]) -> None:
    dots = get(finished, "/dots", metric="messages").json()
    assert dots["of"] == 18
    assert dots["run"] == [0, 1, 2, 6, 7, 8, 12, 13, 14], "failed runs have no value"
    assert dots["seed"][:3] == [40, 41, 42]
    few = get(finished, "/dots", metric="messages", limit=3).json()
    summary = get(finished, "/summary").json()
    assert summary["points"][0]["metrics"]["messages"]["worst_run"] in few["run"]
    assert set(few["run"]) < set(dots["run"])
    assert few["run"] == sorted(few["run"])
    values = dict(zip(dots["run"], dots["value"], strict=True))
    assert few["value"] == [values[run] for run in few["run"]]


def test_an_even_choice_takes_from_all_over_the_grid() -> None:
    chosen = results._spread(dict.fromkeys(range(10_000), 100), 5_000)
    assert sum(map(len, chosen.values())) == 5_000
    numbers = sorted(chosen)
    assert len(numbers) <= 750, "not every file is opened"
    assert numbers[0] == 0
    assert max(b - a for a, b in pairwise(numbers)) <= 15
    assert results._spread({7: 3, 9: 2}, 100) == {7: {0, 1, 2}, 9: {0, 1}}


def test_a_run_has_its_values_and_the_document_that_plays_it_again(finished: tuple[Serving, str]) -> None:
    server, _ = finished
    run = get(finished, "/runs/7").json()
    assert (run["run"], run["point"], run["seed"]) == (7, 2, 41)
    assert run["values"] == {"radio.loss": 0.1, "topology": "five"}
    assert run["error"] is None
    again = play_one(run["document"], {})
    assert again["digest"] == run["digest"]
    assert sum(v for k, v in again.items() if k.startswith("sent.")) == run["metrics"]["messages"]
    body = {"scenario": run["document"], "from_s": 14.5, "digest": run["digest"]}
    with server.viewer(server.create(body)) as viewer:
        viewer.until(lambda m: isinstance(m, Frame) and m.t >= 14.5)
        viewer.send(type="speed", value=100)
        end = viewer.until(lambda m: kind(m) == "run" and m["verified"] is not None)
    assert (end["verified"], end["digest"]) == (True, run["digest"])


def test_a_run_has_a_picture_of_its_network(finished: tuple[Serving, str]) -> None:
    found = get(finished, "/runs/7/network").json()
    assert bodies.SweepNetwork.model_validate(found).model_dump() == found
    assert (found["facts"]["nodes"], found["facts"]["links"], found["facts"]["diameter"]) == (5, 4, 4)
    assert found["picture"]["links"] == [0, 1, 1, 2, 2, 3, 3, 4]
    assert len(found["picture"]["x"]) == len(found["picture"]["y"]) == 5
    assert (found["picture"]["roots"], found["picture"]["parent"]) == ([0], [-1, 0, 1, 2, 3])
    assert found["depth"] == 4
    assert get(finished, "/runs/3/network").json()["facts"]["nodes"] == 4, "the network of a run that failed"


def test_the_pictured_tree_is_the_one_that_the_run_comes_to() -> None:
    document = scenario(topology={"kind": "geometric", "n": 30, "mean_degree": 5}, duration_s=60, seed=3)
    picture = networks.pictured(document).picture
    run = Run(load_scenario(document), trace="none")
    run.advance(60)
    assert picture is not None
    assert picture.parent == run.node_columns()["parent"]
    assert [v for v, flags in enumerate(run.node_columns()["flags"]) if flags & 4] == picture.roots


@pytest.mark.parametrize(
    ("changes", "root"),
    [
        ({"protocol": {"name": "flooding"}}, []),
        ({"radio": {"kind": "unit-disk"}, "protocol": {"name": "psvr", "params": {"root": "1"}}}, [1]),
    ],
)
def test_no_tree_is_pictured_that_cannot_be_told_beforehand(changes: dict[str, Any], root: list[int]) -> None:
    found = networks.pictured(scenario(**changes))
    assert found.picture is not None
    assert (found.picture.parent, found.picture.roots, found.depth) == (None, root, None)


def test_a_large_network_is_told_in_numbers_only() -> None:
    found = networks.pictured(scenario(topology={"kind": "gnp", "n": 1_001, "mean_degree": 12}))
    assert (found.facts.nodes, found.picture) == (1_001, None)
    assert found.facts.diameter > 1


def test_a_network_that_does_not_come_about_is_refused() -> None:
    with pytest.raises(ScenarioError, match="connected"):
        networks.pictured(scenario(topology={"kind": "gnp", "n": 50, "mean_degree": 0.5}))


def test_a_run_that_failed_says_why(finished: tuple[Serving, str]) -> None:
    failed = get(finished, "/failures").json()
    assert [f["run"] for f in failed] == [3, 4, 5, 9, 10, 11, 15, 16, 17]
    assert "events[0].node" in failed[0]["error"]
    assert len(get(finished, "/failures", limit=2).json()) == 2
    run = get(finished, "/runs/3").json()
    assert run["error"] == failed[0]["error"]
    assert run["metrics"] == {"messages": None, "delivery_ratio": None, "stabilised_s.ring": None}


def test_exports_hold_every_run(finished: tuple[Serving, str]) -> None:
    response = get(finished, "/rows.csv")
    assert response.headers["Content-Type"].startswith("text/csv")
    assert f"sweep-{finished[1]}.csv" in response.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(response.text)))
    assert [int(row["run"]) for row in rows] == list(range(18))
    table = pq.read_table(io.BytesIO(get(finished, "/rows.parquet").content))
    assert table.column("run").to_pylist() == list(range(18))
    assert table.column("digest").to_pylist() == [row["digest"] or None for row in rows]
    lines = list(csv.DictReader(io.StringIO(get(finished, "/summary.csv").text)))
    assert len(lines) == 6 * 3
    means = {p["point"]: p["metrics"]["messages"]["mean"] for p in get(finished, "/summary").json()["points"]}
    assert float(lines[0]["mean"]) == means[0]
    assert (lines[0]["topology"], lines[0]["metric"]) == ("five", "messages")


def test_the_statistics_of_many_points_come_from_the_table(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "many")
    folder.claim(load_sweep(SWEEP))
    folder.write("summary.json", b'{"points": [], "truncated": true}')
    spread: dict[str, Any] = {
        "n": 3,
        "mean": 2.0,
        "sd": 1.0,
        "ci95_low": 1.0,
        "ci95_high": 3.0,
        "min": 1.0,
        "max": 3.0,
    }
    spread |= {"q": [float(k) for k in range(101)], "median_run": 7, "worst_run": 8}
    row = {"point": 2, "radio.loss": 0.1, "topology": "five", "metric": "messages", **spread}
    folder.summary_table.mkdir()
    pq.write_table(pa.Table.from_pylist([row, {**row, "q": None}]), folder.summary_table / "part-0.parquet")
    text = b"".join(results.summary(tmp_path, "many")).decode()
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["topology"], first["p95"], first["worst_run"]) == ("five", "95.0", "8")
    assert (second["p95"], second["mean"]) == ("", "2.0")


def test_the_document_comes_back_as_the_same_sweep(finished: tuple[Serving, str]) -> None:
    server, id = finished
    document = get(finished, "/document").json()
    again = server.http.post("/api/sweeps", json=document)
    assert (again.status_code, again.json()["id"]) == (200, id)


def test_before_any_run_there_is_an_empty_summary_and_no_run(
    own_server: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker.Worker, "start", lambda self: False)  # the process never comes
    server = own_server(max_sweeps_queued=1)
    id = server.http.post("/api/sweeps", json=SWEEP).json()["id"]
    empty = bodies.SweepSummary(truncated=False).model_dump()
    assert server.http.get(f"/api/sweeps/{id}/summary").json() == empty
    assert server.http.get(f"/api/sweeps/{id}/dots?metric=messages").json()["of"] == 0
    assert server.http.get(f"/api/sweeps/{id}/failures").json() == []
    assert server.http.get(f"/api/sweeps/{id}/rows.csv").text.startswith('"run","point"')
    assert pq.read_table(io.BytesIO(server.http.get(f"/api/sweeps/{id}/rows.parquet").content)).num_rows == 0
    assert "not been played yet" in refused(server.http.get(f"/api/sweeps/{id}/runs/0"), 404)["message"]
    full = refused(server.http.post("/api/sweeps", json=changed(repetitions=4)), 503)
    assert (full["path"], full["message"]) == ("queue", "1 sweeps wait already")


# --- the description


def test_answers_about_sweeps_have_the_fields_the_description_promises(finished: tuple[Serving, str]) -> None:
    server, id = finished
    spec = server.http.get("/api/openapi.json").json()
    tried = 0
    for path, methods in spec["paths"].items():
        if path.startswith("/api/sweeps") and "get" in methods:
            address = path.format(id=id, run=2)
            response = server.http.get(address, params={"metric": "messages"})
            assert response.status_code == 200, address
            content = methods["get"]["responses"]["200"]["content"]
            assert response.headers["Content-Type"].split(";")[0] in content, address
            if "application/json" in content:
                _conforms(response.json(), content["application/json"]["schema"], spec, address)
            tried += 1
    assert tried >= 10
    costs = server.http.post("/api/sweeps/estimate", json=SWEEP)
    schema = spec["paths"]["/api/sweeps/estimate"]["post"]["responses"]["200"]["content"]["application/json"]
    _conforms(costs.json(), schema["schema"], spec, "estimate")


def test_the_page_is_there_under_the_address_of_a_sweep(finished: tuple[Serving, str]) -> None:
    server, id = finished
    there = server.http.get("/")
    for path in ("/sweep", f"/sweep/{id}"):
        assert server.http.get(path).text == there.text


# --- what is refused


def test_unknown_sweeps_and_parts_of_them_are_404(finished: tuple[Serving, str]) -> None:
    server, id = finished
    for path in (
        "",
        "/document",
        "/summary",
        "/failures",
        "/rows.csv",
        "/rows.parquet",
        "/summary.csv",
        "/runs/1",
        "/runs/1/network",
    ):
        assert refused(server.http.get(f"/api/sweeps/nothing{path}"), 404)["path"] == "sweep"
    for path in ("cancel", "resume"):
        assert refused(server.http.post(f"/api/sweeps/nothing/{path}"), 404)["path"] == "sweep"
    assert refused(server.http.delete("/api/sweeps/nothing"), 404)["path"] == "sweep"
    for run in (18, -1, 10**30):
        for what in ("", "/network"):
            assert refused(server.http.get(f"/api/sweeps/{id}/runs/{run}{what}"), 404)["path"] == "run"
    refused(server.http.get(f"/api/sweeps/{id}/runs/first"), 422)
    assert refused(server.http.get(f"/api/sweeps/{id}/dots"), 422)["path"] == "metric"
    assert "messages" in refused(server.http.get(f"/api/sweeps/{id}/dots?metric=message"), 422)["allowed"]
    refused(server.http.get(f"/api/sweeps/{id}/dots?metric=messages&limit=0"), 422)
    refused(server.http.get("/api/sweeps/%2e%2e"), 404)


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("version", changed(version=2)),
    ("sedes", changed(sedes=1)),
    ("base", changed(base="line")),
    ("base.topology", changed(base=scenario(topology={"kind": "torus"}), axes=[])),
    ("axes[0].path", changed(axes=[{"path": "radio.los", "values": [0.1]}])),
    ("axes[0]", changed(axes=[{"path": "radio.loss", "from": 0.1, "to": 0.0, "step": 0.1}])),
    ("axes[0]", changed(axes=[{"path": "radio.loss", "values": [0.1], "from": 0}])),
    ("axes[0].values[1]", changed(axes=[{"path": "radio.loss", "values": [0.1, 7]}])),
    ("repetitions", changed(repetitions=0)),
    ("repetitions", changed(repetitions="many")),
    ("metrics[0]", changed(metrics=["happiness"])),
    ("", changed(axes=[{"path": "topology.n", "from": 2, "to": 1_000, "step": 1}] * 4)),
    ("", changed(axes=[{"path": "radio.loss", "from": 0, "to": 0.5, "count": 10**9}], repetitions=1_000)),
]


@pytest.mark.parametrize(("path", "document"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_sweep_is_refused_by_its_place(server: Serving, path: str, document: dict[str, Any]) -> None:
    for address in ("/api/sweeps", "/api/sweeps/estimate"):
        problem = refused(server.http.post(address, json=document), 422)
        assert problem["path"].startswith(path), problem
    assert server.http.get("/api/sweeps").json() == []


@pytest.mark.parametrize("body", BAD_BODIES, ids=range(len(BAD_BODIES)))
def test_a_body_that_is_no_sweep_gets_words(server: Serving, body: bytes) -> None:
    for address in ("/api/sweeps", "/api/sweeps/estimate"):
        response = server.http.post(address, content=body, headers={"Content-Type": "application/json"})
        assert response.status_code in (400, 422), response.text
        refused(response, response.status_code)


def test_limits_of_the_server_are_told(own_server: Callable[..., Serving]) -> None:
    server = own_server(max_sweep_runs=10)
    problem = refused(server.http.post("/api/sweeps", json=SWEEP), 422)
    assert (problem["value"], problem["allowed"]) == (
        "18",
        "at most 10 runs on this server: fewer values or repetitions",
    )
    server = own_server(max_nodes=4)
    assert "4 nodes" in refused(server.http.post("/api/sweeps", json=SWEEP), 422)["allowed"]
    server = own_server(max_sweeps=0)
    small = changed(repetitions=1)
    assert "no sweeps can be made" in refused(server.http.post("/api/sweeps", json=small), 503)["message"]


def test_the_disk_is_looked_at_first(own_server: Callable[..., Serving]) -> None:
    server = own_server(sweeps_mb=0.01)
    problem = refused(server.http.post("/api/sweeps", json=SWEEP), 503)
    assert problem["path"] == "disk"
    assert "delete some" in problem["allowed"]
    server = own_server(min_free_mb=1e12)
    assert "0.0 MB are free" in refused(server.http.post("/api/sweeps", json=SWEEP), 503)["message"]
    assert server.http.get("/api/sweeps").json() == []


def test_too_many_sweeps_from_one_address(own_server: Callable[..., Serving]) -> None:
    server = own_server(create_rate=0.001, create_burst=1, max_sweeps=0)
    refused(server.http.post("/api/sweeps", json=SWEEP), 503)
    refused(server.http.post("/api/sweeps", json=SWEEP), 429)


@pytest.mark.parametrize(
    ("topology", "nodes"),
    [
        ({"kind": "line", "n": 7}, 7),
        ({"kind": "grid", "rows": 3, "cols": 4}, 12),
        ({"kind": "zones", "Z": 3, "clients": 5}, 14),
        ({"kind": "explicit", "nodes": [{"id": "a"}, {"id": "b"}], "links": []}, 2),
        ({"kind": "builtin", "name": "leipzig"}, 0),
    ],
)
def test_nodes_are_counted_without_building_the_network(topology: dict[str, Any], nodes: int) -> None:
    assert nodes_of(topology) == nodes


# --- what it would cost


def test_an_estimate_follows_from_the_runs_tried() -> None:
    one, many = (load_sweep(changed(repetitions=n)) for n in (1, 1_000))
    few, lots = (estimate.estimate(sweep, "local[2]", True, 0.3) for sweep in (one, many))
    assert (few.workers, lots.runs) == (2, 6_000)
    assert lots.seconds is not None
    assert few.seconds is not None
    assert lots.seconds > few.seconds
    assert any("One seed" in warning for warning in few.warnings)
    assert any("could not be played" in warning for warning in lots.warnings)


def test_a_run_too_big_to_be_tried_has_an_estimate_without_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio
    from threading import Event

    held = Event()
    monkeypatch.setattr(estimate, "LONGEST_S", 0.01)
    monkeypatch.setattr(estimate, "tried", lambda document, within_s: held.wait(10.0) and None)
    found = asyncio.run(estimate.within(load_sweep(SWEEP), "", False))
    held.set()
    assert (found.seconds, found.runs) == (None, 18)
    assert "not known" in found.warnings[0]


@pytest.mark.parametrize(
    ("master", "workers"),
    [("local", 1), ("local[3]", 3), ("local[4,2]", 4), ("local[*]", None), ("sc://host", None)],
)
def test_how_many_runs_at_a_time(master: str, workers: int | None) -> None:
    assert estimate.workers_of(master) == (workers or estimate.workers_of(""))


def test_a_folder_of_another_sweep_is_not_taken(own_server: Callable[..., Serving], tmp_path: Path) -> None:
    server = own_server()
    ours, other = load_sweep(SWEEP), load_sweep(changed(repetitions=9))
    from engine.sweeps import sweep_id

    Folder(server.settings.data / "sweeps" / sweep_id(ours)).claim(other)
    problem = refused(server.http.post("/api/sweeps", json=SWEEP), 503)
    assert "another sweep" in problem["message"]
