"""The examples show what their sentences say."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from backend import examples
from engine.api import Run
from engine.world.scenario import load_scenario


def played(name: str, until: float | None = None, **params: Any) -> Run:
    """An example, played to its end or to `until`, with some parameters as given."""
    document = deepcopy(examples.document(name))
    document["protocol"]["params"].update(params)
    run = Run(load_scenario(document))
    run.advance(document["duration_s"] if until is None else until)
    return run


def missing(run: Run) -> list[list[str]]:
    """Per publication: the subscribers that it did not reach."""
    return [sorted(run.network.ids[v] for v in p.missing()) for p in run.publications]


def test_every_file_is_listed() -> None:
    assert sorted(f"{entry.name}.json" for entry in examples.listed()) == sorted(
        path.name for path in examples.FOLDER.glob("*.json")
    )


def test_the_printed_rule_reaches_three_subscribers_forty_times() -> None:
    found = played("end-point").publications[1]
    assert (len(found.delivered), len(found.delivered) + found.duplicates) == (3, 40)
    right = played("end-point", rule="corrected").publications[1]
    assert (len(right.delivered), right.duplicates) == (3, 0)


def test_with_alg_1_as_printed_publications_end_where_nobody_subscribes() -> None:
    run = played("own-channels")
    assert missing(run) == [["a", "b"], ["b"]]
    assert [p.messages for p in run.publications] == [0, 1]
    assert missing(played("own-channels", update="corrected")) == [[], []]


@pytest.mark.parametrize(("update", "heals_s"), [("old-candidates", 59), ("corrected", 47)])
def test_with_alg_3_as_printed_an_old_candidate_comes_back(update: str, heals_s: int) -> None:
    run = played("old-candidate", 51.0, update=update)
    c = run.network.index("c")
    entry = run.inspect(c, "news")["table"]["rows"][1]
    assert (entry["cells"][1], entry["wrong"]) == (("5 (e)", True) if heals_s > 51 else ("3 (a)", False))
    run.advance(70.0)
    assert round(run.since[-1] or 0.0) == heals_s


def test_ringps_takes_thirteen_messages_where_psvr_takes_seven() -> None:
    walk = played("ringps-walk").publications[0]
    assert (walk.messages, walk.missing(), walk.duplicates) == (13, set(), 0)
    assert played("psvr-fig4").publications[0].messages == 7


def test_shen_repairs_what_one_loses_but_not_what_two_lose_at_once() -> None:
    run = played("shen-loss")
    assert missing(run) == [[], [], ["n5"], []]
    wrong = {t: counts[-1] for t, counts in run.samples}
    assert [wrong[t] for t in (25.5, 26.0, 31.0, 45.0, 79.5, 120.0)] == [0, 2, 0, 3, 3, 0]
