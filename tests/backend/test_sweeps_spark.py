"""A sweep through the server and Spark: killed on the way, done in the end, and the same as the plain loop, row by row."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq

from engine.batch import play_one
from engine.sweeps import load_sweep
from engine.sweeps.rows import Rows
from tests.backend.decode import Frame
from tests.backend.support import Serving, kind, scenario, wait_for

PATIENCE_S = 240.0  # Java, Spark and the compiled code are all cold
SWEEP: dict[str, Any] = {
    "version": 1,
    "name": "through Spark",
    "base": scenario(
        duration_s=90,
        topology={"kind": "ring", "n": 24},
        protocol={"name": "psvr"},
        events=[
            {"t": 1, "do": "subscribe", "node": "4", "channel": "c"},
            {"t": 60, "do": "publish", "node": "0", "channel": "c"},
            {"t": 70, "do": "fail-node", "node": "7"},
        ],
    ),
    "axes": [
        {"path": "radio.loss", "values": [0.0, 0.1]},
        {"path": "topology.n", "values": [24, 5]},
    ],
    "repetitions": 100,
}
"""Four hundred runs; on five nodes there is no node 7, and they fail."""


def test_a_sweep_killed_on_the_way_equals_the_plain_loop(own_server: Callable[..., Serving]) -> None:
    server = own_server()
    answer = server.http.post("/api/sweeps", json=SWEEP)
    assert answer.status_code == 201, answer.text
    address = f"/api/sweeps/{answer.json()['id']}"

    def job() -> dict[str, Any]:
        return dict(server.http.get(address).json())

    wait_for(lambda: 0 < job()["done"] < 400, "the first runs", PATIENCE_S)
    process = server.server.state.jobs.foreman.worker.pid
    assert process is not None
    os.kill(process, signal.SIGKILL)
    wait_for(lambda: job()["state"] == "queued", "the sweep to go back to the queue", PATIENCE_S)
    wait_for(lambda: job()["state"] not in ("queued", "running"), "the end", PATIENCE_S)
    done = job()
    assert (done["state"], done["done"], done["failed"]) == ("done", 400, 200), done

    sweep = load_sweep(SWEEP)
    rows = Rows(sweep)
    table = pq.read_table(io.BytesIO(server.http.get(f"{address}/rows.parquet").content))
    assert table.column("run").to_pylist() == list(range(400)), "no run twice, none left out"
    for run in (0, 1, 99, 101, 200, 299, 300, 399):
        row = table.slice(run, 1).to_pylist()[0]
        plain = rows.of(run, play_one(sweep.base, sweep.run(run), engine=row["method"] or "auto"))
        for name in ("point", "seed", "digest", "events", *sweep.types, *sweep.metrics):
            assert row[name] == plain[name], (run, name)

    summary = server.http.get(f"{address}/summary").json()
    assert (summary["runs_done"], summary["runs_failed"]) == (400, 200)
    worst = summary["points"][0]["metrics"]["stabilised_s.ring"]["worst_run"]
    dot = server.http.get(f"{address}/runs/{worst}").json()
    body = {"scenario": dot["document"], "from_s": max(0.0, dot["worst_s"] - 1), "digest": dot["digest"]}
    with server.viewer(server.create(body)) as viewer:
        viewer.until(lambda m: isinstance(m, Frame) and m.t >= body["from_s"])
        viewer.send(type="speed", value=100)
        end = viewer.until(lambda m: kind(m) == "run" and m["verified"] is not None)
    assert (end["t"], end["verified"]) == (90.0, True)
