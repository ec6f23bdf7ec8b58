"""`net`: what a handler can do, and nothing else of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.core.errors import ProtocolBug
from engine.core.rng import P_PROTOCOL
from engine.core.trace import DELIVER, SEND

if TYPE_CHECKING:
    from engine.core.simulator import Simulator

LOCAL = -1  # in place of a slot: the node itself, or its application


_of: Any = tuple.__new__
"""A named tuple from its fields, without the Python function that its class has for that."""


class Port:
    """`net`, as a handler sees it: the five ways out of a node, and the clock."""

    __slots__ = ("_sim",)

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim

    def broadcast(self, v: int, m: Any) -> None:
        """To every radio neighbour."""
        self.unicast(v, -1, m)

    def unicast(self, v: int, j: int, m: Any) -> None:
        """To the neighbour behind slot j."""
        sim = self._sim
        kind = sim.kinds[type(m)]
        if j >= len(sim.peers[v]):
            name = sim.spec.messages[kind].name
            raise self._bug(f"{name} is sent to slot {j} of a node with {len(sim.peers[v])} neighbours")
        sim.counts[kind] += 1
        if sim.listed[kind]:
            m = self._cut(m, kind)
        seq = sim.seq
        sim.seq = seq + 1
        if sim.observing:
            words = sim.digest.words
            words += (int(sim.now * 1e9), v, j, kind)
            if sim.listed[kind]:
                words += m[:-1]
                words += m[-1]
            else:
                words += m
            if sim.watched[kind]:
                to = sim.peers[v][j] if j >= 0 else -1
                sim.trace.append((SEND, sim.now, seq, sim.cause, v, to, kind, m))
        sim.launch((sim.now + sim.delay_s, seq, v, j, kind, m))

    def after(self, v: int, delay: float, m: Any) -> None:
        """To itself, `delay` seconds from now."""
        sim = self._sim
        kind = sim.kinds[type(m)]
        if not delay >= 0.0:
            raise self._bug(f"{sim.spec.messages[kind].name} is sent to the past")
        if sim.listed[kind]:
            m = self._cut(m, kind)
        sim.agenda.push((sim.now + delay, sim.seq, v, LOCAL, kind, m))
        sim.seq += 1

    def _cut(self, m: Any, kind: int) -> Any:
        """The message with a list of its own, of `size` entries. Raises ProtocolBug."""
        if not 0 <= m.size <= len(m[-1]):
            name = self._sim.spec.messages[kind].name
            raise self._bug(f"{name}.size is {m.size}, but {name}.{m._fields[-1]} has {len(m[-1])} entries")
        return _of(type(m), (*m[:-1], tuple(m[-1][: m.size])))

    def _bug(self, what: str) -> ProtocolBug:
        return ProtocolBug(f"{self._sim.spec.name}: {what}")

    def deliver(self, v: int, channel: int, publication: int) -> None:
        """To the application of node v."""
        sim = self._sim
        if sim.observing:
            sim.record((DELIVER, sim.now, sim.cause, v, channel, publication))

    def uniform(self, v: int) -> float:
        """A random number in [0, 1) of node v's own."""
        return self._sim.streams[P_PROTOCOL].next(v)

    def now(self) -> float:
        """Virtual seconds."""
        return self._sim.now
