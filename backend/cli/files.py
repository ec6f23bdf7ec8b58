"""Reading and writing for commands: `-` is standard input or output; an unusable file is the user's mistake."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from engine.core.errors import ScenarioError


def read(name: str, most: int) -> bytes:
    """All bytes of a file, no more than `most` + 1 of them. Raises ScenarioError."""
    if name == "-":
        return sys.stdin.buffer.read(most + 1)
    try:
        with open(name, "rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise _unusable(name, error, "a file that can be read, or - for standard input") from None
    except ValueError:
        raise ScenarioError(
            "file", name, "the name of a file, or - for standard input", "not a file name"
        ) from None


@contextmanager
def written(name: str) -> Iterator[TextIO]:
    """A text file to write, or standard output. Raises ScenarioError.

    A file gets its name only when all is written, so that a run that is stopped leaves no half a file. What is no
    ordinary file, such as a pipe or a device, stays what it is and is written to.
    """
    if name == "-":
        yield sys.stdout
        return
    allowed = "a file that can be written, or - for standard output"
    try:
        target = Path(name).resolve()  # a link stays a link
    except (OSError, ValueError):
        raise ScenarioError("file", name, allowed, "not a file name") from None
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8") as file:
                yield file
            return
        part = Path(f"{target}.part")
        try:
            with part.open("w", encoding="utf-8") as file:
                yield file
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise _unusable(name, error, allowed) from None


def _unusable(name: str, error: OSError, allowed: str) -> ScenarioError:
    return ScenarioError("file", name, allowed, os.strerror(error.errno or 0).lower())
