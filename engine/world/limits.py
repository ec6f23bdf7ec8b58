"""How big a document, a file or a network may be; one place for all of them."""

from __future__ import annotations

MAX_NODES = 20_000
MAX_LINKS = 400_000
MAX_EVENTS = 100_000
MAX_STORM = 10_000
"""Faults of one storm, on average."""

MAX_SEED = 2**63 - 1
MAX_ID = 64
"""Characters in a node id, a channel, a layer or a field name."""

MAX_DOCUMENT = 5_000_000
"""Bytes of a scenario document or a network file."""

MAX_DEPTH = 32
"""Nesting of a JSON document; the deepest legal scenario needs about six."""

MAX_TIME_S = 1e6
MAX_COORDINATE = 1e7
