"""JSON with a list of nodes and a list of links: NetJSON NetworkGraph, Freifunk's maps, their relatives.

Freifunk's x and y are latitude and longitude; on a drawing they put a city into a blot, so such networks are
drawn by their links instead. `ic-0`, `ic-1` … are nodes that meshnet-lab made up to join separate segments:
they are in no node list, and are left out.
"""

from __future__ import annotations

import re
from typing import Any

from engine.core.errors import ScenarioError
from engine.world.draft import Draft, NetworkFile
from engine.world.words import listed

_MADE_UP = re.compile(r"ic-\d+", re.ASCII)
_SHAPE = (
    'an object with "nodes" and "links" (each link with "source" and "target"), or a scenario or topology'
)


def read_nodelink(tree: Any, what: str) -> NetworkFile:
    """Nodes and links from parsed JSON.

    Raises: ScenarioError
    """
    if not isinstance(tree, dict):
        raise ScenarioError(what, tree, _SHAPE, "no network in this JSON")
    nodes, links = tree.get("nodes"), tree.get("links", tree.get("edges"))
    if not isinstance(nodes, list) or not isinstance(links, list):
        found = "fields " + listed([str(k)[:40] for k in tree]) if tree else "{}"
        raise ScenarioError(what, found, _SHAPE, "no network in this JSON")
    kind = "netjson" if tree.get("type") == "NetworkGraph" else "node-link"
    if any(isinstance(link, dict) and ("source_tq" in link or "target_tq" in link) for link in links):
        kind = "freifunk"
    draft = Draft()
    for i, node in enumerate(nodes):
        _read_node(draft, node, f"{what}, nodes[{i}]", with_places=kind != "freifunk")
    left_out = sum(not _read_link(draft, link, f"{what}, links[{k}]", kind) for k, link in enumerate(links))
    if left_out:
        draft.notes.append(
            f"{left_out} links to made-up nodes (ic-…) that join separate segments were left out"
        )
    if kind == "freifunk" and any("x" in node for node in nodes):
        draft.notes.append("latitude and longitude were left aside: the drawing follows the links")
    return draft.finish(kind, what)


def _read_node(draft: Draft, node: Any, where: str, with_places: bool) -> None:
    if isinstance(node, str | int) and not isinstance(node, bool):
        draft.node(node, where)
        return
    if not isinstance(node, dict):
        raise ScenarioError(where, node, 'an object with an "id"', "not a node")
    inner = node.get("properties")
    more = {**inner, **node} if isinstance(inner, dict) else node
    name = next((more[k] for k in ("name", "label", "hostname") if isinstance(more.get(k), str)), None)
    spot = (more.get("x"), more.get("y")) if with_places and {"x", "y"} <= more.keys() else ()
    if None in spot:
        spot = ()
    draft.node(node.get("id"), f"{where}.id" if not spot else where, name, spot)


def _read_link(draft: Draft, link: Any, where: str, kind: str) -> bool:
    """False when the link is left out."""
    if isinstance(link, list) and len(link) == 2:
        link = {"source": link[0], "target": link[1]}
    if not isinstance(link, dict):
        raise ScenarioError(where, link, 'an object with "source" and "target"', "not a link")
    ends = [link.get(k) for k in ("source", "target")]
    if kind == "freifunk":
        known = draft.nodes
        if any(isinstance(end, str) and end not in known and _MADE_UP.fullmatch(end) for end in ends):
            return False
    a, b = (draft.known(end, f"{where}.{k}") for end, k in zip(ends, ("source", "target"), strict=True))
    inner = link.get("properties")
    more = {**inner, **link} if isinstance(inner, dict) else link
    quality = None
    if "source_tq" in more or "target_tq" in more:
        quality = (
            _quality(more.get("source_tq"), f"{where}.source_tq"),
            _quality(more.get("target_tq"), f"{where}.target_tq"),
        )
    draft.link(a, b, where, quality)
    return True


def _quality(value: Any, where: str) -> float:
    """A transmit quality; 0 where it is not reported."""
    if value is None:
        return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ScenarioError(where, value, "a transmit quality from 0 to 1", "not a quality")
    return float(value)
