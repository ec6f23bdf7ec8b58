"""Scenario documents: the contract's example, every way to get one wrong, canonical bytes."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.errors import ScenarioError
from engine.world.limits import MAX_DOCUMENT, MAX_EVENTS
from engine.world.radio import IdealRadio
from engine.world.scenario import Scenario, as_document, canonical, load_event, load_scenario, load_topology
from engine.world.schedule import check_events
from engine.world.schemas import NAMES, schema
from engine.world.topology import build_network

EXAMPLE: dict[str, Any] = {
    "version": 1,
    "name": "PSVR Fig. 5",
    "seed": 1,
    "topology": {
        "kind": "explicit",
        "nodes": [{"id": "r", "x": 0, "y": 0}, {"id": "e"}, {"id": "c"}, {"id": "a"}, {"id": "d"}],
        "links": [["r", "e"], ["e", "c"], ["c", "a"], ["e", "d"], ["c", "d"]],
    },
    "radio": {"kind": "ideal", "delay_s": 0.01, "loss": 0.0},
    "mobility": {"kind": "static"},
    "protocol": {
        "name": "psvr",
        "params": {"root": "r", "lease_s": 10, "shortcuts": "all-links", "rule": "corrected"},
    },
    "events": [
        {"t": 0, "do": "subscribe", "node": "a", "channel": "c"},
        {"t": 60, "do": "publish", "node": "d", "channel": "c"},
        {"t": 80, "do": "fail-link", "link": ["c", "d"]},
    ],
    "duration_s": 120,
}
EVERY_EVENT: list[dict[str, Any]] = [
    {"t": 0, "do": "subscribe", "node": "a", "channel": "weather"},
    {"t": 1, "do": "unsubscribe", "node": "a", "channel": "weather"},
    {"t": 2, "do": "publish", "node": "d", "channel": "weather", "data": "sunny"},
    {"t": 3, "do": "fail-node", "node": "e"},
    {"t": 4, "do": "restore-node", "node": "e"},
    {"t": 5, "do": "fail-link", "link": ["d", "c"], "oneway": True},
    {"t": 6, "do": "restore-link", "link": ["c", "d"]},
    {"t": 7, "do": "set-loss", "loss": 0.25},
    {"t": 7, "do": "set-loss", "loss": 1, "link": ["r", "e"]},
    {"t": 8, "do": "partition", "nodes": ["r", "e"]},
    {"t": 9, "do": "restore-all"},
    {"t": 10, "do": "move-node", "node": "a", "x": -5, "y": 2.5},
    {"t": 11, "do": "add-node", "id": "new", "x": 1, "y": 1, "links": ["r", "a"]},
    {"t": 12, "do": "fail-link", "link": ["a", "new"]},
    {"t": 13, "do": "corrupt", "node": "*", "layer": "*"},
    {"t": 13, "do": "corrupt", "node": "new", "layer": "tree", "field": "dist", "value": 3},
    {"t": 14, "do": "corrupt", "node": "r", "layer": "pubsub", "field": "ns", "value": [1, 2]},
    {"t": 15, "do": "inject", "to": "c", "from": "d", "message": "Sub", "fields": {"ch": 0, "pos": [1, 2]}},
    {"t": 16, "do": "corrupt-messages", "share": 0.5},
]


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The example with one change."""
    document = copy.deepcopy(EXAMPLE)
    change(document)
    return document


def checked(document: Any) -> Scenario:
    """The scenario of a document, its events checked against its network."""
    scenario = load_scenario(document)
    check_events(scenario, build_network(scenario.topology, scenario.seed))
    return scenario


def told(error: ScenarioError) -> None:
    """A refusal names the place and the remedy, in text that can be sent."""
    assert error.path
    assert error.allowed
    assert str(error).encode()


def refusal(document: Any) -> ScenarioError:
    """The error for a document, network checks included."""
    with pytest.raises(ScenarioError) as caught:
        checked(document)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 700
    return caught.value


def test_the_contract_example_is_read_in_all_three_forms() -> None:
    scenario = load_scenario(EXAMPLE)
    text = json.dumps(EXAMPLE)
    assert scenario == load_scenario(text) == load_scenario(text.encode()) == load_scenario("\ufeff" + text)
    assert scenario.protocol.params["lease_s"] == 10
    assert [event.do for event in scenario.events] == ["subscribe", "publish", "fail-link"]
    check_events(scenario, build_network(scenario.topology, scenario.seed))


def test_every_kind_of_event_is_read_and_written_back() -> None:
    scenario = load_scenario(changed(lambda d: d.update(events=EVERY_EVENT)))
    check_events(scenario, build_network(scenario.topology, scenario.seed))
    assert load_scenario(as_document(scenario)) == scenario
    assert load_scenario(canonical(scenario)) == scenario
    assert {e["do"] for e in EVERY_EVENT} == {e.do for e in scenario.events}


def test_only_what_cannot_be_guessed_is_required() -> None:
    least = {
        "version": 1,
        "topology": {"kind": "line", "n": 2},
        "protocol": {"name": "psvr"},
        "duration_s": 1,
    }
    scenario = load_scenario(least)
    assert (scenario.seed, scenario.radio, scenario.events) == (1, IdealRadio(delay_s=0.01, loss=0.0), ())
    for field in least:
        error = refusal({k: v for k, v in least.items() if k != field})
        assert (error.path, error.problem) == (field, "missing")


@pytest.mark.parametrize(
    ("change", "path", "says"),
    [
        (lambda d: d.update(version=2), "version", "newer"),
        (lambda d: d.update(version="1"), "version", "1"),
        (lambda d: d.update(sed=3), "sed", "did you mean 'seed'"),
        (lambda d: d.update(seed=-1), "seed", "0 to 9,223,372,036,854,775,807"),
        (lambda d: d.update(seed=2**63), "seed", "0 to 9,223,372,036,854,775,807"),
        (lambda d: d.update(seed=True), "seed", "whole number"),
        (lambda d: d.update(seed=1.5), "seed", "whole number"),
        (lambda d: d.update(name=None), "name", "text"),
        (lambda d: d.update(duration_s=0), "duration_s", "above 0"),
        (lambda d: d.update(duration_s=10**400), "duration_s", "up to 1e6"),
        (lambda d: d.update(duration_s=float("nan")), "duration_s", "finite"),
        (lambda d: d.update(radio=None), "radio", "ideal, unit-disk, log-distance"),
        (lambda d: d["radio"].update(kind="lora"), "radio.kind", "ideal, unit-disk"),
        (lambda d: d["radio"].update(delay_s=0), "radio.delay_s", "0.0001 to 10"),
        (lambda d: d["radio"].update(loss=1.01), "radio.loss", "0 to 1"),
        (lambda d: d["radio"].update(loss="0"), "radio.loss", "number"),
        (lambda d: d["radio"].update(delay=1), "radio.delay", "did you mean 'delay_s'"),
        (lambda d: d["mobility"].update(kind="walk"), "mobility.kind", '"static"'),
        (lambda d: d["protocol"].update(params=[]), "protocol.params", "object"),
        (lambda d: d["protocol"]["params"].update(deep=d["protocol"]), "protocol", "nesting"),
        (lambda d: d["topology"].update(kind="cube"), "topology.kind", "explicit, line, ring"),
        (lambda d: d["topology"].update(kind="rings"), "topology.kind", "'ring'?"),
        (lambda d: d["topology"].pop("kind"), "topology.kind", "one of"),
        (lambda d: d.update(topology=[]), "topology", "object"),
        (lambda d: d["topology"].update(nodes=[]), "topology.nodes", "1 or more"),
        (lambda d: d["topology"]["nodes"][1].update(id=""), "topology.nodes[1].id", "1 to 64"),
        (lambda d: d["topology"]["nodes"][1].update(id="x" * 65), "topology.nodes[1].id", "1 to 64"),
        (lambda d: d["topology"]["nodes"][1].update(id="a\nb"), "topology.nodes[1].id", "printable"),
        (lambda d: d["topology"]["nodes"][1].update(id=7), "topology.nodes[1].id", "text"),
        (lambda d: d["topology"]["nodes"][1].update(id="*"), "topology.nodes[1].id", "every node"),
        (lambda d: d["topology"]["nodes"][1].update(id="r"), "topology.nodes[1].id", "nodes[0]"),
        (lambda d: d["topology"]["nodes"][1].update(x=1), "topology.nodes[1]", "both x and y"),
        (lambda d: d["topology"]["nodes"][0].update(x=1e99), "topology.nodes[0].x", "-1e7 to 1e7"),
        (lambda d: d["topology"]["links"].append(["a", "a"]), "topology.links[5]", "two different"),
        (lambda d: d["topology"]["links"].append(["a", "z"]), "topology.links[5]", "r, e, c, a, d"),
        (lambda d: d["topology"]["links"].append(["e", "r"]), "topology.links[5]", "links[0]"),
        (lambda d: d["topology"]["links"].append(["e"]), "topology.links[5]", "two different"),
        (lambda d: d["topology"]["links"].append("er"), "topology.links[5]", "two different"),
        (lambda d: d["topology"]["links"].append(["e", 3]), "topology.links[5][1]", "text"),
        (lambda d: d["topology"].update(range_m=3), "topology", "links, or positions"),
        (lambda d: d["topology"].update(quality=[[1, 1]]), "topology", "one pair"),
        (lambda d: d.update(events={}), "events", "list"),
        (lambda d: d["events"].__setitem__(1, 7), "events[1]", "subscribe"),
        (lambda d: d["events"][1].pop("do"), "events[1].do", "subscribe"),
        (lambda d: d["events"][1].update(do="publsh"), "events[1].do", "'publish'?"),
        (lambda d: d["events"][1].pop("node"), "events[1].node", "1 to 64"),
        (lambda d: d["events"][1].update(nod="a"), "events[1].nod", "did you mean 'node'"),
        (lambda d: d["events"][1].update(t=-1), "events[1].t", "0 to 1e6"),
        (lambda d: d["events"][1].update(t="60"), "events[1].t", "number"),
        (lambda d: d["events"][1].update(data="x" * 1001), "events[1].data", "1,000"),
        (lambda d: d["events"][2].update(oneway=1), "events[2].oneway", "true or false"),
    ],
)
def test_a_mistake_is_named_by_place_and_remedy(change: Any, path: str, says: str) -> None:
    error = refusal(changed(change))
    if says != "nesting":  # the place of a cycle is as deep as it was followed
        assert error.path == path
    assert says in f"{error.problem} {error.allowed}"


@pytest.mark.parametrize(
    ("event", "path", "says"),
    [
        ({"do": "subscribe", "node": "A", "channel": "c"}, "events[0].node", "did you mean 'a'"),
        ({"do": "fail-node", "node": "zzz"}, "events[0].node", "r, e, c, a, d"),
        ({"do": "fail-link", "link": ["r", "a"]}, "events[0].link", "'r' is linked to e"),
        ({"do": "restore-link", "link": ["r", "zz"]}, "events[0].link", "one of"),
        ({"do": "set-loss", "loss": 0.1, "link": ["r", "a"]}, "events[0].link", "existing link"),
        ({"do": "move-node", "node": "q", "x": 0, "y": 0}, "events[0].node", "one of"),
        ({"do": "partition", "nodes": ["a", "q"]}, "events[0].nodes[1]", "one of"),
        ({"do": "partition", "nodes": ["a", "a"]}, "events[0].nodes", "once"),
        ({"do": "partition", "nodes": []}, "events[0].nodes", "1 or more"),
        ({"do": "corrupt", "node": "q", "layer": "*"}, "events[0].node", "one of"),
        ({"do": "corrupt", "node": "*", "layer": "*", "value": "x"}, "events[0].value", "list"),
        ({"do": "corrupt", "node": "*", "layer": "*", "value": [True]}, "events[0].value", "list"),
        ({"do": "corrupt", "node": "*", "layer": "*", "value": [1] * 1001}, "events[0].value", "1,000"),
        ({"do": "inject", "to": "r", "from": "a", "message": "M"}, "events[0].from", "linked to e"),
        ({"do": "inject", "to": "r", "from": "r", "message": "M"}, "events[0].from", "linked to e"),
        (
            {"do": "inject", "to": "r", "from": "e", "message": "M", "fields": {"x": 0.5}},
            "events[0].fields.x",
            "whole",
        ),
        ({"do": "corrupt-messages", "share": 2}, "events[0].share", "0 to 1"),
        ({"do": "add-node", "id": "r", "x": 0, "y": 0}, "events[0].id", "no node has yet"),
        ({"do": "add-node", "id": "*", "x": 0, "y": 0}, "events[0].id", "every node"),
        ({"do": "add-node", "id": "n", "x": 0, "y": 0, "links": ["n"]}, "events[0].links[0]", "other nodes"),
        ({"do": "add-node", "id": "n", "x": 0, "y": 0, "links": ["q"]}, "events[0].links[0]", "one of"),
        ({"do": "add-node", "id": "n", "x": 0, "y": 0, "links": ["a", "a"]}, "events[0].links", "once"),
    ],
)
def test_an_event_that_cannot_happen_is_named(event: dict[str, Any], path: str, says: str) -> None:
    error = refusal(changed(lambda d: d.update(events=[{"t": 1, **event}])))
    assert error.path == path
    assert says in error.allowed


@pytest.mark.parametrize(
    ("raw", "path", "says"),
    [
        (b"", "scenario", "content"),
        (b" \n\t", "scenario", "content"),
        (b"{", "scenario, line 1, column 2", "JSON"),
        (b'{"version":1,\n "seed" 2}', "scenario, line 2, column 9", "JSON"),
        (b"[1]", "scenario", "object"),
        (b"\xff\xfe{}", "scenario, byte 0", "UTF-8"),
        ('{"name": "Grüße"}'.encode("latin-1"), "scenario, byte 12", "UTF-8"),
        (b'{"a":1}\x00', "scenario", "text"),
        (b'{"radio":{"loss":0,"loss":1}}', "radio.loss", "once"),
        (b'{"events":[{"t":1,"t":1}]}', "events[0].t", "once"),
        (b'{"a":NaN}', "a", "finite"),
        (b'{"a":[0,-Infinity]}', "a[1]", "finite"),
        (b'{"a":1e999}', "a", "finite"),
        (b'{"a":"\\ud800"}', "a", "Unicode"),
        (b'{"\\ud800":1}', "scenario", "text"),
        (b"1" * 5_000, "scenario", "1e300"),
        (b"[" * 200_000, "scenario", "nesting"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "", "nesting"),
        (b" " * (MAX_DOCUMENT + 1), "scenario", "5,000,000"),
    ],
)
def test_broken_bytes_are_refused_with_their_place(raw: bytes, path: str, says: str) -> None:
    error = refusal(raw)
    assert path in ("", error.path)
    assert says in error.allowed


def test_fifty_megabytes_are_refused_before_they_are_read() -> None:
    assert "50,000,000" in str(refusal(b"{" * 50_000_000))


def test_what_is_not_json_data_is_refused() -> None:
    for strange in ({1, 2}, b"x", object(), complex(1, 2)):
        assert "JSON" in refusal(changed(lambda d, s=strange: d["protocol"]["params"].update(a=s))).problem  # type: ignore[misc]
    assert "field name" in refusal({1: 2}).problem
    error = refusal(changed(lambda d: d["protocol"]["params"].update(a=[10**5000])))
    assert (error.path, error.problem) == ("protocol.params.a[0]", "number too long")


def test_too_many_events_are_refused() -> None:
    event = {"t": 0, "do": "restore-all"}
    error = refusal(changed(lambda d: d.update(events=[event] * (MAX_EVENTS + 1))))
    assert (error.path, error.value) == ("events", "100,001 entries")


def test_events_play_in_order_of_time_and_of_writing() -> None:
    times = [5, 0, 5, 3]
    events = [{"t": t, "do": "publish", "node": "a", "channel": f"c{k}"} for k, t in enumerate(times)]
    scenario = load_scenario(changed(lambda d: d.update(events=events)))
    assert [k for k, _ in scenario.in_order()] == [1, 3, 0, 2]
    assert [event.t for event in scenario.events] == times


def test_a_node_exists_from_its_add_node_on() -> None:
    join = {"t": 5, "do": "add-node", "id": "n", "x": 1, "y": 1, "links": ["r"]}
    late = {"t": 5, "do": "fail-link", "link": ["n", "r"]}
    scenario = load_scenario(changed(lambda d: d.update(events=[join, late])))
    check_events(scenario, build_network(scenario.topology, 1))
    early = {"t": 4, "do": "fail-node", "node": "n"}
    error = refusal(changed(lambda d: d.update(events=[join, early])))
    assert (error.path, "events[0]" in error.allowed, "t = 5" in error.allowed) == (
        "events[1].node",
        True,
        True,
    )
    # Written before it at the same time means played before it.
    assert refusal(changed(lambda d: d.update(events=[late, join]))).path == "events[0].link"
    assert refusal(changed(lambda d: d.update(events=[join, join]))).path == "events[1].id"


def test_where_links_follow_from_a_range_events_follow_the_moves() -> None:
    nodes = [{"id": "a", "x": 0, "y": 0}, {"id": "b", "x": 3, "y": 0}, {"id": "c", "x": 50, "y": 0}]
    base = changed(lambda d: d.update(topology={"kind": "explicit", "nodes": nodes, "range_m": 5}))
    cut = {"t": 2, "do": "fail-link", "link": ["a", "c"]}
    assert refusal({**base, "events": [cut]}).problem == "no such link"
    move = {"t": 1, "do": "move-node", "node": "c", "x": 4, "y": 0}
    scenario = load_scenario({**base, "events": [cut, move]})
    check_events(scenario, build_network(scenario.topology, 1))
    joined = {"t": 1, "do": "add-node", "id": "n", "x": 50, "y": 1, "links": ["a"]}
    assert "follow from the range" in refusal({**base, "events": [joined]}).allowed


def test_a_display_name_is_recognised() -> None:
    document = changed(lambda d: d["topology"]["nodes"][3].update(name="71-52"))
    document["events"] = [{"t": 0, "do": "fail-node", "node": "71-52"}]
    assert "has the id 'a'" in refusal(document).allowed


def test_one_event_or_topology_alone_is_checked_the_same_way() -> None:
    assert load_event({"t": 1, "do": "restore-all"}).do == "restore-all"
    with pytest.raises(ScenarioError, match=r"event\.node: missing"):
        load_event({"t": 1, "do": "fail-node"})
    with pytest.raises(ScenarioError, match=r"topology\.n: out of range"):
        load_topology({"kind": "line", "n": 0})


def test_canonical_bytes_leave_defaults_out_and_write_whole_numbers_whole() -> None:
    scenario = load_scenario(EXAMPLE)
    full = as_document(scenario)
    assert full["radio"] == {
        "kind": "ideal",
        "delay_s": 0.01,
        "loss": 0.0,
        "order": "fifo",
        "worst_delay_s": 0.1,
    }
    text = canonical(scenario).decode()
    assert "radio" not in text
    assert "seed" not in text
    assert '"duration_s":120,' in text
    assert " " not in text.replace("PSVR Fig. 5", "")


@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries(
        {"seed": st.integers(0, 2**63 - 1), "name": st.text(max_size=50), "duration_s": st.floats(0.001, 1e6)}
    ),
    st.lists(st.sampled_from(EVERY_EVENT), max_size=6),
    st.dictionaries(
        st.text("abcü", min_size=1, max_size=5),
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    ),
)
def test_equal_scenarios_have_equal_bytes_in_any_spelling(
    top: dict[str, Any], events: list[dict[str, Any]], params: dict[str, Any]
) -> None:
    document = {**EXAMPLE, **top, "events": events, "protocol": {"name": "p", "params": params}}
    scenario = load_scenario(document)
    respelt = json.dumps(dict(reversed(document.items())), indent=3)
    assert canonical(load_scenario(respelt)) == canonical(scenario)
    assert load_scenario(canonical(scenario)) == scenario
    assert canonical(scenario.model_copy(update={"seed": scenario.seed ^ 1})) != canonical(scenario)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_replaces_a_value_the_answer_is_a_scenario_or_a_refusal(data: st.DataObject) -> None:
    document: Any = {**copy.deepcopy(EXAMPLE), "events": copy.deepcopy(EVERY_EVENT)}
    spot = document
    while True:
        key = data.draw(st.sampled_from(sorted(spot) if isinstance(spot, dict) else range(len(spot))))
        inner = spot[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            break
        spot = inner
    junk = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )
    spot[key] = data.draw(junk)
    try:
        scenario = checked(document)
    except ScenarioError as refused:
        told(refused)
        return
    assert isinstance(scenario, Scenario)


@pytest.mark.parametrize("name", NAMES)
def test_every_model_has_a_schema(name: str) -> None:
    made = schema(name)
    json.dumps(made)
    assert made["$defs"] or made["properties"]


def test_the_schema_states_fields_and_ranges() -> None:
    made = schema("scenario")
    assert set(made["properties"]) == {*EXAMPLE, "workload"}
    assert made["properties"]["seed"] | {"title": ""} == {
        "type": "integer", "default": 1, "minimum": 0, "maximum": 2**63 - 1, "title": ""
    }  # fmt: skip
    assert "from" in made["$defs"]["Inject"]["properties"]
    with pytest.raises(ScenarioError, match="did you mean 'scenario'"):
        schema("scenari")
