"""A server shared by the tests that change nothing about it, and one of its own for those that do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.backend.support import Serving, serving, settings_for


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running server with the usual settings."""
    with serving(settings_for(tmp_path_factory.mktemp("server"))) as here:
        yield here


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Callable[..., Serving]]:
    """Start a server with changed settings; on the same data folder each time it is called in one test."""
    with ExitStack() as running:

        def start(**changes: Any) -> Serving:
            return running.enter_context(serving(settings_for(tmp_path, **changes)))

        yield start
