"""One Spark session for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spark_batch.session import Session, connect


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    made = connect("local[2]")
    yield made
    made.stop()
