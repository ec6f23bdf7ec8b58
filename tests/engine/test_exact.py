"""Logarithm and exponential by basic operations: within one ulp of the C library's, and the same compiled."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from engine.core.exact import LN10, exp, log
from engine.core.rng import Stream


def spread(count: int) -> list[float]:
    """Positive numbers of every magnitude, some close to 1, some subnormal."""
    draw = Stream(1, "test")
    wide = [math.ldexp(1 + draw.uniform(), draw.below(2097) - 1073) for _ in range(count)]
    return (
        wide
        + [1 + (draw.uniform() - 0.5) * 10.0 ** -draw.below(16) for _ in range(count)]
        + [5e-324, 0.5, 2.0, 10.0]
    )


def ulps(found: float, right: float) -> float:
    return abs(found - right) / math.ulp(right)


def test_log_is_within_one_ulp() -> None:
    assert max(ulps(log(x), math.log(x)) for x in spread(20_000)) <= 1


def test_exp_is_within_one_ulp() -> None:
    draw = Stream(2, "test")
    small = [(draw.uniform() - 0.5) * 10.0 ** -draw.below(18) for _ in range(20_000)]
    assert (
        max(ulps(exp(x), math.exp(x)) for x in [draw.uniform() * 1417 - 708 for _ in range(20_000)] + small)
        <= 1
    )


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (log, 1.0, 0.0),
        (log, 0.0, -math.inf),
        (log, -1.0, -math.inf),
        (log, math.inf, math.inf),
        (log, 10.0, LN10),
        (exp, 0.0, 1.0),
        (exp, 709.782712893384, math.exp(709.782712893384)),
        (exp, 709.7827128933845, math.inf),
        (exp, math.inf, math.inf),
        (exp, -745.1, 5e-324),
        (exp, -745.2, 0.0),
        (exp, -math.inf, 0.0),
    ],
)
def test_ends_and_exact_values(function: Callable[[float], float], x: float, expected: float) -> None:
    assert function(x) == expected


def test_values_are_fixed_for_all_time() -> None:
    # Runs depend on these bits: a change here changes digests.
    assert [log(x).hex() for x in (0.1, 0.7, 3.0)] == [
        "-0x1.26bb1bbb55515p+1",
        "-0x1.6d3c324e13f50p-2",
        "0x1.193ea7aad030ap+0",
    ]
    assert [exp(x).hex() for x in (-0.1, 0.7, -30.0)] == [
        "0x1.cf46d99d52b3ap-1",
        "0x1.01c2a61268987p+1",
        "0x1.a56e0c2ac7f75p-44",
    ]


def test_compiled_they_are_the_same() -> None:
    numba = pytest.importorskip("numba")
    fast_log, fast_exp = numba.njit(log), numba.njit(exp)
    points = spread(500)
    assert [fast_log(x) for x in points] == [log(x) for x in points]
    powers = [math.log(x) for x in points]
    assert [fast_exp(x) for x in powers] == [exp(x) for x in powers]
