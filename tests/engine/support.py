"""Small networks, a fake `net`, and a stack to poke at."""

from __future__ import annotations

from typing import Any

from engine.api import Run
from engine.core.declare import NONE
from engine.core.errors import ProtocolBug
from engine.core.simulator import Simulator
from engine.protocols.psvr import PSVR
from engine.registry import as_tuple, parameters
from engine.world.scenario import load_scenario


class FakeNet:
    """Notes what a handler does."""

    def __init__(self, now: float = 0.0) -> None:
        self.sent: list[tuple[Any, ...]] = []
        self.time = now

    def broadcast(self, v: int, m: Any) -> None:
        self.sent.append((v, m))

    def unicast(self, v: int, j: int, m: Any) -> None:
        self.sent.append((v, j, m))

    def after(self, v: int, delay: float, m: Any) -> None:
        self.sent.append((v, delay, m))

    def deliver(self, v: int, channel: int, publication: int) -> None:
        self.sent.append((v, channel, publication))

    def uniform(self, v: int) -> float:
        return 0.5

    def now(self) -> float:
        return self.time


def stack(links: list[tuple[int, int]], n: int, **params: Any) -> Any:
    """The state of a PSVR stack at power-on, all links in use."""
    peers: list[list[int]] = [[] for _ in range(n)]
    for a, b in links:
        peers[a].append(b)
        peers[b].append(a)
    ids = [str(v) for v in range(n)]
    values = parameters(PSVR, params, ids)
    values["max_depth"] = values["max_depth"] or n
    sim = Simulator(PSVR, peers, as_tuple(PSVR, values), root=0, channels=2)
    for v in range(n):
        sim.st.hood.degree[v] = len(sim.peers[v])
        sim.st.hood.peer[v][:] = sim.peers[v]
        sim.st.hood.up[v][:] = [1] * len(sim.peers[v])
    return sim.st


def scenario(
    topology: dict[str, Any], events: list[dict[str, Any]], duration: float = 60.0, **more: Any
) -> dict[str, Any]:
    """A scenario document for PSVR; `params`, `radio`, `seed` and `root` may be given."""
    params = {"lease_s": 3.0, "forget_s": 8.0, **more.pop("params", {})}
    return {
        "version": 1,
        "topology": topology,
        "protocol": {"name": "psvr", "params": params},
        "events": events,
        "duration_s": duration,
        **more,
    }


def play(document: dict[str, Any], until: float | None = None, **options: Any) -> Run:
    """The run of a document, played to `until` or its end."""
    run = Run(load_scenario(document), **options)
    run.advance(document["duration_s"] if until is None else until)
    return run


def subscribe(node: str, channel: str = "c", t: float = 0.0) -> dict[str, Any]:
    """A subscribe event."""
    return {"t": t, "do": "subscribe", "node": node, "channel": channel}


def publish(node: str, t: float, channel: str = "c") -> dict[str, Any]:
    """A publish event."""
    return {"t": t, "do": "publish", "node": node, "channel": channel}


def legitimate(run: Run) -> bool:
    """Whether every layer was legitimate at the latest sample."""
    return bool(run.samples) and not any(run.samples[-1][1])


class Guarded(list[Any]):
    """A field that only the acting node may index."""

    sim: Simulator | None = None

    def _check(self, v: Any) -> None:
        acting = NONE if Guarded.sim is None else Guarded.sim.acting
        if acting not in (NONE, v):
            raise ProtocolBug(f"node {acting} reaches for node {v}")

    def __getitem__(self, v: Any) -> Any:
        self._check(v)
        return super().__getitem__(v)

    def __setitem__(self, v: Any, x: Any) -> None:
        self._check(v)
        super().__setitem__(v, x)


__all__ = ["NONE", "FakeNet", "Guarded", "legitimate", "play", "publish", "scenario", "stack", "subscribe"]
