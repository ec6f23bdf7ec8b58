"""The medium that frames share under a real radio: who sends when, who is heard, and what is lost to whom.

One source for both engines, as protocols are: `net` holds nested lists in one and arrays in the other, and brings its
own way to draw a number (`chance`, `fade`), to look one up (`rank`: how many of `steps` are at most a ratio; `reach`: where
a receiver is in the `far` of a sender), to be called again (`at`), to free a frame (`release`) and to write down a loss
(`lose`).

Theory of operation. A frame lies in `flight` from being sent until it is over. Frames of a node queue up; the first waits
a random moment, listens (CSMA, non-persistent: if the medium is busy it waits again, longer each time), and is then on the
air for its length in bits. Everything on the air lies in `tx`, until no frame that overlaps it is under way. At the end of
a frame its fate at each receiver follows from the power of its signal and of all others meanwhile, piece by piece:
with signal to interference and noise ratio s a bit is lost with probability ½·erfc(√(s·B/R)), so a frame survives with
probability e^-h, h the sum over bits of `hazard(s)`. A unicast frame is answered by an ACK, itself a frame that can be
lost, and sent again if no ACK arrives. A node that sends hears nothing.

Where the radio is ideal but the scheduler is not, a frame has one entry a receiver and its own delay instead.

Powers are in milliwatts, times in seconds. Only + − × / decide, so a run is the same on every machine.
Source: the radio of Castalia (additive interference, SINR per piece of a frame), which the papers' authors used.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

from engine.core.declare import NONE
from engine.core.trace import BUSY, COLLISION, FADING

AIR = -3  # in place of a slot in the queue of events: a frame is due

(M_NODE, M_SLOT, M_KIND, M_BITS, M_SEQ, M_STATE, M_TRIES, M_SENT, M_GOT, M_HEARD, M_WHY, M_NEXT) = range(12)
"""Of a frame in `flight`. TRIES: times the medium was busy; SENT: sent again; GOT: the receiver has it; HEARD: it heard the
last copy; WHY: it did not; NEXT: the one behind it in its node's queue."""
(UNUSED, BEHIND, WAITING, SENDING, ANSWERED, COMING, GONE) = range(7)  # of M_STATE
(Q_FIRST, Q_LAST, Q_COUNT) = range(3)  # of `queue`, a row a node
(BEGIN, END) = range(2)  # of `tx_t`

(NOISE, SENSITIVITY, CCA, BIT_S, JITTER_S, BACKOFF_S, COHERENCE_S, TURN_S, ACK_S, SOONEST_S, LATEST_S) = (
    range(11)
)
"""Of `radio`."""
(ON, CSMA, BACKOFFS, ACKS, RETRIES, ROOM, ORDER, OVERHEAD, FIELD, PAYLOAD, ACK_BITS) = range(11)
"""Of `mac`; ON: how many transmissions `tx` holds; OVERHEAD, FIELD, PAYLOAD: bits of a frame, a number, a publication."""
(FIFO, RANDOM, NEWEST_FIRST, SLOW_LINKS, STALE) = range(5)  # of ORDER
L_NODE, L_PLACE = 0, 1  # of `link`: whom a slot leads to, and the place of the slot that leads back

CERTAIN = 1e-9  # a chance of loss below this is none: no number is drawn for it
HOPELESS = 40.0  # e^-40: nothing survives
DECAY_STEPS = 64  # entries of `decay` to a unit
PAIR = 20  # bits of a node in the number of a pair
ARRIVED = 1


class Medium(NamedTuple):
    """What a run's radio is made of; numbers as `radio` and `mac` say, tables, and signals.

    `steps` and `hazards`: hazards[k] belongs to ratios from steps[k-1] up to steps[k]. `decay[k]`: e^(-k/64). `fades`: 256
    equally likely factors of power. `gain[v]`: (receiver, mW) of every node that v's frames may reach, loud or not.
    """

    radio: list[float]
    mac: list[int]
    steps: list[float]
    hazards: list[float]
    decay: list[float]
    fades: list[float]
    gain: list[list[tuple[int, float]]]

    def rank(self, ratio: float) -> int:
        """How many of `steps` are at most this ratio."""
        return bisect_right(self.steps, ratio)


def bits_of(net: Any, kind_fields: int, listed: int, carries: int) -> int:
    """Bits on the air of a message with so many numbers and list entries; `carries` is 1 for a publication."""
    return net.mac[OVERHEAD] + (kind_fields + listed) * net.mac[FIELD] + carries * net.mac[PAYLOAD]


# --- one frame after the other


def enqueue(net: Any, x: int, t: float) -> None:
    """Frame x, filled in, takes its place behind its node's others; without room it is lost."""
    frame = net.flight[x]
    queue = net.queue[frame[M_NODE]]
    frame[M_NEXT] = NONE
    if queue[Q_COUNT] >= net.mac[ROOM]:
        frame[M_WHY] = BUSY
        net.lose(x)
        net.release(x)
    elif queue[Q_COUNT] == 0:
        queue[Q_FIRST], queue[Q_LAST], queue[Q_COUNT] = x, x, 1
        ready(net, x, t)
    else:
        net.flight[queue[Q_LAST]][M_NEXT] = x
        queue[Q_LAST] = x
        queue[Q_COUNT] += 1
        frame[M_STATE] = BEHIND


def ready(net: Any, x: int, t: float) -> None:
    """The first of its queue: after a random moment it listens."""
    frame = net.flight[x]
    frame[M_STATE], frame[M_TRIES] = WAITING, 0
    net.at(x, t + net.radio[JITTER_S] * net.chance(frame[M_NODE]))


def due(net: Any, x: int, t: float) -> int:
    """It is frame x's time. ARRIVED if it has just ended: whoever asked works out who heard it, and says so (`over`)."""
    state = net.flight[x][M_STATE]
    if state == WAITING:
        attempt(net, x, t)
    elif state == ANSWERED:
        answered(net, x, t)
    elif state == GONE:
        net.release(x)
    else:
        return ARRIVED
    return 0


def attempt(net: Any, x: int, t: float) -> None:
    """Listen, and send if nobody else does."""
    frame = net.flight[x]
    v = frame[M_NODE]
    if busy(net, v, t):
        frame[M_TRIES] += 1
        if frame[M_TRIES] > net.mac[BACKOFFS]:
            frame[M_WHY] = BUSY
            give_up(net, x, t)
        else:
            net.at(x, t + net.radio[BACKOFF_S] * frame[M_TRIES] * net.chance(v))
    else:
        end = t + frame[M_BITS] * net.radio[BIT_S]
        frame[M_STATE] = SENDING
        net.began[x] = t
        transmit(net, v, t, t, end)
        net.at(x, end)


def over(net: Any, x: int, e: int, t: float, heard: int) -> None:
    """The frame has ended. A broadcast is done with; a unicast frame waits for its ACK, which `heard` sends back."""
    frame = net.flight[x]
    if frame[M_STATE] == COMING:
        net.release(x)
    elif frame[M_SLOT] == NONE or net.mac[ACKS] == 0:
        leave(net, x, t)
    else:
        begin = t + net.radio[TURN_S]
        end = begin + net.radio[ACK_S]
        frame[M_STATE], frame[M_HEARD] = ANSWERED, heard
        if heard == 1:
            frame[M_GOT] = 1
            transmit(net, net.link[e][L_NODE], t, begin, end)
        net.at(x, end)


def answered(net: Any, x: int, t: float) -> None:
    """The moment by which an ACK must have come."""
    frame = net.flight[x]
    v = frame[M_NODE]
    if frame[M_HEARD] == 1:
        e = net.offset[v] + frame[M_SLOT]
        w, back = net.link[e][L_NODE], net.link[e][L_PLACE]
        if received(net, w, v, back, t - net.radio[ACK_S], t, net.mac[ACK_BITS]) == NONE:
            leave(net, x, t)
            return
    if frame[M_SENT] < net.mac[RETRIES]:
        frame[M_SENT] += 1
        ready(net, x, t)
    else:
        give_up(net, x, t)


def give_up(net: Any, x: int, t: float) -> None:
    """No further attempt: lost, unless only the ACK was."""
    if net.flight[x][M_GOT] == 0:
        net.lose(x)
    leave(net, x, t)


def leave(net: Any, x: int, t: float) -> None:
    """Frame x, the first of its queue, is over; the next one's turn."""
    frame = net.flight[x]
    queue = net.queue[frame[M_NODE]]
    queue[Q_FIRST] = frame[M_NEXT]
    queue[Q_COUNT] -= 1
    net.release(x)
    if queue[Q_COUNT] > 0:
        ready(net, queue[Q_FIRST], t)


def hush(net: Any, v: int) -> None:
    """Node v fails: what it had to send dies with it."""
    queue = net.queue[v]
    x, first = queue[Q_FIRST], True
    for _ in range(queue[Q_COUNT]):
        after = net.flight[x][M_NEXT]
        if first:
            net.flight[x][M_STATE] = GONE  # it is yet to be called
        else:
            net.release(x)
        x, first = after, False
    queue[Q_COUNT] = 0


# --- the air


def busy(net: Any, v: int, t: float) -> bool:
    """Whether node v sends, or hears more than the threshold of clear channel assessment."""
    tx, tx_t, listens, total = net.tx, net.tx_t, net.mac[CSMA] == 1, 0.0
    for i in range(net.mac[ON]):
        if tx_t[i][END] > t:
            if tx[i] == v:
                return True
            if listens and tx_t[i][BEGIN] <= t:
                total += power(net, tx[i], v, t)
    return listens and total >= net.radio[CCA]


def transmit(net: Any, v: int, now: float, begin: float, end: float) -> None:
    """Node v is on the air from `begin` to `end`; what overlaps nothing under way any more is forgotten."""
    tx, tx_t, oldest, kept = net.tx, net.tx_t, now, 0
    for i in range(net.mac[ON]):
        if tx_t[i][END] >= now and tx_t[i][BEGIN] < oldest:
            oldest = tx_t[i][BEGIN]
    for i in range(net.mac[ON]):
        if tx_t[i][END] >= oldest:
            if kept < i:
                tx[kept] = tx[i]
                tx_t[kept][BEGIN], tx_t[kept][END] = tx_t[i][BEGIN], tx_t[i][END]
            kept += 1
    tx[kept] = v
    tx_t[kept][BEGIN], tx_t[kept][END] = begin, end
    net.mac[ON] = kept + 1


def received(net: Any, v: int, w: int, e: int, begin: float, end: float, bits: int) -> int:
    """Why w, behind v's link e, did not hear what v sent from `begin` to `end`; NONE if it did."""
    span = span_at(net, end)
    if net.stamp[e] != span:
        refresh(net, v, w, e, span)
    level, calm = net.level[e], net.hazard[e] * bits
    peril, on = calm, net.mac[ON]
    if on > 1:
        tx, tx_t, clash = net.tx, net.tx_t, False
        for i in range(on):
            if tx[i] != v and tx_t[i][BEGIN] < end and tx_t[i][END] > begin:
                if tx[i] == w:
                    return COLLISION
                clash = True
        if clash:
            peril = exposed(net, v, w, level, begin, end)
    if level < net.radio[SENSITIVITY] or calm >= HOPELESS:
        return FADING
    if peril < CERTAIN:
        return NONE
    if peril >= HOPELESS:
        return COLLISION
    u = net.chance(v)
    if u < survival(net, peril):
        return NONE
    return COLLISION if u < survival(net, calm) else FADING


def exposed(net: Any, v: int, w: int, level: float, begin: float, end: float) -> float:
    """The hazard of a whole frame from v at w, with all that others send meanwhile."""
    tx, tx_t, t, total = net.tx, net.tx_t, begin, 0.0
    while t < end:
        until, noise = end, net.radio[NOISE]
        for i in range(net.mac[ON]):
            if tx[i] != v:
                if tx_t[i][BEGIN] > t:
                    until = min(until, tx_t[i][BEGIN])
                elif tx_t[i][END] > t:
                    noise += power(net, tx[i], w, t)
                    until = min(until, tx_t[i][END])
        total += (until - t) / net.radio[BIT_S] * hazard(net, level / noise)
        t = until
    return total


def span_at(net: Any, t: float) -> int:
    """Fading is constant for a coherence time; the number of the one at t."""
    return int(t / net.radio[COHERENCE_S]) if net.radio[COHERENCE_S] > 0.0 else 0


def refresh(net: Any, v: int, w: int, e: int, span: int) -> None:
    """The power over link e for this coherence time, and what it means in silence."""
    net.stamp[e] = span
    net.level[e] = net.mean[e] * fading(net, v, w, span)
    net.hazard[e] = hazard(net, net.level[e] / net.radio[NOISE])


def power(net: Any, v: int, w: int, t: float) -> float:
    """What w hears of v's signal."""
    place = net.reach(v, w)
    return 0.0 if place == NONE else net.far_level[place] * fading(net, v, w, span_at(net, t))


def fading(net: Any, v: int, w: int, span: int) -> float:
    """The factor of slow fading between two nodes, the same both ways."""
    if net.radio[COHERENCE_S] == 0.0:
        return 1.0
    return net.fades[net.fade(min(v, w) << PAIR | max(v, w), span)]


def hazard(net: Any, ratio: float) -> float:
    """-ln(1 - bit error rate) at this signal to interference and noise ratio."""
    return net.hazards[net.rank(ratio)]


def survival(net: Any, peril: float) -> float:
    """e^-peril, below HOPELESS: the nearest entry below and four terms of the series, exact to 10⁻¹¹."""
    k = int(peril * DECAY_STEPS)
    r = peril - k / DECAY_STEPS
    return net.decay[k] * (1.0 - r * (1.0 - r * (0.5 - r * (1.0 / 6.0 - r / 24.0))))


def delay(net: Any, v: int, e: int, t: float) -> float:
    """How long the scheduler holds a frame sent now over v's link e, from SOONEST_S to LATEST_S.

    RANDOM: anything between. NEWEST_FIRST: what is sent later in a window arrives earlier. SLOW_LINKS: half of the links
    are always late. STALE: of the frames over a link every other one is late, so that old news overtakes new.
    """
    soonest, latest, order = net.radio[SOONEST_S], net.radio[LATEST_S], net.mac[ORDER]
    if order == RANDOM:
        return soonest + (latest - soonest) * net.chance(v)
    if order == NEWEST_FIRST:
        window = (latest - soonest) / 2.0
        if window == 0.0:
            return soonest
        return soonest + 2.0 * ((int(t / window) + 1) * window - t)
    if order == SLOW_LINKS:
        w = net.link[e][L_NODE]
        return latest if net.fade(min(v, w) << PAIR | max(v, w), 0) & 1 else soonest
    net.stamp[e] = 1 - max(0, net.stamp[e])
    return latest if net.stamp[e] == 1 else soonest
