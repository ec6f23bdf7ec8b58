"""The networks that ship with the product: a catalogue, and building one by name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine.core.errors import ScenarioError
from engine.core.rng import Stream
from engine.world.limits import MAX_LINKS
from engine.world.network import Network, linked_within
from engine.world.topologies import Builtin
from engine.world.words import one_of

DATA = Path(__file__).parent / "data"
MESHNET_LAB = ("mwarning/meshnet-lab", "MIT, © 2020 Moritz Warning")
MERCATOR = (
    "openwsn-berkeley/mercator, positions of the FIT IoT-LAB testbed",
    "published without a licence text",
)
PAPER = ("Siegemund, Turau: PSVR (SSS 2015)", "worked example, redrawn")


@dataclass(frozen=True)
class BuiltinInfo:
    """An entry of the catalogue; where links follow from a range, counts hold at the default one."""

    name: str
    title: str
    description: str
    source: str
    licence: str
    nodes: int
    links: int
    components: int
    needs_range: bool
    default_range_m: float | None


@dataclass(frozen=True)
class _Entry:
    title: str
    description: str
    origin: tuple[str, str]
    range_m: float | None = None


_ENTRIES = {
    "psvr-fig5": _Entry(
        "PSVR Fig. 1 and 5", "Six nodes, the paper's first ring; a shortcut joins c and d.", PAPER
    ),
    "psvr-fig4": _Entry(
        "PSVR Fig. 4", "Eleven nodes on a ring of twenty positions; two links are not in the tree.", PAPER
    ),
    "mesh-17": _Entry(
        "17-node mesh", "A small mesh with several ways round, for trying faults by hand.", MESHNET_LAB
    ),
    "leipzig": _Entry(
        "Leipzig mesh", "The Freifunk network of Leipzig: one router alone serves 58 others.", MESHNET_LAB
    ),
    "bremen": _Entry(
        "Bremen mesh", "The Freifunk network of Bremen: four gateways, some 200 routers each.", MESHNET_LAB
    ),
    "munich": _Entry(
        "Munich mesh", "The Freifunk network of Munich: fifteen segments, no link between.", MESHNET_LAB
    ),
    "iotlab-grenoble": _Entry(
        "IoT-LAB Grenoble", "Sensor motes of the FIT IoT-LAB testbed in Grenoble, along its corridors.",
        MERCATOR, 3.0,
    ),
    "iotlab-lille": _Entry(
        "IoT-LAB Lille", "Sensor motes of the FIT IoT-LAB testbed in Lille: one hall, several heights.",
        MERCATOR, 2.0,
    ),
}  # fmt: skip


def build(topology: Builtin, seed: int = 1) -> Network:
    """The network called `topology.name`; `seed` draws which nodes, where only some are asked for.

    Raises: ScenarioError for an unknown name, a missing range, a range or number of nodes where links are given, or too
        many nodes.
    """
    entry = _ENTRIES.get(topology.name)
    if entry is None:
        raise ScenarioError(
            "topology.name", topology.name, one_of(topology.name, list(_ENTRIES)), "unknown built-in network"
        )
    if entry.range_m is None:
        if topology.range_m is not None:
            raise ScenarioError(
                "topology.range_m",
                topology.range_m,
                f"no range: {topology.name} has its own links",
                "range not used",
            )
        if topology.n is not None:
            allowed = f"no number: {topology.name} comes whole, with its own links"
            raise ScenarioError("topology.n", topology.n, allowed, "number not used")
        return _linked(topology.name)
    if topology.range_m is None:
        raise ScenarioError(
            "topology.range_m",
            "nothing",
            f"the reach of a radio in metres; {entry.range_m:g} suits {topology.name} (positions only)",
            "missing",
        )
    return _ranged(topology.name, topology.range_m, topology.n, seed)


@cache
def catalogue() -> tuple[BuiltinInfo, ...]:
    """All built-in networks, smallest first, with facts counted from the networks themselves."""
    out = []
    for name, entry in _ENTRIES.items():
        network = build(Builtin(kind="builtin", name=name, range_m=entry.range_m))
        out.append(
            BuiltinInfo(
                name=name,
                title=entry.title,
                description=entry.description,
                source=entry.origin[0],
                licence=entry.origin[1],
                nodes=network.n,
                links=len(network.links),
                components=len(network.components()),
                needs_range=entry.range_m is not None,
                default_range_m=entry.range_m,
            )
        )
    return tuple(out)


def _read(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    return data


@cache
def _linked(name: str) -> Network:
    data = _read(name)
    ids = tuple(data["nodes"])
    quality = tuple((a, b) for a, b in data["quality"]) if "quality" in data else None
    links = tuple((i, j) for i, j in data["links"])
    return Network(ids, tuple(data.get("names", ids)), tuple(data["x"]), tuple(data["y"]), links, quality)


@cache
def _positions(name: str) -> dict[str, Any]:
    return _read(name)


def _ranged(name: str, range_m: float, n: int | None, seed: int) -> Network:
    data = _positions(name)
    count = len(data["nodes"])
    chosen = list(range(count))
    if n is not None:
        if n > count:
            raise ScenarioError("topology.n", n, f"at most {count}", f"{name} has fewer nodes")
        draw = Stream(seed, "chosen nodes")
        while len(chosen) > n:
            del chosen[draw.below(len(chosen))]
    ids = tuple(data["nodes"][v] for v in chosen)
    x, y, z = (tuple(data[axis][v] for v in chosen) for axis in "xyz")
    links = linked_within(x, y, range_m, z, most=MAX_LINKS)
    return Network(ids, ids, x, y, links, range_m=range_m, metric=True, z=z)
