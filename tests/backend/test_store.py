"""The database: sessions and links, kept for as long as promised, and broken files survived."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from backend.store import DAY, Parked, Store
from engine.core.errors import ScenarioError


def parked(id: str = "s", **changes: object) -> Parked:
    made = Parked(
        id, "token", "1.0.0", {"version": 1}, 12.5, "00ff", {"own": [1]}, {"engine": "1.0.0", "x": [1.5, 2]}
    )
    for name, value in changes.items():
        setattr(made, name, value)
    return made


def test_a_session_comes_back_as_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(parked())
    store.close()
    again = Store(tmp_path)
    assert again.load("s") == parked()
    assert again.load("s", snapshot=False) == parked(snapshot=None)
    assert again.load("unknown") is None
    again.save(parked(t=20.0, snapshot=None))
    assert again.load("s") == parked(t=20.0, snapshot=None)
    again.close()


def test_a_snapshot_that_cannot_be_read_counts_as_missing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(parked())
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE sessions SET snapshot = x'00112233'")
    db.close()
    assert store.load("s") == parked(snapshot=None)
    store.close()


def test_a_broken_file_is_moved_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "ringcast.sqlite3"
    path.write_bytes(b"this is no database" * 1_000)
    store = Store(tmp_path)
    store.save(parked())
    assert store.load("s") is not None
    assert store.moved is not None
    assert store.moved.read_bytes().startswith(b"this is no database")
    assert "damaged" in caplog.text
    assert str(store.moved) in caplog.text
    store.close()


def test_damage_within_a_database_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for k in range(200):
        store.save(parked(f"s{k}", scenario={"pad": "x" * 2_000}))
    store.close()
    data = bytearray(store.path.read_bytes())
    for at in range(4_096, len(data), 4_096):
        data[at : at + 512] = b"\xff" * 512
    store.path.write_bytes(data)
    again = Store(tmp_path)
    assert again.moved is not None
    assert again.load("s1") is None
    again.close()


def test_a_database_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ringcast.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()
    with pytest.raises(ScenarioError, match="newer Ringcast"):
        Store(tmp_path)
    assert path.read_bytes()[:100] == before[:100]


def test_a_folder_that_cannot_be_used_is_the_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ScenarioError, match="RINGCAST_DATA"):
        Store(tmp_path / "file" / "below")


def test_links_are_named_by_their_content_and_kept_while_they_are_used(tmp_path: Path) -> None:
    now = 1_000_000.0
    store = Store(tmp_path, clock=lambda: now)
    first, second = store.keep_link("s1.abc"), store.keep_link("s1.def")
    assert first != second
    assert store.keep_link("#s1.abc") == first
    assert store.open_link(first) == "s1.abc"
    assert store.open_link("unknown") is None
    now += 300 * DAY
    assert store.open_link(first) == "s1.abc"
    now += 100 * DAY
    store.prune(365, 30, 10)
    assert store.open_link(first) == "s1.abc"
    assert store.open_link(second) is None
    store.close()


def test_old_sessions_and_too_many_are_pruned(tmp_path: Path) -> None:
    now = 0.0
    store = Store(tmp_path, clock=lambda: now)
    for k in range(6):
        now = k * DAY
        store.save(parked(f"s{k}"))
    store.prune(365, 3.5, 10)
    assert [k for k in range(6) if store.load(f"s{k}")] == [2, 3, 4, 5]
    store.prune(365, 30, 2)
    assert [k for k in range(6) if store.load(f"s{k}")] == [4, 5]
    store.close()
