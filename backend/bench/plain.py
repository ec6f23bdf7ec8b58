"""The analysis behind PSVR Fig. 7, written plainly with networkx: `engine.kernels` is measured against it and equals it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import networkx as nx

Graph = Any  # networkx's graphs of whole numbers
Positions = dict[int, list[int]]


def analysis(graph: Graph, subscribers: AbstractSet[int], publishers: Sequence[int]) -> dict[str, int]:
    """Messages by way, summed over the publications: the columns of `engine.kernels.studies.gains` of these names."""
    root = centre(graph)
    tree = breadth_first(graph, root)
    walk = ring(tree, root)
    pos: Positions = {v: [p for p, w in enumerate(walk) if w == v] for v in graph}
    following = next_subscribers(walk, subscribers)
    own = {v: breadth_first(graph, v) for v in set(publishers)}
    return {
        "psvr_all_links": sum(psvr(graph, walk, pos, following, v) for v in publishers),
        "tree_of_publisher": sum(pruned(own[v], {v, *subscribers}) for v in publishers),
        "tree_of_root": sum(pruned(tree, {v, *subscribers}) for v in publishers),
    }


def centre(graph: Graph) -> int:
    """Half-way along a longest-looking path; of the nodes there the one whose farthest node is nearest (at most 32)."""

    def farthest(hops: dict[int, int]) -> int:
        return max(hops, key=lambda v: (hops[v], -v))

    a = farthest(nx.single_source_shortest_path_length(graph, 0))
    from_a = nx.single_source_shortest_path_length(graph, a)
    b = farthest(from_a)
    from_b = nx.single_source_shortest_path_length(graph, b)
    length = from_a[b]
    halves = (length // 2, (length + 1) // 2)
    middle = [v for v in sorted(graph) if from_a[v] + from_b[v] == length and from_a[v] in halves]
    step = -(-len(middle) // 32)
    found: int = min(middle[::step], key=lambda v: (nx.eccentricity(graph, v), v))
    return found


def breadth_first(graph: Graph, root: int) -> Graph:
    """The tree in which every node's parent is its first neighbour, in node order, one hop nearer to the root."""
    hops = nx.single_source_shortest_path_length(graph, root)
    tree: Graph = nx.Graph()
    tree.add_node(root)
    tree.add_edges_from((v, min(u for u in graph[v] if hops[u] == hops[v] - 1)) for v in hops if v != root)
    return tree


def ring(tree: Graph, root: int) -> list[int]:
    """The nodes in the order of the walk around the tree, children in node order: L = 2(n - 1) of them."""
    walk = []
    for u, v, way in nx.dfs_labeled_edges(tree, root, sort_neighbors=sorted):
        if way == "forward":
            walk.append(v)
        elif way == "reverse" and u != v:
            walk.append(u)
    return walk[:-1]


def next_subscribers(walk: Sequence[int], subscribers: AbstractSet[int]) -> list[int | None]:
    """For each position: the next position of another subscriber."""
    length = len(walk)
    return [
        next(
            (q % length for q in range(p + 1, p + length) if walk[q % length] in subscribers - {v}),
            None,
        )
        for p, v in enumerate(walk)
    ]


def in_open(x: int, left: int, right: int, length: int) -> bool:
    """Whether x comes strictly after left and strictly before right; if left = right: every x but left."""
    return x != left and (left == right or (x - left) % length < (right - left) % length)


def psvr(
    graph: Graph, walk: Sequence[int], pos: Positions, following: Sequence[int | None], publisher: int
) -> int:
    """Messages of one publication by PSVR, every link a shortcut (PSVR Alg. 2 with erratum 2)."""
    length, messages = len(walk), 0
    start = pos[publisher][0]
    todo = [(start, start)]
    while todo:
        cur, ep = todo.pop()
        v = walk[cur]
        for p, after in zip(pos[v], pos[v][1:] + pos[v][:1], strict=True):
            if cur == ep or p == cur or in_open(p, cur, ep, length):
                new_ep = after if p == ep or in_open(after, p, ep, length) else ep
                ns = following[p]
                if ns is not None and in_open(ns, p, new_ep, length):
                    near: Iterable[int] = (q for w in graph[v] for q in pos[w])
                    ahead = (ns - p) % length
                    goal = p + max(d for q in near if 0 < (d := (q - p) % length) <= ahead)
                    todo.append((goal % length, new_ep))
                    messages += 1
    return messages


def pruned(tree: Graph, kept: AbstractSet[int]) -> int:
    """Links of the tree once leaves that are not `kept` have been cut off again and again (PSVR §5)."""
    tree = tree.copy()
    while leaves := [v for v in tree if tree.degree(v) <= 1 and v not in kept]:
        tree.remove_nodes_from(leaves)
    links: int = tree.number_of_edges()
    return links
