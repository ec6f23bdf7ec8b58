"""`python -m spark_batch units`: work out pieces of figures on Spark, as lines of JSON ask for.

In: {"unit": NAME, "args": [[…], …]}. Out: {"is": "ready"}, then for each line {"results": […]} in the order of the args, or
{"error": words}. The pieces are `engine.units`; equal pieces come out equal wherever they are worked out.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from engine.core.errors import ScenarioError
from spark_batch import shipping, tasks
from spark_batch.job import reason
from spark_batch.session import Session, connect

PARTS = 8
"""Tasks for each slot: the last ones to end are short."""


def spread(session: Session, program: shipping.Program | None, unit: str, args: Sequence[Any]) -> list[Any]:
    """The results of a unit for each of `args`, in their order."""
    texts = tuple(json.dumps(each) for each in args)
    parts = min(len(texts), PARTS * session.slots)
    if not parts:
        return []
    places = session.spark.range(0, len(texts), 1, parts)
    found = places.mapInArrow(tasks.unit_task(unit, texts, program), "place long, told string").collect()
    return [json.loads(row.told) for row in sorted(found, key=lambda row: int(row.place))]


def main(master: str | None, conf: Mapping[str, str]) -> int:
    """Serve standard input until it ends; 2 when there is no session."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")  # apart: what others print must not come in between
    os.dup2(2, 1)

    def tell(**what: Any) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    try:
        session = connect(master, conf)
    except ScenarioError as error:
        tell(error=str(error))
        return 2
    program = None if session.local else shipping.for_workers("")
    tell(**{"is": "ready"})
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            tell(results=spread(session, program, asked["unit"], asked["args"]))
        except Exception as error:
            tell(error=reason(error))
    session.stop()
    return 0
