"""The beacon workload, and the networks that every contender is given.

The workload is the tree layer alone: every node sends its root and distance to all neighbours about once a second over
links of 10 ms, and chooses its parent. An event is one timer or one reception.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import networkx as nx

from engine.core.declare import Column, Env, Input, Layer, Message, ProtocolSpec, Table
from engine.layers.spanning_tree import SPANNING_TREE, Beacon, Tree

DELAY_S = 0.01
DEGREE = 8
SEED = 1


class Given(NamedTuple):
    """A neighbourhood that never changes: every link is used."""

    degree: Annotated[Column[int], Input()]
    peer: Annotated[Table[int], "slot", Input()]
    up: Annotated[Table[int], "slot", Input(start=1)]


class TreeAlone(NamedTuple):
    """The beacon workload's stack."""

    env: Env
    par: Any
    hood: Given
    tree: Tree


TREE_ALONE = ProtocolSpec(
    name="tree-alone",
    title="Tree alone",
    summary="",
    source="",
    state=TreeAlone,
    layers=(Layer("links", "hood", "Links", "", Given, {}, {}), SPANNING_TREE),
    messages=(Message(Beacon, "BEACON", "structure", ""),),
    params=(),
    overlays={},
    subscribe=lambda c: None,
    unsubscribe=lambda c: None,
    publish=lambda c, p: None,
    stabilises=True,
    compiled=True,
)


def network(n: int, degree: float, seed: int) -> list[list[int]]:
    """Adjacency of a connected random graph."""
    while True:
        graph = nx.fast_gnp_random_graph(n, degree / (n - 1), seed=seed)
        if nx.is_connected(graph):
            return [sorted(graph[v]) for v in range(n)]
        seed += 1000


def connect(sim: Any, peers: Sequence[Sequence[int]]) -> None:
    """Tell every node of a simulator, interpreted or compiled, who its neighbours are."""
    for v, row in enumerate(peers):
        sim.st.hood.degree[v] = len(row)
        sim.st.hood.peer[v][:] = row
