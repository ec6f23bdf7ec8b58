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
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "spark_batch")
WHEN = (2020, 1, 1, 0, 0, 0)
SECONDS = 1_577_836_800
"""The same as a time stamp."""
LOCK = "compiling.lock"


@dataclass(frozen=True)
class Program:
    """sources, compiled: zips; the folder that sources unpack to is named by their hash."""

    sources: bytes
    compiled: bytes


def packed() -> bytes:
    """The sources as a zip; equal sources, equal bytes."""
    found = {
        str(path.relative_to(ROOT)): path
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    return _zipped(found, lambda path: SECONDS * 10**9)


def _zipped(files: dict[str, Path], times: Callable[[Path], int]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, path in files.items():
            info = zipfile.ZipInfo(name, WHEN)
            info.comment = str(times(path)).encode()  # to the nanosecond, which a zip by itself cannot keep
            archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def for_workers(plain: str) -> Program:
    """The program with the code that this sweep needs (empty: none), compiled here and now if there is none yet.

    From now on what unpacks it is sent to workers by value, since they have nothing to import.
    """
    from pyspark import cloudpickle

    import spark_batch.tasks

    for module in (sys.modules[__name__], spark_batch.tasks):
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    sources = packed()
    place = unpacked(sources)
    cache = _cache(place)
    env = os.environ | {"PYTHONPATH": str(place), "RINGCAST_CACHE": str(cache)}
    subprocess.run(
        [sys.executable, "-m", "spark_batch.warm"], input=plain, text=True, env=env, cwd=place, check=True
    )
    cache.mkdir(exist_ok=True)
    found = sorted(
        p for p in cache.rglob("*") if p.is_file() and "__pycache__" not in p.parts and p.name != LOCK
    )
    compiled = _zipped({str(p.relative_to(cache)): p for p in found}, lambda p: p.stat().st_mtime_ns)
    return Program(sources, compiled)


def _cache(place: Path) -> Path:
    """Where the compiled code of an unpacked program lies."""
    return place.with_name(f"{place.name}.compiled")


def unpacked(code: bytes) -> Path:
    """The folder with these sources on this machine; made once, by whoever comes first."""
    owner = Path(tempfile.gettempdir()) / f"ringcast-code-{os.getuid()}"
    owner.mkdir(mode=0o700, exist_ok=True)
    found = owner.lstat()
    if found.st_uid != os.getuid() or found.st_mode & 0o022:  # what lies there is run
        raise PermissionError(f"{owner} can be written by others")
    place = owner / blake2b(code, digest_size=8).hexdigest()
    if not place.exists():
        _unzip(code, place)
    return place


def _unzip(code: bytes, place: Path) -> None:
    """At once or not at all, with the times that the files had."""
    part = Path(tempfile.mkdtemp(prefix=".", dir=place.parent))
    with zipfile.ZipFile(io.BytesIO(code)) as archive:
        archive.extractall(part)
        for info in archive.infolist():
            os.utime(part / info.filename, ns=(int(info.comment), int(info.comment)))
    try:
        part.rename(place)
    except OSError:  # another one was quicker
        shutil.rmtree(part, ignore_errors=True)


def install(program: Program) -> None:
    """Make this process run the shipped program."""
    place = unpacked(program.sources)
    if str(place) not in sys.path:
        cache = _cache(place)
        if not cache.exists():
            _unzip(program.compiled, cache)
        sys.path.insert(0, str(place))
        os.environ["RINGCAST_CACHE"] = str(cache)
