"""What outlives the server: parked sessions and short links, in one SQLite file.

A parked session is its document and how far it got; a snapshot of the engine makes coming back quick, and where it is
missing or of another engine version the document is replayed. Calls are short; those that carry snapshots are made from
worker threads, so one lock guards the one connection.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.core.errors import ScenarioError
from engine.world import share

log = logging.getLogger("ringcast")

SCHEMA = 1
TABLES = """
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, token TEXT NOT NULL, touched REAL NOT NULL, engine TEXT NOT NULL, scenario TEXT NOT NULL,
    t REAL NOT NULL, digest TEXT NOT NULL, extra TEXT NOT NULL, snapshot BLOB
) STRICT;
CREATE INDEX IF NOT EXISTS sessions_touched ON sessions (touched);
CREATE TABLE IF NOT EXISTS links (
    hash TEXT PRIMARY KEY, fragment TEXT NOT NULL, opened REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS links_opened ON links (opened);
"""
DAY = 86_400.0


@dataclass
class Parked:
    """A session at rest. `extra` is the session's own business (speed, the owner's commands, …)."""

    id: str
    token: str
    engine: str
    scenario: dict[str, Any]
    t: float
    digest: str
    extra: dict[str, Any] = field(default_factory=dict)
    snapshot: dict[str, Any] | None = None


class Store:
    """The database file, opened; a broken one is moved aside and replaced."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = folder / "ringcast.sqlite3"
        self.clock = clock
        self.moved: Path | None = None
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = self._open()
        except (OSError, sqlite3.OperationalError) as error:
            raise ScenarioError(
                "RINGCAST_DATA", str(folder), "a folder this user can write to", str(error)
            ) from None

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.OperationalError:
            raise  # locked, read-only, full: the file itself may be fine
        except sqlite3.DatabaseError as error:
            self.moved = self.path.with_name(f"{self.path.name}.broken-{int(self.clock())}")
            self.path.rename(self.moved)
            for suffix in ("-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            log.error(
                "the database was damaged (%s); it is kept as %s, and a new one begins", error, self.moved
            )
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=5.0, isolation_level=None, check_same_thread=False)
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA:
                allowed = (
                    "a database of this version or older; choose another folder, or use the newer Ringcast"
                )
                raise ScenarioError("RINGCAST_DATA", str(self.path), allowed, "made by a newer Ringcast")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("it fails its own check")
            db.executescript(TABLES)
            db.execute(f"PRAGMA user_version = {SCHEMA}")
        except BaseException:
            db.close()
            raise
        return db

    def close(self) -> None:
        with self._lock:
            self._db.close()

    @contextmanager
    def database(self) -> Iterator[sqlite3.Connection]:
        """The connection, nobody else's meanwhile: for those who keep a table of their own in the file."""
        with self._lock:
            yield self._db

    # --- sessions

    def save(self, parked: Parked) -> None:
        """Write a session, with its snapshot or (snapshot None) without one."""
        blob = None
        if parked.snapshot is not None:
            blob = zlib.compress(json.dumps(parked.snapshot, separators=(",", ":")).encode(), 3)
        row = (
            parked.id,
            parked.token,
            self.clock(),
            parked.engine,
            json.dumps(parked.scenario, separators=(",", ":")),
            parked.t,
            parked.digest,
            json.dumps(parked.extra),
            blob,
        )
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO sessions VALUES (?,?,?,?,?,?,?,?,?)", row)

    def load(self, id: str, snapshot: bool = True) -> Parked | None:
        """A session, or None if it is not here. A snapshot that is not wanted or cannot be read counts as missing."""
        with self._lock:
            row = self._db.execute(
                "SELECT token, engine, scenario, t, digest, extra, snapshot FROM sessions WHERE id = ?", (id,)
            ).fetchone()
        if row is None:
            return None
        token, engine, scenario, t, digest, extra, blob = row
        saved = None
        if blob is not None and snapshot:
            try:
                saved = json.loads(zlib.decompress(blob))
            except (zlib.error, ValueError) as error:
                log.warning("the snapshot of session %s cannot be read (%s): it will be replayed", id, error)
        return Parked(id, token, engine, json.loads(scenario), t, digest, json.loads(extra), saved)

    def touch(self, id: str) -> None:
        with self._lock:
            self._db.execute("UPDATE sessions SET touched = ? WHERE id = ?", (self.clock(), id))

    def forget(self, id: str) -> None:
        with self._lock:
            self._db.execute("DELETE FROM sessions WHERE id = ?", (id,))

    # --- links

    def keep_link(self, fragment: str) -> str:
        """Keep a fragment under the hash of its content and return the hash."""
        fragment = share.normal(fragment)
        name = share.content_id(fragment)
        with self._lock:
            self._db.execute(
                "INSERT INTO links VALUES (?,?,?) ON CONFLICT (hash) DO UPDATE SET opened = excluded.opened",
                (name, fragment, self.clock()),
            )
        return name

    def open_link(self, name: str) -> str | None:
        """The fragment, and its time of keeping begins anew."""
        with self._lock:
            row = self._db.execute(
                "UPDATE links SET opened = ? WHERE hash = ? RETURNING fragment", (self.clock(), name)
            ).fetchone()
        return None if row is None else str(row[0])

    # --- keeping it small

    def prune(self, keep_links_days: float, keep_sessions_days: float, max_sessions: int) -> None:
        """Drop what was not visited for so long, and the oldest sessions beyond a number."""
        now = self.clock()
        with self._lock:
            self._db.execute("DELETE FROM links WHERE opened < ?", (now - keep_links_days * DAY,))
            self._db.execute("DELETE FROM sessions WHERE touched < ?", (now - keep_sessions_days * DAY,))
            self._db.execute(
                "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions ORDER BY touched DESC LIMIT -1 OFFSET ?)",
                (max_sessions,),
            )
