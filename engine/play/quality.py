"""How good the links of a running network are: as its data set reports it, or as a log-distance radio makes them."""

from __future__ import annotations

from typing import TypeAlias

from engine.play.living import Living
from engine.world.network import Network
from engine.world.radio import AnyRadio, LogDistance, Spot, link_quality, mean_power

Place: TypeAlias = tuple[Spot, Spot] | tuple[int, int]
Quality: TypeAlias = dict[Place, tuple[float, float]]
"""There and back, 0…1, 0 where not known: by the two ends, or by where they are, if that is what decides."""


def quality_by_link(network: Network) -> Quality:
    """What is known of the links that a run starts with, by their ends."""
    return {} if network.quality is None else dict(zip(network.links, network.quality, strict=True))


def link_qualities(radio: AnyRadio, seed: int, network: Living, known: Quality) -> list[tuple[float, float]]:
    """Per link, in order, how good it is now; empty where nothing is known. `known` keeps what was worked out."""
    if isinstance(radio, LogDistance):
        return [_heard(radio, seed, (network.spot(a), network.spot(b)), known) for a, b in network.links]
    return [known.get(link, (0.0, 0.0)) for link in network.links] if known else []


def _heard(radio: LogDistance, seed: int, spots: tuple[Spot, Spot], known: Quality) -> tuple[float, float]:
    if spots not in known:
        share = link_quality(radio, mean_power(radio, seed, *spots))
        known[spots] = (share, share)
    return known[spots]
