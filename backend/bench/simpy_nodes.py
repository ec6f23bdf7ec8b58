"""The beacon workload in SimPy: as fast as it gets, and as its guide writes it. Both give nodes ready to run."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from random import Random
from typing import Any

import simpy

from backend.bench.workload import DELAY_S, SEED


class SimpyNodes:
    """State and rule of the beacon workload, for both ways of writing it in SimPy."""

    def __init__(self, peers: Sequence[Sequence[int]]) -> None:
        self.env = simpy.Environment()
        self.peers, self.n, self.events = peers, len(peers), 0
        self.back = [[peers[w].index(v) for w in peers[v]] for v in range(self.n)]
        self.dist = [0 if v == 0 else self.n for v in range(self.n)]
        self.heard = [[self.n] * len(row) for row in peers]
        self.child = [[False] * len(row) for row in peers]
        self.random = Random(SEED).random

    def choose(self, v: int) -> tuple[int, int]:
        """Distance and parent of v."""
        best, parent = (0 if v == 0 else self.n), -1
        for j, heard in enumerate(self.heard[v]):
            if not self.child[v][j] and heard + 1 < best:
                best, parent = heard + 1, j
        self.dist[v] = best
        return best, self.peers[v][parent] if parent >= 0 else -1

    def hear(self, w: int, i: int, dist: int, parent: int) -> None:
        """w heard a beacon at slot i."""
        self.events += 1
        self.heard[w][i] = dist
        self.child[w][i] = parent == w


def lean(peers: Sequence[Sequence[int]]) -> SimpyNodes:
    """SimPy with bare callbacks: no processes, no stores."""
    nodes = SimpyNodes(peers)
    env = nodes.env

    def arrive(event: Any) -> None:
        nodes.hear(*event._value)

    def tick(event: Any) -> None:
        v = event._value
        nodes.events += 1
        dist, parent = nodes.choose(v)
        for w, i in zip(peers[v], nodes.back[v], strict=True):
            simpy.Timeout(env, DELAY_S, (w, i, dist, parent)).callbacks.append(arrive)
        simpy.Timeout(env, 0.9 + 0.2 * nodes.random(), v).callbacks.append(tick)

    for v in range(nodes.n):
        simpy.Timeout(env, nodes.random(), v).callbacks.append(tick)
    return nodes


def idiomatic(peers: Sequence[Sequence[int]]) -> SimpyNodes:
    """SimPy as its guide writes it: two processes and a Store a node, a process a message on its way."""
    nodes = SimpyNodes(peers)
    env = nodes.env
    inbox = [simpy.Store(env) for _ in range(nodes.n)]

    def travel(w: int, message: tuple[int, int, int]) -> Generator[Any, Any, None]:
        yield env.timeout(DELAY_S)
        inbox[w].put(message)

    def send(v: int) -> Generator[Any, Any, None]:
        yield env.timeout(nodes.random())
        while True:
            nodes.events += 1
            dist, parent = nodes.choose(v)
            for w, i in zip(peers[v], nodes.back[v], strict=True):
                env.process(travel(w, (i, dist, parent)))
            yield env.timeout(0.9 + 0.2 * nodes.random())

    def receive(v: int) -> Generator[Any, Any, None]:
        while True:
            i, dist, parent = yield inbox[v].get()
            nodes.hear(v, i, dist, parent)

    for v in range(nodes.n):
        env.process(send(v))
        env.process(receive(v))
    return nodes
