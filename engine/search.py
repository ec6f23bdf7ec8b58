"""Find a worse start: values for every variable of every node from which the layers take long to become legitimate.

    found = worst(document, tries=300)
    found.rounds, found.document        # a scenario that replays exactly so

A start is a list of `corrupt` events at one moment, each with a value that its field may hold. A third of the tries draw
them at random; the others change the worst ones found: some nodes get new values, or those they have in another bad start.
Runs go through `engine.batch`. Equal document, tries and seed: equal result, whatever the number of threads.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from math import inf
from typing import Any

from engine.api import Run
from engine.batch import run_batch
from engine.core.declare import Input, Kind, fields
from engine.core.errors import OutsideSubset, ScenarioError
from engine.core.rng import Stream
from engine.world.scenario import Scenario, as_document, load_scenario
from engine.world.words import one_of

TOGETHER = 16  # tries between two looks at what came out
KEPT = 6  # bad starts that are changed further

Start = dict[str, list[float]]
"""By node: the values of all its variables, in the order of their declaration."""


@dataclass(frozen=True)
class Found:
    """The worst start. rounds, seconds: until every layer (or the one asked for) was legitimate; None: not in duration_s.

    history: (tries, rounds) whenever a worse one was found; at_random: the most rounds of those drawn at random.
    """

    document: dict[str, Any]
    rounds: int | None
    seconds: float | None
    tries: int
    history: list[tuple[int, int | None]]
    at_random: int | None


def worst(
    base: Mapping[str, Any],
    *,
    tries: int = 300,
    seed: int = 1,
    layer: str | None = None,
    threads: int = 1,
    told: Callable[[int, int | None], None] | None = None,
) -> Found:
    """Search for the start of `base` that takes the most rounds, corrupting it after its last fault.

    layer: only this one's rounds count (None: those until all layers are legitimate).
    told: called with the number of tries done and the most rounds so far (None: one that does not end in time).
    Raises: ScenarioError
    """
    scenario = load_scenario(dict(base))
    place = _Place(scenario, layer)
    stream = Stream(seed, "worst start")
    bad: list[
        tuple[float, float, int, Start]
    ] = []  # (-rounds, -seconds, number of the try, start), the worst first
    history: list[tuple[int, int | None]] = []
    done, at_random, random_tries = 0, None, -(-tries // 3)
    while done < tries and not (bad and bad[0][0] == -inf):
        left = random_tries - done if done < random_tries else tries - done
        drawn = done < random_tries
        starts = [
            place.random(stream) if drawn else place.changed(stream, [b[3] for b in bad])
            for _ in range(min(TOGETHER, left))
        ]
        for rounds, seconds, start in place.play(starts, threads):
            done += 1
            insort(bad, (-rounds, -seconds, done, start), key=lambda b: b[:3])
            if bad[0][2] == done:
                history.append((done, _whole(rounds)))
        del bad[KEPT:]
        if drawn:
            at_random = _whole(-bad[0][0])
        if told is not None:
            told(done, _whole(-bad[0][0]))
    rounds, seconds, _, start = bad[0]
    took = None if seconds == -inf else -seconds
    return Found(place.document(start), _whole(-rounds), took, done, history, at_random)


def _whole(rounds: float) -> int | None:
    return None if rounds == inf else int(rounds)


class _Place:
    """Where and when a start is put into a scenario, and what may stand there."""

    def __init__(self, scenario: Scenario, layer: str | None) -> None:
        run = Run(scenario, trace="none", drawn=False)
        self.t = run.last_fault_s(scenario.duration_s)
        if self.t >= scenario.duration_s:
            allowed = f"a duration_s beyond {self.t:g} s, when the last fault of the document happens"
            raise ScenarioError("duration_s", scenario.duration_s, allowed, "no time is left to stabilise")
        run.advance(self.t)
        sim = run.scene.sim
        self.base = as_document(scenario)
        if layer is not None and layer not in run.layers:
            raise ScenarioError("layer", layer, one_of(layer, run.layers), "no layer that is judged")
        self.layers, self.env = run.layers if layer is None else [layer], sim.st.env
        self.kinds: list[tuple[str, str, Kind]] = [
            (layer.name, f.name, f.kind)
            for layer in run.protocol.layers
            for f in fields(layer.state)
            if not isinstance(f.kind, Input)
        ]
        self.degree = {run.network.ids[v]: len(sim.peers[v]) for v in range(sim.n) if sim.alive[v]}
        self.nodes = list(self.degree)
        if not self.nodes or not self.layers:
            allowed = "a node that works, and a protocol with layers that are judged"
            raise ScenarioError(
                "scenario", f"{len(self.nodes)} nodes", allowed, "nothing can become legitimate"
            )
        self.engine = "compiled" if run.protocol.compiled else "interpreted"

    def random(self, stream: Stream) -> Start:
        """Any start."""
        return {node: self._values(stream, node) for node in self.nodes}

    def changed(self, stream: Stream, bad: list[Start]) -> Start:
        """One of the bad starts, with some nodes changed."""
        start = dict(bad[stream.below(len(bad))])
        other = bad[stream.below(len(bad))]
        for _ in range(1 + stream.below(max(1, len(self.nodes) // 6))):
            node = self.nodes[stream.below(len(self.nodes))]
            match stream.below(3):
                case 0:
                    start[node] = self._values(stream, node)
                case 1:
                    start[node] = other[node]
                case _:  # one variable
                    k = stream.below(len(self.kinds))
                    values = list(start[node])
                    values[k] = self._value(stream, node, self.kinds[k][2])
                    start[node] = values
        return start

    def _values(self, stream: Stream, node: str) -> list[float]:
        return [self._value(stream, node, kind) for _, _, kind in self.kinds]

    def _value(self, stream: Stream, node: str, kind: Kind) -> float:
        return kind.draw(stream, self.env, self.degree[node])

    def _events(self, start: Start) -> Iterator[dict[str, Any]]:
        yield from self.base["events"]
        for node, values in start.items():
            for (layer, name, _), value in zip(self.kinds, values, strict=True):
                where = {"node": node, "layer": layer, "field": name, "value": value}
                yield {"t": self.t, "do": "corrupt", **where}

    def document(self, start: Start) -> dict[str, Any]:
        """The scenario with this start."""
        return {**deepcopy(self.base), "events": list(self._events(start))}

    def play(self, starts: list[Start], threads: int) -> Iterator[tuple[float, float, Start]]:
        """Rounds and seconds that each start takes; ∞: more than there is time for."""
        runs = [{"events": list(self._events(start))} for start in starts]
        try:
            found = run_batch(self.base, runs, threads=threads, engine=self.engine)
        except OutsideSubset:
            self.engine = "interpreted"
            found = run_batch(self.base, runs, threads=threads, engine=self.engine)
        for k, start in enumerate(starts):
            if found["error"][k] is not None:
                raise ScenarioError(
                    "scenario", found["error"][k], "one that can be played", "a start cannot be played"
                )
            took = [
                (found[f"stabilised_rounds.{name}"][k], found[f"stabilised_s.{name}"][k])
                for name in self.layers
            ]
            yield (
                max(inf if rounds is None else rounds for rounds, _ in took),
                max(inf if seconds is None else seconds for _, seconds in took),
                start,
            )
