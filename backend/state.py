"""What the routes share: settings, store, sessions, rates, sweeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import HTTPConnection

from backend.limits import Rates
from backend.refusal import ErrorBody
from backend.sessions import Sessions
from backend.settings import Settings
from backend.store import Store
from backend.sweeps.jobs import Jobs


@dataclass
class State:
    """One server's things."""

    settings: Settings
    store: Store
    sessions: Sessions
    rates: Rates
    jobs: Jobs


def _state(connection: HTTPConnection) -> State:
    state: State = connection.app.state.ringcast
    return state


Server = Annotated[State, Depends(_state)]

REASONS = {
    403: "It belongs to somebody else.",
    404: "There is no such thing.",
    413: "The body is too big.",
    429: "Too many requests from this address.",
    503: "No room, or not yet: try again after `Retry-After` seconds.",
}


def refusals(*codes: int) -> dict[int | str, dict[str, Any]]:
    """For a route's description: the refusals it may answer with."""
    return {code: {"model": ErrorBody, "description": REASONS[code]} for code in codes}
