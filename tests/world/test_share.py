"""Share links: the same scenario comes out, and nothing else ever does."""

from __future__ import annotations

import base64
import json
import string
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.errors import ScenarioError
from engine.world import share
from engine.world.limits import MAX_DOCUMENT
from engine.world.scenario import Scenario, load_scenario

DIGEST = "9f2c51d08e7ab346"


def scenario(**changes: Any) -> Scenario:
    """A scenario as a lecture has it."""
    events = [
        {"t": 0, "do": "subscribe", "node": "a", "channel": "weather"},
        {"t": 60.25, "do": "publish", "node": "d", "channel": "weather"},
        {"t": 80, "do": "fail-link", "link": ["c", "d"]},
    ]
    document = {
        "version": 1,
        "name": "Grüße 🌦",
        "topology": {"kind": "builtin", "name": "psvr-fig5"},
        "protocol": {"name": "psvr", "params": {"root": "r"}},
        "events": events,
        "duration_s": 120,
    }
    return load_scenario({**document, **changes})


def packed(text: bytes) -> str:
    """A fragment with a right checksum around any text."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, share._DICTIONARY)
    body = squeeze.compress(text) + squeeze.flush()
    return "s1." + base64.urlsafe_b64encode(body + zlib.crc32(body).to_bytes(4, "big")).rstrip(b"=").decode()


FRAGMENT = share.encode(scenario(), engine="1.0.0", digest=DIGEST, end_s=84.5)


def test_what_goes_in_comes_out() -> None:
    shared = share.decode(FRAGMENT)
    assert shared == share.Shared(scenario(), "1.0.0", DIGEST, 84.5)
    plain = share.decode(share.encode(scenario(), engine="1.0.0"))
    assert (plain.digest, plain.end_s) == (None, None)


def test_a_hash_sign_an_address_and_blanks_around_do_not_matter() -> None:
    for text in (f"#{FRAGMENT}", f"https://example.org/play?x=1#{FRAGMENT}", f"  {FRAGMENT}\n"):
        assert share.decode(text) == share.decode(FRAGMENT)
        assert share.content_id(text) == share.content_id(FRAGMENT)


def test_links_are_short_and_fit_for_an_address() -> None:
    assert len(FRAGMENT) < 220
    assert set(FRAGMENT) <= set(string.ascii_letters + string.digits + "-_.")
    many = [{"t": k * 1.5, "do": "fail-node", "node": str(k)} for k in range(100)]
    long = scenario(topology={"kind": "builtin", "name": "leipzig"}, protocol={"name": "psvr"}, events=many)
    assert len(share.encode(long, engine="1.0.0", digest=DIGEST, end_s=99.0)) < 1_500


def test_equal_scenarios_make_equal_links_and_short_names_differ() -> None:
    assert share.encode(scenario(seed=1), engine="1.0.0", digest=DIGEST, end_s=84.5) == FRAGMENT
    other = share.encode(scenario(seed=2), engine="1.0.0", digest=DIGEST, end_s=84.5)
    assert share.content_id(other) != share.content_id(FRAGMENT)
    assert len(share.content_id(FRAGMENT)) == 16
    assert set(share.content_id(FRAGMENT)) <= set(string.ascii_letters + string.digits + "-_")


def test_a_link_made_long_ago_still_opens() -> None:
    # Written when format 1 was fixed; if this fails, every shared link is broken.
    old = Path(__file__).with_name("link.s1").read_text("utf-8").strip()
    assert share.decode(old) == share.Shared(scenario(), "1.0.0", DIGEST, 84.5)


def test_every_altered_character_is_noticed() -> None:
    for at, right in enumerate(FRAGMENT):
        for wrong in string.ascii_letters + string.digits + "-_.#= é":
            if wrong != right:
                with pytest.raises(ScenarioError):
                    share.decode(FRAGMENT[:at] + wrong + FRAGMENT[at + 1 :])


def test_every_cut_and_every_addition_is_noticed() -> None:
    for at in range(len(FRAGMENT)):
        with pytest.raises(ScenarioError) as caught:
            share.decode(FRAGMENT[:at])
        assert caught.value.path == "link"
        with pytest.raises(ScenarioError):
            share.decode(FRAGMENT[:at] + "A" + FRAGMENT[at:] + "A")


@pytest.mark.parametrize(
    ("fragment", "path", "says"),
    [
        ("", "link", "not a share link"),
        ("hello", "link", "not a share link"),
        ("https://example.org/", "link", "not a share link"),
        ("s2." + FRAGMENT[3:], "link", "newer Ringcast"),
        ("s17.x", "link", "newer Ringcast"),
        ("s0.x", "link", "unknown link format"),
        ("s1.", "link", "cut or altered"),
        ("s1.AAAAAAAA", "link", "cut or altered"),
        (FRAGMENT[:-9], "link", "cut or altered"),
        (FRAGMENT.replace(FRAGMENT[9], "+", 1), "link, character", "no link has"),
        (packed(b"[]"), "link", "no scenario inside"),
        (packed(b"{}"), "link", "no scenario inside"),
        (packed(b'{"s":{},"e":"1"}'), "topology", "missing"),
        (packed(b'{"s":{}}'), "link.e", "missing"),
        (packed(b'{"s":{},"e":"1","t":-1}'), "link.t", "out of range"),
        (packed(b'{"s":{},"e":"1","q":1}'), "link.q", "unknown field"),
        (packed(b'{"s":{},"s":{}}'), "s", "given twice"),
        (packed(b"not json"), "link, line 1, column 1", "not JSON"),
        (packed(b"\xff"), "link, byte 0", "not UTF-8"),
        (packed(b""), "link", "empty"),
    ],
)
def test_what_is_no_link_of_ours_is_refused_in_words(fragment: str, path: str, says: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        share.decode(fragment)
    assert caught.value.path.startswith(path)
    assert says in caught.value.problem
    assert caught.value.allowed


def test_a_bomb_is_not_unpacked() -> None:
    bomb = packed(b'{"s":"' + b" " * 60_000_000 + b'"}')
    assert len(bomb) < 100_000
    with pytest.raises(ScenarioError, match=f"at most {MAX_DOCUMENT:,} bytes"):
        share.decode(bomb)


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=100),
    st.integers(0, 2**63 - 1),
    st.lists(
        st.tuples(st.floats(0, 1e6), st.text("abc 1ü", min_size=1, max_size=9).filter(str.strip)), max_size=20
    ),
    st.none() | st.floats(0, 1e6),
)
def test_any_scenario_comes_back_equal(
    name: str, seed: int, told: list[tuple[float, str]], end: float | None
) -> None:
    events = [{"t": t, "do": "subscribe", "node": node, "channel": "c"} for t, node in told]
    made = load_scenario(
        json.dumps({**json.loads(scenario().model_dump_json()), "name": name, "seed": seed, "events": events})
    )
    assert share.decode(share.encode(made, engine="9.9", end_s=end)) == share.Shared(made, "9.9", None, end)
