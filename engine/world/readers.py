"""Network files: the format is told by the content, the name is for messages only.

JSON (a topology or a scenario of ours, NetJSON NetworkGraph, Freifunk's, any list of nodes and links),
GraphML, GML, edge list, CSV of positions. Hostile or broken files are refused with place, value and remedy.
"""

from __future__ import annotations

import re

from engine.core.errors import ScenarioError
from engine.world.draft import NetworkFile
from engine.world.explicit import to_explicit
from engine.world.jsonfile import parse_json, text_of
from engine.world.limits import MAX_DOCUMENT
from engine.world.read_gml import read_gml
from engine.world.read_graphml import read_graphml
from engine.world.read_nodelink import read_nodelink
from engine.world.read_table import read_edges, read_positions, table_kind
from engine.world.scenario import Scenario, load_scenario, load_topology
from engine.world.topologies import Explicit
from engine.world.topology import build_network

_PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_GML = re.compile(r"\A(?:\s*#[^\n]*\n|\s*(?:Creator|Version|comment)\b[^\n]*\n)*\s*graph\s*\[", re.IGNORECASE)


def read_network(data: bytes, filename: str = "", max_size: int = MAX_DOCUMENT) -> Explicit:
    """The network in a file, as an explicit topology.

    Raises: ScenarioError
    """
    return read_network_file(data, filename, max_size).topology


def read_network_file(data: bytes, filename: str = "", max_size: int = MAX_DOCUMENT) -> NetworkFile:
    """The network in a file, with its format and notes; a scenario gives the network it starts on.

    Raises: ScenarioError
    """
    found = read_scenario_or_network(data, filename, max_size)
    if isinstance(found, NetworkFile):
        return found
    topology = found.topology
    if not isinstance(topology, Explicit):
        topology = to_explicit(build_network(topology, found.seed))
    return NetworkFile(topology, "scenario")


def read_scenario_or_network(
    data: bytes, filename: str = "", max_size: int = MAX_DOCUMENT
) -> Scenario | NetworkFile:
    """Whatever the file is.

    Raises: ScenarioError
    """
    what = _shown_name(filename)
    if len(data) > max_size:
        raise ScenarioError(what, f"{len(data):,} bytes", f"at most {max_size:,} bytes", "too big")
    for magic, packer in _PACKED.items():
        if data.startswith(magic):
            raise ScenarioError(what, packer, "the file inside, unpacked", "a packed file")
    head = data[:200].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n")
    if head.startswith(b"<"):
        return read_graphml(data, what)
    text = text_of(data, what, max_size)
    if head[:1] in (b"{", b"["):
        return _from_json(text, what, max_size)
    if _GML.match(text):
        return read_gml(text, what)
    kind = table_kind(text, what)
    return read_positions(text, what) if kind == "positions" else read_edges(text, what, kind == "headed")


def _from_json(text: str, what: str, max_size: int) -> Scenario | NetworkFile:
    tree = parse_json(text, what, max_size)
    if isinstance(tree, dict) and ("topology" in tree or ("protocol" in tree and "nodes" not in tree)):
        return load_scenario(tree, what)
    if isinstance(tree, dict) and "kind" in tree:
        topology = load_topology(tree)
        if not isinstance(topology, Explicit):
            topology = to_explicit(build_network(topology, 1))
        return NetworkFile(topology, "json")
    return read_nodelink(tree, what)


def _shown_name(filename: str) -> str:
    """A file's name fit for a message: no folders, nothing unprintable, not long."""
    name = re.split(r"[\\/]", filename)[-1]
    return "".join(c if c.isprintable() else "?" for c in name)[:60] or "file"
