"""Networks out: every format that can be read, so that other tools can take over.

All but the edge list keep names and places; JSON also keeps a range, so moving nodes still changes links.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

from engine.core.errors import ScenarioError
from engine.world.explicit import to_explicit
from engine.world.network import Network
from engine.world.read_table import EDGES
from engine.world.words import one_of


def write_network(network: Network, form: str) -> str:
    """The network as text in one of `FORMATS`.

    Raises: ScenarioError for an unknown format.
    """
    if form not in _WRITERS:
        raise ScenarioError("format", form, one_of(form, list(_WRITERS)), "unknown format")
    return _WRITERS[form](network)


def _json(network: Network) -> str:
    """Our own topology; a node and a link a line, so that versions can be compared."""
    topology = to_explicit(network).model_dump(mode="json", exclude_none=True)
    parts = [
        f' "{key}": {json.dumps(value)}' for key, value in topology.items() if not isinstance(value, list)
    ]
    for key, value in topology.items():
        if isinstance(value, list):
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            parts.append(f' "{key}": [\n  {rows}\n ]' if rows else f' "{key}": []')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _graphml(network: Network) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="name" for="node" attr.name="name" attr.type="string"/>',
        '<key id="x" for="node" attr.name="x" attr.type="double"/>',
        '<key id="y" for="node" attr.name="y" attr.type="double"/>',
        '<key id="tq" for="edge" attr.name="tq" attr.type="double"/>',
        '<key id="tq_back" for="edge" attr.name="tq_back" attr.type="double"/>',
        '<graph edgedefault="undirected">',
    ]
    for i, node in enumerate(network.ids):
        lines.append(
            f'<node id={quoteattr(node)}><data key="name">{escape(network.names[i])}</data>'
            f'<data key="x">{network.x[i]!r}</data><data key="y">{network.y[i]!r}</data></node>'
        )
    for k, (i, j) in enumerate(network.links):
        there, back = network.quality[k] if network.quality is not None else (None, None)
        inside = (
            f'<data key="tq">{there}</data><data key="tq_back">{back}</data>' if there is not None else ""
        )
        lines.append(
            f"<edge source={quoteattr(network.ids[i])} target={quoteattr(network.ids[j])}>{inside}</edge>"
        )
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


def _gml(network: Network) -> str:
    lines = ["graph ["]
    for i, node in enumerate(network.ids):
        name = f" name {_gml_text(network.names[i])}" if network.names[i] != node else ""
        place = f"x {_gml_number(network.x[i])} y {_gml_number(network.y[i])}"
        lines.append(f"  node [ id {i} label {_gml_text(node)}{name} {place} ]")
    for k, (i, j) in enumerate(network.links):
        there, back = network.quality[k] if network.quality is not None else (None, None)
        inside = f" tq {_gml_number(there)} tqback {_gml_number(back or 0.0)}" if there is not None else ""
        lines.append(f"  edge [ source {i} target {j}{inside} ]")
    return "\n".join([*lines, "]", ""])


def _gml_text(text: str) -> str:
    """GML is ASCII; the rest goes as character references."""
    plain = text.replace("&", "&amp;").replace('"', "&quot;")
    return '"' + plain.encode("ascii", "xmlcharrefreplace").decode() + '"'


def _gml_number(value: float) -> str:
    text = repr(float(value))
    return text if "e" not in text or "." in text else text.replace("e", ".0e")


def _edgelist(network: Network) -> str:
    """Two ids a line; one id alone where a node has no link, or would lose its place in the order."""
    cells = [_cell(node) for node in network.ids]
    lines = [f"{EDGES}: two node ids a line"]
    seen = 0
    for i, j in network.links:
        # Nodes are numbered by first appearance: the next ones must come next.
        fits = j < seen or (j == seen and i < seen) or (i == seen and j == seen + 1)
        if not fits:
            lines += cells[seen:j]
            seen = j
        seen = max(seen, j + 1)
        lines.append(f"{cells[i]} {cells[j]}")
    return "\n".join([*lines, *cells[seen:], ""])


def _netjson(network: Network) -> str:
    nodes = [
        {"id": node, "label": network.names[i], "properties": {"x": network.x[i], "y": network.y[i]}}
        for i, node in enumerate(network.ids)
    ]
    links = []
    for k, (i, j) in enumerate(network.links):
        link: dict[str, object] = {"source": network.ids[i], "target": network.ids[j], "cost": 1.0}
        if network.quality is not None:
            there, back = network.quality[k]
            link["properties"] = {"source_tq": there, "target_tq": back}
        links.append(link)
    head = {"type": "NetworkGraph", "protocol": "static", "version": None, "metric": None}
    return json.dumps({**head, "nodes": nodes, "links": links}, ensure_ascii=False, indent=1) + "\n"


def _csv(network: Network) -> str:
    if network.range_m is None:
        allowed = ", ".join(f for f in _WRITERS if f != "csv")
        raise ScenarioError(
            "format", "csv", f"{allowed}; CSV keeps positions only", "these links follow from no range"
        )
    rows = ["id,x_m,y_m,z_m" if network.z is not None else "id,x_m,y_m"]
    for i, node in enumerate(network.ids):
        z = f",{network.z[i]!r}" if network.z is not None else ""
        rows.append(f"{_cell(node)},{network.x[i]!r},{network.y[i]!r}{z}")
    return "\n".join([*rows, ""])


def _cell(text: str) -> str:
    """An id as one field of a line."""
    plain = text.isascii() and all(c.isalnum() or c in "._-:/@" for c in text)
    return text if plain else json.dumps(text, ensure_ascii=False)


_WRITERS: dict[str, Callable[[Network], str]] = {
    "json": _json,
    "graphml": _graphml,
    "gml": _gml,
    "edgelist": _edgelist,
    "netjson": _netjson,
    "csv": _csv,
}
FORMATS = tuple(_WRITERS)
