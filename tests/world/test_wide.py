"""Numbers for many values at once: those of the plain functions, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.core import exact
from engine.core.rng import Stream
from engine.world import radio, wide
from engine.world.radio import LogDistance

DRAWN = np.array(Stream(1, "wide").uniforms(3000))


@pytest.mark.parametrize(
    ("many", "one", "values"),
    [
        (wide.log, exact.log, [DRAWN * 1e9, DRAWN * 1e-9, DRAWN + 0.5, [1.0, 2.0, 0.5, 1.4142135623730951]]),
        (wide.exp, exact.exp, [DRAWN * 1400 - 700, DRAWN - 0.5, DRAWN * 1e-9, [0.0, -0.0, 1.0]]),
        (wide.erfc, radio.erfc, [DRAWN * 6, [0.0, 2.5, 2.4999999999999996]]),
        (wide.normal, radio.normal, [DRAWN[:800], DRAWN[:200] * 1e-9, 1 - DRAWN[:200] * 1e-9, [0.5]]),
        (wide.milliwatts, radio.milliwatts, [DRAWN * 200 - 150]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_the_same_bits(many: Callable[[Any], Any], one: Callable[[float], float], values: list[Any]) -> None:
    x = np.concatenate(values)
    assert many(x).tolist() == [one(v) for v in x.tolist()]


@pytest.mark.parametrize("given", [{}, {"shadowing_db": 0.0}, {"fading_db": 3.0, "noise_dbm": -90.0}])
def test_pairs_at_once_have_the_power_and_quality_of_pairs_one_by_one(given: dict[str, float]) -> None:
    log_distance = LogDistance(kind="log-distance", **given)  # type: ignore[arg-type]
    draw = Stream(2, "wide")
    spots = [(300 * draw.uniform() - 50, 300 * draw.uniform() - 50, 9 * draw.uniform()) for _ in range(30)]
    spots[1] = spots[0]
    pairs = [(v, w) for v in range(30) for w in range(v + 1, 30)]
    powers = radio.mean_powers(log_distance, 7, spots, pairs)
    assert powers == [radio.mean_power(log_distance, 7, spots[v], spots[w]) for v, w in pairs]
    shares = radio.link_qualities(log_distance, powers)
    assert shares == [radio.link_quality(log_distance, mw) for mw in powers]
    assert 0.0 in shares
    assert any(0.0 < share < 1.0 for share in shares)
    assert radio.mean_powers(log_distance, 7, spots, []) == radio.link_qualities(log_distance, []) == []
