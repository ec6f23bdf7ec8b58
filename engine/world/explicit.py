"""Networks that are written down: places for the unplaced, links from positions where a range is given."""

from __future__ import annotations

from engine.world.limits import MAX_LINKS
from engine.world.network import Network, Pairs, linked_within
from engine.world.placing import place_rest
from engine.world.topologies import Explicit, NodeSpec


def from_explicit(topology: Explicit, *, drawn: bool = True) -> Network:
    """The network of an explicit topology, as it is: it may be disconnected. Not `drawn`: the unplaced are at 0."""
    nodes = topology.nodes
    ids = tuple(node.id for node in nodes)
    names = tuple(node.name or node.id for node in nodes)
    if topology.range_m is not None:
        x, y = tuple(node.x or 0.0 for node in nodes), tuple(node.y or 0.0 for node in nodes)
        z = tuple(node.z or 0.0 for node in nodes) if any(node.z for node in nodes) else None
        links = linked_within(x, y, topology.range_m, z, most=MAX_LINKS)
        return Network(ids, names, x, y, links, range_m=topology.range_m, metric=True, z=z)
    links, quality = _links(topology, ids)
    given = [None if node.x is None or node.y is None else (node.x, node.y) for node in nodes]
    if not drawn:
        given = [place or (0.0, 0.0) for place in given]
    x, y = place_rest(given, links)
    return Network(ids, names, x, y, links, quality)


def _links(topology: Explicit, ids: tuple[str, ...]) -> tuple[Pairs, tuple[tuple[float, float], ...] | None]:
    """Index pairs in order, each link's qualities turned to match."""
    index = {name: i for i, name in enumerate(ids)}
    rows = []
    for k, (a, b) in enumerate(topology.links):
        there, back = topology.quality[k] if topology.quality is not None else (0.0, 0.0)
        i, j = index[a], index[b]
        rows.append(((i, j), (there, back)) if i < j else ((j, i), (back, there)))
    rows.sort()
    quality = tuple(q for _, q in rows) if topology.quality is not None else None
    return tuple(link for link, _ in rows), quality


def to_explicit(network: Network) -> Explicit:
    """A network written down: the topology that builds it again, places included."""
    metric = network.range_m is not None
    nodes = tuple(
        NodeSpec(
            id=node,
            name=network.names[i] if network.names[i] != node else None,
            x=network.x[i],
            y=network.y[i],
            z=network.z[i] if network.z is not None else None,
        )
        for i, node in enumerate(network.ids)
    )
    return Explicit(
        kind="explicit",
        nodes=nodes,
        links=() if metric else tuple((network.ids[i], network.ids[j]) for i, j in network.links),
        range_m=network.range_m,
        quality=None if metric else network.quality,
    )
