"""What readers see of a scene: wire columns, the inspector, the parts of a report. Nothing here changes anything."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from engine.core.declare import NONE, Kind, Layer, fields
from engine.core.trace import REASONS
from engine.oracle.delivery import Publication
from engine.oracle.repairs import Repairs, rounds
from engine.oracle.structure import structure
from engine.play.scene import Scene

ALIVE, SUBSCRIBER, ROOT, CORRUPTED, PUBLISHER = 1, 2, 4, 8, 16
WRONG = 8  # bit of the lowest layer


def dropped(scene: Scene) -> dict[str, int]:
    """Drops by reason."""
    return dict(zip(REASONS, scene.sim.dropped, strict=True))


def receivers(scene: Scene, v: int, kind: int) -> list[int]:
    """Whom a broadcast of this kind is meant for and can reach."""
    reach = [w for w, _ in scene.sim.hear[v]]
    if scene.spec.messages[kind].over == "tree":
        above = scene.parent(v)
        return [w for w in reach if w == above or scene.parent(w) == v]
    return reach


def node_columns(scene: Scene, wrong: list[int]) -> dict[str, list[int]]:
    """The node columns of the wire; see docs/wire.md."""
    sim = scene.sim
    publishers = {p.node for p in scene.deliveries.all}
    wants, parent = scene.overlay("subscriptions", "wants"), scene.overlay("tree", "parent")
    root = scene.overlay("tree", "root")
    flags = []
    for v in range(sim.n):
        top = parent is not None and parent[v] == NONE and (root is None or root[v] == v)
        bits = ALIVE if sim.alive[v] else 0
        bits |= SUBSCRIBER if wants is not None and wants[v] else 0
        bits |= ROOT if top and sim.alive[v] else 0
        bits |= CORRUPTED if v in scene.corrupted else 0
        bits |= PUBLISHER if v in publishers else 0
        flags.append(bits | wrong[v] << WRONG)
    drawn = {
        "flags": flags,
        "parent": None if parent is None else [scene.parent(v) for v in range(sim.n)],
        "depth": scene.overlay("tree", "depth"),
        "root": root,
        "ring_length": scene.overlay("ring", "length"),
        "wants": wants,
        "part": scene.truth().part,
    }
    return {name: list(column) for name, column in drawn.items() if column is not None}


def positions(scene: Scene) -> list[list[int]]:
    """Per node: its own ring positions as it believes."""
    own, sizes = scene.overlay("ring", "positions"), scene.overlay("ring", "size")
    if own is None or sizes is None:
        return [[] for _ in range(scene.sim.n)]
    return [row[:size] if alive else [] for row, size, alive in zip(own, sizes, scene.sim.alive, strict=True)]


def inspect(scene: Scene, v: int, channel: str | None, last_send: tuple[int, int] | None) -> dict[str, Any]:
    """Node v, layer by layer."""
    sim, living = scene.sim, scene.living
    wrong = _wrong_by_layer(scene, v)
    layers = []
    for layer in scene.spec.layers:
        count = wrong.get(layer.name, 0)
        facts = (
            _declared(scene, layer, v)
            if layer.facts is None
            else layer.facts(sim.st, v, lambda w: _name(scene, w))
        )
        shown = [
            {"label": label, "value": value, "help": note, "wrong": count > 0} for label, value, note in facts
        ]
        layers.append({"name": layer.name, "title": layer.title, "wrong": count, "facts": shown})
    return {
        "node": living.ids[v],
        "name": living.names[v],
        "t": sim.now,
        "layers": layers,
        "table": _table(scene, v, channel, last_send),
    }


def _declared(scene: Scene, layer: Layer, v: int) -> list[tuple[str, str, str]]:
    """Facts of a layer that brings none: its fields with one value a node or a position, as they are declared."""
    found = []
    own = _own(scene, v)
    for field in fields(layer.state):
        row = getattr(getattr(scene.sim.st, layer.key), field.name)[v]
        if field.kind.name == "input":
            continue
        if not field.axes:
            found.append((field.kind.label, _shown(scene, field.kind, v, row), ""))
        elif field.axes == ("pos",) and field.kind.name == "flag":
            places = [str(p) for p, x in zip(own, row, strict=False) if x]
            found.append((field.kind.label, f"at {', '.join(places)}" if places else "no", "by own position"))
        elif field.axes == ("pos",):
            shown = [_shown(scene, field.kind, v, x) for _, x in zip(own, row, strict=False)]
            found.append((field.kind.label, ", ".join(shown) or "none", "by own position"))
    return found


def _shown(scene: Scene, kind: Kind, v: int, value: float) -> str:
    if kind.name == "flag":
        return "yes" if value else "no"
    if kind.name in ("node", "slot"):
        peers = scene.sim.peers[v]
        w = int(value)
        if kind.name == "slot":
            w = peers[w] if 0 <= w < len(peers) else NONE
        return _name(scene, w) if w != NONE else "none"
    number = f"{value:.1f}" if kind.name == "seconds" else str(value)
    return f"{number} {kind.unit}".rstrip()


def _own(scene: Scene, v: int) -> list[int]:
    """Node v's ring positions as it believes."""
    own, sizes = scene.overlay("ring", "positions"), scene.overlay("ring", "size")
    return [] if own is None or sizes is None else list(own[v][: sizes[v]])


def _name(scene: Scene, w: int) -> str:
    return scene.living.names[w] if 0 <= w < scene.sim.n else "?"


def _wrong_by_layer(scene: Scene, v: int) -> dict[str, int]:
    """How many variables of each judged layer are wrong at node v right now."""
    sim = scene.sim
    scene.truth()
    return scene.judge.at(sim.st, v, sim.peers[v], sim.alive[v])


def _table(
    scene: Scene, v: int, channel: str | None, last_send: tuple[int, int] | None
) -> dict[str, Any] | None:
    """The routing table of node v for one channel: as the protocol tells it, with what is wrong and what was used last."""
    sim = scene.sim
    layer = next((x for x in scene.spec.layers if x.table is not None), None)
    if layer is None or layer.table is None or not scene.channels:
        return None
    c = scene.channels.index(channel) if channel in scene.channels else 0
    found = layer.table(sim.st, v, c, sim.now)
    wrong = scene.judge.entries(sim.st, v, c)
    used = scene.deliveries.get(last_send[0]) if last_send is not None else None
    sends = (
        [(to, m) for _, a, to, m in used.sends if a == v] if used is not None and used.channel == c else []
    )
    root = scene.overlay("tree", "root")
    owner = {
        p: w for w, row in enumerate(positions(scene)) for p in row if root is None or root[w] == root[v]
    }
    rows = [
        {
            "cells": [
                _cell(scene, kind, x, owner) for (_, kind), x in zip(found["columns"], cells, strict=True)
            ],
            "wrong": entry < len(wrong) and wrong[entry],
            "in_use": any(place == getattr(m, "from_pos", to) for to, m in sends),
        }
        for entry, place, cells in found["rows"]
    ]
    note = f"Channel {scene.channels[c]}. {found['note']}"
    marked = sum(row["in_use"] for row in rows)
    if used is not None and marked:
        note += f" {used.id} used the marked {'entry' if marked == 1 else 'entries'}."
    return {
        "title": found["title"],
        "columns": [name for name, _ in found["columns"]],
        "rows": rows,
        "note": note,
    }


def _cell(scene: Scene, kind: str, value: Any, owner: dict[int, int]) -> str:
    """A cell of a table: a ring position with the node it belongs to, a node, or the value as it is."""
    if value is None or (value == NONE and kind):
        return "–"
    if kind == "node":
        return _name(scene, value)
    if kind == "position" and value in owner:
        return f"{value} ({_name(scene, owner[value])})"
    return str(value)


def publication(scene: Scene, p: Publication) -> dict[str, Any]:
    """One publication, as the report has it."""
    ids = scene.living.ids
    shown = {m.type: m.shown for m in scene.spec.messages}
    return {
        "id": p.id,
        "t": round(p.t, 9),
        "node": ids[p.node],
        "channel": scene.channels[p.channel],
        "data": p.data or None,
        "expected": [ids[v] for v in sorted(p.expected)],
        "delivered": {ids[v]: {"t": round(t, 9), "hops": hops} for v, (t, hops) in p.delivered.items()},
        "duplicates": p.duplicates,
        "messages": p.messages,
        "sends": [
            {
                "t": round(t, 9),
                "from": ids[a],
                "to": ids[b],
                "fields": {f: getattr(m, f) for f in shown[type(m)]},
            }
            for t, a, b, m in p.sends
        ],
    }


def faults(scene: Scene, repairs: Repairs, round_s: float) -> list[dict[str, Any]]:
    """What followed each fault: how long each layer took, what was sent meanwhile, and what was delivered."""
    published, names = scene.deliveries.all, scene.judge.layers
    times = [p.t for p in published]
    kept = list(repairs.all)
    found = []
    for k, repair in enumerate(kept):
        following = kept[k + 1] if k + 1 < len(kept) else None
        until = repair.after or (scene.sim.counts if following is None else following.before)
        sent = zip(scene.spec.messages, repair.before, until, strict=True)
        ends = [t for t in (repair.end, None if following is None else following.t) if t is not None]
        first = bisect_left(times, repair.t)
        during = published[first : bisect_left(times, ends[0]) if ends else len(times)]
        took = {**dict(zip(names, repair.seconds(), strict=True)), "all": None}
        if repair.end is not None:
            took["all"] = repair.end - repair.t
        found.append(
            {
                "t": round(repair.t, 9),
                "caused_by": repair.caused_by,
                "layers": {
                    name: {"seconds": None if s is None else round(s, 9), "rounds": rounds(s, round_s)}
                    for name, s in took.items()
                },
                "messages": {m.name: b - a for m, a, b in sent if m.shape != "local"},
                "publications": len(during),
                "expected": sum(len(p.expected) for p in during),
                "delivered": sum(len(p.expected & p.delivered.keys()) for p in during),
            }
        )
    return found


def parts(scene: Scene) -> list[dict[str, Any]]:
    """The connected parts, largest first: how many nodes, the true root, the wrong variables of each layer in it."""
    truth, bits, sim = scene.truth(), scene.judge.bits, scene.sim
    found = []
    for nodes in truth.parts:
        named = {
            name: sum(bits[v] >> k & 1 for v in nodes if v < len(bits))
            for k, name in enumerate(scene.judge.layers)
        }
        found.append(
            {"nodes": len(nodes), "root": scene.living.ids[truth.root[nodes[0]]], "wrong_nodes": named}
        )
    return found if sim.n else []


def warnings(scene: Scene) -> list[str]:
    """What limits among the parameters do to the network as it is now."""
    truth, sim, par = scene.truth(), scene.sim, scene.par
    if "warnings" not in truth.notes:
        truth.notes["warnings"] = found = []
        most, deepest = getattr(par, "max_neighbours", sim.n), getattr(par, "max_depth", sim.n)
        if any(len(row) > most for row in sim.peers):
            cut, free = (
                len(structure(sim.peers, sim.works, sim.alive, root=NONE, most_neighbours=limit).parts)
                for limit in (most, sim.n)
            )
            if free < cut:
                found.append(
                    f"max_neighbours = {most} cuts the network into {cut} parts; without this limit there would be {free}"
                )
        lost = sum(dist > deepest for dist in truth.dist)
        if lost and scene.overlay("tree", "depth") is not None:
            found.append(
                f"max_depth = {deepest} is less than the tree is deep: {lost} of the nodes are farther from their root"
            )
    told: list[str] = truth.notes["warnings"]
    return list(told)


def ring(scene: Scene) -> dict[str, Any]:
    """The ring as the nodes believe it is; its length as the root of the largest part has it."""
    truth, ids = scene.truth(), scene.living.ids
    top = truth.root[truth.parts[0][0]] if truth.parts else NONE
    length = scene.overlay("ring", "length")
    return {
        "length": length[top] if length is not None and top != NONE else 0,
        "positions": {ids[v]: row for v, row in enumerate(positions(scene)) if row},
    }
