"""Logarithm and exponential by + − × / alone: equal to the bit on every machine, as a run's digest demands.

What the C library calls exp and log differs in the last bit from system to system. IEEE 754 fixes only the basic
operations, so whatever influences a run uses these. Both are within 1 ulp of the true value, in the subset of Python that
protocols are written in, and can therefore be compiled as well.

Source: FreeBSD msun, e_log.c (Ng): the split of ln 2, and how rounding errors of log(1 + f) stay small. Taylor series.
"""

from __future__ import annotations

LN2_HIGH = 0.6931471803691238  # its last 21 bits are zero: a whole number of them is exact
LN2_LOW = 1.9082149292705877e-10
LN10 = 2.302585092994046
INFINITY = 1e308 * 10.0


def log(x: float) -> float:
    """The natural logarithm of x; -∞ for 0 and, since handlers never raise, for what is below."""
    if x <= 0.0:
        return -INFINITY
    if x == INFINITY:
        return x
    # x = m·2^k with m in [√½, √2), by exact steps.
    k, m = 0, x
    while m >= 65536.0:
        m, k = m / 65536.0, k + 16
    while m < 1.0 / 65536.0:
        m, k = m * 65536.0, k - 16
    while m >= 1.4142135623730951:
        m, k = m / 2.0, k + 1
    while m < 0.7071067811865476:
        m, k = m * 2.0, k - 1
    f = m - 1.0  # exact
    s = f / (2.0 + f)
    z = s * s
    # log(1 + f) = 2·artanh s = f - (f²/2 - s·(f²/2 + r)); z = s² ≤ 0.0295: a 13th term is below 2⁻⁵³ of the sum.
    r = z * (2.0 / 21.0 + z * (2.0 / 23.0 + z * (2.0 / 25.0)))
    r = z * (2.0 / 15.0 + z * (2.0 / 17.0 + z * (2.0 / 19.0 + r)))
    r = z * (2.0 / 9.0 + z * (2.0 / 11.0 + z * (2.0 / 13.0 + r)))
    r = z * (2.0 / 3.0 + z * (2.0 / 5.0 + z * (2.0 / 7.0 + r)))
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + r) + k * LN2_LOW)) - f)


def exp(x: float) -> float:
    """e to the power of x: ∞ where that is beyond the largest float, 0 where it is below the smallest."""
    if x > 709.782712893384:
        return INFINITY
    if x < -745.1332191019412:
        return 0.0
    k = int(x / LN2_HIGH + (0.5 if x >= 0.0 else -0.5))
    high, low = x - k * LN2_HIGH, k * LN2_LOW
    r = high - low
    tail = (high - r) - low  # what the subtraction rounded away
    # (e^r - 1 - r) / r by Horner's rule; |r| ≤ ln 2 / 2: a further term is below 2⁻⁵³ of the sum.
    y = r / 12.0 * (1.0 + r / 13.0 * (1.0 + r / 14.0))
    y = r / 9.0 * (1.0 + r / 10.0 * (1.0 + r / 11.0 * (1.0 + y)))
    y = r / 6.0 * (1.0 + r / 7.0 * (1.0 + r / 8.0 * (1.0 + y)))
    y = r / 2.0 * (1.0 + r / 3.0 * (1.0 + r / 4.0 * (1.0 + r / 5.0 * (1.0 + y))))
    y = 1.0 + (r + (r * y + tail))
    near, far = k // 2, k - k // 2  # in two steps, for 2^k alone may be out of range
    for steps in (near, far):
        factor = 2.0 if steps >= 0 else 0.5
        power = 1.0
        for _ in range(abs(steps)):
            power = power * factor
        y = y * power
    return y
