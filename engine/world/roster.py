"""Are the commands possible on this network? Node and link names of every event, in the order they play.

Nodes can join and move, so what exists is a matter of time: a roster starts as the network does and follows
the events. The same check serves a whole document and one live command.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.core.errors import ScenarioError
from engine.world.events import (
    ANY,
    AddNode,
    AnyEvent,
    Corrupt,
    CorruptMessages,
    FailLink,
    FailNode,
    Inject,
    LossBurst,
    LossBurstOver,
    MoveNode,
    Partition,
    RestoreAll,
    RestoreLink,
    RestoreNode,
    SetLoss,
    Storm,
    Subscribe,
    Unsubscribe,
)
from engine.world.limits import MAX_NODES
from engine.world.network import Network
from engine.world.radio import Spot
from engine.world.words import listed, one_of


class Roster:
    """The nodes and links that exist at one moment, which of them work, and who subscribes to what."""

    def __init__(self, network: Network, audible: Callable[[Spot, Spot], bool] | None = None) -> None:
        """audible: who hears whom by where they are, if that is how links come about."""
        self.network, self.audible = network, audible
        # Beyond the network: nodes that joined (their links), and where nodes are now.
        self.joined: dict[str, frozenset[str]] = {}
        self.moved: dict[str, tuple[float, float]] = {}
        self.failed: set[str] = set()
        self.cut: set[tuple[str, str]] = set()  # directed
        self.wants: dict[str, list[str]] = {}  # nodes by channel
        self.reserved: set[str] = set()  # ids of nodes that a storm will add

    def ids(self) -> list[str]:
        """All nodes, in node order."""
        return [*self.network.ids, *self.joined]

    @property
    def by_place(self) -> bool:
        """Whether links follow from where nodes are."""
        return self.network.range_m is not None or self.audible is not None

    def links(self) -> list[tuple[str, str]]:
        """All links, failed or not."""
        net = self.network
        named = [(net.ids[a], net.ids[b]) for a, b in net.links]
        if not self.by_place:
            return named + [(node, other) for node, linked in self.joined.items() for other in sorted(linked)]
        still = [link for link in named if link[0] not in self.moved and link[1] not in self.moved]
        found = []
        for node in self.moved:  # which holds all that joined
            later = [
                other for other in self.ids() if other != node and (other not in self.moved or other > node)
            ]
            found += [(node, other) for other in later if self.linked(node, other)]
        return still + found

    def has(self, node: str) -> bool:
        """Whether a node exists now."""
        return node in self.network.places or node in self.joined

    def linked(self, a: str, b: str) -> bool:
        """Whether a link exists now, failed or not."""
        net = self.network
        if self.audible is not None and (a in self.moved or b in self.moved):
            return self.audible(self.at(a), self.at(b))
        if net.range_m is not None and self.audible is None:
            ax, ay, az = self.at(a)
            bx, by, bz = self.at(b)
            return (ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2 <= net.range_m**2
        if a in self.joined or b in self.joined:
            return b in self.joined.get(a, ()) or a in self.joined.get(b, ())
        return net.places[b] in net.adjacency[net.places[a]]

    def at(self, node: str) -> tuple[float, float, float]:
        """Where a node is: x, y and height."""
        net = self.network
        i = net.places.get(node)
        z = net.z[i] if net.z is not None and i is not None else 0.0
        if node in self.moved:
            return (*self.moved[node], z)
        assert i is not None
        return net.x[i], net.y[i], z

    def apply(self, event: AnyEvent | LossBurstOver) -> None:
        """Follow an event that has been checked."""
        if isinstance(event, AddNode):
            self.joined[event.id] = frozenset(event.links)
            self.moved[event.id] = (event.x, event.y)
        elif isinstance(event, MoveNode):
            self.moved[event.node] = (event.x, event.y)
        elif isinstance(event, FailNode):
            self.failed.add(event.node)
        elif isinstance(event, RestoreNode):
            self.failed.discard(event.node)
        elif isinstance(event, FailLink | RestoreLink):
            a, b = event.link
            pairs = {(a, b)} if event.oneway else {(a, b), (b, a)}
            self.cut = self.cut | pairs if isinstance(event, FailLink) else self.cut - pairs
        elif isinstance(event, Partition):
            inside = set(event.nodes)
            for a, b in self.links():
                if (a in inside) != (b in inside):
                    self.cut |= {(a, b), (b, a)}
        elif isinstance(event, RestoreAll):
            self.cut.clear()
        elif isinstance(event, Subscribe | Unsubscribe) and event.node not in self.failed:
            nodes = self.wants.setdefault(event.channel, [])
            if event.node in nodes:
                nodes.remove(event.node)
            if isinstance(event, Subscribe):
                nodes.append(event.node)

    def check(self, event: AnyEvent, path: str, later: dict[str, tuple[int, float]] | None = None) -> None:
        """Refuse an event whose nodes or links do not exist now.

        later: for nodes that join in the document, the index and time of their add-node event.
        Raises: ScenarioError
        """
        if isinstance(event, AddNode):
            self._check_join(event, path, later)
        elif isinstance(event, FailLink | RestoreLink | SetLoss | LossBurst):
            if event.link is not None:
                self._check_link(event.link, f"{path}.link", later)
            elif isinstance(event, LossBurst):
                self._check_nodes(event.nodes or (), f"{path}.nodes", later)
        elif isinstance(event, Partition):
            self._check_nodes(event.nodes, f"{path}.nodes", later)
        elif isinstance(event, Inject):
            self._check_node(event.to, f"{path}.to", later)
            self._check_node(event.from_, f"{path}.from", later)
            if event.to == event.from_ or not self.linked(event.to, event.from_):
                raise ScenarioError(
                    f"{path}.from", event.from_, self._beside(event.to), f"no neighbour of {event.to!r}"
                )
        elif isinstance(event, Corrupt):
            if event.node != ANY:
                self._check_node(event.node, f"{path}.node", later)
        elif not isinstance(event, RestoreAll | CorruptMessages | Storm):
            self._check_node(event.node, f"{path}.node", later)

    def _check_node(self, node: str, path: str, later: dict[str, tuple[int, float]] | None) -> None:
        if self.has(node):
            return
        if later is not None and node in later:
            k, t = later[node]
            raise ScenarioError(
                path,
                node,
                f"a node that exists by then; events[{k}] adds this one at t = {t:g}",
                "node does not exist yet",
            )
        if self.joined and node not in self.network.names:
            raise ScenarioError(path, node, one_of(node, self.ids()), "unknown node")
        raise self.network.unknown(node, path)

    def _check_nodes(
        self, nodes: tuple[str, ...], path: str, later: dict[str, tuple[int, float]] | None
    ) -> None:
        for k, node in enumerate(nodes):
            self._check_node(node, f"{path}[{k}]", later)
        if len(set(nodes)) != len(nodes):
            twice = next(n for n in nodes if nodes.count(n) > 1)
            raise ScenarioError(path, twice, "each node once", "node given twice")

    def _check_link(
        self, link: tuple[str, str], path: str, later: dict[str, tuple[int, float]] | None
    ) -> None:
        for node in link:
            self._check_node(node, path, later)
        if not self.linked(*link):
            raise ScenarioError(
                path, list(link), f"an existing link; {self._beside(link[0])}", "no such link"
            )

    def _beside(self, node: str) -> str:
        known = self.ids()
        return f"{node!r} is linked to {listed([o for o in known if o != node and self.linked(node, o)])}"

    def _check_join(self, event: AddNode, path: str, later: dict[str, tuple[int, float]] | None) -> None:
        if self.has(event.id) or event.id in self.reserved:
            raise ScenarioError(f"{path}.id", event.id, "an id that no node has yet", "id already taken")
        if event.id == ANY:
            raise ScenarioError(f"{path}.id", event.id, 'another id; "*" means every node', "reserved id")
        if self.network.n + len(self.joined) >= MAX_NODES:
            raise ScenarioError(path, event.id, f"at most {MAX_NODES:,} nodes", "too many nodes")
        if self.network.range_m is not None and event.links:
            raise ScenarioError(
                f"{path}.links",
                list(event.links),
                "no links: here they follow from the range",
                "links on a network with a range",
            )
        for k, node in enumerate(event.links):
            if node == event.id:
                raise ScenarioError(f"{path}.links[{k}]", node, "other nodes", "a link from a node to itself")
            self._check_node(node, f"{path}.links[{k}]", later)
        if len(set(event.links)) != len(event.links):
            raise ScenarioError(f"{path}.links", list(event.links), "each node once", "link given twice")
