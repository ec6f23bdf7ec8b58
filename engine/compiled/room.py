"""More room for a compiled run that asks for it: Python's part between two stretches of play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.compiled import arrays, loop
from engine.compiled.machine import (
    F_LIST,
    F_SIZE,
    FREE,
    HEAD,
    LIST_AT,
    LISTS,
    LOGGED,
    NEED_AIR,
    NEED_LIST,
    NEED_LOCAL,
    NEED_WORDS,
    SAMPLES,
    SENT,
    SERVING,
    TAIL,
    TIMERS,
    WORDS,
)
from engine.core.errors import ProtocolBug
from engine.core.medium import ON

if TYPE_CHECKING:
    from engine.compiled.simulator import CompiledSimulator

BESIDES = 2  # rows behind those of the air: of what is being served, and of what is being sent
MOST_FRAMES = 1 << 24
"""Messages in the air at once, beyond which a run is given up: a protocol that floods without end."""


def make_room(sim: CompiledSimulator) -> None:
    """Whatever is short, twice as much of it; words go under the digest."""
    net, k = sim.net, sim.k
    more: dict[str, Any] = {}
    if k[WORDS] + k[NEED_WORDS] > len(net.words):
        sim.settle()
        net = sim.net  # it may have a longer one now
    if k[TAIL] - k[HEAD] + k[NEED_AIR] > len(net.frame_t):
        more |= wider_air(sim)
    if list_room(net) <= k[NEED_LIST]:
        pack_lists(sim, more)
    if k[FREE] < k[NEED_LOCAL]:
        more |= more_local(sim)
    if sim.medium is not None and net.mac[ON] + 2 > len(net.tx):
        more |= {name: doubled(getattr(net, name), len(net.tx)) for name in ("tx", "tx_t")}
    for count, names in (
        (k[LOGGED] + k[NEED_AIR], ("log", "log_t")),
        (k[SENT] + k[NEED_AIR], ("sends", "sends_t")),
        (k[SAMPLES] + 1, ("sample", "sample_t")),
    ):
        if count > len(getattr(net, names[1])):
            more |= {name: doubled(getattr(net, name), int(count)) for name in names}
    sim.net = net._replace(**more)


def wider_air(sim: CompiledSimulator) -> dict[str, Any]:
    """A ring of twice the size; rows keep their numbers."""
    net, k = sim.net, sim.k
    size = 2 * len(net.frame_t)
    if size > MOST_FRAMES:
        raise ProtocolBug(
            f"more than {MOST_FRAMES // 2:,} messages in the air at once: this protocol floods without end"
        )
    numbers = np.arange(k[HEAD], k[TAIL])
    frame_t, frame = np.zeros(size), np.zeros((size + BESIDES, net.frame.shape[1]), np.int64)
    old = numbers & (len(net.frame_t) - 1)
    frame_t[numbers & (size - 1)], frame[numbers & (size - 1)] = net.frame_t[old], net.frame[old]
    frame[-BESIDES:] = net.frame[-BESIDES:]
    return {"frame_t": frame_t, "frame": frame}


def pack_lists(sim: CompiledSimulator, more: dict[str, Any]) -> None:
    """The lists in the air one after the other, with as much room again."""
    net, k = sim.net, sim.k
    frame = more.get("frame", net.frame)
    rows = np.arange(k[HEAD], k[TAIL]) & (len(frame) - BESIDES - 1)
    begins, sizes = frame[rows, F_LIST], frame[rows, F_SIZE]
    used = int(sizes.sum())
    k[LISTS] = max(k[LISTS], 2 * (used + k[NEED_LIST] + 1))
    lists = np.zeros(int(k[LISTS]) + net.local_list.shape[1], np.int64)
    starts = arrays.ends(sizes)
    places = np.arange(used) - np.repeat(starts[:-1] - begins, sizes)
    lists[:used] = net.lists[places]
    frame[rows, F_LIST] = starts[:-1]
    served = frame[-BESIDES]
    beside, size = int(served[F_LIST]), int(served[F_SIZE])
    if k[SERVING] == loop.BESIDE:
        lists[k[LISTS] : k[LISTS] + size] = net.lists[beside : beside + size]
        served[F_LIST] = k[LISTS]
    k[LIST_AT] = used
    more["lists"] = lists


def more_local(sim: CompiledSimulator) -> dict[str, Any]:
    """Twice as many entries for messages of nodes to themselves."""
    net, k = sim.net, sim.k
    had, timers = len(net.due), int(k[TIMERS])
    size = 2 * had - timers
    free = np.zeros(size - timers, np.int32)
    fresh = np.arange(size - 1, had - 1, -1, dtype=np.int32)
    free[: k[FREE]], free[k[FREE] : k[FREE] + len(fresh)] = net.free[: k[FREE]], fresh
    k[FREE] += len(fresh)
    grown = {name: longer(getattr(net, name), size) for name in ("due", "chain", "heap")}
    more = ("local", "local_list", *(("flight", "began") if sim.medium is not None else ()))
    grown |= {name: longer(getattr(net, name), size - timers) for name in more}
    return {**grown, "free": free}


def list_room(net: Any) -> int:
    """Numbers that fit into `lists` in one piece; see `machine.low`."""
    k = net.k
    if k[TAIL] == k[HEAD]:
        return int(k[LISTS])
    first, at = int(net.frame[k[HEAD] & (len(net.frame_t) - 1), F_LIST]), int(k[LIST_AT])
    return max(int(k[LISTS]) - at, first) if at >= first else first - at


def doubled(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array with at least `size` rows, and at least twice as many as before."""
    return longer(array, max(size, 2 * len(array)))


def longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array with `size` rows, or as many as it has."""
    made = np.zeros((max(size, len(array)), *array.shape[1:]), array.dtype)
    made[: len(array)] = array
    return made
