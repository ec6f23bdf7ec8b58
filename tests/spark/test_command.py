"""`ringcast sweep`: from a document to a folder, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.core.errors import ScenarioError
from engine.sweeps import Folder
from spark_batch import java
from tests.spark.support import folder, plain_loop, rows, sweep


def ringcast(*words: str, text: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "backend.cli", *words]
    return subprocess.run(
        command, check=False, input=text, capture_output=True, text=True, env=os.environ | env, timeout=600
    )


def test_a_document_becomes_a_folder_and_is_not_begun_twice(tmp_path: Path) -> None:
    of = sweep(repetitions=2)
    (tmp_path / "sweep.json").write_text(json.dumps(of.plain))
    out = str(tmp_path / "out")
    words = ("sweep", str(tmp_path / "sweep.json"), "--out", out)
    done = ringcast(*words, RINGCAST_MASTER="local[2]")
    assert (done.returncode, done.stdout) == (
        0,
        f"16 runs of 8 points, 4 of them failed (column error says why): {out}\n",
    )
    assert rows(Folder(out)) == plain_loop(of)
    again = ringcast(*words)
    assert again.returncode == 2
    assert "--resume" in again.stderr
    changed = ringcast("sweep", "-", "--out", out, "--resume", text=json.dumps(sweep(repetitions=3).plain))
    assert changed.returncode == 2
    assert "it holds another sweep" in changed.stderr


def test_a_dry_run_tells_and_writes_nothing(tmp_path: Path) -> None:
    told = ringcast("sweep", "-", "--out", str(tmp_path / "out"), "--dry-run", text=json.dumps(sweep().plain))
    assert told.returncode == 0
    assert "points       8\nruns         48\n" in told.stdout
    assert "topology.mean_degree int64" in told.stdout
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "document", "says"),
    [
        ((), {"axes": [{"path": "radoi.loss", "values": [1]}]}, "axes[0].path: radoi: unknown field"),
        (("--master", "spork://here"), {}, "master: no Spark master"),
        (("--master", "sc://127.0.0.1:1"), {}, "master: nobody answers there"),
        (("--conf", "memory=2g"), {}, "--conf: no setting for Spark"),
    ],
)
def test_mistakes_are_named_before_anything_runs(
    tmp_path: Path, words: tuple[str, ...], document: dict[str, Any], says: str
) -> None:
    text = json.dumps({**sweep().plain, "compare": None, **document})
    told = ringcast("sweep", "-", "--out", str(tmp_path / "out"), *words, text=text)
    assert told.returncode == 2
    assert says in told.stderr
    assert "Traceback" not in told.stderr
    assert list(Folder(tmp_path / "out").chunks()) == []


def test_java_comes_along_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("RINGCAST_CACHE", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda name: None)
    home = java.java_home()
    assert home == tmp_path / "java"
    asked = [str(home / "bin" / "java"), "--add-modules=jdk.incubator.vector", "-version"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"})
    assert "version" in told.stderr
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(ScenarioError, match="JAVA_HOME"):
        java.java_home()


def test_the_disk_is_looked_at_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spark_batch import job

    monkeypatch.setattr(job, "SPARE_BYTES", 10**15)
    with pytest.raises(ScenarioError, match="not enough disk for 48 runs"):
        job.check_disk(sweep(), folder(tmp_path, sweep()))
