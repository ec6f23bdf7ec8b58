"""docs/your-own-protocol.md shows the file that runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.api import Run
from engine.protocols import token_ring
from engine.world.scenario import load_scenario

GUIDE = (Path(__file__).parents[2] / "docs" / "your-own-protocol.md").read_text("utf-8")
SOURCE = Path(token_ring.__file__).read_text("utf-8")


def block(language: str) -> str:
    """The guide's first block of code in this language."""
    found = re.search(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    assert found is not None
    return found[1]


def test_it_includes_the_whole_file_word_for_word() -> None:
    assert block("python") == SOURCE


def test_the_file_is_short() -> None:
    assert len(SOURCE.splitlines()) < 80


def test_its_scenario_heals() -> None:
    run = Run(load_scenario(block("json")))
    run.advance(20.0)
    assert sum(run.samples[-1][1]) > 500
    run.advance(run.scenario.duration_s)
    assert run.samples[-1][1] == (0, 0, 0, 0)
    assert run.since[3] == pytest.approx(max(t for t in run.since if t is not None))


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(\.\./([^)]+)\)", GUIDE))))
def test_its_links_lead_somewhere(path: str) -> None:
    assert (Path(__file__).parents[2] / path).is_file()
