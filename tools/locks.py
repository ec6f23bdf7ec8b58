"""Writes the lock files anew.

The Python locks carry the hashes of every platform's files and no host, so that any mirror can serve them;
package-lock.json likewise, by a setting in .npmrc.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tools import install
from tools.console import CACHE, ROOT, Stop, run_logged, say
from tools.steps import BIN, environment

UV = "uv==0.13.9"
COMPILE = (
    "pip", "compile", "--quiet", "--universal", "--python-version=3.11", "--generate-hashes",
    "--no-emit-index-url", "--no-emit-find-links", "--custom-compile-command=tools/lock",
)  # fmt: skip
LOCKS = ("requirements.lock", "requirements-dev.lock", "package-lock.json")

# Where packages come from is the user's business; links to their authors' sites are not meant.
HOSTED = re.compile(r'^\s*"resolved":|--(extra-)?index-url|--find-links|@ (https?|file)://', re.MULTILINE)


def lock(*, upgrade: bool) -> None:
    """Lock Python's packages, then npm's; `upgrade` takes the newest versions that fit."""
    install.install(tools=True)
    # Apart from .venv: the resolver is needed here and nowhere else.
    home = CACHE / "uv"
    _call("make room for the resolver", sys.executable, "-m", "venv", home)
    _call("install the resolver", home / "bin" / "python", "-m", "pip", "install", "--quiet", UV)
    # In this order: the second is held to the versions of the first.
    for name in ("requirements", "requirements-dev"):
        newest = ["--upgrade"] if upgrade else []
        _call(f"lock {name}", home / "bin" / "uv", *COMPILE, *newest, f"{name}.in", "-o", f"{name}.lock")
    options = ("--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund")
    _call("lock npm packages", BIN / "npm", "update" if upgrade else "install", *options)
    for name in LOCKS:
        if found := HOSTED.search((ROOT / name).read_text()):
            raise Stop(f"{name} names where its packages came from: {found[0].strip()}", code=1)


def _call(what: str, *command: str | Path) -> None:
    say(what.capitalize())
    if run_logged(what, command, None, environment()):
        raise Stop(f"could not {what}")
