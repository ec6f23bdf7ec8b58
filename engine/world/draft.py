"""A network while a file is being read: every format puts nodes and links here, and the checks stand once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic_core import PydanticCustomError

from engine.core.errors import ScenarioError
from engine.world.fields import Text
from engine.world.limits import MAX_COORDINATE, MAX_ID, MAX_LINKS, MAX_NODES
from engine.world.topologies import Explicit, NodeSpec
from engine.world.words import one_of

_ID = Text(MAX_ID, 1, printable=True)


@dataclass(frozen=True)
class NetworkFile:
    """A network that was read: a topology, the format it came in, and what a reader should know about it.

    needs_range: the file has positions only; `topology.range_m` is an offer that can be changed.
    """

    topology: Explicit
    format: str
    notes: tuple[str, ...] = ()
    needs_range: bool = False


@dataclass
class Draft:
    """Nodes and links so far; `where` in its methods is the place in the file, for errors."""

    nodes: dict[str, NodeSpec] = field(default_factory=dict)
    links: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    merged: int = 0
    has_quality: bool = False
    notes: list[str] = field(default_factory=list)

    def node(self, raw: object, where: str, name: object = None, spot: Sequence[object] = ()) -> str:
        """A new node; spot: (x, y) or (x, y, z) where known.

        Raises: ScenarioError for an id that is taken or cannot be one.
        """
        node = self.id_of(raw, where)
        if node in self.nodes:
            raise ScenarioError(where, node, "ids that differ", "id given twice")
        if len(self.nodes) >= MAX_NODES:
            raise ScenarioError(
                where, f"node {len(self.nodes) + 1:,}", f"at most {MAX_NODES:,} nodes", "too many nodes"
            )
        place = [_coordinate(value, where) for value in spot]
        label = str(name).strip()[:200] if isinstance(name, str | int) and not isinstance(name, bool) else ""
        shown = label if label and label.isprintable() and label != node else None
        x, y, z = (*place, None, None, None)[:3]
        self.nodes[node] = NodeSpec.model_construct(id=node, name=shown, x=x, y=y, z=z)
        return node

    def known(self, raw: object, where: str) -> str:
        """The id of a node that exists.

        Raises: ScenarioError
        """
        node = self.id_of(raw, where)
        if node not in self.nodes:
            raise ScenarioError(where, node, one_of(node, list(self.nodes)), "link to an unknown node")
        return node

    def link(self, a: str, b: str, where: str, quality: tuple[float, float] | None = None) -> None:
        """A link between known nodes; one that is already there (perhaps the other way round) is merged.

        Raises: ScenarioError for a node linked to itself.
        """
        if a == b:
            raise ScenarioError(where, a, "links between two different nodes", "a link from a node to itself")
        key, there, back = ((a, b), 0, 1) if (b, a) not in self.links else ((b, a), 1, 0)
        if key in self.links:
            self.merged += 1
        elif len(self.links) >= MAX_LINKS:
            raise ScenarioError(
                where, f"link {len(self.links) + 1:,}", f"at most {MAX_LINKS:,} links", "too many links"
            )
        values = self.links.setdefault(key, [0.0, 0.0])
        if quality is not None:
            self.has_quality = True
            values[there] = max(values[there], quality[0])
            values[back] = max(values[back], quality[1])

    def finish(self, kind: str, what: str) -> NetworkFile:
        """The topology.

        Raises: ScenarioError when there is no node.
        """
        if not self.nodes:
            raise ScenarioError(what, "0 nodes", "at least one node", f"no network in this {kind} file")
        if self.merged:
            self.notes.append(f"{self.merged:,} repeated links were merged")
        topology = Explicit.model_construct(
            kind="explicit",
            nodes=tuple(self.nodes.values()),
            links=tuple(self.links),
            range_m=None,
            quality=tuple((q[0], q[1]) for q in self.links.values()) if self.has_quality else None,
        )
        return NetworkFile(topology, kind, tuple(self.notes))

    def id_of(self, raw: object, where: str) -> str:
        """An id as text.

        Raises: ScenarioError for what cannot be an id.
        """
        if raw is None:
            raise ScenarioError(where, "nothing", f"an id: {_ID.words()} or a whole number", "no id")
        text = str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else raw
        try:
            _ID.check(text)
        except PydanticCustomError as e:
            problem = str((e.context or {})["problem"])
            raise ScenarioError(where, raw, f"{_ID.words()} or a whole number", f"id {problem}") from None
        assert isinstance(text, str)
        if text == "*":
            raise ScenarioError(where, text, 'another id; "*" means every node', "reserved id")
        return text


def _coordinate(value: object, where: str) -> float | None:
    """A coordinate, or None where none is given."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_COORDINATE:
        allowed = f"a number within ±{MAX_COORDINATE:,.0f}"
        raise ScenarioError(
            where, str(value) if isinstance(value, float) else value, allowed, "not a coordinate"
        )
    return float(value)
