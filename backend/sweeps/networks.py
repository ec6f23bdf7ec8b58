"""The network that a run of a sweep starts on, as a small picture. For worker threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from backend.catalogue import facts
from backend.sweeps import folders
from backend.sweeps.bodies import SweepNetwork, SweepPicture
from engine.api import Run
from engine.core.declare import NONE
from engine.world.radio import LogDistance, heard_network
from engine.world.scenario import load_scenario
from engine.world.topology import build_network

MOST_NODES, MOST_LINKS = 1_000, 12_000
"""More would be a blot where the picture is as wide as a hand, and take seconds to lay out."""
KEPT = ("version", "seed", "topology", "protocol", "radio", "duration_s")
"""What of a document the network and its tree follow from; its events may even be what makes the run fail."""


def network(root: Path, id: str, number: int) -> SweepNetwork:
    """The network of one run, played or not. Raises Refusal for one that is not planned, ScenarioError."""
    return pictured(folders.sweep_with(root, id, number).document(number))


def pictured(document: dict[str, Any]) -> SweepNetwork:
    """The network that a scenario document starts on. Raises ScenarioError."""
    scenario = load_scenario({key: document[key] for key in KEPT if key in document})
    radio = scenario.radio
    bare = build_network(scenario.topology, scenario.seed, drawn=isinstance(radio, LogDistance))
    bare = heard_network(radio, scenario.seed, bare)
    found = SweepNetwork(facts=facts(bare), depth=None, picture=None)
    if bare.n > MOST_NODES or len(bare.links) > MOST_LINKS:
        return found
    run = Run(scenario, trace="none")
    found.picture = SweepPicture(
        x=[_short(x) for x in run.network.x],
        y=[_short(y) for y in run.network.y],
        links=[end for link in run.network.links for end in link],
        parent=None,
        roots=[] if run.root == NONE else [run.root],
    )
    # Where nodes choose links by what they hear, the tree depends on what they will have heard.
    if "tree" in run.scene.judge.ways and not run.scene.by_use:
        truth = run.scene.truth()
        found.depth = max(truth.dist)
        found.picture.parent = truth.parent
        found.picture.roots = sorted({nodes[0] for nodes in truth.owner})
    return found


def _short(x: float) -> float:
    return float(f"{x:.5g}")
