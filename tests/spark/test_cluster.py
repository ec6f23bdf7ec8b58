"""A standalone cluster of a master and two workers: the program reaches them by itself, and one may die."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.errors import ScenarioError
from engine.sweeps import Folder
from spark_batch import shipping
from spark_batch.cluster import Cluster
from tests.spark.support import command, folder, plain_loop, rows, sweep


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    made = Cluster(tmp_path / "cluster")
    made.start(workers=2)
    yield made
    made.stop()


def test_a_worker_may_die_in_the_middle(cluster: Cluster, tmp_path: Path) -> None:
    of = sweep(repetitions=40)
    out = folder(tmp_path / "out", of)
    with pytest.raises(ScenarioError, match="it is running"):
        cluster.start(workers=1)
    # A folder that holds neither the program nor a way to it: what workers need must be sent.
    env = os.environ | {"RINGCAST_MASTER": str(cluster.master)}
    process = subprocess.Popen(command(out), env=env, stderr=subprocess.PIPE, text=True)
    hung = threading.Timer(900, process.kill)
    hung.start()
    try:
        _until_some_chunks(out, process)
        os.killpg(cluster.processes()["worker1"], signal.SIGKILL)
        _, told = process.communicate()
    finally:
        hung.cancel()
    assert process.returncode == 0, told
    assert rows(out) == plain_loop(of)
    assert out.done
    logs = [path for path in cluster.folder.rglob("stderr") if "app-" in str(path)]
    assert logs, "no executor was ever started"


def _until_some_chunks(out: Folder, process: subprocess.Popen[str]) -> None:
    """Wait until a chunk is there: the command tells of progress, and each line is a chance to look."""
    assert process.stderr is not None
    for line in process.stderr:
        if " of " in line and any(out.chunks()):
            return
    raise AssertionError(f"it ended with {process.wait()} before there was a chunk")


def test_the_program_is_packed_and_unpacked_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code = shipping.packed()
    assert code == shipping.packed()
    place = shipping.unpacked(code)
    assert shipping.unpacked(code) == place
    for name in ("engine/sweeps/document.py", "spark_batch/tasks.py"):
        assert (place / name).read_bytes() == (shipping.ROOT / name).read_bytes()
        assert (place / name).stat().st_mtime == shipping.SECONDS
    place.parent.chmod(0o777)
    with pytest.raises(PermissionError, match="written by others"):
        shipping.unpacked(code)
