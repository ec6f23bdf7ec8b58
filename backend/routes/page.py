"""The page itself: files of the built front end, with what browsers may keep and for how long."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse, Response

from backend.refusal import Refusal
from backend.state import Server

router = APIRouter(include_in_schema=False)
READ = ["GET", "HEAD"]

MISSING = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Ringcast</title>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em">
<h1>The page has not been built yet</h1>
<p>The server is up: its API answers at <a href="/api/health">/api/health</a>. The files of the page are missing.</p>
<p>Stop the server and start it with <code>./run</code>, which builds the page first, or build it by hand:</p>
<pre>npm ci &amp;&amp; npm run build</pre>
</body></html>
"""


@router.api_route("/", methods=READ)
@router.api_route("/s/{hash}", methods=READ)
@router.api_route("/sweep", methods=READ)
@router.api_route("/sweep/{id}", methods=READ)
async def index(server: Server) -> Response:
    """The page; short links and the names of sweeps are read by it, not here."""
    page = server.settings.dist / "index.html"
    if not page.is_file():
        return HTMLResponse(MISSING, 503, {"Cache-Control": "no-store"})
    return FileResponse(page, headers={"Cache-Control": "no-cache"})


@router.api_route("/{path:path}", methods=READ)
async def file(server: Server, path: str) -> Response:
    """A file of the page. Names under assets/ carry a hash of their content, so they never change."""
    dist = server.settings.dist.resolve()
    try:
        found = (dist / path).resolve()
        known = found.is_relative_to(dist) and found.is_file()
    except (OSError, ValueError):
        known = False
    if not known:
        raise Refusal(404, f"/{path}"[:200], "", "the page at /, the API at /api", "there is nothing here")
    immutable = found.is_relative_to(dist / "assets")
    return FileResponse(
        found, headers={"Cache-Control": "public, max-age=31536000, immutable" if immutable else "no-cache"}
    )
