"""How the program gets to workers that have no copy of it: as a zip in the task, unpacked once a machine.

What is shipped are the sources of `engine` and `spark_batch`, and the compiled code that belongs to them. The
folder is named by its content and lies at the same path on every machine: numba keeps compiled code by the path and
time of its source, so both are made equal everywhere. Workers need a Python of the same version with the packages
of requirements.lock; numba among them.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import zipfile
from hashlib import blake2b
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "spark_batch")
WHEN = (2020, 1, 1, 0, 0, 0)
SECONDS = 1_577_836_800
"""The same as a time stamp."""


def packed() -> bytes:
    """The sources as a zip; equal sources, equal bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in PACKAGES:
            for path in sorted((ROOT / package).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    info = zipfile.ZipInfo(str(path.relative_to(ROOT)), WHEN)
                    archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def for_workers() -> bytes:
    """The same; from now on what unpacks it is sent to workers by value, since they have nothing to import."""
    from pyspark import cloudpickle

    import spark_batch.tasks

    for module in (sys.modules[__name__], spark_batch.tasks):
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    return packed()


def unpacked(code: bytes) -> Path:
    """The folder with these sources on this machine; made once, by whoever comes first."""
    owner = Path(tempfile.gettempdir()) / f"ringcast-code-{os.getuid()}"
    owner.mkdir(mode=0o700, exist_ok=True)
    found = owner.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o022:  # what lies there is run
        raise PermissionError(f"{owner} can be written by others")
    place = owner / blake2b(code, digest_size=8).hexdigest()
    if not place.exists():
        part = Path(tempfile.mkdtemp(prefix=".", dir=owner))
        with zipfile.ZipFile(io.BytesIO(code)) as archive:
            archive.extractall(part)
        for path in part.rglob("*.py"):
            os.utime(path, (SECONDS, SECONDS))
        try:
            part.rename(place)
        except OSError:  # another one was quicker
            shutil.rmtree(part, ignore_errors=True)
    return place


def install(code: bytes) -> None:
    """Make this process run the shipped sources."""
    place = str(unpacked(code))
    if place not in sys.path:
        sys.path.insert(0, place)
        os.environ.setdefault("RINGCAST_CACHE", f"{place}.compiled")
