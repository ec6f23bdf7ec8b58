"""Share links: take one apart, keep a long one under a short name."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Request

from backend import sharing
from backend.documents import FragmentBody, ShortLink, StoredLink, Unlinked
from backend.refusal import Refusal
from backend.settings import Settings
from backend.state import Server, refusals
from backend.store import DAY

router = APIRouter(prefix="/api", tags=["links"])


@router.post("/unlink", responses=refusals(413))
async def unlink(body: FragmentBody) -> Unlinked:
    """What a share link's fragment holds."""
    return await asyncio.to_thread(sharing.unlink, body.fragment)


@router.post("/links", status_code=201, responses=refusals(413, 429))
async def shorten(server: Server, request: Request, body: FragmentBody) -> ShortLink:
    """Keep a fragment under a short name: the same fragment, the same name, for ever the same content."""
    server.rates.take(request)
    await asyncio.to_thread(sharing.unlink, body.fragment)  # only what can be opened is kept
    name = await asyncio.to_thread(server.store.keep_link, body.fragment)
    return ShortLink(hash=name, path=f"/s/{name}", kept_until=_until(server.settings))


@router.get("/links/{hash}", responses=refusals(404))
async def expand(server: Server, hash: Annotated[str, Path(max_length=100)]) -> StoredLink:
    """The fragment behind a short name."""
    fragment = await asyncio.to_thread(server.store.open_link, hash)
    if fragment is None:
        days = f"{server.settings.keep_links_days:g}"
        allowed = f"a link made on this server; links are kept for {days} days after they were last opened"
        raise Refusal(404, "hash", hash, allowed, "this short link is not known here (any more)")
    return StoredLink(fragment=fragment, kept_until=_until(server.settings))


def _until(settings: Settings) -> str:
    return (
        datetime.fromtimestamp(datetime.now(UTC).timestamp() + settings.keep_links_days * DAY, UTC)
        .date()
        .isoformat()
    )
