"""Routes of PSVR Fig. 9 and 10: one subscriber, every other node publishes, on random geometric networks, fault-free.

Network k is the one that a scenario with `{"kind": "geometric", "n": 100, "mean_degree": …}` and seed k builds; its tree is
breadth-first at a random root. A way's hops are its messages, since there is one subscriber. Shen's approach routes on that
tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backend.figures import apart

NODES = 100
WAYS = {"PSVR, all links": "psvr_all_links", "PSVR, non-tree": "psvr_non_tree", "tree": "tree_of_root"}
COLOURS = {"PSVR, all links": "#0072B2", "PSVR, non-tree": "#56B4E9", "tree": "#D55E00"}

Hops = dict[str, list[int]]
"""By name of `WAYS`: hops from every publisher."""


def routes(
    mean_degree: float,
    seeds: Sequence[int],
    subscribers: int = 1,
    told: Callable[[int], None] = lambda done: None,
) -> list[Hops]:
    """For each seed: messages from every node that does not subscribe (from every node, if all do); with one subscriber,
    hops to it. `told` hears how many networks are done.
    """
    ways = list(WAYS.values())
    return _named(
        apart.each("geometric_routes", [[NODES, mean_degree, k, subscribers, ways] for k in seeds], told)
    )


def routes_on(networks: Sequence[tuple[int, Sequence[tuple[int, int]]]], subscribers: int = 1) -> list[Hops]:
    """The same on connected networks of `NODES` nodes: for each a seed and its links."""
    ways = list(WAYS.values())
    return _named(
        apart.each("routes_on", [[NODES, links, seed, subscribers, ways] for seed, links in networks])
    )


def _named(found: Sequence[Hops]) -> list[Hops]:
    return [{name: row[way] for name, way in WAYS.items()} for row in found]


def share(hops: Sequence[int], least: int, most: int) -> float:
    """The share of routes of this many hops."""
    return sum(least <= h <= most for h in hops) / len(hops)
