"""Claims that many random cases put to the test: `ringcast study NAME`."""

from __future__ import annotations

from collections.abc import Callable

from backend.studies.claims import Outcome
from backend.studies.convergence import convergence
from backend.studies.exactly_once import exactly_once
from backend.studies.joining import joining

STUDIES: dict[str, Callable[..., Outcome]] = {
    "convergence": convergence,
    "exactly-once": exactly_once,
    "joining": joining,
}
"""Each takes cases, seed, threads, names of protocols (none: all that claim it) and `told(share)`."""

CASES = {"convergence": 1_000, "exactly-once": 10_000, "joining": 200}
"""How many cases of each protocol there are unless asked otherwise."""
