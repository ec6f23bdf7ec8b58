"""Sweep documents from outside: checked in a thread, within bounds of size and time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from backend.refusal import Refusal
from backend.settings import Settings
from engine.core.errors import ScenarioError
from engine.sweeps import Sweep, load_sweep

LONGEST_S = 10.0
_threads = ThreadPoolExecutor(2, "sweeps-checking")


async def checked(document: Mapping[str, Any], settings: Settings) -> Sweep:
    """The sweep. Raises ScenarioError for what is wrong with it or too big here, Refusal when checking takes too long."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(LONGEST_S):
            sweep = await loop.run_in_executor(_threads, load_sweep, document)
    except TimeoutError:
        allowed = "a smaller base scenario or shorter lists, or the same later"
        message = f"checking it takes more than {LONGEST_S:g} s"
        raise Refusal(503, "body", None, allowed, message, retry_s=10) from None
    if sweep.runs > settings.max_sweep_runs:
        allowed = f"at most {settings.max_sweep_runs:,} runs on this server: fewer values or repetitions"
        raise ScenarioError("runs", sweep.runs, allowed, "too many runs")
    for run in (0, sweep.runs - 1):
        nodes = nodes_of(sweep.document(run)["topology"])
        if nodes > settings.max_nodes:
            most = f"at most {settings.max_nodes:,} nodes on this server"
            raise ScenarioError("base.topology", nodes, most, f"run {run} has too many nodes")
    return sweep


def nodes_of(topology: Mapping[str, Any]) -> int:
    """How many nodes a network has, as far as its document says so: 0 for a built-in one."""
    if "n" in topology:
        return int(topology["n"])
    routers = int(topology.get("Z", 0)) ** 2 + int(topology.get("rows", 0)) * int(topology.get("cols", 0))
    return len(topology.get("nodes", ())) + routers + int(topology.get("clients", 0))
