"""The static kernels beside the event engine, on random networks of all kinds: message for message, hop for hop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.api import Run
from engine.core.rng import Stream
from engine.kernels.studies import messages
from engine.registry import protocol
from engine.world.scenario import load_scenario

PUBLICATIONS = 10
ROUTES_S = 5.0  # a publication makes at most 2n hops of 10 ms
PATIENCE_S = 2000.0  # virtual; a line of 60 nodes takes some 130 to become legitimate
KINDS: tuple[Callable[[int, float], dict[str, Any]], ...] = (
    lambda n, degree: {"kind": "gnp", "n": n, "mean_degree": min(n - 1, degree)},
    lambda n, degree: {"kind": "geometric", "n": n, "mean_degree": min(n - 1, degree + 3)},
    lambda n, degree: {"kind": "grid", "n": n},
    lambda n, degree: {"kind": "line", "n": n},
    lambda n, degree: {"kind": "star", "n": n},
)
PLAYED: dict[str, tuple[str, dict[str, str]]] = {
    "psvr_all_links": ("psvr", {"shortcuts": "all-links"}),
    "psvr_non_tree": ("psvr", {"shortcuts": "non-tree"}),
    "ringps": ("ringps", {}),
    "tree_of_publisher": ("source-trees", {}),
    "tree_of_root": ("single-tree", {}),
}
"""Ways of delivery that the event engine plays: protocol and parameters."""


class Case:
    """Random number `seed`: 2 to 60 nodes, any root, 1 to n subscribers, 10 publications by anyone."""

    def __init__(self, seed: int) -> None:
        draw = Stream(seed, "proof")
        n = 2 + draw.below(59)
        self.topology = KINDS[draw.below(len(KINDS))](n, 4.5 + 8 * draw.uniform())
        self.seed, self.root = seed, draw.below(n)
        order = sorted(range(n), key=lambda v: draw.word())
        self.subscribers = order[: 1 + draw.below(n if draw.below(2) else min(n, 5))]
        self.publishers = [draw.below(n) for _ in range(PUBLICATIONS)]

    def run(self, way: str) -> Run:
        """Played event by event to legitimacy, and through the publications. Raises RuntimeError if it never gets there."""
        name, chosen = PLAYED[way]
        if any(p.name == "root" for p in protocol(name).params):
            chosen = {**chosen, "root": str(self.root)}
        wishes = [{"t": 0.0, "do": "subscribe", "node": str(v), "channel": "c"} for v in self.subscribers]
        document = {
            "version": 1,
            "seed": self.seed,
            "topology": self.topology,
            "protocol": {"name": name, "params": chosen},
            "events": wishes,
            "duration_s": PATIENCE_S,
        }
        run = Run(load_scenario(document), trace="none", engine="compiled", drawn=False)
        while None in run.since:
            if run.now > PATIENCE_S:
                raise RuntimeError(
                    f"case {self.seed} is not legitimate after {PATIENCE_S:g} s: {run.samples[-1]}"
                )
            run.advance(run.now + 10.0)
        for v in self.publishers:
            run.command({"do": "publish", "node": str(v), "channel": "c"})
        run.advance(run.now + ROUTES_S)
        return run


def compare(way: str, seeds: Sequence[int], tell: Callable[[str], None] = lambda what: None) -> int:
    """How many publications were the same in both. Raises RuntimeError at the first that differs in its messages, in
    subscribers missed, or, with PSVR, in duplicates or in the hops to its receivers.
    """
    hops = f"hops_{way.removeprefix('psvr_')}"
    same = 0
    for done, seed in enumerate(seeds):
        tell(f"{way}: {done:,} of {len(seeds):,} networks")
        case = Case(seed)
        run = case.run(way)
        n, links = len(run.network.ids), run.network.links
        found = messages(n, links, case.root, case.subscribers, case.publishers, [way])
        played = {
            way: [p.messages for p in run.publications],
            "missed": [len(p.missing()) for p in run.publications],
            "duplicates": [p.duplicates for p in run.publications],
            hops: [sum(h for _, h in p.delivered.values()) for p in run.publications],
        }
        counted = {name: found[name] for name in played if name in found}
        if counted != {name: played[name] for name in counted}:
            raise RuntimeError(f"{way}, case {seed}: the event engine has {played}, the kernel {counted}")
        same += len(case.publishers)
    return same
