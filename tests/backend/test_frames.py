"""Binary frames: what is encoded is what the document's reader finds."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from backend import frames
from tests.backend.decode import Mirror, decode

I32 = st.integers(-(2**31), 2**31 - 1)


def whole(kind: int, sections: list[bytes], n: int, m: int, number: int = 7) -> bytes:
    return frames.frame(kind, number, 1.5, n, m, 3, sections, 2)


def test_the_header_is_as_documented() -> None:
    data = frames.frame(frames.FULL, 9, 2.25, 5, 4, 3, [], 17)
    assert data.hex() == "5243010109000000000000000000024005000000040000000300000000001100"


@given(st.lists(I32, min_size=1, max_size=60), st.data())
def test_changes_turn_the_old_column_into_the_new(old: list[int], data: st.DataObject) -> None:
    new = [data.draw(I32) if data.draw(st.booleans()) else value for value in old]
    n = len(old)
    mirror = Mirror()
    mirror.apply(decode(whole(1, [frames.column_full(0, old), frames.links_full(b"")], n, 0)))
    changes = frames.column_changes(0, old, new)
    assert (changes is None) == (old == new)
    mirror.apply(decode(whole(2, [changes] if changes else [], n, 0, 8)))
    assert mirror.columns[0] == new


@given(st.binary(min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_link_changes(old: bytes, chance: random.Random) -> None:
    new = bytes(chance.randrange(16) if chance.random() < 0.3 else byte for byte in old)
    mirror = Mirror()
    mirror.apply(decode(whole(1, [frames.links_full(old)], 0, len(old))))
    changes = frames.links_changes(old, new)
    mirror.apply(decode(whole(2, [changes] if changes else [], 0, len(old), 8)))
    assert bytes(mirror.links) == new


@given(
    st.lists(st.lists(st.integers(0, 99), max_size=4), min_size=1, max_size=20),
    st.randoms(use_true_random=False),
)
def test_position_changes(old: list[list[int]], chance: random.Random) -> None:
    new = [
        [chance.randrange(99) for _ in range(chance.randrange(4))] if chance.random() < 0.3 else row
        for row in old
    ]
    mirror = Mirror()
    mirror.apply(decode(whole(1, [frames.links_full(b""), frames.positions_full(old)], len(old), 0)))
    changes = frames.positions_changes(old, new)
    mirror.apply(decode(whole(2, [changes] if changes else [], len(old), 0, 8)))
    assert mirror.positions == new


def test_what_happened_comes_out_as_it_went_in() -> None:
    sends = [(1.25, 0.5, 1, 2, 3, -1, 4, 0), (1.5, 0.25, 2, 1, -1, 9, -1, 255)]
    drops = [(2.5, 1, 2, 3, 0)]
    deliveries = [(3.5, 4, 1), (3.75, 5, -1), (4.0, 6, 2)]
    samples = [(0.5, (1, 2, 3)), (1.0, (4, 5, 6))]
    sections = [
        frames.sends(sends),
        frames.drops(drops),
        frames.legitimacy(3, samples),
        frames.deliveries(deliveries),
    ]
    found = decode(whole(2, sections, 9, 9))
    assert found.sends == sends
    assert found.drops == drops
    assert found.samples == samples
    assert found.deliveries == deliveries
    assert (found.number, found.epoch, found.left_out) == (7, 3, 2)


def test_a_change_everywhere_is_sent_as_a_full_column() -> None:
    old, new = [0] * 100, [1] * 100
    changes = frames.column_changes(4, old, new)
    assert changes == frames.column_full(4, new)


def test_numbers_beyond_the_range_wrap_around() -> None:
    """Bit 31 of `wants` is a channel like the others."""
    found = decode(whole(1, [frames.column_full(0, [1 << 31, -5]), frames.links_full(b"")], 2, 0))
    assert [value & 0xFFFFFFFF for value in found.columns[0][1]] == [1 << 31, 0xFFFFFFFB]
