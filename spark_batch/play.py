"""Plays the runs of a chunk, one after the other, and turns them into rows. Nothing here knows of Spark."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from engine.api import Run
from engine.batch import play_one
from engine.core.errors import OutsideSubset, ScenarioError
from engine.sweeps import Sweep
from engine.sweeps.routes import play_routes
from engine.sweeps.rows import Rows
from engine.world.scenario import load_scenario

Row = dict[str, Any]
FAILED: Row = {"digest": None, "events": None, "end_s": None}


class GivenUp(Exception):
    """A run took longer than the sweep allows."""


class Player:
    """Plays runs of a sweep. Whatever happens in a run ends up in its row: nothing is raised."""

    def __init__(self, sweep: Sweep, clock: Callable[[], float] = time.monotonic) -> None:
        self.sweep, self._clock = sweep, clock
        self._rows = Rows(sweep)

    def row(self, run: int) -> Row:
        """The row of a run."""
        return self._rows.of(run, self._played(run))

    def _played(self, run: int) -> Row:
        try:
            if self.sweep.method == "routes":
                return {"method": "routes", **play_routes(load_scenario(self.sweep.document(run)))}
            return self._on_an_engine(run)
        except GivenUp:
            return FAILED | {"error": f"timeout_s: not done within {self.sweep.timeout_s:g} s"}
        except ScenarioError as error:
            return FAILED | {"error": str(error)}
        except Exception as error:  # one run, one row: a bug in a corner of the grid must not lose the rest
            return FAILED | {"error": f"{type(error).__name__}: {error}"}

    def _on_an_engine(self, run: int) -> Row:
        given = self.sweep.run(run)
        until = self._clock() + self.sweep.timeout_s

        def pause(_: Run) -> None:
            if self._clock() > until:
                raise GivenUp

        if self.sweep.method == "interpreted":
            return play_one(self.sweep.base, given, "interpreted", pause=pause)
        try:
            # Not "auto", which weighs the time to load compiled code: here it is loaded once for thousands of runs.
            return play_one(self.sweep.base, given, "compiled", pause=pause)
        except OutsideSubset:
            if self.sweep.method == "compiled":
                raise
            return play_one(self.sweep.base, given, "interpreted", pause=pause)
