"""GML: `graph [ node [ id 1 label "a" ] edge [ source 1 target 2 ] ]`.

Nodes are called by their labels when every node has one and all differ, else by their ids.
"""

from __future__ import annotations

import html
import re
from typing import Any

from engine.core.errors import ScenarioError
from engine.world.draft import Draft, NetworkFile
from engine.world.limits import MAX_DEPTH

_TOKEN = re.compile(
    r'(?P<blank>\s+|\#[^\n]*)|(?P<open>\[)|(?P<close>\])|(?P<text>"[^"]*")'
    r"|(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))|(?P<word>[A-Za-z_][\w.]*)",
    re.ASCII,
)
Entry = tuple[str, Any, int]
"""(key, value, line); a nested value is a list of entries."""


def read_gml(text: str, what: str) -> NetworkFile:
    """The network of a GML file; edge directions are ignored.

    Raises: ScenarioError
    """
    top = _parse(text, what)
    graph = next((value for key, value, _ in top if key == "graph" and isinstance(value, list)), [])
    nodes = [(_fields(v, what, line), line) for k, v, line in graph if k == "node"]
    edges = [(_fields(v, what, line), line) for k, v, line in graph if k == "edge"]
    labels = [node.get("label") for node, _ in nodes]
    by_label = all(isinstance(k, str) and k for k in labels) and len(set(map(str, labels))) == len(labels)
    draft = Draft()
    ids: dict[str, str] = {}
    for node, line in nodes:
        where = f"{what}, line {line}"
        own = draft.id_of(node.get("id"), where)
        if own in ids:
            raise ScenarioError(where, own, "ids that differ", "id given twice")
        spot = _spot(node)
        name = node.get("name") if isinstance(node.get("name"), str) else node.get("label")
        ids[own] = draft.node(node["label"] if by_label else own, where, name, spot)
    for edge, line in edges:
        where = f"{what}, line {line}"
        ends = []
        for end in ("source", "target"):
            own = draft.id_of(edge.get(end), f"{where}, {end}")
            ends.append(ids[own] if own in ids else draft.known(own, f"{where}, {end}"))
        tq = [edge.get(k) for k in ("tq", "tqback")]
        quality = None
        if all(isinstance(q, int | float) and 0 <= q <= 1 for q in tq):
            quality = (float(tq[0] or 0), float(tq[1] or 0))
        draft.link(ends[0], ends[1], where, quality)
    return draft.finish("gml", what)


def _spot(node: dict[str, Any]) -> tuple[Any, ...]:
    """x and y, in the node itself or in its graphics."""
    graphics = node.get("graphics")
    inner = {k: v for k, v, _ in graphics} if isinstance(graphics, list) else {}
    x, y = node.get("x", inner.get("x")), node.get("y", inner.get("y"))
    return (x, y) if isinstance(x, int | float) and isinstance(y, int | float) else ()


def _fields(value: Any, what: str, line: int) -> dict[str, Any]:
    if not isinstance(value, list):
        raise ScenarioError(f"{what}, line {line}", value, "a [ … ] block", "not a block")
    return {key: inner for key, inner, _ in value}


def _parse(text: str, what: str) -> list[Entry]:
    """All entries; one stack, no recursion, so depth is a limit and not a crash."""
    top: list[Entry] = []
    stack = [top]
    key: tuple[str, int] | None = None
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        where = f"{what}, line {line}"
        if found is None:
            raise ScenarioError(
                where, text[at : at + 30].split("\n")[0], "a key, a number, a text or [ ]", "not GML"
            )
        kind, token, start = found.lastgroup, found[0], line
        at = found.end()
        line += token.count("\n")
        if kind == "blank":
            continue
        if key is None and kind == "word":
            key = (token.lower(), start)
        elif key is None and kind == "close" and len(stack) > 1:
            stack.pop()
        elif key is not None and kind == "open":
            if len(stack) >= MAX_DEPTH:
                raise ScenarioError(where, "[", f"at most {MAX_DEPTH} levels of nesting", "nested too deeply")
            inner: list[Entry] = []
            stack[-1].append((key[0], inner, key[1]))
            stack.append(inner)
            key = None
        elif key is not None and kind in ("number", "text", "word"):
            stack[-1].append((key[0], _value(token, kind, where), key[1]))
            key = None
        else:
            expected = "a key" if key is None else f"a value for {key[0][:40]}"
            raise ScenarioError(where, token[:40], expected, "out of place")
    if len(stack) > 1 or key is not None:
        raise ScenarioError(f"{what}, line {line}", "the end of the file", "every [ closed by ]", "cut off")
    return top


def _value(token: str, kind: str, where: str) -> Any:
    if kind == "text":
        return html.unescape(token[1:-1])
    if kind == "word":
        return token
    if len(token) > 40:
        raise ScenarioError(where, token[:40] + "…", "numbers of at most 40 characters", "number too long")
    return float(token) if any(c in token for c in ".eE") else int(token)
