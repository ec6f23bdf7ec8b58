"""./run and ./test answer the user's mistakes in one line, before they install anything."""

from __future__ import annotations

import ast
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def call(*command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHON": sys.executable}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=60)


def test_a_taken_port_is_named_with_a_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call("./run", "--port", str(port))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: port {port} is taken")
    assert done.stderr.count("\n") == 1
    assert "--port" in done.stderr


@pytest.mark.parametrize("port", ["65536", "-1", "", "٨٠"])
def test_what_is_no_port_is_refused(port: str) -> None:
    done = call("./run", f"--port={port}")
    assert done.returncode == 2
    assert "is no port; allowed are 0 to 65535" in done.stderr


def test_an_address_of_another_machine_is_refused() -> None:
    done = call("./run", "--host", "192.0.2.1", "--port", "0")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --host 192.0.2.1 is no address of this machine")


def test_an_unknown_suite_is_answered_with_the_known_ones() -> None:
    done = call("./test", "pyhton")
    assert done.returncode == 2
    assert "'pyhton'" in done.stderr
    assert "python" in done.stderr.split("allowed are")[1]


def test_the_first_file_parses_on_an_old_python() -> None:
    ast.parse((ROOT / "tools" / "boot.py").read_text(), feature_version=(3, 4))


def test_an_old_python_is_told_so(tmp_path: Path) -> None:
    newer_wanted = (ROOT / "tools" / "boot.py").read_text().replace("NEEDED = (3, 11)", "NEEDED = (3, 99)")
    (tmp_path / "boot.py").write_text(newer_wanted)
    # No other Python on the PATH to turn to.
    done = call(
        "/usr/bin/env", "-i", "PATH=/nowhere", str(ROOT / ".venv/bin/python"), str(tmp_path / "boot.py")
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: Python 3.99 or newer is needed")
    assert done.stderr.count("\n") == 1
