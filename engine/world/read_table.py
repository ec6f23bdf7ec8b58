"""Plain tables: edge lists (two ids a line) and CSV of positions (id, x_m, y_m and perhaps z_m).

Fields are divided by blanks, commas, semicolons or tabs; an id with such characters stands in double quotes;
`#` starts a comment. A line with one id is a node without links. Positions have no links, so the reader
offers a range: a fifth more than the shortest that joins all nodes.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from engine.core.errors import ScenarioError
from engine.world.draft import Draft, NetworkFile
from engine.world.generators import is_connected
from engine.world.limits import MAX_LINKS
from engine.world.network import linked_within

_FIELD = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<braces>\{.*)|(?P<plain>[^\s,;"{#][^\s,;"]*))?\s*(?P<divider>[,;]?)'
)
EDGES = "# edge list"
_COLUMNS = {
    "id": "id", "node": "id", "name": "id", "mote": "id",
    "x": "x", "x_m": "x", "y": "y", "y_m": "y", "z": "z", "z_m": "z",
}  # fmt: skip
_ENDS = {"source", "target", "from", "to", "a", "b", "node1", "node2", "u", "v"}


def table_kind(text: str, what: str) -> str:
    """`positions`, `headed` (an edge list with a line of titles) or `edges`."""
    _, _, row = next(_rows(text, what), (0, "", []))
    titles = [cell.lower() for cell in row]
    if {"x", "y"} <= {_COLUMNS.get(t) for t in titles} and any(_COLUMNS.get(t) == "id" for t in titles):
        return "positions"
    return "headed" if len(titles) >= 2 and set(titles[:2]) <= _ENDS - {"a", "b", "u", "v"} else "edges"


def read_edges(text: str, what: str, headed: bool) -> NetworkFile:
    """A network whose nodes are the ids that appear, in order of appearance.

    Raises: ScenarioError
    """
    draft = Draft()
    extra = 0
    rows = _rows(text, what)
    if headed:
        next(rows)
    for _, where, row in rows:
        ends = []
        for cell in row[:2]:
            node = draft.id_of(cell, where)
            ends.append(node if node in draft.nodes else draft.node(node, where))
        if len(row) > 2:
            _check_extra(row[2:], where)
            extra += 1
        if len(ends) == 2:
            draft.link(ends[0], ends[1], where)
    if extra:
        draft.notes.append(f"weights were left out ({extra:,} lines)")
    # A list of words is no network, unless it says so.
    if draft.nodes and not draft.links and not text.startswith(EDGES):
        raise ScenarioError(
            f"{what}, line 1",
            text.strip()[:40],
            "JSON, GraphML, GML, NetJSON, two ids a line, or CSV with id, x_m, y_m",
            "no network format recognised",
        )
    return draft.finish("edgelist", what)


def _check_extra(cells: list[str], where: str) -> None:
    """What may follow two ids: numbers, or what networkx writes in braces."""
    for cell in cells:
        if not cell.startswith("{") and not _is_number(cell):
            raise ScenarioError(
                where, " ".join(cells)[:60], "two ids, then perhaps a weight", "not a line of an edge list"
            )


def read_positions(text: str, what: str) -> NetworkFile:
    """Nodes in metres, and the offer of a range.

    Raises: ScenarioError
    """
    rows = _rows(text, what)
    _, _, titles = next(rows)
    columns = [_COLUMNS.get(t.lower()) for t in titles]
    at = {axis: columns.index(axis) for axis in ("id", "x", "y", "z") if axis in columns}
    draft = Draft()
    for _, where, row in rows:
        if len(row) < max(at.values()) + 1:
            raise ScenarioError(
                where, ", ".join(row)[:60], f"{len(titles)} fields: {', '.join(titles)}", "too few fields"
            )
        spot = []
        for axis in ("x", "y", "z"):
            if axis in at:
                cell = row[at[axis]]
                if not _is_number(cell):
                    raise ScenarioError(
                        f"{where}, {titles[at[axis]]}", cell[:60], "metres, such as 12.5", "not a number"
                    )
                spot.append(float(cell))
        draft.node(row[at["id"]], where, None, spot)
    found = draft.finish("csv", what)
    offer, joined = suggest_range(
        [node.x or 0.0 for node in found.topology.nodes],
        [node.y or 0.0 for node in found.topology.nodes],
        [node.z or 0.0 for node in found.topology.nodes],
    )
    reason = (
        "a fifth more than the shortest that joins all nodes" if joined else "longer ones give too many links"
    )
    note = f"positions only: links follow from a range, {offer:g} m to begin with ({reason})"
    topology = found.topology.model_copy(update={"range_m": offer})
    return NetworkFile(topology, "csv", (*found.notes, note), needs_range=True)


def suggest_range(x: list[float], y: list[float], z: list[float]) -> tuple[float, bool]:
    """A range in metres, two digits, and whether it joins all nodes."""
    n = len(x)
    extent = max(max(x) - min(x), max(y) - min(y), max(z) - min(z))
    if n == 1 or extent == 0:
        return 1.0, True

    # Eighty links a node are no mesh any more.
    most = min(MAX_LINKS, max(2_000, 40 * n))

    def joins(reach: float) -> bool | None:
        """None: too many links."""
        try:
            return is_connected(n, linked_within(x, y, reach, z, most=most))
        except ScenarioError:
            return None

    low, high = 0.0, extent / n
    while (state := joins(high)) is False:
        low, high = high, high * 2
    for _ in range(8):
        middle = (low + high) / 2
        found = joins(middle)
        if found is False:
            low = middle
        else:
            high, state = middle, found
    # Where even a very short range links too much (nodes in one spot), a shorter one is no better.
    best = high * 1.2 if state else low or extent / (1_000 * n)
    digits = 1 - math.floor(math.log10(best))
    step = 10.0**-digits
    rounded = math.ceil(best / step) if state else math.floor(best / step)
    return round(rounded * step, max(digits, 0)), bool(state)


def _rows(text: str, what: str) -> Iterator[tuple[int, str, list[str]]]:
    """(line number, place, fields) of every line that says something."""
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{what}, line {number}"
        if len(line) > 10_000:
            raise ScenarioError(where, line[:30] + "…", "lines of at most 10,000 characters", "line too long")
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        if cells := _fields(body, where):
            yield number, where, cells


def _fields(body: str, where: str) -> list[str]:
    """The fields of one line, up to a comment."""
    cells = []
    at = 0
    while at < len(body) and body[at] != "#":
        found = _FIELD.match(body, at)
        assert found is not None
        if found.end() == at:
            raise ScenarioError(
                where, body[at : at + 60], 'text in double quotes, \\" inside', "broken quotes"
            )
        at = found.end()
        quoted = found["quoted"]
        if quoted is not None:
            cells.append(_unquoted(quoted, where))
        elif found["braces"] or found["plain"] or found["divider"]:
            cells.append(found["braces"] or found["plain"] or "")
    return cells


def _unquoted(cell: str, where: str) -> str:
    try:
        return str(json.loads(cell))
    except ValueError:
        raise ScenarioError(where, cell[:60], 'text in double quotes, \\" inside', "broken quotes") from None


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", cell, re.ASCII) is not None
