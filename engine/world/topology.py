"""From the topology part of a document to a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.world import generators
from engine.world.explicit import from_explicit
from engine.world.network import Network
from engine.world.topologies import Builtin, Explicit, Geometric, Gnp, Grid, Line, Ring, Star, Topology, Zones

_BUILDERS: dict[type, Callable[[Any, int], Network]] = {
    Line: generators.line,
    Ring: generators.ring,
    Star: generators.star,
    Grid: generators.grid,
    Geometric: generators.geometric,
    Zones: generators.zones,
}


def build_network(topology: Topology, seed: int, *, drawn: bool = True) -> Network:
    """The network of a topology; equal topology and seed, equal network.

    `drawn`: whether nodes without a place get one, which takes longer than all the rest and which only pictures need.

    Raises: ScenarioError when a random network does not get connected, or a built-in one is unknown.
    """
    if isinstance(topology, Explicit):
        return from_explicit(topology, drawn=drawn)
    if isinstance(topology, Builtin):
        # Imported here: the catalogue itself builds networks from explicit topologies.
        from engine.world.builtin import build

        return build(topology, seed)
    if isinstance(topology, Gnp):
        return generators.gnp(topology, seed, drawn=drawn)
    return _BUILDERS[type(topology)](topology, seed)
