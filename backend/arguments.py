"""Numbers on the command line: the types that argparse is given, and their refusals."""

from __future__ import annotations

from argparse import ArgumentTypeError

from engine.world.limits import MAX_SEED, MAX_TIME_S

MAX_COUNT = 10_000_000


def count(text: str) -> int:
    """A whole number from 1 on."""
    return _whole(text, 1, MAX_COUNT, f"{MAX_COUNT:,}")


def count_or_none(text: str) -> int:
    """A whole number, 0 included."""
    return _whole(text, 0, MAX_COUNT, f"{MAX_COUNT:,}")


def seed(text: str) -> int:
    """A seed."""
    return _whole(text, 0, MAX_SEED, "2^63 - 1")


def seconds(text: str) -> float:
    """Virtual seconds."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0.0 < value <= MAX_TIME_S:
        return value
    raise ArgumentTypeError(f"{text!r}; allowed are more than 0 and at most {MAX_TIME_S:,.0f} seconds")


def _whole(text: str, least: int, most: int, named: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most:
        return int(text)
    raise ArgumentTypeError(f"{text!r}; allowed are whole numbers from {least} to {named}")
