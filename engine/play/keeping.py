"""A scene as plain data, and back: the engine's checkpoint and the books beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.core import checkpoint
from engine.play.bursts import Burst
from engine.play.living import Living
from engine.play.scene import Scene
from engine.world.radio import Spot


def save(scene: Scene) -> dict[str, Any]:
    """Everything about a scene that is not in its document. Shares lists with the scene: copy before it goes on."""
    names = {m.type: m.name for m in scene.spec.messages}
    return {
        "network": scene.living.as_plain(),
        "sim": checkpoint.save(scene.sim),
        "cut": sorted([a, b] for a, b in scene.cut),
        "base_loss": scene.base_loss,
        "link_loss": [[a, b, loss] for (a, b), loss in sorted(scene.link_loss.items())],
        "bursts": [[k, b.loss, list(b.nodes), b.only_between] for k, b in sorted(scene.bursts.items())],
        "channels": scene.channels,
        "wants": scene.wants,
        "corrupted": sorted(scene.corrupted),
        "books": [
            [
                *(p.number, p.t, p.node, p.channel, p.data, sorted(p.expected)),
                *([[v, t, h] for v, (t, h) in p.delivered.items()], p.duplicates, p.messages),
                *(
                    [[t, a, b, names[type(m)], list(m)] for t, a, b, m in p.sends],
                    [[s, h] for s, h in p.hops.items()],
                    p.last,
                ),
            ]
            for p in scene.deliveries.all
        ],
    }


def network(saved: dict[str, Any], audible: Callable[[Spot, Spot], bool] | None) -> Living:
    """The living network of a saved scene, where `audible` says who hears whom, if positions do."""
    living = Living.from_plain(saved["network"])
    living.audible = audible
    return living


def load(scene: Scene, saved: dict[str, Any]) -> None:
    """Bring a new scene, staged on the saved network, to where the saved one was."""
    checkpoint.load(scene.sim, saved["sim"])
    scene.cut = {(a, b) for a, b in saved["cut"]}
    scene.base_loss = saved["base_loss"]
    scene.link_loss = {(a, b): loss for a, b, loss in saved["link_loss"]}
    scene.bursts = {k: Burst(loss, tuple(nodes), only) for k, loss, nodes, only in saved["bursts"]}
    scene.channels = list(saved["channels"])
    scene.wants = list(saved["wants"])
    scene.corrupted = set(saved["corrupted"])
    carrier = {m.name: m.type for m in scene.spec.messages}
    for number, t, node, channel, data, expected, delivered, duplicates, count, sends, hops, last in saved[
        "books"
    ]:
        entry = scene.deliveries.published(t, node, channel, data, set(expected), number)
        entry.delivered = {v: (when, h) for v, when, h in delivered}
        entry.duplicates, entry.messages, entry.last = duplicates, count, last
        entry.sends = [(when, a, b, carrier[name](*m)) for when, a, b, name, m in sends]
        entry.hops = dict(hops)
    scene.judged()
