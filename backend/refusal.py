"""What a refusal says: the place, the value, what is allowed, the problem in words."""

from __future__ import annotations

from pydantic import BaseModel, Field

from engine.core.errors import ScenarioError, shown


class Problem(BaseModel):
    """A refusal: where, what was found there, what is allowed, and the problem in words."""

    path: str = Field(description="the place, such as `events[2].link`")
    value: str = Field(description="what was found there, shortened, as JSON")
    allowed: str = Field(description="what is allowed instead")
    message: str = Field(description="the problem in words")


class ErrorBody(BaseModel):
    """Body of every answer that is a refusal."""

    error: Problem


class Refusal(Exception):
    """A request the server turns down for a reason other than its content: unknown, too many, too big."""

    def __init__(
        self, status: int, path: str, value: object, allowed: str, message: str, retry_s: int | None = None
    ) -> None:
        self.status = status
        self.retry_s = retry_s
        self.error = Problem(path=path, value=shown(value), allowed=allowed, message=message)
        super().__init__(message)


def from_scenario(error: ScenarioError) -> Problem:
    """The user's mistake for the wire."""
    return Problem(**error.as_dict())
