"""The sweeps' table in the server's database: what a sweep is and how it stands, kept over a restart.

The documents and results lie in a folder a sweep, which is enough to bring a lost table back.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

from backend.store import Store
from backend.sweeps.bodies import SweepState

TABLE = """
CREATE TABLE IF NOT EXISTS sweeps (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL, made REAL NOT NULL, queued REAL NOT NULL,
    runs INTEGER NOT NULL, points INTEGER NOT NULL, done INTEGER NOT NULL, failed INTEGER NOT NULL,
    tries INTEGER NOT NULL, reason TEXT, summary_version INTEGER NOT NULL, mb REAL NOT NULL,
    owner TEXT NOT NULL DEFAULT ''
) STRICT
"""
LATER = {"owner": "ALTER TABLE sweeps ADD COLUMN owner TEXT NOT NULL DEFAULT ''"}
"""Columns that tables of earlier versions lack."""


@dataclass
class Entry:
    """A row. `made`, `queued`: seconds since 1970; `tries`: deaths of the batch process under it; `mb`: estimated;
    `owner`: the visitor that started it, empty for one that nobody is known to have.
    """

    id: str
    name: str
    state: SweepState
    made: float
    queued: float
    runs: int
    points: int
    done: int = 0
    failed: int = 0
    tries: int = 0
    reason: str | None = None
    summary_version: int = 0
    mb: float = 0.0
    owner: str = ""


NAMES = [field.name for field in fields(Entry)]


class Table:
    """Reads and writes entries; calls are short, and made from a worker thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        with store.database() as db:
            db.execute(TABLE)
            there = {row[1] for row in db.execute("PRAGMA table_info(sweeps)")}
            for column, change in LATER.items():
                if column not in there:
                    db.execute(change)

    def all(self) -> list[Entry]:
        """Every entry, the oldest first."""
        with self.store.database() as db:
            rows = db.execute(f"SELECT {', '.join(NAMES)} FROM sweeps ORDER BY made").fetchall()
        return [Entry(*row) for row in rows]

    def save(self, *entries: Entry) -> None:
        """Write entries, new or changed."""
        marks = ", ".join("?" * len(NAMES))
        with self.store.database() as db:
            db.executemany(
                f"INSERT OR REPLACE INTO sweeps ({', '.join(NAMES)}) VALUES ({marks})",
                [astuple(entry) for entry in entries],
            )

    def delete(self, id: str) -> None:
        """Forget an entry."""
        with self.store.database() as db:
            db.execute("DELETE FROM sweeps WHERE id = ?", (id,))
