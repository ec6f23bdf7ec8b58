"""Routes of PSVR Fig. 9 and 10: one subscriber, every other node publishes, on random geometric networks, fault-free.

Network k is the one that a scenario with `{"kind": "geometric", "n": 100, "mean_degree": …}` and seed k builds; its tree is
breadth-first at a random root. A way's hops are its messages, since there is one subscriber. Shen's approach routes on that
tree.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.rng import Stream
from engine.kernels.studies import messages
from engine.world.generators import geometric
from engine.world.topologies import Geometric

NODES = 100
WAYS = {"PSVR, all links": "psvr_all_links", "PSVR, non-tree": "psvr_non_tree", "tree": "tree_of_root"}
COLOURS = {"PSVR, all links": "#0072B2", "PSVR, non-tree": "#56B4E9", "tree": "#D55E00"}

Hops = dict[str, list[int]]
"""By name of `WAYS`: hops from every publisher."""


def routes(mean_degree: float, seed: int, subscribers: int = 1) -> Hops:
    """Messages from every node that does not subscribe (from every node, if all do); with one subscriber, hops to it."""
    network = geometric(Geometric(kind="geometric", n=NODES, mean_degree=mean_degree), seed)
    return routes_on(network.links, seed, subscribers)


def routes_on(links: Sequence[tuple[int, int]], seed: int, subscribers: int = 1) -> Hops:
    """The same on a connected network of `NODES` nodes with these links."""
    draw = Stream(seed, "routes")
    root = draw.below(NODES)
    order = sorted(range(NODES), key=lambda v: draw.word())
    others = order[subscribers:] or order
    found = messages(NODES, links, root, order[:subscribers], others, list(WAYS.values()))
    if any(found["duplicates"]) or any(found["missed"]):
        raise AssertionError(f"{len(links)} links, seed {seed}: duplicates or misses on a legitimate network")
    return {name: found[way] for name, way in WAYS.items()}


def share(hops: Sequence[int], least: int, most: int) -> float:
    """The share of routes of this many hops."""
    return sum(least <= h <= most for h in hops) / len(hops)
