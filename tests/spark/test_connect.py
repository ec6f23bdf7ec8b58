"""Spark Connect: the same command, another address."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_batch.java import java_home, options, spark_home
from tests.spark.support import command, folder, plain_loop, rows, sweep

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A Connect server on two cores; it answers once its port is open."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(spark_home() / "bin" / "spark-class"), "org.apache.spark.deploy.SparkSubmit"]
    command += [
        "--master",
        "local[2]",
        "--driver-java-options",
        options(),
        "--conf",
        f"spark.connect.grpc.binding.port={port}",
    ]
    command += ["--conf", "spark.connect.grpc.binding.address=127.0.0.1", "--conf", "spark.ui.enabled=false"]
    command += ["--class", SERVER, "spark-internal"]
    env = {name: value for name, value in os.environ.items() if name not in ("SPARK_HOME", "SPARK_REMOTE")}
    env |= {"JAVA_HOME": str(java_home()), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    process = subprocess.Popen(
        command,
        env=env,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if "Spark Connect server started" in line:
            break
    else:
        raise AssertionError("".join(said))
    with (tmp_path / "server.log").open("w") as log:
        drain = subprocess.Popen(["cat"], stdin=process.stdout, stdout=log)
        yield f"sc://127.0.0.1:{port}"
        process.terminate()
        process.wait()
        process.stdout.close()
        drain.wait()


def test_connect_gives_the_same_rows(server: str, tmp_path: Path) -> None:
    of = sweep(repetitions=3)
    out = folder(tmp_path / "out", of)
    told = subprocess.run(
        [*command(out), "--master", server], check=False, capture_output=True, text=True, timeout=900
    )
    assert told.returncode == 0, told.stderr
    assert rows(out) == plain_loop(of)
    summary = out.read_summary()
    assert summary is not None
    assert (summary["runs_done"], len(summary["points"])) == (of.runs, of.points)
