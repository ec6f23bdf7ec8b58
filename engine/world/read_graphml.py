"""GraphML: nodes and edges of the first graph, with names, places and qualities where keys say so.

Parsed with defusedxml: entities, external ones above all, are refused; no bomb grows and no file is fetched.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from engine.core.errors import ScenarioError
from engine.world.draft import Draft, NetworkFile
from engine.world.limits import MAX_DEPTH

_NAMES = ("name", "label", "d_name")


def read_graphml(data: bytes, what: str) -> NetworkFile:
    """The network of a GraphML file; edge directions are ignored.

    Raises: ScenarioError
    """
    draft = Draft()
    keys: dict[str, str] = {}
    edges: list[tuple[str, dict[str, str]]] = []
    counts = {"node": 0, "edge": 0}
    for tag, element in _elements(data, what):
        if tag == "key":
            keys[element.get("id", "")] = element.get("attr.name", element.get("id", "")).lower()
        elif tag in counts:
            counts[tag] += 1
            where = f"{what}, {tag} {counts[tag]:,}"
            values = {
                keys.get(d.get("key", ""), d.get("key", "")): (d.text or "").strip()
                for d in element
                if _local(d.tag) == "data"
            }
            if tag == "node":
                _read_node(draft, element.get("id"), values, where)
            else:
                ends = {k: element.get(k, "") for k in ("source", "target")}
                edges.append((where, {**values, **ends}))
            element.clear()
    # An edge may stand before its nodes.
    for where, values in edges:
        a, b = (draft.known(values[k], f"{where}, {k}") for k in ("source", "target"))
        quality = None
        if "tq" in values or "tq_back" in values:
            quality = tuple(_number(values.get(k) or "0", where, k) for k in ("tq", "tq_back"))
            if not all(0 <= q <= 1 for q in quality):
                raise ScenarioError(
                    where, values.get("tq"), "transmit qualities from 0 to 1", "not a quality"
                )
        draft.link(a, b, where, (quality[0], quality[1]) if quality is not None else None)
    return draft.finish("graphml", what)


def _read_node(draft: Draft, node: str | None, values: dict[str, str], where: str) -> None:
    name = next((values[k] for k in _NAMES if values.get(k)), None)
    spot = (
        [_number(values[axis], where, axis) for axis in "xy"] if values.get("x") and values.get("y") else []
    )
    draft.node(node, where, name, spot)


def _number(text: str, where: str, field: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ScenarioError(f"{where}, {field}", text[:60], "a number", "not a number") from None


def _elements(data: bytes, what: str) -> Iterator[tuple[str, Any]]:
    """(local tag, element) at each end tag, after the root was recognised."""
    depth = 0
    try:
        for event, element in iterparse(io.BytesIO(data), events=("start", "end")):
            if event == "end":
                depth -= 1
                yield _local(element.tag), element
                continue
            depth += 1
            if depth > MAX_DEPTH:
                raise ScenarioError(
                    what, f"<{_local(element.tag)[:40]}>", f"at most {MAX_DEPTH} levels", "nested too deeply"
                )
            if depth == 1 and _local(element.tag) != "graphml":
                tag = f"<{_local(element.tag)[:40]}>"
                raise ScenarioError(what, tag, "GraphML: a file that starts with <graphml>", "not GraphML")
    except ParseError as e:
        line, column = e.position
        where = f"{what}, line {line}, column {column + 1}"
        raise ScenarioError(
            where, _line(data, line, column), f"well-formed XML ({e.msg})", "not XML"
        ) from None
    except DefusedXmlException as e:
        raise ScenarioError(
            what, type(e).__name__, "XML without entities of its own", "entities are not read"
        ) from None
    except (ValueError, LookupError) as e:
        raise ScenarioError(what, str(e)[:80], "XML in UTF-8", "unreadable XML") from None


def _line(data: bytes, line: int, column: int) -> str:
    lines = data.splitlines()
    text = lines[line - 1].decode("utf-8", "replace") if line <= len(lines) else ""
    return text[max(0, column - 20) : column + 20].strip()


def _local(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rpartition("}")[2]
