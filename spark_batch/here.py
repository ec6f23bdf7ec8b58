"""What a process that plays runs keeps: the sweeps it was given, and that the code they need is compiled and loaded."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache

from engine.api import Run
from engine.compiled import cache
from engine.core.errors import OutsideSubset, ScenarioError
from engine.sweeps import Sweep, load_sweep
from engine.sweeps.routes import play_routes
from engine.world.scenario import load_scenario

ROUTES = "the kernels"

_warm: set[str] = set()


@lru_cache(8)
def sweep_of(plain: str) -> Sweep:
    """The sweep of a canonical document."""
    return load_sweep(plain, checked=True)


def kinds(sweep: Sweep) -> dict[str, int]:
    """What compiled code there must be, by protocol and kind of radio: a run that needs it, the first there is."""
    if sweep.method == "interpreted":
        return {}
    if sweep.method == "routes":
        return {ROUTES: 0}
    found: dict[str, int] = {}
    steps = [1]
    for axis in reversed(sweep.axes):
        steps.insert(0, steps[0] * axis.size)
    for k, axis in enumerate(sweep.axes):
        words = any(c.path.split(".")[0] in ("protocol", "radio") for c in axis.columns)
        for digit in range(axis.size if words and axis.size <= 100 else 1):
            run = digit * steps[k + 1] * sweep.repetitions
            found.setdefault(_kind(sweep, run), run)
    if not sweep.axes:
        found[_kind(sweep, 0)] = 0
    return found


def _kind(sweep: Sweep, run: int) -> str:
    document = sweep.document(run)
    radio = document.get("radio") or {}
    return f"{document.get('protocol', {}).get('name')} {radio.get('kind', 'ideal')} {radio.get('order', '')}".strip()


def warm(sweep: Sweep, tell: Callable[[str], None] = lambda title: None) -> Sweep:
    """Load the compiled code that the sweep needs; where there is none yet, one process compiles and the others wait.

    `tell` hears the title of a protocol that is compiled now, which takes half a minute.
    """
    for kind, run in kinds(sweep).items():
        if kind in _warm:
            continue
        with cache.alone(), suppress(ScenarioError, OutsideSubset):  # its row will tell
            scenario = load_scenario(sweep.document(run))
            if kind == ROUTES:
                play_routes(scenario)
            else:
                Run(scenario, trace="none", engine="compiled", compiling=tell, drawn=False)
        _warm.add(kind)
        gc.collect()
        gc.freeze()  # it stays, and Spark looks for garbage after every task
    return sweep
