"""What a session starts from besides its document: kept while it is parked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from backend.picture import Curves


@dataclass
class Origin:
    """`goal`: a time to replay to first. `expected`: the digest that was promised, at `expected_s` or (None) at the goal.

    `own`: the owner's commands.
    """

    note: str | None = None
    goal: float | None = None
    expected: str | None = None
    expected_s: float | None = None
    verified: bool | None = None
    play: bool = False
    speed: float = 1.0
    own: list[int] = field(default_factory=list)
    curves: Curves = field(default_factory=Curves)

    def as_plain(self) -> dict[str, Any]:
        """Plain data."""
        plain = {name: value for name, value in vars(self).items() if name != "curves"}
        return {**plain, "own": list(self.own), "curves": self.curves.as_plain()}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Origin:
        """The origin that `as_plain` wrote; what is missing takes its default."""
        known = {name: plain[name] for name in cls.__dataclass_fields__ if name in plain and name != "curves"}
        curves = Curves.from_plain(plain["curves"]) if "curves" in plain else Curves()
        return cls(**known, curves=curves)
