"""Where compiled code is kept between processes: one folder for each state of the sources.

numba looks only at the file of the function it compiles; a change in a function called from there would go unseen. So
the folder is named by a hash over everything that compiled code can depend on: all files of the engine, the files of the
protocol's own functions, these functions as they are loaded with the numbers they read by name, the versions of numba,
numpy and Python, and the options.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np

from engine.compiled import whole

ENGINE = Path(__file__).parents[1]
KEPT = 40  # folders, of a few MB at most; beyond that the ones not used for the longest time go
BOUNDS = os.environ.get("RINGCAST_BOUNDS", "") not in ("", "0")
"""Whether compiled code checks every index: slower, for tests."""


def _engine() -> bytes:
    return b"".join(
        f"\n{path.relative_to(ENGINE)}\n".encode() + path.read_bytes()
        for path in sorted(ENGINE.rglob("*.py"))
    )


_AS_LOADED = _engine()  # an edit from now on concerns later processes


def home() -> Path:
    """The folder of all caches: RINGCAST_CACHE, or the user's own; a temporary one where that cannot be written."""
    named = os.environ.get("RINGCAST_CACHE")
    base = (
        Path(named)
        if named
        else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringcast"
    )
    try:
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=base):
            return base
    except OSError:
        return _temporary()


@contextmanager
def alone() -> Iterator[None]:
    """Inside, no other process that asks for the same compiles: it waits, and finds what this one has compiled."""
    with (home() / "compiling.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _temporary() -> Path:
    """A folder that nobody else can write to: what lies in it is run."""
    base = Path(tempfile.gettempdir()) / f"ringcast-{os.getuid()}"
    try:
        base.mkdir(mode=0o700, exist_ok=True)
        found = base.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022:
            return base
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="ringcast-"))


def key(sources: Iterable[Path], frozen: str = "") -> str:
    """The hash of the engine, these files, `frozen`, and what they are compiled with."""
    h = blake2b(digest_size=8)
    versions = (
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        platform.python_version(),
        str(BOUNDS),
    )
    h.update("\n".join((*versions, frozen)).encode())
    h.update(_AS_LOADED)
    for path in sorted(set(sources)):
        text = path.read_bytes()
        h.update(f"\n{path.name} {len(text)}\n".encode() + text)
    return h.hexdigest()


def folder(sources: Iterable[Path], frozen: str = "") -> Path:
    """The folder for these sources, and what else is `frozen` into the code; old ones are removed when it is new."""
    place = home() / key(sources, frozen)
    if not place.exists():
        place.mkdir(parents=True, exist_ok=True)
        _clear(place)
    else:
        with suppress(OSError):
            os.utime(place)
    return place


def _clear(keep: Path) -> None:
    others = [p for p in keep.parent.iterdir() if p.is_dir() and p != keep]
    others.sort(key=_last_used, reverse=True)
    for old in others[KEPT - 1 :]:
        shutil.rmtree(old, ignore_errors=True)


def _last_used(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except OSError:  # another process has just removed it
        return 0.0


def load(name: str, text: str, place: Path, scope: dict[str, Any]) -> ModuleType:
    """A generated module, as a file in the cache that a reader and numba can look at; `scope` is there before it runs."""
    path = place / f"{name}.py"
    if not path.exists() or path.read_text() != text:
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(text)
        part.replace(path)
    spec = importlib.util.spec_from_file_location(f"ringcast_{place.name}_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module).update(scope)
    sys.modules[module.__name__] = module  # numba's index names classes by module
    spec.loader.exec_module(module)
    return module


def compiled(function: Callable[..., Any], place: Path, **options: Any) -> Any:
    """`function` through numba, without the GIL, kept in the cache folder. Compiled code cannot call it: see `whole`."""
    was = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(place)
    try:
        made = numba.njit(nogil=True, cache=True, boundscheck=BOUNDS, **options)(function)
    finally:
        numba.config.CACHE_DIR = was
    kept, compile_parts = made._cache, made.compile

    def load(signature: Any, target: Any) -> Any:
        # numba would first register all that it can compile, a quarter of a second; it does so again before it compiles.
        with kept._guard_against_spurious_io_errors():
            return kept._load_overload(signature, target)

    def compile_(signature: Any) -> Any:
        with whole.only(function.__qualname__):
            return compile_parts(signature)

    kept.load_overload, made.compile = load, compile_
    return made
