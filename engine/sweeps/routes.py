"""A run as an analysis: the publications of a scenario on its legitimate network, counted by the static kernels.

Nothing is played: on an ideal radio without loss and without faults, what publications cost once all layers are legitimate
follows from the network, the tree root and the subscriptions (`engine.kernels`; `ringcast bench kernels --prove` compares).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from engine.core.errors import ScenarioError
from engine.registry import parameters, protocol
from engine.world.events import Publish, Subscribe
from engine.world.network import central_node
from engine.world.radio import IdealRadio
from engine.world.scenario import Scenario
from engine.world.schedule import Schedule, check_events
from engine.world.topology import build_network

WAYS = {
    "psvr": "psvr_all_links",
    "ringps": "ringps",
    "source-trees": "tree_of_publisher",
    "single-tree": "tree_of_root",
}
"""By protocol: its way of delivery in `engine.kernels.studies`; psvr's depends on its shortcuts."""
SETTINGS = ("root", "shortcuts", "channels")
"""Parameters that may differ from their defaults in what they do; periods and leases count for nothing here."""


def check_routes(scenario: Scenario) -> None:
    """Refuse what the static kernels do not cover, with the reason.

    Raises: ScenarioError
    """
    name, radio = scenario.protocol.name, scenario.radio
    if name not in WAYS:
        raise _no("protocol.name", name, "one of " + ", ".join(WAYS))
    spec = protocol(name)
    timings = {p.name for p in spec.all_params() if p.unit == "s"}
    defaults = {p.name: p.default for p in spec.all_params()}
    for key, value in scenario.protocol.params.items():
        if key not in SETTINGS and key not in timings and value != defaults.get(key):
            raise _no(f"protocol.params.{key}", value, f"{defaults.get(key)}, the default")
    if not isinstance(radio, IdealRadio):
        raise _no("radio.kind", radio.kind, "ideal")
    if radio.loss:
        raise _no("radio.loss", radio.loss, "0")
    if radio.order != "fifo":
        raise _no("radio.order", radio.order, "fifo")
    for k, event in enumerate(scenario.events):
        if not isinstance(event, Subscribe | Publish):
            raise _no(f"events[{k}].do", event.do, "subscribe and publish")
    subscribed = max((e.t for e in scenario.events if isinstance(e, Subscribe)), default=0.0)
    published = min((e.t for e in scenario.events if isinstance(e, Publish)), default=subscribed)
    if published < subscribed:
        raise _no("events", f"a publication at {published:g} s", f"publications after {subscribed:g} s")
    if scenario.workload is not None and scenario.workload.churn_per_s:
        raise _no("workload.churn_per_s", scenario.workload.churn_per_s, "0")


def _no(path: str, value: object, allowed: str) -> ScenarioError:
    problem = "static kernels (method routes) count on legitimate networks without faults"
    return ScenarioError(path, value, f"{allowed}; or method compiled", problem)


def play_routes(scenario: Scenario) -> dict[str, Any]:
    """The columns of `engine.batch.run_batch` that a static analysis can tell. `hops`: of PSVR only.

    Raises: ScenarioError
    """
    from engine.kernels.studies import messages  # numba takes half a second to import: for those who use it

    check_routes(scenario)
    network = build_network(scenario.topology, scenario.seed, drawn=False)
    check_events(scenario, network)
    spec = protocol(scenario.protocol.name)
    values = parameters(spec, scenario.protocol.params, network.ids)
    root = network.places[values["root"]] if values.get("root") else central_node(network)
    way = "psvr_non_tree" if values.get("shortcuts") == "non-tree" else WAYS[spec.name]
    totals: dict[str, int] = defaultdict(int)
    for subscribers, publishers in _by_channel(scenario, network).values():
        if not publishers:
            continue
        totals["publications"] += len(publishers)
        if not subscribers:
            continue
        found = messages(network.n, network.links, root, sorted(subscribers), publishers, [way])
        totals["expected"] += sum(len(subscribers - {v}) for v in publishers)
        totals["missed"] += sum(found["missed"])
        totals["transmissions"] += sum(found[way])
        totals["duplicates"] += sum(found["duplicates"])
        totals["hops"] += sum(found.get(f"hops_{way.removeprefix('psvr_')}", ()))
    psvr = spec.name == "psvr"
    return {
        "publications": totals["publications"],
        "expected": totals["expected"],
        "delivered": totals["expected"] - totals["missed"],
        "duplicates": totals["duplicates"],
        "transmissions": totals["transmissions"],
        "hops": totals["hops"] if psvr else None,
        "messages": totals["transmissions"],
    }


def _by_channel(scenario: Scenario, network: Any) -> Mapping[str, tuple[set[int], list[int]]]:
    """Subscribers and publishers, in the order they publish, by channel."""
    found: dict[str, tuple[set[int], list[int]]] = defaultdict(lambda: (set(), []))
    schedule = Schedule(scenario, network)
    while schedule.due is not None and schedule.due <= scenario.duration_s:
        _, event = schedule.pop()
        if isinstance(event, Subscribe):
            found[event.channel][0].add(network.places[event.node])
        elif isinstance(event, Publish):
            found[event.channel][1].append(network.places[event.node])
    return found
