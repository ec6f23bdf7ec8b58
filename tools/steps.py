"""How a step of the set-up is done: only if due, one at a time in a clone, and in words when it fails."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools.console import CACHE, ROOT, Stop, last_lines, run_logged, say, show

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
BIN = CACHE / "bin"
MODULES = ROOT / "node_modules"
LOGS = CACHE / "log"
COMPILED = CACHE / "compiled"

# Settings of the surrounding shell that would change what is installed or tested. Where packages come from
# (PIP_INDEX_URL, npm's registry, proxies, certificates) stays the user's.
FOREIGN = (
    "MYPYPATH",
    "NODE_ENV",
    "NODE_PATH",
    "PIP_PREFIX",
    "PIP_REQUIRE_VIRTUALENV",
    "PIP_ROOT",
    "PIP_TARGET",
    "PIP_USER",
    "PYTEST_ADDOPTS",
    "PYTHONDONTWRITEBYTECODE",  # compiling all packages at every start costs more than a second
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSAFEPATH",
    "PYTHONWARNINGS",
)

UNREACHABLE = re.compile(
    r"ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ERR_SOCKET_TIMEOUT|E40[137]\b|"
    r"NewConnectionError|Connection(Error|Refused|Reset)|connection broken|Read timed out|name resolution|"
    r"ProxyError|SSLError|CERT_|certificate|No matching distribution|Could not fetch URL|Max retries"
)


def environment() -> dict[str, str]:
    """The environment every later command runs in."""
    env = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    env["PATH"] = os.pathsep.join([str(BIN), str(VENV / "bin"), env.get("PATH", os.defpath)])
    env["VIRTUAL_ENV"] = str(VENV)
    env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    env["PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD"] = "1"
    env.setdefault("RINGCAST_CACHE", str(COMPILED))
    return env


def step(label: str | None, key: str, stamp: Path, result: Path, work: Callable[[], None]) -> None:
    """Do the work unless its result is there with a stamp that says `key`."""
    if result.exists() and stamp.exists() and stamp.read_text() == key:
        return
    if label:
        say(label)
    stamp.unlink(missing_ok=True)
    work()
    stamp.write_text(key)


def carry_out(what: str, command: Sequence[str | Path], *, ours: bool = False) -> None:
    """Run one command of a step; if it fails, show its last lines and say what to look at."""
    log = LOGS / f"{what.replace(' ', '-')}.log"
    if run_logged(what, command, log, environment()) == 0:
        return
    tail = last_lines(log, 12)
    show("\n".join(f"  | {line}" for line in tail.splitlines()))
    where = log.relative_to(ROOT)
    if re.search(r"No space left on device|ENOSPC|EDQUOT|Disk quota exceeded", tail):
        raise Stop(f"could not {what}: the disk is full; {free_mb()} MB are free in {ROOT}")
    if ours:
        raise Stop(f"could not {what}; the whole output is in {where}", code=1)
    if UNREACHABLE.search(log.read_text(errors="replace")):
        settings = "npm config get registry" if "npm" in what else "PIP_INDEX_URL or pip config list"
        raise Stop(
            f"could not {what}: the package registry cannot be reached or lacks one; look at the network, "
            f"HTTPS_PROXY, and {settings}; the whole output is in {where}"
        )
    raise Stop(f"could not {what}; the whole output is in {where}")


def free_mb() -> int:
    """How much the disk under the clone can take."""
    return shutil.disk_usage(ROOT).free // 2**20


@contextmanager
def alone() -> Iterator[None]:
    """Hold the clone's lock; it goes with the process, however that ends."""
    with (CACHE / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another ./run or ./test is setting up in this folder; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def files(folder: Path) -> Iterator[Path]:
    """Every file under a folder, in a fixed order."""
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(where, name)
            if path.is_file() and not path.is_symlink():
                yield path


def digest(paths: Iterable[Path]) -> str:
    """A hash of files, their names included."""
    total = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        total.update(f"{path.relative_to(ROOT)} {len(content)} ".encode())
        total.update(content)
    return total.hexdigest()
