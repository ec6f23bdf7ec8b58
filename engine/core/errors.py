"""The kinds of error: the user's mistake, ours, and what only one engine can do."""

from __future__ import annotations

import json
from typing import Any


def shown(value: object, limit: int = 80) -> str:
    """`value` as a reader may see it: JSON where possible, never longer than `limit` characters."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return text.encode("utf-8", "backslashreplace").decode()  # half a character cannot be sent


class ScenarioError(Exception):
    """The user's mistake: names the place, the value found there and what is allowed instead.

    `path` is a document path such as `events[2].link`, a command-line argument or a file name.
    """

    def __init__(self, path: str, value: object, allowed: str, problem: str = "") -> None:
        self.path = path
        self.value = value
        self.allowed = allowed
        self.problem = problem
        super().__init__(str(self))

    def __str__(self) -> str:
        """One line: what, where, what is allowed."""
        what = self.problem or "not allowed"
        return f"{self.path}: {what} (found {shown(self.value)}); allowed: {self.allowed}"

    def as_dict(self) -> dict[str, Any]:
        """The same for the wire: path, value (shortened), allowed, message."""
        return {
            "path": self.path,
            "value": shown(self.value),
            "allowed": self.allowed,
            "message": self.problem or "not allowed",
        }


class ProtocolBug(Exception):
    """Ours: a protocol or the engine broke its own rules. Never caught."""


class OutsideSubset(Exception):
    """A protocol that only the interpreted engine can run: `file:line: why` for each breach."""

    def __init__(self, protocol: str, breaches: list[str]) -> None:
        self.protocol, self.breaches = protocol, breaches
        shown = "\n  ".join(breaches)
        super().__init__(f"protocol {protocol} cannot be compiled:\n  {shown}")
