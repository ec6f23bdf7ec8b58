"""`ringcast cluster start --workers 2` and `stop`: a standalone Spark cluster on this machine, as for tests and for
a first look.

State lies in a folder: the addresses, the process ids, the logs. Ports are chosen freely unless given.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.compiled.cache import home
from engine.core.errors import ScenarioError
from spark_batch.java import java_home, options, spark_home

HOST = "127.0.0.1"
START_S = 60.0
MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"


def add_options(parser: ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("do", choices=("start", "stop", "status"))
    parser.add_argument(
        "--workers", type=int, default=2, metavar="N", help="worker processes (default: %(default)s)"
    )
    parser.add_argument(
        "--cores", type=int, default=1, metavar="N", help="of each worker (default: %(default)s)"
    )
    parser.add_argument("--memory", default="1g", help="of each worker (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="of the master (default: any free one)")
    parser.add_argument("--dir", type=Path, help="where its state lies (default: with the compiled code)")


def run(args: Namespace) -> int:
    """Do it, and print the address of the master. Raises: ScenarioError"""
    cluster = Cluster(args.dir or home() / "cluster")
    if args.do == "start":
        for name, value, least, most in (
            ("--workers", args.workers, 1, 64),
            ("--cores", args.cores, 1, 1024),
            ("--port", args.port, 0, 65535),
        ):
            if not least <= value <= most:
                raise ScenarioError(name, value, f"{least} to {most:,}", "out of range")
        sys.stdout.write(f"{cluster.start(args.workers, args.cores, args.memory, args.port)}\n")
    elif args.do == "stop":
        ended = cluster.stop()
        sys.stdout.write(f"{ended} processes ended\n" if ended else "there was no cluster\n")
    else:
        alive = [name for name, pid in cluster.processes().items() if _alive(pid)]
        sys.stdout.write(f"{cluster.master or 'no cluster'} {' '.join(alive)}\n")
    return 0


class Cluster:
    """A master and workers whose state lies in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._children: list[subprocess.Popen[bytes]] = []

    def _state(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads((self.folder / "cluster.json").read_bytes())
        except (OSError, ValueError):
            return {}
        return found

    @property
    def master(self) -> str | None:
        """The address of the master, spark://…"""
        return self._state().get("master")

    def processes(self) -> dict[str, int]:
        """Process ids, by name: master, worker1, worker2, …"""
        found: dict[str, int] = self._state().get("processes", {})
        return found

    def start(self, workers: int, cores: int = 1, memory: str = "1g", port: int = 0) -> str:
        """Start it and wait until all workers have registered; the address of the master.

        Raises: ScenarioError when one runs already, or something does not come up in time.
        """
        if any(_alive(pid) for pid in self.processes().values()):
            raise ScenarioError(
                "cluster", self.master, "one at a time: `cluster stop` first", "it is running"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        port, ui = port or _free_port(), _free_port()
        address, pids = f"spark://{HOST}:{port}", dict[str, int]()
        pids["master"] = self._launch(
            "master", MASTER, "--host", HOST, "--port", str(port), "--webui-port", str(ui)
        )
        self._keep(address, pids)
        for k in range(workers):
            name, own = f"worker{k + 1}", self.folder / f"worker{k + 1}"
            words = (
                "--host",
                HOST,
                "--cores",
                str(cores),
                "--memory",
                memory,
                "--webui-port",
                str(_free_port()),
            )
            pids[name] = self._launch(name, WORKER, *words, "--work-dir", str(own), address)
            self._keep(address, pids)
        try:
            self._wait(ui, workers, pids)
        except BaseException:
            self.stop()
            raise
        return address

    def _launch(self, name: str, what: str, *words: str) -> int:
        script = spark_home() / "bin" / "spark-class"
        env = {key: value for key, value in os.environ.items() if key != "SPARK_HOME"}
        env |= {"JAVA_HOME": str(java_home()), "SPARK_LOCAL_IP": HOST, "SPARK_DAEMON_MEMORY": "512m"}
        env |= {
            "SPARK_DAEMON_JAVA_OPTS": f"{os.environ.get('SPARK_DAEMON_JAVA_OPTS', '')} {options()}".strip()
        }
        env |= {"PYSPARK_PYTHON": sys.executable, "SPARK_MASTER_HOST": HOST}
        with (self.folder / f"{name}.log").open("wb") as log:
            child = subprocess.Popen(
                [script, what, *words],
                env=env,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._children.append(child)
        return child.pid

    def _keep(self, master: str, processes: dict[str, int]) -> None:
        part = self.folder / ".cluster.json"
        part.write_text(json.dumps({"master": master, "processes": processes}))
        part.replace(self.folder / "cluster.json")

    def _wait(self, ui: int, workers: int, pids: dict[str, int]) -> None:
        """Until the master counts so many workers alive."""
        from urllib.request import urlopen

        until, found = time.monotonic() + START_S, 0
        while time.monotonic() < until:
            with suppress(OSError, ValueError), urlopen(f"http://{HOST}:{ui}/json/", timeout=5) as told:
                found = int(json.load(told)["aliveworkers"])
            if found >= workers:
                return
            if dead := [name for name, pid in pids.items() if not _alive(pid)]:
                raise ScenarioError(
                    "cluster", dead[0], f"see {self.folder / dead[0]}.log", "it ended at once"
                )
            time.sleep(0.2)
        allowed = f"{workers} within {START_S:g} s; see the logs in {self.folder}"
        raise ScenarioError("cluster", f"{found} workers", allowed, "not all workers came up")

    def stop(self) -> int:
        """End it; how many processes there were."""
        ended = 0
        for pid in reversed(self.processes().values()):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGTERM)
                ended += 1
        until = time.monotonic() + 10.0
        while any(_alive(pid) for pid in self.processes().values()) and time.monotonic() < until:
            time.sleep(0.05)
        for pid in self.processes().values():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        for child in self._children:
            child.wait()
        (self.folder / "cluster.json").unlink(missing_ok=True)
        return ended


def _alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits for its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port
