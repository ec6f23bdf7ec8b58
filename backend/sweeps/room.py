"""Whether there is room for another sweep; if not, what the limit is and what can be done."""

from __future__ import annotations

from backend.refusal import Refusal
from backend.settings import Settings


def check_kept(settings: Settings, kept: int) -> None:
    """Raises Refusal when as many sweeps are kept as may be."""
    most = settings.max_sweeps
    if most == 0:
        raise Refusal(503, "sweeps", 0, "another server", "no sweeps can be made on this one", retry_s=3_600)
    if kept >= most:
        allowed = "the same after one of them was deleted"
        raise Refusal(503, "sweeps", kept, allowed, f"this server keeps {most} sweeps at most", retry_s=60)


def check_queue(settings: Settings, waiting: int) -> None:
    """Raises Refusal when the queue is full."""
    most = settings.max_sweeps_queued
    if waiting >= most:
        message = f"{most} sweeps wait already"
        raise Refusal(503, "queue", waiting, "the same in a few minutes", message, retry_s=60)


def check_room(settings: Settings, mb: float, waiting_mb: float, used_mb: float, free_mb: float) -> None:
    """Raises Refusal when the results would not fit: `mb` of this sweep, `waiting_mb` yet to come of others."""
    if used_mb + waiting_mb + mb > settings.sweeps_mb:
        message = f"this one needs about {mb:,.1f} MB, the others take {used_mb + waiting_mb:,.1f} MB"
        allowed = f"{settings.sweeps_mb:,g} MB for all sweeps: delete some, or take fewer runs or metrics"
        raise Refusal(503, "disk", round(mb, 1), allowed, message, retry_s=60)
    free = free_mb - settings.min_free_mb - waiting_mb
    if mb > free:
        message = f"this one needs about {mb:,.1f} MB, and {max(0.0, free):,.1f} MB are free for it"
        allowed = f"room on the server's disk, {settings.min_free_mb:,g} MB of which are left to others"
        raise Refusal(503, "disk", round(mb, 1), allowed, message, retry_s=60)
