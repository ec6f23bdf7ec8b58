"""The application: routes, errors, guards, and the sessions' life from start to stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp

from backend import errors
from backend.ahead import Ahead
from backend.guard import Guard, policy
from backend.limits import Rates
from backend.refusal import ErrorBody
from backend.routes import catalogue, links, page, sessions, socket, sweeps
from backend.sessions import Sessions
from backend.settings import Settings
from backend.state import State
from backend.store import Store
from backend.sweeps.jobs import Jobs
from engine import ENGINE_VERSION

ABOUT = "See, break and measure publish/subscribe protocols for wireless ad-hoc networks. The socket: docs/wire.md."


def state_of(app: ASGIApp) -> State:
    """The things of an application that `create_app` made."""
    assert isinstance(app, Guard)
    return app.state


def create_app(settings: Settings | None = None, *, loopback: bool = True) -> ASGIApp:
    """The whole server as an ASGI application. `loopback`: it listens on this machine only.

    Raises: ScenarioError when the data folder cannot be used.
    """
    settings = settings or Settings.from_env()
    store = Store(settings.data)
    state = State(settings, store, Sessions(settings, store), Rates(settings), Jobs(settings, store))

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        state.sessions.start()
        await state.jobs.start()
        ahead = Ahead()
        if settings.compile_ahead:
            ahead.start()
        yield
        await asyncio.gather(state.sessions.close(), state.jobs.close(), ahead.close())
        await asyncio.to_thread(store.close)

    app = FastAPI(
        title="Ringcast",
        version=ENGINE_VERSION,
        description=ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,  # both would load scripts from elsewhere
        redoc_url=None,
        lifespan=life,
        responses={422: {"model": ErrorBody, "description": "Something in the request is not allowed."}},
    )
    app.state.ringcast = state
    errors.install(app)
    for routes in (catalogue, sessions, links, socket, sweeps, page):
        app.include_router(routes.router)
    return Guard(app, state, loopback, policy(settings.dist / "index.html"))
