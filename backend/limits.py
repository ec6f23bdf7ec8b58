"""How often one address may ask for expensive things."""

from __future__ import annotations

from fastapi import Request

from backend.refusal import Refusal
from backend.settings import Settings
from backend.viewer import Bucket

MAX_ADDRESSES = 10_000


class Rates:
    """A bucket for each client address, the least recently used forgotten first."""

    def __init__(self, settings: Settings) -> None:
        self.rate, self.burst = settings.create_rate, settings.create_burst
        self._buckets: dict[str, Bucket] = {}

    def take(self, request: Request) -> None:
        """Count one more. Raises Refusal (429) when it is too many."""
        address = request.client.host if request.client is not None else ""
        bucket = self._buckets.pop(address, None) or Bucket(self.rate, self.burst)
        self._buckets[address] = bucket
        if len(self._buckets) > MAX_ADDRESSES:
            del self._buckets[next(iter(self._buckets))]
        if not bucket.take():
            allowed = f"{self.rate:g} a second on average, {self.burst} at once"
            raise Refusal(
                429,
                "requests",
                self.burst,
                allowed,
                "too many requests",
                retry_s=max(1, round(1 / self.rate)),
            )
