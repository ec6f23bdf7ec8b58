"""Virtual time against the wall clock."""

from __future__ import annotations

import pytest

from backend.pace import MAX_LAG_S, Load, Pace, Slices


def test_time_passes_at_the_speed_asked_for() -> None:
    pace = Pace(10.0)
    pace.start(100.0, 5.0)
    assert pace.target(100.1, 5.0) == pytest.approx(6.0)
    assert pace.target(100.2, 6.0) == pytest.approx(7.0)


def test_a_run_that_cannot_keep_up_gives_lost_time_up() -> None:
    pace = Pace(10.0)
    pace.start(0.0, 0.0)
    assert pace.target(60.0, 1.0) == pytest.approx(1.0 + MAX_LAG_S * 10.0)
    assert pace.target(60.1, 3.5) == pytest.approx(4.5), "the minute is forgotten, not caught up"


def test_the_target_never_lies_in_the_past() -> None:
    pace = Pace(1.0)
    pace.start(0.0, 0.0)
    assert pace.target(1.0, 7.0) == 7.0


def test_achieved_is_what_was_measured() -> None:
    pace = Pace(100.0)
    pace.start(0.0, 0.0)
    assert pace.achieved() == 100.0
    for k in range(1, 41):
        pace.mark(k * 0.1, k * 0.5)
    assert pace.achieved() == pytest.approx(5.0)


def test_slices_get_shorter_when_many_runs_are_busy() -> None:
    load = Load()
    runs = [Slices(0.01, load) for _ in range(12)]
    alone = runs[0].budget
    for run in runs:
        run.busy(True)
        run.busy(True)
    assert load.busy == 12
    assert runs[0].budget == alone // 4
    for run in runs:
        run.busy(False)
    assert (load.busy, runs[0].budget) == (0, alone)


def test_slices_learn_how_much_fits() -> None:
    slices = Slices(0.008)
    for _ in range(30):
        slices.learn(slices.budget, slices.budget / 250_000)
    assert slices.budget == pytest.approx(2_000, rel=0.02)
    for _ in range(4):
        slices.learn(slices.budget, slices.budget / 5_000)
    assert slices.budget < 200, "slow slices count at once"
    for _ in range(60):
        slices.learn(slices.budget, 1.0)
    assert slices.budget == 20, "but there is always some progress"
