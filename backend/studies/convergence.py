"""From any state to legitimacy: every protocol that claims to stabilise, on random networks, every variable at random.

Each case corrupts everything while the stack is still growing, so what is in the air is old as well. A case that is not
legitimate at the end is given FOREVER_S; only then it has failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from backend.studies.claims import AT_ONCE, Document, Outcome, Told, claiming, network, several, size, spread
from engine.batch import run_batch, varied
from engine.core.declare import ProtocolSpec
from engine.core.rng import Stream

CORRUPT_S, ENOUGH_S, FOREVER_S = 5.0, 150.0, 1_500.0


def study(cases: int, seed: int, threads: int, names: Sequence[str], told: Told) -> Iterator[Outcome]:
    """Count the rounds from `corrupt "*"` to legitimacy of all layers, a protocol at a time. Raises ScenarioError."""
    specs = claiming(names, (), lambda spec: spec.stabilises)
    for k, spec in enumerate(specs):
        outcome = Outcome()
        runs = [_case(Stream(seed, "convergence", number), spec) for number in range(cases)]
        rounds: list[int] = []
        for first in range(0, cases, AT_ONCE):
            some = runs[first : first + AT_ONCE]
            rounds += _played(spec, some, threads, outcome)
            told((k + (first + len(some)) / cases) / len(specs))
        failed = cases - len(rounds)
        outcome.lines.append(f"{spec.name}: {cases:,} cases, {failed or 'none'} failed")
        outcome.lines += spread(rounds, "rounds to legitimacy of all layers") if rounds else []
        yield outcome


def _base(spec: ProtocolSpec) -> Document:
    return {"version": 1, "protocol": {"name": spec.name}, "duration_s": ENOUGH_S}


def _case(stream: Stream, spec: ProtocolSpec) -> dict[str, Any]:
    """What a case sets in the document; the same network and subscribers for every protocol."""
    topology = network(stream)
    nodes = several(stream, size(topology), 8) if "subscribe" in spec.services else []
    events: list[Document] = [{"t": 0.0, "do": "subscribe", "node": v, "channel": "c"} for v in nodes]
    events.append({"t": CORRUPT_S, "do": "corrupt", "node": "*", "layer": "*"})
    return {"seed": stream.below(2**31), "topology": topology, "events": events}


def _played(spec: ProtocolSpec, runs: list[dict[str, Any]], threads: int, outcome: Outcome) -> list[int]:
    """The rounds that each case took; those that failed are kept in the outcome."""
    rounds, again = [], []
    for run, took in zip(runs, _rounds(spec, runs, threads), strict=True):
        if took is None:
            again.append({**run, "duration_s": FOREVER_S})
        else:
            rounds.append(took)
    for run, took in zip(again, _rounds(spec, again, threads), strict=True):
        if took is None:
            outcome.failed.append(varied(_base(spec), run))
        else:
            rounds.append(took)
    return rounds


def _rounds(spec: ProtocolSpec, runs: list[dict[str, Any]], threads: int) -> list[int | None]:
    if not runs:
        return []
    columns = run_batch(
        _base(spec), runs, threads=threads, engine="compiled" if spec.compiled else "interpreted"
    )
    if any(columns["error"]):
        raise AssertionError(next(filter(None, columns["error"])))
    layers = [column for name, column in columns.items() if name.startswith("stabilised_rounds.")]
    return [None if None in row else max(row) for row in zip(*layers, strict=True)]
