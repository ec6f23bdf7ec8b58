"""The quantile of Student's t that makes a 95 % confidence interval, by degrees of freedom."""

from __future__ import annotations

import math

NORMAL = 1.959963984540054
TABLE = (
    12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119, 2.3646243, 2.3060041, 2.2621572, 2.2281389,
    2.2009852, 2.1788128, 2.1603687, 2.1447867, 2.1314495, 2.1199053, 2.1098156, 2.1009220, 2.0930241, 2.0859634,
    2.0796138, 2.0738731, 2.0686576, 2.0638986, 2.0595386, 2.0555294, 2.0518305, 2.0484071, 2.0452296, 2.0422725,
)  # fmt: skip
"""For 1 to 30 degrees of freedom."""


def t95(df: int) -> float:
    """The 97.5 % quantile of Student's t. Beyond the table a series in 1/df, good to six digits."""
    if df < 1:
        return math.nan
    if df <= len(TABLE):
        return TABLE[df - 1]
    z = NORMAL
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + g1 / df + g2 / df**2 + g3 / df**3
