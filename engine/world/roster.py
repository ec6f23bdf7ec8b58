"""Are the commands possible on this network? Node and link names of every event, in the order they play.

Nodes can join and move, so what exists is a matter of time: a roster starts as the network does and follows
the events. The same check serves a whole document and one live command.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.errors import ScenarioError
from engine.world.events import (
    ANY,
    AddNode,
    AnyEvent,
    Corrupt,
    CorruptMessages,
    FailLink,
    Inject,
    MoveNode,
    Partition,
    RestoreAll,
    RestoreLink,
    SetLoss,
)
from engine.world.limits import MAX_NODES
from engine.world.network import Network
from engine.world.scenario import Scenario
from engine.world.words import listed, one_of


class Roster:
    """The nodes and links that exist at one moment."""

    def __init__(self, network: Network) -> None:
        self.network = network
        # Beyond the network: nodes that joined (their links), and where nodes are now.
        self.joined: dict[str, frozenset[str]] = {}
        self.moved: dict[str, tuple[float, float]] = {}

    def has(self, node: str) -> bool:
        """Whether a node exists now."""
        return node in self.network.places or node in self.joined

    def linked(self, a: str, b: str) -> bool:
        """Whether a link exists now, failed or not."""
        net = self.network
        if net.range_m is not None:
            ax, ay, az = self._at(a)
            bx, by, bz = self._at(b)
            return (ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2 <= net.range_m**2
        if a in self.joined or b in self.joined:
            return b in self.joined.get(a, ()) or a in self.joined.get(b, ())
        return net.places[b] in net.adjacency[net.places[a]]

    def _at(self, node: str) -> tuple[float, float, float]:
        net = self.network
        i = net.places.get(node)
        z = net.z[i] if net.z is not None and i is not None else 0.0
        if node in self.moved:
            return (*self.moved[node], z)
        assert i is not None
        return net.x[i], net.y[i], z

    def apply(self, event: AnyEvent) -> None:
        """Follow an event that has been checked."""
        if isinstance(event, AddNode):
            self.joined[event.id] = frozenset(event.links)
            self.moved[event.id] = (event.x, event.y)
        elif isinstance(event, MoveNode):
            self.moved[event.node] = (event.x, event.y)

    def check(self, event: AnyEvent, path: str, later: dict[str, tuple[int, float]] | None = None) -> None:
        """Refuse an event whose nodes or links do not exist now.

        later: for nodes that join in the document, the index and time of their add-node event.
        Raises: ScenarioError
        """
        if isinstance(event, AddNode):
            self._check_join(event, path, later)
        elif isinstance(event, FailLink | RestoreLink):
            self._check_link(event.link, f"{path}.link", later)
        elif isinstance(event, SetLoss):
            if event.link is not None:
                self._check_link(event.link, f"{path}.link", later)
        elif isinstance(event, Partition):
            for k, node in enumerate(event.nodes):
                self._check_node(node, f"{path}.nodes[{k}]", later)
            if len(set(event.nodes)) != len(event.nodes):
                twice = next(n for n in event.nodes if event.nodes.count(n) > 1)
                raise ScenarioError(f"{path}.nodes", twice, "each node once", "node given twice")
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
        elif not isinstance(event, RestoreAll | CorruptMessages):
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
            raise ScenarioError(path, node, one_of(node, [*self.network.ids, *self.joined]), "unknown node")
        raise self.network.unknown(node, path)

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
        known = [*self.network.ids, *self.joined]
        return f"{node!r} is linked to {listed([o for o in known if o != node and self.linked(node, o)])}"

    def _check_join(self, event: AddNode, path: str, later: dict[str, tuple[int, float]] | None) -> None:
        if self.has(event.id):
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


def check_events(scenario: Scenario, network: Network) -> None:
    """Refuse a document whose events name nodes or links that do not exist when they play.

    Raises: ScenarioError
    """
    roster = Roster(network)
    order = scenario.in_order()
    later: dict[str, tuple[int, float]] = {}
    for k, event in order:
        if isinstance(event, AddNode):
            later.setdefault(event.id, (k, event.t))
    for k, event in order:
        roster.check(event, f"events[{k}]", later)
        roster.apply(event)


def check_event(
    event: AnyEvent, network: Network, past: Iterable[AnyEvent] = (), path: str = "event"
) -> None:
    """Refuse one live command that is not possible; `past` are the events played so far.

    Raises: ScenarioError
    """
    roster = Roster(network)
    for earlier in past:
        roster.apply(earlier)
    roster.check(event, path)
