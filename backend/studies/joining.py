"""After a node has joined, deliveries are right again within O(n) rounds: how many it takes, by the size of the network.

In a legitimate network a node joins, linked to one to three others, and subscribes at once; from then on a random node
publishes twice a round. What counts is the last publication that did not reach every subscriber exactly once (the new one
among them), and when all layers were legitimate again.

Source: PSVR §4, dynamic joining of nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from backend.studies.claims import Document, Outcome, Told, claiming, several
from engine.api import Run
from engine.core.declare import ProtocolSpec
from engine.core.rng import Stream
from engine.oracle.repairs import rounds
from engine.world.scenario import load_scenario

SIZES = (10, 20, 40, 80, 160)
JOIN_S, EVERY_S, AFTER_S = 60.0, 0.55, 10.0
WATCHED = 3  # rounds for each node
DEGREE = 5.0


def study(cases: int, seed: int, threads: int, names: Sequence[str], told: Told) -> Iterator[Outcome]:
    """Count rounds from a join until every later publication is delivered exactly once, a protocol at a time.

    Raises ScenarioError.
    """
    specs = claiming(names or ["psvr"], ("subscribe", "publish"), lambda spec: spec.stabilises)
    each = max(1, cases // len(SIZES))
    for k, spec in enumerate(specs):
        outcome = Outcome()
        outcome.lines.append(f"{spec.name}: {each} cases of each size")
        outcome.lines.append(
            "  nodes   rounds to deliveries: mean, most (most/n)   rounds to legitimacy: mean, most"
        )
        for place, n in enumerate(SIZES):
            documents = [_case(Stream(seed, "joining", 1000 * n + number), spec, n) for number in range(each)]
            with ThreadPoolExecutor(threads) as pool:
                found = list(pool.map(_played, documents, [spec] * each))
            outcome.failed += [
                x for x, (one, other) in zip(documents, found, strict=True) if one is None or other is None
            ]
            delivered = [one for one, other in found if one is not None and other is not None]
            legitimate = [other for one, other in found if one is not None and other is not None]
            told((k + (place + 1) / len(SIZES)) / len(specs))
            if delivered:
                mean, most = sum(delivered) / len(delivered), max(delivered)
                slow, slowest = sum(legitimate) / len(legitimate), max(legitimate)
                outcome.lines.append(
                    f"  {n:>5}   {mean:>22.1f}, {most:>4} ({most / n:.2f})   {slow:>26.1f}, {slowest:>4}"
                )
        failed = len(outcome.failed)
        outcome.lines.append(f"  {failed or 'none'} took more than {WATCHED}·n rounds")
        yield outcome


def _case(stream: Stream, spec: ProtocolSpec, n: int) -> Document:
    topology = {"kind": "gnp", "n": n, "mean_degree": DEGREE} if stream.below(2) else {"kind": "line", "n": n}
    subscribers, beside = several(stream, n, n // 2), several(stream, n, 3)
    events: list[Document] = [{"t": 0.0, "do": "subscribe", "node": v, "channel": "c"} for v in subscribers]
    events += [
        {"t": JOIN_S, "do": "add-node", "id": "new", "x": 0.0, "y": 0.0, "links": beside},
        {"t": JOIN_S, "do": "subscribe", "node": "new", "channel": "c"},
    ]
    for number in range(int(2 * WATCHED * n)):
        v = stream.below(n + 1)
        node = "new" if v == n else str(v)
        events.append({"t": JOIN_S + EVERY_S * number, "do": "publish", "node": node, "channel": "c"})
    return {
        "version": 1,
        "seed": stream.below(2**31),
        "topology": topology,
        "protocol": {"name": spec.name},
        "events": events,
        "duration_s": JOIN_S + EVERY_S * 2 * WATCHED * n + AFTER_S,
    }


def _played(document: Document, spec: ProtocolSpec) -> tuple[int | None, int | None]:
    """Rounds until deliveries are right, and until all layers are legitimate; None: not within the time."""
    engine = "compiled" if spec.compiled else "interpreted"
    run = Run(load_scenario(document), trace="none", engine=engine, drawn=False)
    run.advance(document["duration_s"])
    published = run.publications
    bad = [k for k, p in enumerate(published) if p.duplicates or p.delivered.keys() != p.expected]
    right = published[bad[-1] + 1].t if bad and bad[-1] + 1 < len(published) else JOIN_S if not bad else None
    repair = run.repairs.last
    return (
        None if right is None else rounds(right - JOIN_S, run.round_s),
        None if repair.end is None else rounds(repair.end - JOIN_S, run.round_s),
    )
