"""Share links, between the engine's fragments and the server's documents."""

from __future__ import annotations

import asyncio

from backend.documents import SharedLink, Unlinked
from backend.origin import Origin
from engine import ENGINE_VERSION
from engine.api import Run
from engine.core.errors import ScenarioError
from engine.world import share
from engine.world.scenario import Scenario, as_document

LONG = 2_000
"""Characters above which some chats and mailers cut a link."""


def make_link(run: Run) -> SharedLink:
    """The run so far as a share link."""
    run.advance(run.now)  # what is left of this very moment, so that a replay to it ends with the same digest
    fragment = share.encode(run.scenario, engine=ENGINE_VERSION, digest=run.digest, end_s=run.now)
    return SharedLink(
        fragment=fragment,
        length=len(fragment),
        url_path=f"/#{fragment}",
        digest=run.digest,
        end_s=run.now,
        engine=ENGINE_VERSION,
        short=len(fragment) > LONG,
    )


def unlink(text: str) -> Unlinked:
    """What a link holds; a whole address will do. Raises ScenarioError."""
    shared = share.decode(text)
    return Unlinked(
        scenario=as_document(shared.scenario),
        engine=shared.engine,
        digest=shared.digest,
        end_s=shared.end_s,
        note=_note(shared.engine),
    )


def _note(engine: str) -> str | None:
    if engine == ENGINE_VERSION:
        return None
    ours = f"Engine {ENGINE_VERSION} plays the same document as it is, perhaps differently."
    return f"This link was made with engine {engine}. {ours}"


async def open_link(text: str, most_s: float) -> tuple[Scenario, Origin]:
    """The scenario of a link, and how its session begins: replayed to the link's end, paused there."""
    shared = await asyncio.to_thread(share.decode, text)
    if shared.end_s is not None and shared.end_s > most_s:
        allowed = f"at most {most_s:,g} virtual seconds on this server"
        raise ScenarioError("link.end_s", shared.end_s, allowed, "too long to be replayed")
    return shared.scenario, Origin(note=_note(shared.engine), goal=shared.end_s, expected=shared.digest)
