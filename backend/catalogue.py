"""Networks: those that ship with the product, and those in files."""

from __future__ import annotations

from functools import cache
from typing import Any

from backend.documents import BuiltinNetwork, CatalogueEntry, NetworkFacts, UploadedNetwork
from backend.refusal import Refusal
from engine.core.errors import ScenarioError
from engine.world import builtin
from engine.world.explicit import to_explicit
from engine.world.network import Network, hops_from
from engine.world.readers import read_network_file
from engine.world.topologies import Builtin, Explicit
from engine.world.topology import build_network
from engine.world.words import one_of


@cache
def entries() -> list[CatalogueEntry]:
    """All built-in networks, smallest first."""
    return [
        CatalogueEntry(
            name=info.name,
            title=info.title,
            summary=info.description,
            nodes=info.nodes,
            links=info.links,
            components=info.components,
            source=info.source,
            licence=info.licence,
            range_m=info.default_range_m,
        )
        for info in sorted(builtin.catalogue(), key=lambda info: info.nodes)
    ]


def built(name: str, range_m: float | None = None) -> Network:
    """The built-in network called `name`, at its default range if none is given.

    Raises: Refusal when there is none, ScenarioError for a range where links are given.
    """
    found = next((entry for entry in entries() if entry.name == name), None)
    if found is None:
        known = [entry.name for entry in entries()]
        raise Refusal(404, "network", name, one_of(name, known), "there is no such built-in network")
    return builtin.build(Builtin(kind="builtin", name=name, range_m=range_m or found.range_m))


def network(name: str, range_m: float | None) -> BuiltinNetwork:
    """A built-in network, written out."""
    found = built(name, range_m)
    title = next(entry.title for entry in entries() if entry.name == name)
    return BuiltinNetwork(name=name, title=title, topology=_plain(to_explicit(found)), facts=facts(found))


def read(data: bytes, filename: str, most_nodes: int, most_bytes: int) -> UploadedNetwork:
    """The network in a file. Raises ScenarioError."""
    file = read_network_file(data, filename, most_bytes)
    if len(file.topology.nodes) > most_nodes:
        allowed = f"at most {most_nodes:,} nodes on this server"
        raise ScenarioError("nodes", len(file.topology.nodes), allowed, "too many nodes")
    return UploadedNetwork(
        topology=_plain(file.topology),
        facts=facts(build_network(file.topology, 1)),
        format=file.format,
        notes=list(file.notes),
        needs_range=file.needs_range,
    )


def _plain(topology: Explicit) -> dict[str, Any]:
    return topology.model_dump(mode="json", exclude_none=True)


def facts(network: Network) -> NetworkFacts:
    """Size and shape."""
    parts = network.components()
    degrees = [len(row) for row in network.adjacency]
    return NetworkFacts(
        nodes=network.n,
        links=len(network.links),
        components=[len(part) for part in parts],
        degree=round(sum(degrees) / network.n, 3),
        max_degree=max(degrees),
        diameter=_diameter(network, parts[0]),
    )


def _diameter(network: Network, part: list[int]) -> int:
    """The longest of a few breadth-first sweeps, each from where the last one ended: a lower bound."""
    start, longest = part[0], 0
    for _ in range(4):
        hops = hops_from(start, network.adjacency)
        start = max(hops, key=lambda v: (hops[v], -v))
        if hops[start] <= longest:
            break
        longest = hops[start]
    return longest
