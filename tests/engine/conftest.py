"""Fixtures for the engine's tests."""

from __future__ import annotations

import pytest

from tests.engine.support import FakeNet


@pytest.fixture
def net() -> FakeNet:
    """A fake `net` that notes what a handler sends."""
    return FakeNet()
