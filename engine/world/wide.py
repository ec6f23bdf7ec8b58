"""Numbers of `engine.core.exact`, `core.medium` and `world.radio`, for many values at once: the same to the bit.

An array's element goes through the same additions, multiplications and divisions in the same order as a single number
does there, and IEEE 754 fixes each of these; what loops there until a number is good enough loops here for those numbers
that are not yet. A network of a few hundred nodes has tens of thousands of pairs.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from engine.core.exact import LN2_HIGH, LN2_LOW, LN10
from engine.core.medium import DECAY_STEPS

Array: TypeAlias = Any
"""Of floats, one dimension."""

SQRT_PI, SQRT_2, SQRT_2_PI = (np.sqrt(x) for x in (np.pi, 2.0, 2.0 * np.pi))
LOWEST, HIGHEST = 0.7071067811865476, 1.4142135623730951


def log(x: Array) -> Array:
    """`exact.log`, for x > 0 that are finite."""
    m, k = np.frexp(x)
    low = m < LOWEST
    m, k = np.where(low, m * 2.0, m), np.where(low, k - 1, k)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    r = np.zeros_like(z)
    for i in range(12, 0, -1):
        r = z * (2.0 / (2.0 * i + 1.0) + r)
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + r) + k * LN2_LOW)) - f)


def exp(x: Array) -> Array:
    """`exact.exp`, for x from -700 to 700."""
    k = np.trunc(x / LN2_HIGH + np.where(x >= 0.0, 0.5, -0.5))
    high, low = x - k * LN2_HIGH, k * LN2_LOW
    r = high - low
    tail = (high - r) - low
    y = np.zeros_like(r)
    for i in range(14, 1, -1):
        y = r / i * (1.0 + y)
    y = 1.0 + (r + (r * y + tail))
    return np.ldexp(y, k.astype(np.int64))


def erfc(x: Array) -> Array:
    """`radio.erfc`, for x ≥ 0."""
    square, found, near = exp(-x * x), np.empty_like(x), x < 2.5
    found[near] = 1.0 - 2.0 / SQRT_PI * square[near] * _series(x[near])
    fraction = np.zeros(len(x) - int(near.sum()))
    for k in range(60, 0, -1):
        fraction = k / 2.0 / (x[~near] + fraction)
    found[~near] = square[~near] / (SQRT_PI * (x[~near] + fraction))
    return found


def _series(x: Array) -> Array:
    term, total, twice, k = x.copy(), x.copy(), 2.0 * x * x, 1
    while (on := term > 1e-17 * total).any():
        k += 2
        term = np.where(on, term * (twice / k), term)
        total = np.where(on, total + term, total)
    return total


def normal(p: Array) -> Array:
    """`radio.normal`, for 0 < p < 1."""
    low = p < 0.5
    high = np.where(low, 1.0 - p, p)
    x, on = np.zeros_like(p), np.ones(len(p), bool)
    while on.any():
        at = x[on]
        missing = 0.5 * erfc(at / SQRT_2) - (1.0 - high[on])
        step = missing * SQRT_2_PI * exp(0.5 * at * at)
        x[on] = at + step
        on[on] = step > 1e-12
    return np.where(low, -x, x)


def survival(decay: Array, peril: Array) -> Array:
    """`medium.survival`, below HOPELESS."""
    k = (peril * DECAY_STEPS).astype(np.int64)
    r = peril - k / DECAY_STEPS
    return decay[k] * (1.0 - r * (1.0 - r * (0.5 - r * (1.0 / 6.0 - r / 24.0))))


def milliwatts(dbm: Array) -> Array:
    """`radio.milliwatts`."""
    return exp(dbm / 10.0 * LN10)
