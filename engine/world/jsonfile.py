"""Bytes to plain JSON data, with every way a document can be malformed named by its place.

`json` alone keeps the last of two equal keys, reads NaN, and reports no path; so parsing leaves marks where
something is wrong, and one walk over the finished tree turns the first mark into an error with its path.
"""

from __future__ import annotations

import json
import math
from typing import Any

from engine.core.errors import ScenarioError
from engine.world.limits import MAX_DEPTH, MAX_DOCUMENT
from engine.world.words import path_of

HUGE = 10_000
"""Bits of a whole number beyond which Python will not even print it."""


class _Doubled(dict[str, Any]):
    """An object in which `key` stood twice."""

    key = ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    seen: set[str] = set()
    marked = _Doubled(plain)
    for key, _ in pairs:
        if key in seen:
            marked.key = key
            break
        seen.add(key)
    return marked


def text_of(data: bytes | str, what: str, max_size: int = MAX_DOCUMENT) -> str:
    """The text of a document (UTF-8, a byte order mark is dropped), refused when empty, binary or too big."""
    if len(data) > max_size:
        raise ScenarioError(what, f"{len(data):,} bytes", f"at most {max_size:,} bytes", "too big")
    if isinstance(data, bytes):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as e:
            raise ScenarioError(
                f"{what}, byte {e.start}",
                f"0x{data[e.start]:02x}",
                "text in UTF-8; save the file as UTF-8",
                "not UTF-8",
            ) from None
    else:
        text = data
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ScenarioError(what, "", "a document with content", "empty")
    if "\0" in text:
        raise ScenarioError(what, "a NUL character", "a text document", "binary data")
    return text


def parse_json(data: bytes | str, what: str = "scenario", max_size: int = MAX_DOCUMENT) -> Any:
    """Plain JSON data.

    Raises: ScenarioError with line and column for bad syntax, with a path for repeated keys, NaN, infinity,
    lone surrogates and nesting beyond the limit.
    """
    text = text_of(data, what, max_size)
    try:
        tree = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as e:
        line = text.split("\n")[e.lineno - 1]
        around = line[max(0, e.colno - 16) : e.colno + 15].strip()
        raise ScenarioError(
            f"{what}, line {e.lineno}, column {e.colno}", around, f"valid JSON ({e.msg})", "not JSON"
        ) from None
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError:
        raise _too_long(what) from None
    check_tree(tree, what)
    return tree


def plain_tree(data: object, what: str = "scenario", max_size: int = MAX_DOCUMENT) -> Any:
    """Plain JSON data, from its text or as it is. Raises: ScenarioError as `parse_json`."""
    if isinstance(data, bytes | str):
        return parse_json(data, what, max_size)
    check_tree(data, what)
    return data


def _too_long(path: str) -> ScenarioError:
    return ScenarioError(path, "thousands of digits", "numbers within ±1e300", "number too long")


def _too_deep(path: str) -> ScenarioError:
    return ScenarioError(path, "…", f"at most {MAX_DEPTH} levels of nesting", "nested too deeply")


def check_tree(tree: object, what: str = "scenario") -> None:
    """Refuse what is not plain, finite, shallow JSON data; also for a tree that was never text."""
    # (value, where it hangs): paths are put together only for an error.
    stack: list[tuple[object, _Place | None]] = [(tree, None)]
    while stack:
        value, place = stack.pop()
        if isinstance(value, str):
            if not _whole(value):
                raise ScenarioError(
                    _path(place, what), ascii(value), "whole Unicode characters", "half a character"
                )
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise ScenarioError(
                    _path(place, what), str(value), "a finite number", "not a number of this world"
                )
        elif isinstance(value, dict):
            if isinstance(value, _Doubled):
                raise ScenarioError(
                    _path(_Place(value.key, place), what),
                    value.key,
                    "each field at most once",
                    "field given twice",
                )
            if place is not None and place.depth >= MAX_DEPTH:
                raise _too_deep(_path(place, what))
            for key, inner in value.items():
                if not isinstance(key, str) or not (key.isascii() or _whole(key)):
                    raise ScenarioError(
                        _path(place, what), ascii(key), "text as field names", "not a field name"
                    )
                if not _quick(inner):
                    stack.append((inner, _Place(key, place)))
        elif isinstance(value, list | tuple):
            if place is not None and place.depth >= MAX_DEPTH:
                raise _too_deep(_path(place, what))
            for index, inner in enumerate(value):
                if not _quick(inner):
                    stack.append((inner, _Place(index, place)))
        elif isinstance(value, int) and value.bit_length() >= HUGE:
            raise _too_long(_path(place, what))
        elif value is not None and not isinstance(value, int):
            raise ScenarioError(
                _path(place, what), type(value).__name__, "text, numbers, lists and objects", "not JSON data"
            )


def _whole(text: str) -> bool:
    """No lone surrogate, which JSON can spell and UTF-8 cannot carry."""
    return not any("\ud800" <= c <= "\udfff" for c in text)


def _quick(value: object) -> bool:
    """True for the values that need no closer look: most of a big document."""
    if isinstance(value, str):
        return value.isascii()
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, int) and value.bit_length() < HUGE)


class _Place:
    """One step of the way from the top to a value, linked upwards."""

    __slots__ = ("depth", "key", "up")

    def __init__(self, key: str | int, up: _Place | None) -> None:
        self.key = key
        self.up = up
        self.depth: int = up.depth + 1 if up is not None else 1


def _path(place: _Place | None, what: str) -> str:
    loc: list[str | int] = []
    while place is not None:
        loc.append(place.key)
        place = place.up
    return path_of(loc[::-1]) if loc else what
