"""What readers see of a scene: wire columns, the inspector, the parts of a report. Nothing here changes anything."""

from __future__ import annotations

from typing import Any

from engine.core.declare import NONE
from engine.core.trace import REASONS
from engine.oracle.delivery import Publication
from engine.oracle.legitimacy import LAYERS
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
    sim, tree = scene.sim, scene.sim.st.tree
    publishers = {p.node for p in scene.deliveries.all}
    wants = sim.st.pubsub.wants
    flags = []
    for v in range(sim.n):
        bits = ALIVE if sim.alive[v] else 0
        bits |= SUBSCRIBER if wants[v] else 0
        bits |= ROOT if tree.parent[v] == NONE and tree.root[v] == v and sim.alive[v] else 0
        bits |= CORRUPTED if v in scene.corrupted else 0
        bits |= PUBLISHER if v in publishers else 0
        flags.append(bits | wrong[v] << WRONG)
    return {
        "flags": flags,
        "parent": [scene.parent(v) for v in range(sim.n)],
        "depth": list(tree.dist),
        "root": list(tree.root),
        "ring_length": list(sim.st.ring.length),
        "wants": list(wants),
        "part": list(scene.truth().part),
    }


def positions(scene: Scene) -> list[list[int]]:
    """Per node: its own ring positions as it believes."""
    ring = scene.sim.st.ring
    return [
        row[:size] if alive else []
        for row, size, alive in zip(ring.pos, ring.size, scene.sim.alive, strict=True)
    ]


def inspect(scene: Scene, v: int, channel: str | None, last_send: tuple[int, int] | None) -> dict[str, Any]:
    """Node v, layer by layer."""
    sim, living = scene.sim, scene.living
    wrong = _wrong_by_layer(scene, v)
    layers = []
    for layer, count in zip(scene.spec.layers, wrong, strict=True):
        facts = layer.facts(sim.st, v, lambda w: _name(scene, w)) if layer.facts is not None else []
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


def _name(scene: Scene, w: int) -> str:
    return scene.living.names[w] if 0 <= w < scene.sim.n else "?"


def _wrong_by_layer(scene: Scene, v: int) -> list[int]:
    """How many variables of each layer are wrong at node v right now."""
    sim = scene.sim
    scene.truth()
    return scene.judge.at(sim.st, v, sim.peers[v], sim.alive[v])


def _table(
    scene: Scene, v: int, channel: str | None, last_send: tuple[int, int] | None
) -> dict[str, Any] | None:
    """The routing table of node v for one channel, with the names of the nodes that the positions belong to."""
    sim = scene.sim
    layer = next((x for x in scene.spec.layers if x.table is not None), None)
    if layer is None or layer.table is None or not scene.channels:
        return None
    c = scene.channels.index(channel) if channel in scene.channels else 0
    found = layer.table(sim.st, v, c, sim.now)
    owners = {
        p: w
        for w, row in enumerate(positions(scene))
        for p in row
        if sim.st.tree.root[w] == sim.st.tree.root[v]
    }
    expected = scene.judge.next[v][c] if v < len(scene.judge.next) else []
    number, left_from = last_send if last_send is not None else (0, NONE)
    used = scene.deliveries.get(number)
    rows = []
    for k, row in enumerate(found["rows"]):
        target = row["next"]
        right = expected[k] if k < len(expected) else NONE
        rows.append(
            {
                **row,
                "next_node": _name(scene, owners[target]) if target in owners else None,
                "candidate_node": _name(scene, owners[row["candidate"]])
                if row["candidate"] in owners
                else None,
                "wrong": (NONE if target is None else target) != right,
                "in_use": used is not None and used.channel == c and row["position"] == left_from,
            }
        )
    return {
        "title": found["title"],
        "channel": scene.channels[c],
        "forget_s": found["forget_s"],
        "publication": used.id if used is not None and used.channel == c else None,
        "rows": rows,
    }


def publication(scene: Scene, p: Publication) -> dict[str, Any]:
    """One publication, as the report has it."""
    ids = scene.living.ids
    shown = next(m.shown for m in scene.spec.messages if m.shape == "publication")
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
            {"t": round(t, 9), "from": ids[a], "to": ids[b], "fields": {f: getattr(m, f) for f in shown}}
            for t, a, b, m in p.sends
        ],
    }


def parts(scene: Scene) -> list[dict[str, Any]]:
    """The connected parts, largest first: how many nodes, the true root, the wrong variables of each layer in it."""
    truth, bits, sim = scene.truth(), scene.judge.bits, scene.sim
    found = []
    for nodes in truth.parts:
        wrong_nodes = [sum(bits[v] >> k & 1 for v in nodes if v < len(bits)) for k in range(len(LAYERS))]
        named = dict(zip(LAYERS, wrong_nodes, strict=True))
        found.append(
            {"nodes": len(nodes), "root": scene.living.ids[truth.root[nodes[0]]], "wrong_nodes": named}
        )
    return found if sim.n else []


def ring(scene: Scene) -> dict[str, Any]:
    """The ring as the nodes believe it is; its length as the root of the largest part has it."""
    truth, ids = scene.truth(), scene.living.ids
    top = truth.root[truth.parts[0][0]] if truth.parts else NONE
    return {
        "length": scene.sim.st.ring.length[top] if top != NONE else 0,
        "positions": {ids[v]: row for v, row in enumerate(positions(scene)) if row},
    }
