"""The compiled engine alone: what it refuses and why, the bounds it holds rules to, and its queue."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.api import Run
from engine.compiled import folding, machine
from engine.compiled.machine import HEAPED
from engine.compiled.room import make_room
from engine.core.errors import OutsideSubset, ProtocolBug
from engine.core.trace import CHUNK, Digest
from engine.registry import PROTOCOLS
from engine.world.scenario import load_scenario
from tests.engine import odd
from tests.engine.cases import differences, seen


def document(name: str, n: int = 4, duration: float = 10.0, **params: Any) -> dict[str, Any]:
    return {
        "version": 1,
        "topology": {"kind": "line", "n": n},
        "protocol": {"name": name, "params": params},
        "duration_s": duration,
    }


@pytest.fixture(autouse=True)
def odd_protocols(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec in (odd.STRAYING, odd.UNEVEN):
        monkeypatch.setitem(PROTOCOLS, spec.name, spec)


# --- outside the subset


def lists(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = max([x for x in st.odd.peer[v]])  # noqa: C416


def text(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = int("7")


def mapping(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = {0: 1}[0]


def generator(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = max(x for x in st.odd.peer[v])


def by_module(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = odd.hurry(st, net, v)  # type: ignore[func-returns-value]


def row_as_number(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = st.odd.peer[v]


def power(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = int(net.uniform(v) ** 3)


def logarithm(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = int(math.log(1.0 + net.uniform(v)))


def fraction(st: Any, net: Any, v: int) -> None:
    st.odd.small[v] = net.uniform(v)


def closure() -> Callable[..., None]:
    held = 7

    def rule(st: Any, net: Any, v: int) -> None:
        st.odd.small[v] = held

    return rule


OUTSIDE = [
    (lists, "builds a list"),
    (text, "is text"),
    (mapping, "builds a dictionary"),
    (generator, "is a generator"),
    (power, "raises to a power"),
    (logarithm, r"`math\.log` depends in its last bit"),
    (fraction, r"nothing compiled does setitem\(.*float64\)"),
    (by_module, "by way of its module"),
    (
        row_as_number,
        r"`st.odd.small\[v\] = st.odd.peer\[v\]`: nothing compiled does setitem\(",
    ),  # the source check cannot see that
]


@pytest.mark.parametrize(("rule", "why"), OUTSIDE, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_outside_the_subset_is_told_by_file_and_line(
    rule: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PROTOCOLS, "made-up", odd.with_timer(rule))
    with pytest.raises(OutsideSubset, match=why) as refused:
        Run(load_scenario(document("made-up")), engine="compiled")
    line = rule.__code__.co_firstlineno + 1
    assert any(f"test_compiled.py:{line}: " in breach for breach in refused.value.breaches), refused.value


def test_a_closure_is_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROTOCOLS, "made-up", odd.with_timer(closure()))
    with pytest.raises(OutsideSubset, match=r"closure\.<locals>\.rule: not a function at module level"):
        Run(load_scenario(document("made-up")), engine="compiled")


@pytest.mark.parametrize("rule", [lists], ids=lambda f: f.__name__)
def test_auto_plays_interpreted_what_cannot_be_compiled(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROTOCOLS, "made-up", odd.with_timer(rule))
    assert Run(load_scenario(document("made-up", duration=1e6)), engine="auto").engine == "interpreted"


# --- bounds

BUGS = [
    (odd.LONG_LIST, r"ROLL\.size is 9, but ROLL\.who has 2 entries"),
    (odd.NEGATIVE_SIZE, r"ROLL\.size is -1, but ROLL\.who has 2 entries"),
    (odd.BAD_SLOT, r"PING is sent to slot 2 of a node with 2 neighbours"),
    (odd.PAST, r"PING is sent to the past"),
]
WITHOUT_END = [
    (odd.FLOOD, r"one rule sends more than \d+ messages, the last a PING"),
    (odd.FLOOD_LISTS, r"one rule sends more than|ROLL\.who: 2 entries, but there is room for only"),
    (odd.FLOOD_SELF, r"one rule sends itself too many messages, the last a PING"),
    (odd.FLOOD_APPLICATION, r"one rule delivers more than \d+ times"),
]


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(("fault", "words"), BUGS)
def test_a_broken_bound_is_a_bug_of_the_protocol_on_both_engines(engine: str, fault: int, words: str) -> None:
    run = Run(load_scenario(document("straying", fault=fault)), engine=engine)
    with pytest.raises(ProtocolBug, match=f"straying: {words}"):
        run.advance(10.0)


@pytest.mark.parametrize(("fault", "words"), WITHOUT_END)
def test_a_rule_that_sends_without_end_is_stopped(fault: int, words: str) -> None:
    run = Run(load_scenario(document("straying", fault=fault)), engine="compiled")
    with pytest.raises(ProtocolBug, match=rf"straying: ({words}).*, in `stray` of node 1 at \d"):
        run.advance(10.0)


def test_a_number_beyond_its_domain_says_what_to_do() -> None:
    run = Run(load_scenario(document("straying", fault=odd.TOO_LARGE)), engine="compiled")
    words = r"straying: a number .* beyond the domain .*, in `stray` of node 1 at .*; declare a wider domain, or play"
    with pytest.raises(ProtocolBug, match=words):
        run.advance(10.0)


def test_what_keeps_to_the_bounds_plays_alike() -> None:
    slow, fast = (
        Run(load_scenario(document("straying")), engine=name) for name in ("interpreted", "compiled")
    )
    slow.advance(10.0)
    fast.advance(10.0)
    assert slow.scene.sim.st.odd.heard[0] > 5
    assert not differences(seen(slow), seen(fast))


# --- the queue


def test_uneven_times_turn_the_queue_into_a_heap_and_play_alike() -> None:
    given = document("uneven", n=3, duration=6.0)
    slow, fast = (Run(load_scenario(given), engine=name) for name in ("interpreted", "compiled"))
    was_heap = []
    for until in (0.5, 2.5, 6.0):
        slow.advance(until)
        fast.advance(until)
        assert not differences(seen(slow), seen(fast))
        was_heap.append(bool(fast.scene.sim.k[HEAPED]))
    assert was_heap[-1], "thousands of entries wait far in the future, which is what a calendar is bad at"
    assert len(slow.scene.sim.agenda) > 10_000
    twin = fast.interpreted()
    for run in (slow, fast, twin):
        run.advance(8.0)
    assert slow.digest == fast.digest == twin.digest


# --- the digest


def test_compiled_code_chains_the_digest_as_it_is_defined() -> None:
    words = np.random.default_rng(1).integers(-(2**63), 2**63, 3 * CHUNK + 5, np.int64)
    net = SimpleNamespace(
        k=np.zeros(machine.NUMBERS, np.int64),
        words=words.copy(),
        hashing=np.zeros(folding.NUMBERS, np.uint64),
    )
    net.k[machine.WORDS] = len(words)
    with np.errstate(over="ignore"):
        folding.fold(net)
    right = Digest("", words.tolist())
    right.settle()
    assert net.hashing[: folding.STATE].astype("<u8").tobytes().decode() == right.value
    assert net.words[: net.k[machine.WORDS]].tolist() == right.words


def test_a_long_run_folds_without_coming_back() -> None:
    runs = [
        Run(load_scenario(document("psvr", n=30, duration=200.0)), engine=engine)
        for engine in ("interpreted", "compiled")
    ]
    for run in runs:
        run.advance(200.0)
    assert runs[1].scene.sim.value  # nobody has asked for it yet
    assert runs[0].digest == runs[1].digest


def test_room_for_words_is_made_even_where_there_is_nothing_to_fold() -> None:
    sim = Run(load_scenario(document("psvr")), engine="compiled").scene.sim
    need = int(sim.k[machine.NEED_WORDS])
    sim.k[machine.WORDS] = 9
    sim.net = sim.net._replace(words=np.arange(need))
    make_room(sim)
    assert len(sim.net.words) >= need + 9
    assert sim.net.words[:9].tolist() == list(range(9))
