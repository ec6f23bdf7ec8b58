"""Link quality: bad links are left out, stay out, come back, and do not flap."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from engine.api import Run
from engine.core.errors import ScenarioError
from engine.registry import parameters, protocol, warnings
from tests.engine.support import play, scenario, subscribe

CAREFUL: dict[str, Any] = {"quality_in": 0.8, "quality_out": 0.4}
LINK = ["0", "1"]


def run_of(n: int, loss: float, seed: int = 1, **params: Any) -> Run:
    """Nodes in a circle; the link between 0 and 1 loses this share of frames from 20 s on."""
    events = [{"t": 20, "do": "set-loss", "loss": loss, "link": LINK}]
    return play(scenario({"kind": "ring", "n": n}, events, 20.0, seed=seed, params=params))


def used(run: Run, a: int = 0, b: int = 1) -> bool:
    """Whether both ends of a link use it."""
    hood, peers = run.scene.sim.st.hood, run.scene.sim.peers
    return bool(hood.up[a][peers[a].index(b)] and hood.up[b][peers[b].index(a)])


def watch(run: Run, until: float) -> list[bool]:
    """Whether the link between 0 and 1 is in use, second by second."""
    seen = []
    while run.now < until:
        run.advance(run.now + 1.0)
        seen.append(used(run))
    return seen


def changes(seen: list[bool]) -> int:
    return sum(a != b for a, b in pairwise(seen))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_bad_link_is_left_out_stays_out_and_comes_back(seed: int) -> None:
    run = run_of(6, 0.85, seed, **CAREFUL)
    assert used(run)
    watch(run, 50.0)
    assert not any(watch(run, 250.0))
    assert all(used(run, v, (v + 1) % 6) for v in range(1, 6)), "good links are kept"
    assert run.samples[-1][1] == (0, 0, 0, 0), "the layers above are judged by the links in use"
    run.command({"do": "set-loss", "loss": 0.0, "link": LINK})
    watch(run, 280.0)
    assert all(watch(run, 320.0))


def test_a_link_bad_in_one_direction_is_not_used() -> None:
    run = run_of(6, 0.0, **CAREFUL)
    sim = run.scene.sim
    sim.loss[0][sim.peers[0].index(1)], sim.lossy = 0.85, True
    watch(run, 60.0)
    assert not any(watch(run, 150.0))


def test_hysteresis_damps_flapping() -> None:
    """At quality 0.7, 0.7 as the only threshold flaps; between 0.9 and 0.4 next to nothing happens."""
    flaps = {}
    for low, high in ((0.7, 0.7), (0.4, 0.9)):
        params = {"quality_in": high, "quality_out": low, "hello_timeout_s": 12.0}
        flaps[low] = sum(changes(watch(run_of(4, 0.3, seed, **params), 220.0)) for seed in range(3))
    assert flaps[0.7] > 5 * max(1, flaps[0.4])


def test_a_new_node_has_to_prove_its_links_first() -> None:
    run = run_of(5, 0.0, **CAREFUL)
    run.command({"do": "add-node", "id": "new", "x": 0, "y": 0, "links": ["0"]})
    run.advance(run.now + 6.0)
    assert not used(run, 0, 5)
    run.advance(run.now + 14.0)
    assert used(run, 0, 5)


def test_a_link_not_trusted_takes_no_place_from_others() -> None:
    topology = {"kind": "explicit", "nodes": [{"id": x} for x in "abc"], "links": [["a", "b"], ["a", "c"]]}
    events = [{"t": 0, "do": "set-loss", "loss": 0.95, "link": ["a", "b"]}]
    run = play(scenario(topology, events, 60.0, params={"max_neighbours": 1, **CAREFUL}))
    assert (used(run, 0, 1), used(run, 0, 2)) == (False, True)


@pytest.mark.parametrize("seed", [1, 2])
def test_from_any_state_good_links_are_used(seed: int) -> None:
    topology = {"kind": "gnp", "n": 20, "mean_degree": 5.0}
    run = play(scenario(topology, [subscribe("3")], 30.0, seed=seed, params={"max_neighbours": 6, **CAREFUL}))
    run.command({"do": "corrupt", "node": "*", "layer": "*"})
    assert run.samples[-1][1][0] > 0
    run.advance(100.0)
    assert run.samples[-1][1] == (0, 0, 0, 0)
    quality = run.scene.sim.st.hood.quality
    assert all(share == 1000 for row in quality for share in row), "in the end every hello counts"


def test_turned_off_it_takes_no_room() -> None:
    run = play(scenario({"kind": "ring", "n": 5}, [], 5.0))
    assert run.scene.sim.st.hood.quality == run.scene.sim.st.hood.trusted == [[]] * 5


def test_the_inspector_tells_shares() -> None:
    run = run_of(5, 0.0, **CAREFUL)
    facts = {fact["label"]: fact for fact in run.inspect(0)["layers"][0]["facts"]}
    assert facts["Hellos heard"]["help"] == "0 of these links not trusted"
    assert facts["Hellos heard"]["value"].count("%") == 2


@pytest.mark.parametrize(
    ("params", "path", "why"),
    [
        ({"quality_in": 0.4, "quality_out": 0.5}, "quality_out", "as soon as it is trusted"),
        ({"quality_out": 0.5}, "quality_out", "at most quality_in = 0"),
        ({"quality_in": 1.5}, "quality_in", "from 0 to 1"),
        ({"hello_s": 5.0}, "hello_timeout_s", "between two hellos"),
        ({"max_neighbours": 0}, "max_neighbours", "from 1 to 1000"),
        ({"lease_s": 10.0, "forget_s": 20.0}, "forget_s", "between two renewals"),
        ({"leader": "smallest", "root": "a"}, "root", "the smallest node leads"),
    ],
)
def test_what_cannot_work_together_is_refused(params: dict[str, Any], path: str, why: str) -> None:
    with pytest.raises(ScenarioError, match=why) as refused:
        parameters(protocol("psvr"), params, ["a", "b"])
    assert refused.value.path == f"protocol.params.{path}"


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"hello_timeout_s": 2.0}, "one that is lost drops a neighbour"),
        ({"quality_in": 0.5, "quality_out": 0.5}, "without hysteresis"),
        ({"clean_s": 30.0}, "stale entries stay"),
    ],
)
def test_what_is_instructive_is_only_warned_of(params: dict[str, Any], word: str) -> None:
    spec = protocol("psvr")
    assert warnings(spec, parameters(spec, {}, [])) == []
    told = warnings(spec, parameters(spec, params, []))
    assert len(told) == 1
    assert word in told[0]


def test_a_limit_that_cuts_the_network_is_reported() -> None:
    """A star whose middle may use two links: two leaves stay with it, the others are alone."""
    run = play(scenario({"kind": "star", "n": 6}, [], 30.0, params={"max_neighbours": 2}))
    report = run.report()
    assert [part["nodes"] for part in report["parts"]] == [3, 1, 1, 1]
    cut = "max_neighbours = 2 cuts the network into 4 parts; without this limit there would be 1"
    assert report["warnings"] == [cut]
    for leaf in ("4", "5", "3"):  # as many as are left over
        run.command({"do": "fail-node", "node": leaf})
    assert run.warnings() == []


def test_a_tree_too_deep_is_reported() -> None:
    run = play(scenario({"kind": "line", "n": 8}, [], 30.0, params={"root": "0", "max_depth": 5}))
    told = run.report()["warnings"]
    assert told == ["max_depth = 5 is less than the tree is deep: 2 of the nodes are farther from their root"]
    assert run.samples[-1][1][1] > 0
