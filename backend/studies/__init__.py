"""Claims that many random cases put to the test: `ringcast study NAME`."""

from __future__ import annotations

from collections.abc import Callable

from backend.studies import convergence, exactly_once, joining
from backend.studies.claims import Outcome

STUDIES: dict[str, Callable[..., Outcome]] = {
    "convergence": convergence.study,
    "exactly-once": exactly_once.study,
    "joining": joining.study,
}
"""Each takes cases, seed, threads, names of protocols (none: all that claim it) and `told(share)`."""

CASES = {"convergence": 1_000, "exactly-once": 10_000, "joining": 200}
"""How many cases of each protocol there are unless asked otherwise."""
