"""Fixtures for the engine's tests."""

from __future__ import annotations

import pytest

from tests.engine.support import FakeNet


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many random scenarios both engines play; known where these tests are named on the command line."""
    parser.addoption("--cases", type=int, default=80, help="random scenarios that both engines play")


@pytest.fixture
def net() -> FakeNet:
    """A fake `net` that notes what a handler sends."""
    return FakeNet()
