"""Checkpoints: the whole engine as plain data, and back. Equal data, equal future."""

from __future__ import annotations

import marshal
from typing import Any

from engine.core import storage
from engine.core.medium import AIR
from engine.core.simulator import Simulator
from engine.core.trace import Digest


def save(sim: Simulator) -> dict[str, Any]:
    """Everything that the future depends on, as lists, numbers and words (JSON keeps it exactly).

    The lists are the simulator's own: copy or write them before it goes on.
    """

    radio, numbers = (None, {}) if sim.radio is None else sim.radio.saved()

    def event(e: Any) -> list[Any]:
        t, seq, v, slot, kind, m = e
        return [t, seq, v, slot, numbers[kind] if slot == AIR else kind, m and storage.listed(m)]

    return {
        "n": sim.n,
        "root": sim.st.env.root,
        "peers": sim.peers,
        "alive": sim.alive,
        "works": sim.works,
        "loss": sim.loss,
        "lossy": sim.lossy,
        "now": sim.now,
        "seq": sim.seq,
        "events": sim.events,
        "digest": [sim.digest.value, sim.digest.words],
        "counts": sim.counts,
        "dropped": sim.dropped,
        "drawn": [streams.drawn for streams in sim.streams],
        "agenda": sorted(map(event, sim.agenda), key=lambda e: e[:2]),
        "air": [event(e) for e in sim.air],
        "partial": None if sim.partial is None else [list(x) for x in sim.partial],
        "radio": radio,
        "columns": storage.plain(sim.st),
    }


def load(sim: Simulator, saved: dict[str, Any]) -> None:
    """Bring a new simulator of the same protocol, seed and network to a saved point."""
    saved = marshal.loads(marshal.dumps(saved))

    def event(e: list[Any]) -> tuple[float, int, int, int, int, Any]:
        t, seq, v, slot, kind, m = e
        if m is not None:
            m = sim.spec.messages[kind].type(*(tuple(x) if isinstance(x, list) else x for x in m))
        return (t, seq, v, slot, kind, m)

    sim.alive[:] = saved["alive"]
    sim.works[:] = saved["works"]
    sim.loss[:] = saved["loss"]
    sim.lossy = saved["lossy"]
    sim.now, sim.seq, sim.events = saved["now"], saved["seq"], saved["events"]
    sim.digest = Digest(saved["digest"][0], saved["digest"][1])
    sim.counts[:] = saved["counts"]
    sim.dropped[:] = saved["dropped"]
    for streams, drawn in zip(sim.streams, saved["drawn"], strict=True):
        streams.restore(drawn)
    sim.agenda.replace(map(event, saved["agenda"]))
    sim.air.clear()
    sim.air.extend(event(e) for e in saved["air"])
    if sim.radio is not None:
        sim.radio.load(saved["radio"])
    sim.partial = None if saved["partial"] is None else [(w, i) for w, i in saved["partial"]]
    storage.refill(sim.st, saved["columns"])
    for v in range(sim.n):
        sim.listen(v)
