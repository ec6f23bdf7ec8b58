"""The radio part of a scenario document, and what it means for a network: who hears whom, how loud.

Defaults of the log-distance radio are a CC2420 in Castalia: PLd0 = 55 dB at 1 m, exponent 2.4, shadowing of 4 dB drawn
once per pair of 5 m cells, 0 dBm, 250 kbit/s, noise floor -100 dBm, sensitivity and carrier sense at -95 dBm, and a bit
error rate of ½·erfc √(SINR · 194 kHz / 250 kbit/s). Only + − × / and √ decide, so a run is the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from engine.core import medium
from engine.core.errors import ScenarioError
from engine.core.exact import LN10, exp, log
from engine.core.medium import DECAY_STEPS, HOPELESS, Medium, survival
from engine.core.rng import GOLD, MASK, UNIT, mix, stream_base
from engine.world.fields import Number, Part, Share, Switch, Whole, refuse
from engine.world.network import Network, linked_within

BYTE = 8
HEADER_BYTES = 11  # of a frame's overhead; the rest is preamble, which an ACK has too
CELL_M = 5.0  # nodes in the same pair of cells of this width see the same shadowing
STEP_DB = 0.05  # between entries of the table of bit error rates
LOWEST_DB, HIGHEST_DB = -20.0, 20.0  # its ends: nothing survives below, everything above
BELOW_NOISE_DB = 6.0  # signals this far below the noise are none
TYPICAL_BYTES = 30  # of the frame by which the quality of a link is told
SQRT_2, SQRT_2_PI = math.sqrt(2.0), math.sqrt(2.0 * math.pi)
LINKED = 0.1  # the quality below which there is no link
ORDERS = ("fifo", "random", "newest-first", "slow-links", "stale")  # by number, as in engine.core.medium
OPTIONAL = "Frames arrive in the order they were sent, or as an unfair scheduler likes, within worst_delay_s."

Seconds = Annotated[float, Number(0.0, 10.0, "seconds")]
Decibels = Annotated[float, Number(0.0, 30.0, "dB")]
Power = Annotated[float, Number(-150.0, 50.0, "dBm")]


class IdealRadio(Part):
    """Every link has the same delay and loses messages independently."""

    kind: Literal["ideal"] = "ideal"
    delay_s: Annotated[float, Number(0.0001, 10, "seconds")] = 0.01
    loss: Share = 0.0
    order: Literal["fifo", "random", "newest-first", "slow-links", "stale"] = Field(
        default="fifo", description=OPTIONAL
    )
    worst_delay_s: Annotated[float, Number(0.0001, 10, "seconds")] = Field(
        default=0.1, description="the longest delay, where the order is not fifo"
    )

    @model_validator(mode="after")
    def _check(self) -> IdealRadio:
        if self.order != "fifo" and self.worst_delay_s < self.delay_s:
            raise refuse("worst_delay_s below delay_s", f"a worst_delay_s of at least {self.delay_s:g}")
        return self


class SharedRadio(Part):
    """One channel for all: frames take time, collide, wait for silence, and unicast frames are acknowledged."""

    loss: Share = Field(default=0.0, description="besides what the medium loses")
    bitrate_bps: Annotated[float, Number(1_000.0, 1e9, "bits a second")] = 250_000.0
    overhead_bytes: Annotated[int, Whole(0, 1_000, "bytes")] = Field(
        default=17, description="of every frame: preamble, header, check sum"
    )
    field_bytes: Annotated[int, Whole(0, 64, "bytes")] = Field(default=2, description="of every number in it")
    payload_bytes: Annotated[int, Whole(0, 10_000, "bytes")] = Field(
        default=20, description="of a publication's data"
    )
    carrier_sense: Switch = Field(default=True, description="listen before sending (CSMA)")
    jitter_s: Seconds = Field(default=0.01, description="wait up to this long before every frame")
    backoff_s: Seconds = Field(
        default=0.016, description="wait up to n times this long when the medium is busy for the n-th time"
    )
    backoffs: Annotated[int, Whole(0, 100)] = Field(
        default=7, description="give up when it was busy more often than this"
    )
    acks: Switch = Field(default=True, description="acknowledge unicast frames")
    retries: Annotated[int, Whole(0, 100)] = Field(
        default=3, description="send a frame again this often when no ACK comes"
    )
    ack_bytes: Annotated[int, Whole(1, 1_000, "bytes")] = 11
    turnaround_s: Seconds = Field(default=0.000192, description="between a frame and its ACK")
    queue: Annotated[int, Whole(1, 10_000)] = Field(
        default=64, description="frames that a node keeps waiting"
    )


class UnitDisk(SharedRadio):
    """Linked nodes hear each other perfectly, others not at all; two frames at once destroy each other."""

    kind: Literal["unit-disk"]


class LogDistance(SharedRadio):
    """Power falls with distance; shadowing is fixed, fading is slow. Needs positions in metres; links follow from them."""

    kind: Literal["log-distance"]
    tx_dbm: Power = 0.0
    path_loss_db: Annotated[float, Number(0.0, 150.0, "dB")] = Field(default=55.0, description="at one metre")
    exponent: Annotated[float, Number(1.0, 8.0)] = 2.4
    shadowing_db: Decibels = Field(default=4.0, description="standard deviation, fixed for a pair of places")
    fading_db: Decibels = Field(default=0.0, description="standard deviation, anew every coherence time")
    coherence_s: Annotated[float, Number(0.01, 1e6, "seconds")] = 10.0
    noise_dbm: Power = -100.0
    sensitivity_dbm: Power = -95.0
    carrier_sense_dbm: Power = -95.0
    bandwidth_hz: Annotated[float, Number(1.0, 1e9, "hertz")] = 194_000.0


AnyRadio: TypeAlias = IdealRadio | UnitDisk | LogDistance


def _kind_given(value: object) -> object:
    """A radio that does not say its kind is ideal."""
    return {"kind": "ideal", **value} if isinstance(value, dict) and "kind" not in value else value


Radio: TypeAlias = Annotated[AnyRadio, Field(discriminator="kind"), BeforeValidator(_kind_given)]
Spot: TypeAlias = tuple[float, float, float]  # x, y and height in metres
Places: TypeAlias = tuple[Sequence[float], Sequence[float], Sequence[float] | None]


def at_once(radio: AnyRadio) -> bool:
    """Whether what is sent is on its way at once, and as long as everything else."""
    return isinstance(radio, IdealRadio) and radio.order == "fifo"


def medium_of(radio: AnyRadio, seed: int, peers: Sequence[Sequence[int]], places: Places) -> Medium | None:
    """What the engines need of this radio on this network; None for an ideal one whose scheduler is fair.

    `peers`: radio neighbours by node; `places`: x, y and heights, in metres where the radio asks for them.
    """
    if at_once(radio):
        return None
    if isinstance(radio, IdealRadio):
        numbers, whole = _numbers(), _whole(ORDER=ORDERS.index(radio.order))
        numbers[medium.SOONEST_S], numbers[medium.LATEST_S] = radio.delay_s, radio.worst_delay_s
        return Medium(numbers, whole, [], [0.0], [1.0], [1.0], [])
    whole = _whole(
        CSMA=int(radio.carrier_sense),
        BACKOFFS=radio.backoffs,
        ACKS=int(radio.acks),
        RETRIES=radio.retries,
        ROOM=radio.queue,
        OVERHEAD=BYTE * radio.overhead_bytes,
        FIELD=BYTE * radio.field_bytes,
        PAYLOAD=BYTE * radio.payload_bytes,
        ACK_BITS=BYTE * (max(0, radio.overhead_bytes - HEADER_BYTES) + radio.ack_bytes),
    )
    numbers = _numbers()
    numbers[medium.BIT_S] = 1.0 / radio.bitrate_bps
    numbers[medium.JITTER_S], numbers[medium.BACKOFF_S] = radio.jitter_s, radio.backoff_s
    numbers[medium.TURN_S] = radio.turnaround_s
    numbers[medium.ACK_S] = whole[medium.ACK_BITS] / radio.bitrate_bps
    if isinstance(radio, UnitDisk):
        numbers[medium.NOISE], numbers[medium.SENSITIVITY], numbers[medium.CCA] = 1e-3, 0.5, 0.5
        gain = [[(w, 1.0) for w in row] for row in peers]
        return Medium(numbers, whole, [2.0], [1e6, 0.0], _decay(), [1.0], gain)
    numbers[medium.NOISE] = milliwatts(radio.noise_dbm)
    numbers[medium.SENSITIVITY] = milliwatts(radio.sensitivity_dbm)
    numbers[medium.CCA] = milliwatts(radio.carrier_sense_dbm)
    numbers[medium.COHERENCE_S] = radio.coherence_s if radio.fading_db > 0.0 else 0.0
    steps, hazards = _bit_errors(radio.bandwidth_hz / radio.bitrate_bps)
    return Medium(
        numbers, whole, steps, hazards, _decay(), _fades(radio.fading_db), signals(radio, seed, *places)
    )


def _numbers() -> list[float]:
    return [0.0] * (medium.LATEST_S + 1)


def _whole(**given: int) -> list[int]:
    whole = [0] * (medium.ACK_BITS + 1)
    for name, value in given.items():
        whole[getattr(medium, name)] = value
    return whole


# --- who hears whom


def heard_network(radio: AnyRadio, seed: int, network: Network) -> Network:
    """The network with the links that this radio makes, and their quality. Raises ScenarioError."""
    if not isinstance(radio, LogDistance):
        return network
    if not network.metric:
        allowed = "unit-disk or ideal here; log-distance with positions in metres (geometric, zones, IoT-LAB, range_m)"
        raise ScenarioError("radio.kind", radio.kind, allowed, "this network has no positions in metres")
    gain = signals(radio, seed, network.x, network.y, network.z)
    pairs = [(v, w, mw) for v, row in enumerate(gain) for w, mw in row if v < w]
    shares = link_qualities(radio, [mw for _, _, mw in pairs])
    heard = [(v, w, q) for (v, w, _), q in zip(pairs, shares, strict=True) if q >= LINKED]
    return Network(
        network.ids,
        network.names,
        network.x,
        network.y,
        tuple((v, w) for v, w, _ in heard),
        tuple((q, q) for _, _, q in heard),
        network.range_m,
        True,
        network.z,
    )


def audible(radio: LogDistance, mw: float) -> bool:
    """Whether a mean power makes a link: every tenth frame or more gets through in silence."""
    return link_quality(radio, mw) >= LINKED


def audible_by(radio: AnyRadio, seed: int) -> Callable[[Spot, Spot], bool] | None:
    """Who hears whom by where they are; None where links are given, or follow from a range."""
    if not isinstance(radio, LogDistance):
        return None
    return lambda a, b: audible(radio, mean_power(radio, seed, a, b))


def link_quality(radio: LogDistance, mw: float, size: int = TYPICAL_BYTES) -> float:
    """The share of frames of `size` bytes that get through at this mean power, over all fading, in silence (0…1)."""
    steps, hazards = _bit_errors(radio.bandwidth_hz / radio.bitrate_bps)
    fades, noise, least = (
        _fades(radio.fading_db),
        milliwatts(radio.noise_dbm),
        milliwatts(radio.sensitivity_dbm),
    )
    table = Medium([], [], steps, hazards, _decay(), fades, [])
    total = 0.0
    for fade in fades:
        peril = medium.hazard(table, mw * fade / noise) * BYTE * size
        if mw * fade >= least and peril < HOPELESS:
            total += survival(table, peril)
    return total / len(fades)


def link_qualities(radio: LogDistance, levels: Sequence[float], size: int = TYPICAL_BYTES) -> list[float]:
    """`link_quality` of each of these mean powers, the same to the bit."""
    import numpy as np  # for those who have such a radio

    from engine.world import wide

    steps, hazards = map(np.array, _bit_errors(radio.bandwidth_hz / radio.bitrate_bps))
    mw, decay, total = np.array(levels), np.array(_decay()), np.zeros(len(levels))
    fades, noise, least = (
        _fades(radio.fading_db),
        milliwatts(radio.noise_dbm),
        milliwatts(radio.sensitivity_dbm),
    )
    for fade in fades:
        peril = hazards[np.searchsorted(steps, mw * fade / noise, side="right")] * BYTE * size
        heard = (mw * fade >= least) & (peril < HOPELESS)
        total[heard] += wide.survival(decay, peril[heard])
    found: list[float] = (total / len(fades)).tolist()
    return found


def signals(
    radio: LogDistance, seed: int, x: Sequence[float], y: Sequence[float], z: Sequence[float] | None
) -> list[list[tuple[int, float]]]:
    """Per node: (other node, mean power there in mW), by node, as far as it is not lost in the noise."""
    least = radio.noise_dbm - BELOW_NOISE_DB
    budget = radio.tx_dbm - radio.path_loss_db + 4.0 * radio.shadowing_db - least
    reach = exp(budget / (10.0 * radio.exponent) * LN10)
    floor = milliwatts(least)
    spots = [(x[v], y[v], 0.0 if z is None else z[v]) for v in range(len(x))]
    gain: list[list[tuple[int, float]]] = [[] for _ in x]
    pairs = linked_within(x, y, max(reach, 1.0), z)
    for (v, w), mw in zip(pairs, mean_powers(radio, seed, spots, pairs), strict=True):
        if mw >= floor:
            gain[v].append((w, mw))
            gain[w].append((v, mw))
    return [sorted(row) for row in gain]


def mean_powers(
    radio: LogDistance, seed: int, spots: Sequence[Spot], pairs: Sequence[tuple[int, int]]
) -> list[float]:
    """`mean_power` between each of these pairs of spots, the same to the bit."""
    if not pairs:
        return []
    import numpy as np

    from engine.world import wide

    a, b = np.array(pairs).T
    x, y, z = np.array(spots).T
    dx, dy, dz = x[a] - x[b], y[a] - y[b], z[a] - z[b]
    apart = dx * dx + dy * dy + dz * dz
    loss = radio.path_loss_db + 5.0 * radio.exponent * wide.log(np.maximum(apart, 1.0)) / LN10
    shadow: Any = 0.0
    if radio.shadowing_db:
        cells = np.array([_cell(spot) for spot in spots], np.uint64)
        near, far = np.minimum(cells[a], cells[b]), np.maximum(cells[a], cells[b])
        base: Any = near * GOLD + stream_base(seed, "shadowing")  # arrays wrap at 64 bits as the mask does
        words: Any = mix(mix(base) + (far + 1) * GOLD)
        shadow = radio.shadowing_db * wide.normal(((words >> 11) + 0.5) * UNIT)
    found: list[float] = wide.milliwatts(radio.tx_dbm - loss + shadow).tolist()
    return found


def mean_power(radio: LogDistance, seed: int, a: Spot, b: Spot) -> float:
    """What arrives at b of what a sends, in mW, over all fading; the same both ways."""
    apart = sum((p - q) * (p - q) for p, q in zip(a, b, strict=True))
    loss = radio.path_loss_db + 5.0 * radio.exponent * log(max(apart, 1.0)) / LN10
    near, far = sorted((_cell(a), _cell(b)))
    word = mix((mix((stream_base(seed, "shadowing") + near * GOLD) & MASK) + (far + 1) * GOLD) & MASK)
    shadow = radio.shadowing_db * normal(((word >> 11) + 0.5) * UNIT) if radio.shadowing_db else 0.0
    return milliwatts(radio.tx_dbm - loss + shadow)


def _cell(spot: Spot) -> int:
    return (int(spot[0] // CELL_M) & 0xFFFFFF) << 24 | int(spot[1] // CELL_M) & 0xFFFFFF


# --- numbers


def milliwatts(dbm: float) -> float:
    """10^(dbm / 10)."""
    return exp(dbm / 10.0 * LN10)


def erfc(x: float) -> float:
    """The complementary error function for x ≥ 0: a series below 2.5, a continued fraction above; good to 10⁻⁹."""
    square = exp(-x * x)
    if x < 2.5:
        term, total, twice, k = x, x, 2.0 * x * x, 1
        while term > 1e-17 * total:
            k += 2
            term *= twice / k
            total += term
        return 1.0 - 2.0 / math.sqrt(math.pi) * square * total
    fraction = 0.0
    for k in range(60, 0, -1):
        fraction = k / 2.0 / (x + fraction)
    return square / (math.sqrt(math.pi) * (x + fraction))


def normal(p: float) -> float:
    """The value that a normal variable stays below with probability p, 0 < p < 1; by Newton's method.

    For p above a half the distribution is concave, so it comes ever closer from below.
    """
    if p < 0.5:
        return -normal(1.0 - p)
    x, step = 0.0, 1.0
    while step > 1e-12:
        missing = 0.5 * erfc(x / SQRT_2) - (1.0 - p)
        step = missing * SQRT_2_PI * exp(0.5 * x * x)
        x += step
    return x


@lru_cache(maxsize=64)
def _bit_errors(gain: float) -> tuple[list[float], list[float]]:
    """Ratios, ascending, and the hazard of a bit from each on: -ln(1 - ½·erfc √(ratio · gain)), the first below all."""
    count = int((HIGHEST_DB - LOWEST_DB) / STEP_DB) + 1
    steps = [milliwatts(LOWEST_DB + k * STEP_DB) for k in range(count)]
    errors = [0.5 * erfc(math.sqrt(step * gain)) for step in steps]
    hazards = [-log(1.0 - min(error, 0.5)) for error in errors]
    return steps, [1e3, *hazards[:-1], 0.0]


@lru_cache(maxsize=64)
def _fades(sigma_db: float) -> list[float]:
    """256 equally likely factors: fading that is normal in decibels."""
    if sigma_db == 0.0:
        return [1.0]
    return [milliwatts(sigma_db * normal((k + 0.5) / 256)) for k in range(256)]


@lru_cache(maxsize=1)
def _decay() -> list[float]:
    return [exp(-k / DECAY_STEPS) for k in range(int(HOPELESS * DECAY_STEPS) + 1)]
