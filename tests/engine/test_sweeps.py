"""Sweep documents: the arithmetic of the grid, what is refused and where, chunks, and the result folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import Run
from engine.batch import play_one
from engine.core.errors import ScenarioError
from engine.sweeps import Folder, Plan, Sweep, load_sweep, schema, sweep_id
from engine.sweeps.rows import Rows, row_columns
from engine.world.scenario import load_scenario

BASE: dict[str, Any] = {
    "version": 1,
    "topology": {"kind": "gnp", "n": 12, "mean_degree": 4},
    "protocol": {"name": "psvr"},
    "duration_s": 40.0,
    "events": [
        {"t": 1.0, "do": "subscribe", "node": "2", "channel": "news"},
        {"t": 33.0, "do": "publish", "node": "0", "channel": "news"},
    ],
}


def sweep(*axes: dict[str, Any], **more: Any) -> Sweep:
    return load_sweep({"version": 1, "base": BASE, "axes": list(axes), **more})


def test_a_run_is_a_point_and_a_seed_and_the_last_axis_is_the_fastest() -> None:
    found = sweep(
        {"path": "radio.loss", "values": [0.0, 0.5]},
        {"path": "topology.n", "values": [12, 20, 30]},
        repetitions=2,
        first_seed=7,
    )
    assert (found.points, found.runs) == (6, 12)
    assert [found.run(i)["seed"] for i in range(4)] == [7, 8, 7, 8]
    assert [found.point(k) for k in (0, 1, 3)] == [
        {"radio.loss": 0, "topology.n": 12},
        {"radio.loss": 0, "topology.n": 20},
        {"radio.loss": 0.5, "topology.n": 12},
    ]
    document = found.document(11)
    assert (document["topology"]["n"], document["radio"], document["seed"]) == (30, {"loss": 0.5}, 8)
    assert "radio" not in found.base


def test_zipped_fields_go_in_step() -> None:
    found = sweep(
        {
            "zip": [
                {"path": "topology.n", "values": [12, 20]},
                {"path": "topology.mean_degree", "values": [4, 6]},
            ]
        }
    )
    assert [list(found.point(k).values()) for k in range(found.points)] == [[12, 4], [20, 6]]


@pytest.mark.parametrize(
    ("steps", "values"),
    [
        ({"from": 0.0, "to": 0.3, "step": 0.05}, [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]),
        ({"from": 0.3, "to": 0.0, "step": -0.1}, [0.3, 0.2, 0.1, 0.0]),
        ({"from": 0.0, "to": 1.0, "count": 3}, [0.0, 0.5, 1.0]),
        ({"from": 0.001, "to": 0.1, "count": 3, "scale": "log"}, [0.001, 0.01, 0.1]),
        ({"from": 0.1, "to": 0.9, "step": 2, "scale": "log"}, [0.1, 0.2, 0.4, 0.8]),
    ],
)
def test_ranges_are_what_a_person_would_write(steps: dict[str, Any], values: list[float]) -> None:
    found = sweep({"path": "radio.loss", **steps})
    assert [found.point(k)["radio.loss"] for k in range(found.points)] == values


def test_a_field_of_whole_numbers_gets_whole_numbers() -> None:
    found = sweep({"path": "topology.n", "from": 10, "to": 1000, "count": 5, "scale": "log"})
    values = [found.point(k)["topology.n"] for k in range(found.points)]
    assert values == [10, 32, 100, 316, 1000]
    assert all(isinstance(n, int) for n in values)
    assert found.types == {"topology.n": "int64"}


def test_objects_are_shown_by_their_labels() -> None:
    found = sweep(
        {"path": "protocol", "values": [{"name": "psvr"}, {"name": "shen"}], "labels": ["PSVR", "Shen"]}
    )
    assert [found.shown(k) for k in range(2)] == [{"protocol": "PSVR"}, {"protocol": "Shen"}]
    assert found.point(1) == {"protocol": {"name": "shen"}}
    assert [spec.name for spec in found.protocols] == ["psvr", "shen"]
    unnamed = sweep({"path": "protocol", "values": [{"name": "psvr"}, {"name": "shen"}]})
    assert unnamed.labels == {"protocol": ("psvr", "shen")}


def test_an_axis_of_millions_costs_nothing() -> None:
    found = sweep({"path": "radio.loss", "from": 0.0, "to": 1.0, "count": 10_000_000}, repetitions=100)
    assert found.runs == 1_000_000_000
    assert found.run(999_999_999) == {"radio.loss": 1.0, "seed": 100}


@pytest.mark.parametrize(
    ("change", "where", "says"),
    [
        ({"axes": [{"path": "radoi.loss", "values": [0.1]}]}, "axes[0].path", "did you mean 'radio'"),
        ({"axes": [{"path": "protocol.params.leas_s", "values": [1]}]}, "axes[0].path", "no such parameter"),
        ({"axes": [{"path": "events.9.t", "values": [1]}]}, "axes[0].path", "leads nowhere"),
        ({"axes": [{"path": "radio.loss", "values": [0, 2]}]}, "axes[0].values[1]", "a number from 0 to 1"),
        ({"axes": [{"path": "radio.loss", "values": []}]}, "axes[0].values", "1 or more"),
        ({"axes": [{"path": "radio.loss", "from": 0.3, "to": 0.1, "step": 0.1}]}, "axes[0]", "never leads"),
        ({"axes": [{"path": "radio.loss", "from": 0.3, "to": 0.1}]}, "axes[0]", "step or count"),
        ({"axes": [{"path": "radio.loss", "values": [1], "from": 0}]}, "axes[0]", "either values, or"),
        (
            {"axes": [{"path": "radio.loss", "from": 0, "to": 1, "count": 9, "scale": "log"}]},
            "axes[0]",
            "above 0",
        ),
        ({"axes": [{"path": "topology.n", "from": 20, "to": 22, "count": 9}]}, "axes[0]", "fewer values"),
        ({"axes": [{"path": "topology.n", "values": [20, 20]}]}, "axes[0].values", "each value once"),
        ({"axes": [{"path": "seed", "values": [1]}]}, "axes[0].path", "first_seed"),
        (
            {"axes": [{"path": "radio.loss", "values": [1]}, {"path": "radio.loss", "values": [0]}]},
            "axes[1].path",
            "axes[0] has this one",
        ),
        (
            {"axes": [{"path": "radio.loss", "values": [1]}, {"path": "radio", "values": [{"loss": 0}]}]},
            "axes[1].path",
            "overwrite",
        ),
        (
            {
                "axes": [
                    {"zip": [{"path": "topology.n", "values": [9]}, {"path": "radio.loss", "values": [0, 1]}]}
                ]
            },
            "axes[0].zip",
            "equally many",
        ),
        (
            {
                "axes": [
                    {"path": "radio.loss", "from": 0, "to": 1, "count": 1_000_000},
                    {"path": "duration_s", "from": 1, "to": 9, "count": 1_000_000},
                ]
            },
            "axes",
            "at most 1,000,000,000 runs",
        ),
        ({"axis": []}, "axis", "did you mean 'axes'"),
        ({"base": {**BASE, "topolgy": {}}}, "base.topolgy", "did you mean 'topology'"),
        ({"metrics": ["delivery_ration"]}, "metrics[0]", "did you mean 'delivery_ratio'"),
        ({"compare": "protocol"}, "compare", "one of"),
        ({"repetitions": 0}, "repetitions", "from 1 to"),
        ({"version": 2}, "version", "newer Ringcast"),
        (
            {"method": "routes", "base": {**BASE, "radio": {"loss": 0.1}}},
            "base.radio.loss",
            "method compiled",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change: dict[str, Any], where: str, says: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        load_sweep({"version": 1, "base": BASE, **change})
    assert refused.value.path == where
    assert says in str(refused.value)


def test_a_value_that_fits_only_some_others_is_a_matter_of_its_runs() -> None:
    found = sweep(
        {"path": "topology.n", "values": [10, 40]}, {"path": "topology.mean_degree", "values": [4, 20]}
    )
    row = Rows(found).of(1, play_one(found.base, found.run(1)))
    assert "mean_degree" in row["error"]
    assert row["digest"] is None


def test_equal_sweeps_have_one_name() -> None:
    a = sweep({"path": "radio.loss", "values": [0.5, 1.0]}, timeout_s=60)
    b = load_sweep(
        json.dumps({"axes": [{"values": [0.5, 1], "path": "radio.loss"}], "base": BASE, "version": 1})
    )
    assert sweep_id(a) == sweep_id(b)
    assert sweep_id(a) != sweep_id(sweep({"path": "radio.loss", "values": [0.5]}))
    assert load_sweep(a.plain) == a


def test_the_schema_knows_every_field_of_the_example() -> None:
    found = schema()
    assert set(found["properties"]) >= {
        "version",
        "base",
        "axes",
        "repetitions",
        "compare",
        "metrics",
        "method",
    }
    assert set(found["$defs"]["Steps"]["properties"]) >= {
        "path",
        "values",
        "from",
        "to",
        "step",
        "count",
        "scale",
    }


def test_a_row_has_every_column_and_replays() -> None:
    found = sweep({"path": "radio.loss", "values": [0.0, 0.1]}, repetitions=2)
    row = Rows(found).of(3, play_one(found.base, found.run(3)))
    assert list(row) == list(row_columns(found))
    assert (row["run"], row["point"], row["seed"], row["radio.loss"]) == (3, 1, 2, 0.1)
    run = Run(load_scenario(found.document(3)))
    run.advance(run.scenario.duration_s)
    assert row["digest"] == run.digest
    assert row["messages"] == sum(run.counts.values())


@given(
    st.integers(1, 5_000), st.integers(1, 400), st.integers(1, 60), st.integers(1, 40), st.integers(0, 10_000)
)
def test_chunks_hold_every_run_once(runs: int, size: int, small: int, regions: int, any_run: int) -> None:
    plan = Plan.of(runs, size, small, regions)
    spans = [plan.chunk(k) for k in range(plan.chunks)]
    assert [a for a, _ in spans] + [runs] == [0] + [b for _, b in spans]
    assert all(a < b for a, b in spans)
    assert sorted(plan.order()) == list(range(plan.chunks))
    assert list(plan.order())[: len(plan.firsts())] == plan.firsts()
    first, behind = plan.chunk(plan.chunk_of(any_run % runs))
    assert first <= any_run % runs < behind
    assert Plan(**plan.as_plain()) == plan


def test_a_folder_belongs_to_one_sweep(tmp_path: Path) -> None:
    one, other = sweep(), sweep(repetitions=2)
    folder = Folder(tmp_path / "out")
    folder.claim(one)
    folder.claim(one)
    assert sweep_id(folder.sweep()) == sweep_id(one)
    with pytest.raises(ScenarioError, match="it holds another sweep"):
        folder.claim(other)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ScenarioError, match="there is something else in it"):
        Folder(tmp_path).claim(one)
    with pytest.raises(ScenarioError, match=r"out: Not a directory|out: File exists"):
        Folder(tmp_path / "notes.txt").claim(one)


def test_only_whole_chunks_count(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    assert list(folder.chunks()) == []
    for number, name in ((0, "part.parquet"), (1, ".part.parquet.77"), (1_234_567, "part.parquet")):
        path = folder.chunk(number).with_name(name)
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
    assert sorted(folder.chunks()) == [0, 1_234_567]
