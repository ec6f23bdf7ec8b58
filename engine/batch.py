"""Many runs of one scenario: seeds and parameters vary, results come back as columns.

    columns = run_batch(document, [{"seed": s, "radio.loss": x} for x in (0.0, 0.1) for s in range(100)], threads=2)
    columns["legitimate_s.ring"]

Runs go on the compiled engine where the protocol can be compiled; it lets go of the interpreter's lock, so threads help.
What a run is given and its digest are in its row: any row can be played again, interpreted, record for record.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Lock
from typing import Any

from engine.api import Run
from engine.core.errors import ProtocolBug, ScenarioError
from engine.oracle.delivery import Publication
from engine.oracle.repairs import rounds
from engine.world.scenario import load_scenario

Row = dict[str, Any]
SWITCH_S = 1e-4
"""How long a run that comes back from compiled code waits for another in Python: it soon leaves again, so not for long."""
SLICE = 200_000
"""Events between two pauses: a hundredth of a second compiled, half a second interpreted."""
_setting_up = Lock()
"""Setting up is all Python: two threads that take turns at it come out together, and then again have nothing to overlap."""


def run_batch(
    base: Mapping[str, Any],
    runs: Sequence[Mapping[str, Any]],
    *,
    threads: int = 1,
    engine: str = "auto",
    told: Callable[[int], None] | None = None,
) -> dict[str, list[Any]]:
    """Play `base` once for each of `runs` to the end of its `duration_s`; one row a run, in order, as columns.

    A run maps fields of the document by dotted path (`seed`, `radio.loss`, `protocol.params.max_neighbours`, `topology.n`)
    to its values. `told` is called with the number of runs done. Columns, besides every path given:

    - `method` (the engine that played it), `digest`, `events`, `end_s`, and `error`: None, or why this run could not be
      played (its results are None then);
    - `sent.NAME`, `dropped.REASON`: messages, and receivers that one did not reach;
    - `publications`, `expected` and `delivered` (receivers), `duplicates`, `transmissions`, `hops` (to first deliveries);
    - `wrong.LAYER`: variables wrong at the latest sample; `legitimate_s.LAYER`: since when none is (s; None: some are);
    - `stabilised_s.LAYER` and `stabilised_rounds.LAYER`: how long after the last fault that was (`engine.oracle.repairs`);
    - `worst_s`, `worst_why`: where to look first, see `worst_moment`.
    """
    done = count(1)

    def play(given: Mapping[str, Any]) -> Row:
        row = play_one(base, given, engine)
        if told is not None:
            told(next(done))
        return row

    if threads <= 1:
        return columns(play(given) for given in runs)
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        with ThreadPoolExecutor(threads) as pool:
            return columns(pool.map(play, runs))
    finally:
        sys.setswitchinterval(usual)


def columns(rows: Iterable[Row]) -> dict[str, list[Any]]:
    """Rows as columns; what a row does not have is None."""
    kept = list(rows)
    names = dict.fromkeys(name for row in kept for name in row)
    return {name: [row.get(name) for row in kept] for name in names}


def play_one(
    base: Mapping[str, Any],
    given: Mapping[str, Any],
    engine: str = "auto",
    *,
    pause: Callable[[Run], None] | None = None,
) -> Row:
    """One run, as a row. `pause` is called every `SLICE` events of a long one: what it raises ends the run."""
    row: Row = {**given, "digest": None, "events": None, "end_s": None, "error": None}
    try:
        scenario = load_scenario(varied(base, given))
        with _setting_up:
            run = Run(scenario, trace="none", engine=engine, drawn=False)
        while not run.advance(run.scenario.duration_s, None if pause is None else SLICE):
            assert pause is not None
            pause(run)
        return row | measured(run)
    except (ScenarioError, ProtocolBug) as error:
        return row | {"error": str(error)}


def varied(base: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the document with these fields set; a number in a path is a place in a list, as in events.2.t.

    What no path leads into is shared with `base`. Raises ScenarioError for a path that leads nowhere.
    """
    document: dict[str, Any] = dict(base)
    for path, value in given.items():
        *way, last = path.split(".")
        place: Any = document
        for name in way:
            inner = _inside(place, name, path, value)
            copied = (
                dict(inner)
                if isinstance(inner, Mapping)
                else list(inner)
                if isinstance(inner, list | tuple)
                else None
            )
            place[int(name) if isinstance(place, list) else name] = place = copied
        _inside(place, last, path, value)
        place[int(last) if isinstance(place, list) else last] = value
    return document


def _inside(place: Any, name: str, path: str, value: object) -> Any:
    """What is there; an object that is missing is empty. Raises ScenarioError."""
    if isinstance(place, dict):
        return place.get(name, {})
    if isinstance(place, list) and name.isdecimal() and int(name) < len(place):
        return place[int(name)]
    raise ScenarioError(
        path, value, "a field of the document, as in radio.loss or events.2.t", "leads nowhere"
    )


def measured(run: Run) -> Row:
    """What a run came to, as the columns of `run_batch`."""
    books = run.scene.books()
    latest = run.samples[-1][1] if run.samples else (0,) * len(run.layers)
    took = dict(zip(run.layers, run.repairs.last.seconds(), strict=True))
    worst_s, worst_why = worst_moment(run, books.all)
    return {
        "method": run.engine,
        "digest": run.digest,
        "events": run.events,
        "end_s": run.now,
        **{f"sent.{name}": count for name, count in run.counts.items()},
        **{f"dropped.{name}": count for name, count in run.dropped.items()},
        **books.tallies(),
        **{f"wrong.{name}": wrong for name, wrong in zip(run.layers, latest, strict=True)},
        **{f"legitimate_s.{name}": since for name, since in zip(run.layers, run.since, strict=True)},
        **{f"stabilised_s.{name}": seconds for name, seconds in took.items()},
        **{f"stabilised_rounds.{name}": rounds(seconds, run.round_s) for name, seconds in took.items()},
        "worst_s": worst_s,
        "worst_why": worst_why,
    }


def worst_moment(run: Run, publications: Sequence[Publication]) -> tuple[float, str]:
    """Where to look first: the first publication that went wrong, else the fault that took longest to repair (s, why)."""
    for p in publications:
        if p.missing():
            return p.t, "missed delivery"
        if p.duplicates:
            return p.t, "duplicate"
    repairs = list(run.repairs.all)
    ends = [later.t for later in repairs[1:]] + [run.now]
    took = [(end if r.end is None else r.end) - r.t for r, end in zip(repairs, ends, strict=True)]
    after_faults = range(1, len(repairs)) or range(1)  # the first of all is power-on
    k = max(after_faults, key=lambda k: (took[k], -k))
    return repairs[k].t, "largest repair" if repairs[k].t > 0.0 else "power-on"
