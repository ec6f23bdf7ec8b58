"""Who a browser is: a random name in a cookie, given with the first sweep that is started from it.

What a visitor has started, others may look at and take further, but not end or delete.
"""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import Cookie, Request, Response

COOKIE = "ringcast-visitor"
KEPT_S = 365 * 24 * 3600

Visitor = Annotated[
    str | None, Cookie(alias=COOKIE, max_length=64, description="given with the first sweep that is started")
]


def named(visitor: str | None, request: Request, response: Response) -> str:
    """The visitor's name, which the answer gives it where it has none."""
    if visitor:
        return visitor
    made = secrets.token_urlsafe(24)
    secure = request.url.scheme == "https"
    response.set_cookie(
        COOKIE, made, max_age=KEPT_S, path="/api/sweeps", secure=secure, httponly=True, samesite="strict"
    )
    return made


def is_owner(owner: str, visitor: str | None) -> bool:
    """Whether it is the visitor's; what belongs to nobody is everybody's."""
    return not owner or (visitor is not None and secrets.compare_digest(owner.encode(), visitor.encode()))
