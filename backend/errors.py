"""Refusals in one form: `{"error": {path, value, allowed, message}}`, whatever went wrong."""

from __future__ import annotations

import logging
import secrets
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from backend.refusal import ErrorBody, Problem, Refusal, from_scenario
from engine.core.errors import ScenarioError, shown
from engine.world.words import path_of

log = logging.getLogger("ringcast")


def answer(status: int, error: Problem, retry_s: int | None = None) -> JSONResponse:
    """The refusal as an HTTP response."""
    headers = {"Cache-Control": "no-store"}
    if retry_s is not None:
        headers["Retry-After"] = str(retry_s)
    return JSONResponse(ErrorBody(error=error).model_dump(), status, headers)


def first_problem(problems: list[Any], whole: str = "body") -> Problem:
    """The first of pydantic's complaints; where several alternatives were tried, the deepest place."""
    first = (
        max(problems, key=lambda p: len(p["loc"]))
        if len({p["loc"][:1] for p in problems}) == 1
        else problems[0]
    )
    place = [part for part in first["loc"] if part not in ("body", "path", "query")]
    if first["type"] == "json_invalid":
        return Problem(
            path=whole, value="", allowed=f"valid JSON ({first['ctx']['error']})", message="not JSON"
        )
    allowed = {"missing": "a value", "extra_forbidden": "only the fields of the API's description"}
    return Problem(
        path=path_of(place) if place else whole,
        value="" if first["type"] == "missing" else shown(first["input"]),
        allowed=allowed.get(first["type"], first["msg"]),
        message={"missing": "missing", "extra_forbidden": "unknown field"}.get(first["type"], "not allowed"),
    )


WORDS = {
    400: ("the body of the request could not be read", "a JSON body as the API's description says"),
    404: ("there is nothing here", "the paths in /api/openapi.json"),
    405: ("this address does not take such a request", "the methods in /api/openapi.json"),
}


def install(app: FastAPI) -> None:
    """Give every way to fail the same form, and keep tracebacks in the log."""

    @app.exception_handler(ScenarioError)
    async def _scenario(request: Request, error: ScenarioError) -> JSONResponse:
        return answer(422, from_scenario(error))

    @app.exception_handler(Refusal)
    async def _refusal(request: Request, error: Refusal) -> JSONResponse:
        return answer(error.status, error.error, error.retry_s)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return answer(422, first_problem(list(error.errors())))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        message, allowed = WORDS.get(error.status_code, (str(error.detail), "see /api/openapi.json"))
        return answer(
            error.status_code, Problem(path=request.url.path, value="", allowed=allowed, message=message)
        )

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        number = secrets.token_hex(4)
        log.error("error %s in %s %s", number, request.method, request.url.path, exc_info=error)
        message = f"the server made a mistake; its log calls it {number}"
        return answer(
            500,
            Problem(
                path=request.url.path, value="", allowed="try again, or report the number", message=message
            ),
        )
