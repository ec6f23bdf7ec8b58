"""In a legitimate state every subscriber gets every publication once: many random networks, publishers and subscribers.

Nothing fails and nothing is lost. A case whose layers are not all legitimate when its publications begin is played again
with more time before them; that it is never legitimate is a failure, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from backend.studies.claims import AT_ONCE, Document, Outcome, Told, claiming, network, several, size
from engine.batch import run_batch, varied
from engine.core.declare import ProtocolSpec
from engine.core.rng import Stream

SOON_S, LATE_S = 60.0, 600.0  # when the publications begin, at the first and at the second try
PUBLICATIONS = 5
APART_S, AFTER_S = 0.05, 5.0
CHANNELS = "ab"


def study(cases: int, seed: int, threads: int, names: Sequence[str], told: Told) -> Iterator[Outcome]:
    """Count expected receivers, missed ones and duplicates, a protocol at a time. Raises ScenarioError."""
    specs = claiming(names, ("subscribe", "publish"), lambda spec: spec.stabilises)
    for k, spec in enumerate(specs):
        outcome = Outcome()
        received = wrong = 0
        for first in range(0, cases, AT_ONCE):
            numbers = range(first, min(cases, first + AT_ONCE))
            found = _played(
                spec, [(Stream(seed, "exactly once", number)) for number in numbers], threads, outcome
            )
            received, wrong = received + found[0], wrong + found[1]
            told((k + (numbers[-1] + 1) / cases) / len(specs))
        outcome.lines.append(
            f"{spec.name}: {cases:,} cases, {received:,} receivers expected, {wrong or 'zero'} violations"
        )
        yield outcome


def _case(stream: Stream, start_s: float) -> dict[str, Any]:
    """What a case sets in the document."""
    topology = network(stream)
    n = size(topology)
    events: list[Document] = [
        {"t": 0.0, "do": "subscribe", "node": v, "channel": channel}
        for channel in CHANNELS
        for v in several(stream, n, max(1, n // 2))
    ]
    for number in range(PUBLICATIONS):
        t, channel = start_s + APART_S * number, CHANNELS[stream.below(len(CHANNELS))]
        events.append({"t": t, "do": "publish", "node": str(stream.below(n)), "channel": channel})
    return {
        "seed": stream.below(2**31),
        "topology": topology,
        "events": events,
        "duration_s": start_s + APART_S * PUBLICATIONS + AFTER_S,
    }


def _played(spec: ProtocolSpec, streams: list[Stream], threads: int, outcome: Outcome) -> tuple[int, int]:
    """Expected receivers of all cases, and the violations: missed receivers, duplicates, cases never legitimate."""
    base: Document = {"version": 1, "protocol": {"name": spec.name}, "duration_s": 1.0}
    received = wrong = 0
    for start_s in (SOON_S, LATE_S):
        runs, late = [_case(Stream(s.key, "case"), start_s) for s in streams], []
        if not runs:
            break
        columns = run_batch(
            base, runs, threads=threads, engine="compiled" if spec.compiled else "interpreted"
        )
        since = [column for name, column in columns.items() if name.startswith("legitimate_s.")]
        for k, run in enumerate(runs):
            if columns["error"][k] is not None:
                raise AssertionError(columns["error"][k])
            if any(column[k] is None or column[k] >= start_s for column in since):
                late.append(streams[k])
                continue
            missed = columns["expected"][k] - columns["delivered"][k]
            received += columns["expected"][k]
            if missed or columns["duplicates"][k]:
                wrong += missed + columns["duplicates"][k]
                outcome.failed.append(varied(base, run))
        streams = late
    outcome.failed += [varied(base, _case(Stream(s.key, "case"), LATE_S)) for s in streams]
    return received, wrong + len(streams)
