"""Commands: what a timed event of the document does to the network, the nodes and the messages in the air.

Whatever is random here comes from a stream of the command's own place in the document.
"""

from __future__ import annotations

from typing import Any

from engine.core.declare import Input, ProtocolSpec, fields
from engine.core.errors import ScenarioError
from engine.core.rng import Stream
from engine.core.simulator import Simulator
from engine.core.trace import COMMAND
from engine.play.bursts import Burst, loss_of, settle
from engine.play.scene import Scene


def apply(scene: Scene, index: int, event: Any) -> None:
    """Let event `index` of the document take effect now. Raises ScenarioError if it cannot."""
    path = f"events[{index}]"
    match event.do:
        case "subscribe" | "unsubscribe" | "publish":
            _application(scene, event)
        case "fail-node" | "restore-node":
            _power(scene, scene.living.index(event.node), event.do == "restore-node")
        case "fail-link" | "restore-link":
            _link(scene, event)
        case "partition":
            inside = {scene.living.index(name) for name in event.nodes}
            for a, b in scene.living.links:
                if (a in inside) != (b in inside):
                    scene.cut |= {(a, b), (b, a)}
                    scene.refresh_link(a, b)
        case "restore-all":
            failed = {(min(pair), max(pair)) for pair in scene.cut}
            scene.cut.clear()
            for a, b in sorted(failed):
                scene.refresh_link(a, b)
        case "set-loss":
            _loss(scene, event)
        case "loss-burst":
            nodes = event.link or event.nodes or ()
            places = tuple(scene.living.index(name) for name in nodes)
            scene.bursts[index] = Burst(event.loss, places, only_between=event.link is not None)
            settle(scene)
        case "loss-burst-over":
            del scene.bursts[event.burst]
            settle(scene)
        case "move-node":
            _move(scene, scene.living.index(event.node), event.x, event.y)
        case "add-node":
            _add(scene, event)
        case "corrupt":
            _corrupt(scene, index, path, event)
        case "corrupt-messages":
            stream = Stream(scene.seed, "corrupt-messages", index)
            scene.reshape(lambda sim: _corrupt_messages(sim, stream, event.share))
        case "inject":
            _inject(scene, path, event)
    scene.sim.record((COMMAND, scene.sim.now, index))


def fits(spec: ProtocolSpec, event: Any, path: str) -> None:
    """Refuse an event that means nothing to this protocol: a service, layer, field or message it does not have.

    Raises ScenarioError.
    """
    do = event.do
    if do in ("subscribe", "unsubscribe", "publish") and do not in spec.services:
        allowed = (
            f"{' or '.join(spec.services) or 'no such events'} with protocol {spec.name}, or another protocol"
        )
        raise ScenarioError(f"{path}.do", do, allowed, f"{spec.title} has no {do}")
    if do == "storm" and event.churn_per_s and not {"subscribe", "unsubscribe"} <= spec.services.keys():
        allowed = "0 with this protocol, or another protocol"
        raise ScenarioError(
            f"{path}.churn_per_s", event.churn_per_s, allowed, f"{spec.title} has no subscriptions"
        )
    if do == "corrupt":
        _corruptible(spec, event, path)
    if do == "inject":
        names = [m.name for m in spec.messages if m.shape != "local"]
        if event.message not in names:
            raise ScenarioError(f"{path}.message", event.message, ", ".join(names), "unknown message")


def _corruptible(spec: ProtocolSpec, event: Any, path: str) -> None:
    names = [layer.name for layer in spec.layers]
    if event.layer != "*" and event.layer not in names:
        raise ScenarioError(f"{path}.layer", event.layer, f'{", ".join(names)} or "*"', "unknown layer")
    if event.field is None:
        if event.value is not None:
            raise ScenarioError(f"{path}.value", event.value, "a field beside it", "a value without a field")
        return
    if event.layer == "*":
        raise ScenarioError(f"{path}.layer", "*", "one layer beside a field", "a field needs its layer")
    known = [f.name for f in fields(spec.layer(event.layer).state) if not isinstance(f.kind, Input)]
    if event.field not in known:
        problem = f"no such variable in layer {event.layer}"
        raise ScenarioError(f"{path}.field", event.field, ", ".join(known), problem)


def _application(scene: Scene, event: Any) -> None:
    """Subscribe, unsubscribe, publish: a message from the application to its node; a failed node has no application."""
    sim, v = scene.sim, scene.living.index(event.node)
    c = scene.channel(event.channel)
    if not sim.alive[v]:
        return
    make = scene.spec.services[event.do]
    if event.do == "subscribe":
        scene.wants[v] |= 1 << c
        sim.inject(v, make(c))
    elif event.do == "unsubscribe":
        scene.wants[v] &= ~(1 << c)
        sim.inject(v, make(c))
    else:
        part = scene.part()
        expected = {
            w
            for w in range(sim.n)
            if w != v and part[w] == part[v] and sim.alive[w] and scene.wants[w] >> c & 1
        }
        number = len(scene.deliveries.all) + 1
        scene.expect(v, c, event.data, expected, number)
        sim.inject(v, make(c, number))


def _power(scene: Scene, v: int, on: bool) -> None:
    """Fail a node, or switch it on again: it then has forgotten everything but what its application subscribes to."""
    sim = scene.sim
    if sim.alive[v] == on:
        return
    sim.alive[v] = on
    if on:
        sim.reset_node(v)
    else:
        sim.hush(v)
    sim.relisten(v)
    scene.world_changed()


def _link(scene: Scene, event: Any) -> None:
    a, b = (scene.living.index(name) for name in event.link)
    pairs = {(a, b)} if event.oneway else {(a, b), (b, a)}
    scene.cut = scene.cut | pairs if event.do == "fail-link" else scene.cut - pairs
    scene.refresh_link(a, b)


def _loss(scene: Scene, event: Any) -> None:
    link = None
    if event.link is None:
        scene.base_loss = event.loss
        scene.link_loss.clear()
    else:
        a, b = (scene.living.index(name) for name in event.link)
        link = (min(a, b), max(a, b))
        scene.link_loss[link] = event.loss
    if scene.bursts:
        settle(scene)
    else:
        scene.sim.set_loss(event.loss, link)


def _move(scene: Scene, v: int, x: float, y: float) -> None:
    """Where links follow from a range, new neighbours come and far ones go."""
    living = scene.living
    living.move(v, x, y)
    for w in living.within_range(v):
        if living.link(v, w) is None:
            _connect(scene, v, w)
    for w in list(scene.sim.peers[v]):
        scene.refresh_link(v, w)
    scene.retune()


def _add(scene: Scene, event: Any) -> None:
    living = scene.living
    v = living.add_node(event.id, event.x, event.y)
    scene.sim.add_node()
    scene.wants.append(0)
    scene.sync_inputs(v)
    linked = [living.index(name) for name in event.links] or living.within_range(v)
    for w in linked:
        _connect(scene, v, w)
    scene.retune()
    scene.world_changed()


def _connect(scene: Scene, v: int, w: int) -> None:
    scene.living.add_link(v, w)
    scene.sim.add_link(v, w, loss_of(scene, v, w))
    scene.sync_inputs(v)
    scene.sync_inputs(w)
    scene.world_changed()


def _corrupt(scene: Scene, index: int, path: str, event: Any) -> None:
    sim = scene.sim
    layer = None if event.layer == "*" else event.layer
    nodes = (
        [v for v in range(sim.n) if sim.alive[v]] if event.node == "*" else [scene.living.index(event.node)]
    )
    value = _value(scene, path, event)
    stream = Stream(scene.seed, "corrupt", index)
    sim.corrupt(stream, nodes, layer=layer, field_name=event.field, value=value)
    scene.corrupted.update(nodes)


def _value(scene: Scene, path: str, event: Any) -> float | None:
    """The value that a corruption asks for, if the field may hold it. Raises ScenarioError."""
    if event.value is None:
        return None
    declared = {f.name: f.kind for f in fields(scene.spec.layer(event.layer).state)}
    kind, env = declared[event.field], scene.sim.st.env
    if kind.name == "seconds":
        if isinstance(event.value, (int, float)):
            return float(event.value)
        raise ScenarioError(f"{path}.value", event.value, "seconds", "not a number")
    width = min(len(scene.sim.peers[v]) for v in _targets(scene, event)) - 1
    low, high = kind.lo, width if kind.name == "slot" else kind.top(env)
    if (
        not isinstance(event.value, (int, float))
        or event.value != int(event.value)
        or not low <= event.value <= high
    ):
        allowed = f"a whole number from {low} to {high}"
        raise ScenarioError(f"{path}.value", event.value, allowed, f"outside what {event.field} can hold")
    return int(event.value)


def _targets(scene: Scene, event: Any) -> list[int]:
    return list(range(scene.sim.n)) if event.node == "*" else [scene.living.index(event.node)]


def _corrupt_messages(sim: Simulator, stream: Stream, share: float) -> None:
    """Random fields for some of the frames in the air; a list keeps its length."""

    def changed(v: int, kind: int, m: Any) -> Any:
        if stream.uniform() >= share:
            return m
        declared = fields(sim.spec.messages[kind].type)
        made = {f.name: f.kind.draw(stream, sim.st.env, len(sim.peers[v])) for f in declared}
        if sim.listed[kind]:
            name = m._fields[-1]
            kinds = {f.name: f.kind for f in declared}
            made[name] = tuple(kinds[name].draw(stream, sim.st.env, 0) for _ in m[-1])  # type: ignore[assignment]
            made["size"] = len(m[-1])
        return type(m)(**made)

    frames = [(t, seq, v, slot, kind, changed(v, kind, m)) for t, seq, v, slot, kind, m in sim.air]
    sim.air.clear()
    sim.air.extend(frames)
    if sim.radio is not None:
        sim.radio.rewrite(changed)


def _inject(scene: Scene, path: str, event: Any) -> None:
    sim, living = scene.sim, scene.living
    to, sender = living.index(event.to), living.index(event.from_)
    if sender not in sim.peers[to]:
        near = ", ".join(living.ids[w] for w in sim.peers[to][:8])
        raise ScenarioError(
            f"{path}.from", event.from_, f"a neighbour of {event.to}: {near}", "not a neighbour"
        )
    kinds = {m.name: m for m in scene.spec.messages}
    declared = {f.name: f.kind for f in fields(kinds[event.message].type)}
    for name in event.fields:
        if name not in declared:
            raise ScenarioError(
                f"{path}.fields.{name}", event.fields[name], ", ".join(declared), "unknown field"
            )
    made: dict[str, Any] = {}
    is_listed = sim.listed[sim.kinds[kinds[event.message].type]]
    listed = list(declared)[-1] if is_listed else None
    for name, kind in declared.items():
        given = event.fields.get(name, () if name == listed else max(kind.lo, 0))
        entries = given if isinstance(given, (tuple, list)) else (given,)
        low, high = kind.lo, kind.top(sim.st.env)
        if (name == listed) != isinstance(given, (tuple, list)) or not all(low <= x <= high for x in entries):
            allowed = (
                f"{'a list of whole numbers' if name == listed else 'a whole number'} from {low} to {high}"
            )
            raise ScenarioError(f"{path}.fields.{name}", given, allowed, "not what this field can hold")
        made[name] = tuple(entries) if name == listed else given
    if listed is not None:
        made["size"] = len(made[listed])
    sim.inject(to, kinds[event.message].type(**made), sim.peers[to].index(sender))
