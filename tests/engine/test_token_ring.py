"""The example of docs/your-own-protocol.md: one token a ring, from any state."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from engine.api import Run
from engine.core.errors import ScenarioError
from engine.core.simulator import Simulator
from engine.core.trace import SEND
from engine.protocols.token_ring import TOKEN_RING, K, Token, Value, take, tell
from engine.registry import as_tuple, parameters
from engine.world.scenario import load_scenario
from tests.engine.support import FakeNet, Guarded, legitimate

FAST = {"hello_s": 0.5, "hello_timeout_s": 1.6, "beacon_s": 0.5, "number_s": 0.5, "tell_s": 0.2}


def token_ring(topology: dict[str, Any], events: list[dict[str, Any]], **more: Any) -> Run:
    """A run of the protocol, its clocks twice as fast as usual."""
    protocol = {"name": "token-ring", "params": {**FAST, **more.pop("params", {})}}
    document = {"version": 1, "topology": topology, "protocol": protocol, "events": events, "duration_s": 60}
    return Run(load_scenario({**document, **more}), trace="all")


def holders(run: Run) -> list[int]:
    """Per ring: how many of its positions have a value that the next has yet to take."""
    st, truth = run.scene.sim.st, run.scene.truth()
    found = []
    for ring in truth.owner:
        values = [st.token.value[v][truth.pos[v].index(p)] for p, v in enumerate(ring)]
        moves = sum(x != y for x, y in pairwise(values))
        found.append(moves + (values[0] == values[-1]))
    return found


@some.composite
def networks(draw: Callable[..., Any]) -> dict[str, Any]:
    """A random network, connected or not."""
    n = draw(some.integers(1, 16))
    if n <= 4:
        return {"kind": "line", "n": n}
    degree = draw(some.sampled_from([2.5, 3.5]))
    return {"kind": "gnp", "n": n, "mean_degree": degree, "allow_disconnected": draw(some.booleans())}


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(networks(), some.integers(0, 10_000), some.sampled_from([0.0, 0.05]))
def test_from_any_state_every_ring_ends_with_exactly_one_token(
    topology: dict[str, Any], seed: int, loss: float
) -> None:
    corrupt = [{"t": 6, "do": "corrupt", "node": "*", "layer": "*"}]
    run = token_ring(topology, corrupt, seed=seed, radio={"kind": "ideal", "loss": loss})
    run.advance(6.0)
    while run.now < 120.0 and not (run.since[-1] is not None and run.now > run.since[-1] + 2.0):
        run.advance(run.now + 0.5)
    assert run.samples[-1][1][-1] == 0
    assert holders(run) == [1] * len(set(run.parts()))


def test_two_tokens_are_wrong_and_become_one() -> None:
    run = token_ring({"kind": "ring", "n": 8}, [])
    run.advance(10.0)
    assert legitimate(run)
    run.command({"do": "corrupt", "node": "5", "layer": "token", "field": "value", "value": 77})
    assert run.samples[-1][1][run.layers.index("token")] == holders(run)[0] - 1 > 0
    run.advance(40.0)
    assert holders(run) == [1]
    assert legitimate(run)


def test_the_token_visits_every_position_in_turn() -> None:
    run = token_ring({"kind": "grid", "rows": 3, "cols": 3}, [])
    run.advance(20.0)
    run.drain()
    run.advance(40.0)
    sent = [r[7] for r in run.drain() if r[0] == SEND and isinstance(r[7], Token)]
    assert len(sent) > 2 * 16
    assert all(m.goal == (m.from_pos + 1) % 16 for m in sent)
    assert all(b.from_pos == a.goal for a, b in pairwise(sent))


def test_a_lost_token_is_told_again() -> None:
    run = token_ring({"kind": "line", "n": 3}, [])
    run.advance(10.0)
    value = max(run.scene.sim.st.token.value[0])
    run.command({"do": "set-loss", "loss": 1.0})
    run.advance(12.0)
    run.command({"do": "set-loss", "loss": 0.0})
    run.advance(22.0)
    assert max(run.scene.sim.st.token.value[0]) > value + 1
    assert holders(run) == [1]


def stack() -> Any:
    """Position 0 at node 0, position 1 at its only neighbour, node 1."""
    values = {**parameters(TOKEN_RING, {}, []), "max_depth": 2}
    sim = Simulator(TOKEN_RING, [[1], [0]], as_tuple(TOKEN_RING, values), root=0)
    for v in (0, 1):
        sim.st.hood.degree[v], sim.st.hood.up[v][0] = 1, 1
        sim.st.ring.length[v], sim.st.ring.size[v], sim.st.ring.pos[v][0] = 2, 1, v
        sim.st.ring.near_size[v][0], sim.st.ring.near[v][0][0] = 1, 1 - v
    return sim.st


@pytest.mark.parametrize(
    ("node", "own", "heard", "now"),
    [(0, 5, 5, 6), (0, 5, 4, 5), (0, K - 1, K - 1, 0), (1, 5, 6, 6), (1, 5, 5, 5)],
)
def test_position_0_counts_on_and_others_copy(
    net: FakeNet, node: int, own: int, heard: int, now: int
) -> None:
    st = stack()
    st.token.value[node][0] = own
    take(st, net, node, 0, Token(1 - node, node, heard))
    assert (st.token.value[node][0], st.token.fresh[node][0]) == (now, int(now != own))


def test_what_is_new_travels_as_the_token_and_is_then_repeated(net: FakeNet) -> None:
    st = stack()
    st.token.value[1][0], st.token.fresh[1][0] = 9, 1
    tell(st, net, 1)
    tell(st, net, 1)
    assert net.sent == [(1, 0, Token(1, 0, 9)), (1, 0, Value(0, 9))]


def test_no_rule_touches_another_node() -> None:
    peers = [[(v - 1) % 8, (v + 1) % 8] for v in range(8)]
    values = {**parameters(TOKEN_RING, {}, []), "max_depth": 8}
    sim = Simulator(TOKEN_RING, peers, as_tuple(TOKEN_RING, values), root=0, guard=Guarded)
    Guarded.sim = sim
    for v in range(8):
        sim.st.hood.degree[v] = 2
        sim.st.hood.peer[v][:] = sim.peers[v]
    sim.run(30.0)
    assert sim.counts[0] > 14, "the token has been around"


def test_report_and_inspector_show_its_layers() -> None:
    run = token_ring({"kind": "line", "n": 4}, [])
    run.advance(12.0)
    report = run.report()
    assert list(report["legitimacy"]) == run.layers == ["neighbourhood", "tree", "ring", "token"]
    assert report["ring"]["length"] == 6
    assert report["publications"] == []
    assert report["parts"][0]["wrong_nodes"] == dict.fromkeys(run.layers, 0)
    assert list(run.node_columns()) == ["flags", "parent", "depth", "root", "ring_length", "part"]
    told = run.inspect(1)["layers"][-1]
    assert [fact["label"] for fact in told["facts"]] == ["Value", "Holds the token"]
    assert len(told["facts"][0]["value"].split(", ")) == 2  # its two positions
    where = [run.inspect(v)["layers"][-1]["facts"][1]["value"] for v in range(4)]
    assert sum(x.startswith("at ") for x in where) <= 1 < where.count("no")


def test_a_kept_run_goes_on_exactly() -> None:
    run = token_ring({"kind": "ring", "n": 6}, [])
    run.advance(7.3)
    other = Run.resume(json.loads(json.dumps(run.snapshot())))
    for each in (run, other):
        each.advance(15.0)
    assert run.digest == other.digest
    assert run.samples[-1] == other.samples[-1]


@pytest.mark.parametrize("do", ["subscribe", "unsubscribe", "publish"])
def test_it_has_no_publish_subscribe(do: str) -> None:
    event = {"do": do, "node": "0", "channel": "c"}
    with pytest.raises(ScenarioError, match="token-ring") as refused:
        token_ring({"kind": "line", "n": 3}, [{**event, "t": 1}])
    assert refused.value.path == "events[0].do"
    run = token_ring({"kind": "line", "n": 3}, [])
    with pytest.raises(ScenarioError, match="Token ring has no") as refused:
        run.command(event)
    assert refused.value.path == "event.do"
    assert run.scenario.events == ()
