"""`ringcast bench kernels`: the static kernels beside the same analysis written with networkx, in one run.

With `--prove N` instead: the kernels beside the event engine on N random networks for each way of delivery.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from backend.arguments import count
from backend.bench import plain, proof
from backend.bench.machine import words
from backend.bench.progress import tell, told
from backend.bench.report import table, tell_all, three
from engine.core.errors import ScenarioError
from engine.kernels.studies import WAYS, gains, workload
from engine.world.generators import gnp
from engine.world.topologies import Gnp

Tell = Callable[[str], None]

NODES, SUBSCRIBERS, PUBLICATIONS = 100, 10, 10
DEGREES = (8, 16)
ASKED = ("psvr_all_links", "tree_of_publisher", "tree_of_root")
MARK = "ringcast bench kernels --write docs"


@dataclass
class Result:
    """A contender on networks of one density."""

    name: str
    degree: int
    slices: list[tuple[int, float]] = field(default_factory=list)
    """(networks, CPU seconds)"""

    @property
    def rate(self) -> float:
        """Networks per CPU second, in the best slice."""
        return max(done / seconds for done, seconds in self.slices)

    @property
    def median_rate(self) -> float:
        """The same in the median slice."""
        return median(done / seconds for done, seconds in self.slices)


def kernel(degree: int, seeds: Sequence[int], ways: Sequence[str] = ASKED) -> dict[str, list[int]]:
    """The kernel's counts; it draws the networks and the workloads as well."""
    return gains(NODES, degree, SUBSCRIBERS, PUBLICATIONS, seeds, ways)


def given(degree: int, seeds: Sequence[int]) -> list[tuple[Any, set[int], list[int]]]:
    """The same networks for networkx, with their subscribers and publishers."""
    import networkx as nx

    cases = []
    for seed in seeds:
        graph: Any = nx.Graph()
        graph.add_nodes_from(range(NODES))
        graph.add_edges_from(gnp(Gnp(kind="gnp", n=NODES, mean_degree=degree), seed, drawn=False).links)
        subscribers, publishers = workload(NODES, SUBSCRIBERS, PUBLICATIONS, seed)
        cases.append((graph, set(subscribers), publishers))
    return cases


def race(degree: int, slices: int, batch: int, tell: Tell) -> list[Result]:
    """Kernel and networkx in turn on the same networks: each slice `batch` of them for the kernel, then two for networkx.

    Raises RuntimeError if a count of one differs from the other's.
    """
    kernel(degree, range(1))  # compiles
    rows = [Result(name, degree) for name in ("kernel", "kernel, all five ways", "networkx")]
    for turn in range(slices):
        tell(f"degree {degree}: slice {turn + 1} of {slices}")
        seeds = range(turn * batch, (turn + 1) * batch)
        for row, ways in zip(rows, (ASKED, WAYS), strict=False):
            begin = time.process_time()
            counts = kernel(degree, seeds, ways)
            row.slices.append((batch, time.process_time() - begin))
        cases = given(degree, seeds[:2])
        begin = time.process_time()
        found = [plain.analysis(*case) for case in cases]
        rows[2].slices.append((len(cases), time.process_time() - begin))
        agree(degree, counts, found)
    return rows


def agree(degree: int, counts: dict[str, list[int]], found: Sequence[dict[str, int]]) -> None:
    """Raises RuntimeError unless the first rows of the kernel's columns are what networkx has found."""
    for k, row in enumerate(found):
        ours = {name: counts[name][k] for name in row}
        if ours != row:
            raise RuntimeError(f"degree {degree}: the kernel counts {ours}, networkx {row}")


def markdown(machine: str, results: Sequence[Result]) -> str:
    """The table."""
    against = {r.degree: r.rate for r in results if r.name == "networkx"}
    rows = [
        (
            str(r.degree),
            f"**{r.name}**" if r.name == "kernel" else r.name,
            three(r.rate),
            three(r.median_rate),
            three(1e6 / r.rate),
            three(r.rate / against[r.degree]),
        )
        for r in results
    ]
    head = ("mean degree", "contender", "networks/s", "median", "µs/network", "× networkx")
    return f"Machine: {machine}.\n\n{table(head, rows)}\n"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--quick", action="store_true", help="a second's worth: for tests")
    parser.add_argument("--write", metavar="DIR", help="renew the table in DIR/performance.md")
    parser.add_argument(
        "--prove",
        type=count,
        metavar="N",
        help="compare with the event engine on N networks for each way of delivery, instead",
    )
    parser.add_argument("--way", choices=tuple(proof.PLAYED), help="with --prove: only this way of delivery")


def measure(args: argparse.Namespace) -> int:
    """Run the benchmark, or the comparison, and print what came out. Raises: ScenarioError"""
    if args.way and not args.prove:
        raise ScenarioError("--way", args.way, "with --prove N only", "the benchmark counts all ways")
    if args.prove is not None:
        for way in (args.way,) if args.way else proof.PLAYED:
            begin = time.perf_counter()
            same = proof.compare(way, range(args.prove), tell)
            took = time.perf_counter() - begin
            told()
            found = f"{way}: {same:,} publications on {args.prove:,} networks, the same in both engines"
            sys.stdout.write(f"{found} ({took:.0f} s)\n")
        return 0
    slices, batch = (2, 50) if args.quick else (25, 500)
    results = [r for degree in DEGREES for r in race(degree, slices, batch, tell)]
    told()
    tell_all(markdown(words(), results), MARK, args.write)
    return 0
