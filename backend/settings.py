"""What whoever runs the server may set, in one place: `RINGCAST_<NAME>` in the environment.

Every limit answers with words when it is reached: HTTP 413, 422, 429 or 503, or an `error` message on the socket.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.core.errors import ScenarioError

PREFIX = "RINGCAST_"
ROOT = Path(__file__).resolve().parent.parent


def default_data() -> Path:
    """Where a server keeps its database: the user's data folder (XDG), outside the source tree."""
    base = os.environ.get("XDG_DATA_HOME") or ""
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "share") / "ringcast"


class Settings(BaseModel):
    """Limits and places of one server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: Path = Field(default_factory=default_data, description="folder of the database")
    dist: Path = Field(ROOT / "frontend" / "dist", description="folder of the built page")
    hosts: str = Field(
        "",
        description="names the server answers to, comma-separated; empty: loopback names on loopback, else any",
    )
    origins: str = Field("", description="further origins whose pages may use the server, comma-separated")

    compile_ahead: bool = Field(
        False, description="whether protocols are compiled in the background once the server is up"
    )
    max_nodes: int = Field(20_000, ge=1, description="nodes in a network")
    max_sessions: int = Field(64, ge=1, description="sessions in memory at a time")
    max_parked: int = Field(2_000, ge=1, description="sessions kept on disk")
    max_viewers: int = Field(400, ge=1, description="viewers of one session")
    max_body: int = Field(5_000_000, ge=1_000, description="bytes in a request body")
    max_message: int = Field(65_536, ge=1_000, description="bytes in a message on the socket")
    max_events: int = Field(20_000, ge=1, description="events in a live document")
    max_virtual_s: float = Field(100_000.0, gt=0, description="virtual seconds a session may reach")
    command_rate: float = Field(20.0, gt=0, description="messages a second from one viewer, on average")
    command_burst: int = Field(60, ge=1, description="messages at once from one viewer")
    create_rate: float = Field(
        2.0, gt=0, description="sessions and links a second from one address, on average"
    )
    create_burst: int = Field(40, ge=1, description="sessions and links at once from one address")

    hello_s: float = Field(5.0, gt=0, description="seconds a viewer has to say hello")
    stuck_s: float = Field(
        20.0, gt=0, description="seconds after which a viewer that does not read is let go"
    )
    pause_s: float = Field(60.0, gt=0, description="seconds without a viewer until a session pauses")
    park_s: float = Field(600.0, gt=0, description="seconds without a viewer until a session is put on disk")
    stop_s: float = Field(
        4.0, gt=0, description="seconds for putting all sessions on disk when the server stops"
    )
    keep_links_days: float = Field(
        365.0, gt=0, description="days a short link is kept after it was last opened"
    )
    keep_sessions_days: float = Field(
        30.0, gt=0, description="days a parked session is kept after its last visit"
    )

    frame_s: float = Field(0.05, gt=0, description="seconds between frames")
    slice_s: float = Field(0.008, gt=0, description="seconds the engine may run without a break")
    undo_nodes: int = Field(8_000, ge=0, description="nodes in all snapshots kept for undo, per session")

    max_sweeps: int = Field(200, ge=0, description="sweeps kept, whatever their state; 0: none may be made")
    max_sweep_runs: int = Field(10_000_000, ge=1, description="runs in a sweep")
    max_sweeps_queued: int = Field(20, ge=1, description="sweeps that wait for their turn")
    sweeps_at_once: int = Field(3, ge=1, description="sweeps that share the batch process fairly")
    sweeps_mb: float = Field(20_000.0, gt=0, description="megabytes of all sweeps' results")
    min_free_mb: float = Field(500.0, ge=0, description="megabytes that sweeps leave free on the disk")
    sweeps_idle_s: float = Field(
        600.0, gt=0, description="seconds without a sweep until the batch process is ended"
    )
    master: str = Field(
        "", description="where Spark runs sweeps: local[*], spark://host:port, sc://host; empty: local[*]"
    )

    @property
    def allowed_hosts(self) -> frozenset[str]:
        return frozenset(h.strip().casefold() for h in self.hosts.split(",") if h.strip())

    @property
    def allowed_origins(self) -> frozenset[str]:
        return frozenset(o.strip().casefold().rstrip("/") for o in self.origins.split(",") if o.strip())

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None, **over: Any) -> Self:
        """Settings from the environment; `over` wins. Raises ScenarioError naming the variable."""
        env = os.environ if env is None else env
        given: dict[str, Any] = {
            name: env[PREFIX + name.upper()] for name in cls.model_fields if env.get(PREFIX + name.upper())
        }
        given.update(over)
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            name = str(first["loc"][0])
            allowed = f"{cls.model_fields[name].description}; {first['msg']}"
            raise ScenarioError(
                PREFIX + name.upper(), first["input"], allowed, "this setting cannot be used"
            ) from None
