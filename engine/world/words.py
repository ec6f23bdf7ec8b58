"""Wording that errors share: the nearest known name, a shortened list, a place in a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

Loc = Sequence[str | int]


def path_of(loc: Loc) -> str:
    """`("events", 2, "link")` as `events[2].link`; the empty place is `scenario`."""
    out = ""
    if len(loc) > 8:
        loc, out = loc[-8:], "…"
    for part in loc:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            name = part if part.isprintable() and len(part) <= 40 else ascii(part)[:40] + "…"
            out += f".{name}" if out else name
    return out or "scenario"


def nearest(name: object, known: Iterable[str]) -> str | None:
    """The known name a reader most likely meant, or None."""
    if not isinstance(name, str) or len(name) > 200:
        return None
    pool = list(known)
    folded = {k.casefold(): k for k in reversed(pool)}
    close = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def listed(names: Sequence[str], limit: int = 8) -> str:
    """Up to `limit` names, then how many there are in all."""
    if len(names) <= limit:
        return ", ".join(names) if names else "none"
    return ", ".join(names[:limit]) + f", … ({len(names):,} in all)"


def one_of(name: object, known: Sequence[str], limit: int = 8) -> str:
    """What is allowed where a known name is asked for, the nearest first."""
    guess = nearest(name, known)
    return (f"did you mean {guess!r}? Known: " if guess is not None else "one of: ") + listed(known, limit)
