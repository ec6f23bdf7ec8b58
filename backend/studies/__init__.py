"""Claims that many random cases put to the test: `ringcast study NAME`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from backend.studies import convergence, exactly_once, joining
from backend.studies.claims import Outcome

STUDIES: dict[str, Callable[..., Iterator[Outcome]]] = {
    "convergence": convergence.study,
    "exactly-once": exactly_once.study,
    "joining": joining.study,
}
"""Each takes cases, seed, threads, names of protocols (none: all that claim it) and `told(share)`, and gives what came out
for one protocol after the other.
"""

CASES = {"convergence": 1_000, "exactly-once": 10_000, "joining": 200}
"""How many cases of each protocol there are unless asked otherwise."""
