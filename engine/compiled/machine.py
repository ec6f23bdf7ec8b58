"""The machine under compiled handlers: clock, frames in the air, pending events, digest words, delivery books.

Theory of operation. Everything lies in the arrays of one tuple (`FIELDS`; its numbers in `k`, named below).

- The air is a ring of rows. All frames take the same time, so they arrive in the order they were sent: sending writes a
  row and its list at the tail, arrival reads the row at the head. A broadcast is one row.
- Timers (entry v · timers + k for timer k of node v) and messages of a node to itself are *entries* in a calendar queue:
  buckets of time, each a short chain. Their width is chosen from the timers' rate. Where times are so uneven that chains
  or gaps grow long, the queue turns itself into a binary heap and stays one.
- Nothing can be allocated here. The loop checks that there is room for what two rules may send (`low`: one ends a frame,
  the next begins without another look), and returns to Python to make more. A rule that needs more than there is
  raises `Fault`, with the reason in `k`: never a wrong run, nor one without end.

Order and random numbers are those of `engine.core.simulator`, to the bit.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba.extending import register_jitable

from engine.core.rng import GOLD, UNIT
from engine.core.trace import DELIVER

FIELDS = (
    *("k", "clock", "periods", "streams", "drawn"),  # numbers and clock
    *("offset", "link", "alive", "loss", "gates"),  # the radio: slots, what works
    *("frame_t", "frame", "lists", "reached"),  # frames in the air
    *("due", "local", "chain", "heap", "bucket", "free", "local_list"),  # the queue
    *("counts", "dropped"),  # counters
    *("words", "hashing"),  # of the digest, see `engine.compiled.folding`
    *("book_n", "book_t", "seen", "log", "log_t", "sends", "sends_t"),  # delivery books
    *("bits", "wrong", "still", "sample_t", "sample"),  # what the judge writes
)

(SEQ, CAUSE, EVENTS, OBSERVE, LOSSY, STOP_AT) = range(6)
(HEAD, TAIL, LIST_AT, SERVING, AT, COUNT) = range(6, 12)
(LAP, BEST, QUEUED, FREE, WORK, POPS, HEAPED) = range(12, 19)
(WORDS, LOGGED, SENT, PUBLICATIONS, CURRENT, DEPTH) = range(19, 25)
(NEED_AIR, NEED_LIST, NEED_LOCAL, NEED_WORDS, TIMERS, LISTS) = range(25, 31)
(SAMPLES, TICKS, SAMPLING, SAMPLE_NOW, FAULT, FAULT_KIND, FAULT_VALUE, FAULT_BOUND) = range(31, 39)
AHEAD = 39  # the last lap whose memory has been asked for
NUMBERS = 40

NOW, DELAY, INVERSE, SAMPLE_S = range(4)  # of clock; INVERSE: buckets a second
F_SEQ, F_NODE, F_SLOT, F_KIND, F_PUBLICATION, F_DEPTH, F_LIST, F_SIZE, F_FIELDS = range(9)  # of a frame's row
D_TIME, D_SEQ = range(2)  # of `due`, one row an entry: when, and its sequence number (exact up to 2^53)
E_NODE, E_SLOT, E_KIND, E_SIZE = range(4)  # of the row of a local message
L_NODE, L_PLACE, L_SLOT, L_OPEN = range(
    4
)  # of a link: whom it leads to, the slot there (overall, of that node), works
MESSAGES, DUPLICATES = range(2)  # of book_n

(TOO_MANY_FRAMES, TOO_LONG_LISTS, TOO_MANY_WORDS, TOO_MANY_LOCAL, LIST_SIZE, NO_SLOT) = range(1, 7)
(TOO_MANY_DELIVERIES, NEGATIVE_DELAY) = range(7, 9)

Whole: TypeAlias = Any  # a whole number, in places one of numpy's: that makes it 64 bits wide

TIMER = -2
NONE = -1
KEPT_SENDS = 10_000

HEAP_WORK = 64  # steps in the calendar per event taken, beyond which a heap is better
HEAP_AFTER = 4096  # events over which that is measured

_GOLD, _A, _B = np.uint64(GOLD), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)

inlined = register_jitable(forceinline=True, _nrt=False)
called = register_jitable(_nrt=False)
"""For what is long and seldom: a call costs less than its code in every place."""


class Fault(Exception):
    """A rule broke a bound; which one is in `k`."""


@inlined
def mix(z: Any) -> Any:
    """`engine.core.rng.mix` of a 64-bit word."""
    z = (z ^ (z >> _30)) * _A
    z = (z ^ (z >> _27)) * _B
    return z ^ (z >> _31)


@inlined
def unit(word: Any) -> float:
    """A word as a number in [0, 1), 53 bits."""
    return np.float64(word >> _11) * UNIT


@inlined
def uniform(net: Any, purpose: int, v: int) -> float:
    """The next number of node v's stream for this purpose, in [0, 1)."""
    net.drawn[purpose][v] += np.uint64(1)
    return unit(mix(net.streams[purpose][v] + net.drawn[purpose][v] * _GOLD))


@inlined
def word(net: Any, x: Whole) -> None:
    """One more whole number under the digest."""
    net.words[net.k[WORDS]] = x
    net.k[WORDS] += 1


@inlined
def fault(net: Any, what: int, kind: int, value: int, bound: int) -> None:
    """Stop the run with an error, in the middle of a rule."""
    net.k[FAULT], net.k[FAULT_KIND], net.k[FAULT_VALUE], net.k[FAULT_BOUND] = what, kind, value, bound
    raise Fault


@inlined
def low(net: Any) -> bool:
    """Whether there may be too little room for what two more rules send."""
    k = net.k
    if k[TAIL] - k[HEAD] + k[NEED_AIR] > len(net.frame_t) or k[WORDS] + k[NEED_WORDS] > len(net.words):
        return True
    if k[FREE] < k[NEED_LOCAL] or k[LOGGED] + k[NEED_AIR] > len(net.log_t):
        return True
    if k[SENT] + k[NEED_AIR] > len(net.sends_t):
        return True
    if k[TAIL] == k[HEAD]:
        return k[NEED_LIST] > k[LISTS]
    first, at = net.frame[k[HEAD] & (len(net.frame_t) - 1)][F_LIST], k[LIST_AT]
    if at >= first:
        return max(k[LISTS] - at, first) <= k[NEED_LIST]
    return first - at <= k[NEED_LIST]


# --- the air


@called
def place_list(net: Any, kind: int, size: int) -> int:
    """Where in `lists` the next `size` numbers go, in one piece."""
    k = net.k
    at = k[LIST_AT]
    if k[TAIL] == k[HEAD]:
        at = 0
        if size > k[LISTS]:
            fault(net, TOO_LONG_LISTS, kind, size, k[LISTS])
    else:
        first = net.frame[k[HEAD] & (len(net.frame_t) - 1)][F_LIST]
        if at >= first:
            if k[LISTS] - at < size:
                at = 0
                if first <= size:
                    fault(net, TOO_LONG_LISTS, kind, size, first)
        elif first - at <= size:
            fault(net, TOO_LONG_LISTS, kind, size, first - at)
    k[LIST_AT] = at + size
    return at


@called
def start_frame(net: Any, v: int, j: int, kind: int, size: int) -> int:
    """A new row at the tail of the air, without its fields; its place."""
    k = net.k
    if j >= net.offset[v + 1] - net.offset[v]:
        fault(net, NO_SLOT, kind, j, net.offset[v + 1] - net.offset[v])
    if k[TAIL] - k[HEAD] >= len(net.frame_t):
        fault(net, TOO_MANY_FRAMES, kind, k[TAIL] - k[HEAD] + 1, len(net.frame_t))
    f = k[TAIL] & (len(net.frame_t) - 1)
    begin_frame(net, f, v, j, kind, size)
    net.frame_t[f] = net.clock[NOW] + net.clock[DELAY]
    k[TAIL] += 1
    return f


@inlined
def begin_frame(net: Any, f: int, v: int, j: int, kind: int, size: int) -> None:
    """Fill in row f, all but its fields, and write down that it is sent."""
    k, row = net.k, net.frame[f]
    if k[OBSERVE] == 1 and k[WORDS] + size + len(row) > len(net.words):
        fault(net, TOO_MANY_WORDS, kind, k[WORDS] + size, len(net.words))
    at = place_list(net, kind, size)
    net.counts[kind] += 1
    row[F_SEQ], row[F_NODE], row[F_SLOT], row[F_KIND], row[F_PUBLICATION] = k[SEQ], v, j, kind, 0
    row[F_LIST], row[F_SIZE] = at, size
    k[SEQ] += 1
    if k[OBSERVE] == 1:
        word(net, np.int64(net.clock[NOW] * 1e9))
        word(net, v)
        word(net, j)
        word(net, kind)


@called
def book_send(net: Any, f: int, v: int, j: int, publication: int) -> None:
    """A frame that carries a publication: one message more, and one hop farther."""
    k = net.k
    if publication < 1 or publication > k[PUBLICATIONS]:
        return  # a number that no one published
    depth = 1
    if k[CURRENT] == publication:
        depth += k[DEPTH]
    net.frame[f][F_PUBLICATION], net.frame[f][F_DEPTH] = publication, depth
    net.book_n[publication][MESSAGES] += 1
    net.book_t[publication] = net.clock[NOW]
    if net.book_n[publication][MESSAGES] <= KEPT_SENDS:
        if k[SENT] == len(net.sends_t):
            fault(net, TOO_MANY_FRAMES, net.frame[f][F_KIND], k[SENT] + 1, k[SENT])
        row = net.sends[k[SENT]]
        row[0], row[1], row[3] = publication, v, net.frame[f][F_KIND]
        row[2] = net.link[net.offset[v] + j][L_NODE] if j >= 0 else NONE
        for a in range(len(net.frame[0]) - F_FIELDS):
            row[4 + a] = net.frame[f][F_FIELDS + a]
        net.sends_t[k[SENT]] = net.clock[NOW]
        k[SENT] += 1


@called
def deliver(net: Any, v: int, channel: int, publication: int) -> None:
    """To the application of node v."""
    k = net.k
    if k[LOGGED] == len(net.log_t) or k[WORDS] + 6 > len(net.words):
        fault(net, TOO_MANY_DELIVERIES, 0, publication, k[NEED_AIR])
    if k[OBSERVE] == 1:
        word(net, DELIVER)
        word(net, np.int64(net.clock[NOW] * 1e9))
        word(net, k[CAUSE])
        word(net, v)
        word(net, channel)
        word(net, publication)
    if publication < 1 or publication > k[PUBLICATIONS]:
        return
    net.book_t[publication] = net.clock[NOW]
    bit = 1 << (v & 7)
    if net.seen[publication][v >> 3] & bit:
        net.book_n[publication][DUPLICATES] += 1
        return
    net.seen[publication][v >> 3] |= bit
    row = net.log[k[LOGGED]]
    row[0], row[1] = publication, v
    row[2] = k[DEPTH] if k[CURRENT] == publication else 0
    net.log_t[k[LOGGED]] = net.clock[NOW]
    k[LOGGED] += 1


# --- the queue


@inlined
def earlier(net: Any, x: Whole, y: Whole) -> bool:
    """Whether entry x comes before entry y."""
    a, b = net.due[x], net.due[y]
    return a[D_TIME] < b[D_TIME] or (a[D_TIME] == b[D_TIME] and a[D_SEQ] < b[D_SEQ])


@inlined
def bucket_at(net: Any, t: float) -> Whole:
    """The number of the bucket that time t falls into, counted from time 0."""
    return np.int64(min(t * net.clock[INVERSE], 4e18))


@inlined
def bucket_of(net: Any, x: Whole) -> Whole:
    """The number of the bucket that entry x falls into."""
    return bucket_at(net, net.due[x][D_TIME])


@called
def push(net: Any, x: int) -> None:
    """Put entry x, filled in, into the queue."""
    k = net.k
    if k[HEAPED] == 1:
        at = k[QUEUED]
        while at > 0 and earlier(net, x, net.heap[(at - 1) >> 1]):
            net.heap[at] = net.heap[(at - 1) >> 1]
            at = (at - 1) >> 1
        net.heap[at] = x
    else:
        lap = bucket_of(net, x)
        b = lap & (len(net.bucket) - 1)
        net.chain[x] = net.bucket[b]
        net.bucket[b] = x
        k[LAP] = min(k[LAP], lap)
        if k[BEST] >= 0 and earlier(net, x, k[BEST]):
            k[BEST] = x
    k[QUEUED] += 1


@inlined
def earliest(net: Any) -> int:
    """The entry that comes first; NONE if there is none."""
    k = net.k
    if k[QUEUED] == 0:
        return NONE
    if k[HEAPED] == 1:
        return net.heap[0]
    if k[BEST] < 0:
        search(net)
    return k[BEST]


@called
def search(net: Any) -> None:
    """Find the first entry: the earliest of the first bucket that holds one of its own lap."""
    k, mask = net.k, len(net.bucket) - 1
    best: Whole = NONE
    lap, empty = k[LAP], 0
    while best < 0:
        x = np.int64(net.bucket[lap & mask])
        while x >= 0:
            k[WORK] += 1
            if bucket_of(net, x) == lap and (best < 0 or earlier(net, x, best)):
                best = x
            x = np.int64(net.chain[x])
        if best < 0:
            lap += 1
            empty += 1
            if empty > mask:  # a whole turn without an event: look for the first lap of all
                k[WORK] += 2 * empty
                empty = 0
                lap = np.int64(0x7FFFFFFFFFFFFFFF)
                for b in range(mask + 1):
                    x = np.int64(net.bucket[b])
                    while x >= 0:
                        lap = min(lap, bucket_of(net, x))
                        x = np.int64(net.chain[x])
    k[WORK] += empty
    k[LAP], k[BEST] = lap, best


@inlined
def take(net: Any, x: int) -> None:
    """Remove entry x, the earliest."""
    k = net.k
    k[QUEUED] -= 1
    if k[HEAPED] == 1:
        drop_root(net, net.heap[k[QUEUED]])
        return
    b = k[LAP] & (len(net.bucket) - 1)
    if net.bucket[b] == x:
        net.bucket[b] = net.chain[x]
    else:
        y = np.int64(net.bucket[b])
        while net.chain[y] != x:
            y = np.int64(net.chain[y])
        net.chain[y] = net.chain[x]
    k[BEST] = NONE
    k[POPS] += 1
    if k[POPS] == HEAP_AFTER:
        if k[WORK] > HEAP_WORK * HEAP_AFTER:
            to_heap(net)
        k[POPS] = 0
        k[WORK] = 0


@called
def drop_root(net: Any, x: int) -> None:
    """Put entry x in place of the root of the heap, which has QUEUED entries then."""
    size, at = net.k[QUEUED], 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and earlier(net, net.heap[child + 1], net.heap[child]):
            child += 1
        if not earlier(net, net.heap[child], x):
            break
        net.heap[at] = net.heap[child]
        at = child
    net.heap[at] = x


@called
def to_heap(net: Any) -> None:
    """From now on a binary heap: all entries of the calendar, pushed one by one."""
    k = net.k
    k[HEAPED] = 1
    k[QUEUED] = 0
    for b in range(len(net.bucket)):
        x = np.int64(net.bucket[b])
        while x >= 0:
            after = np.int64(net.chain[x])
            push(net, x)
            x = after
        net.bucket[b] = NONE


@called
def start_local(net: Any, v: int, kind: int, delay: float, size: int) -> Whole:
    """A message of v to itself, without its fields; its entry (not yet queued)."""
    k = net.k
    if not delay >= 0.0:
        fault(net, NEGATIVE_DELAY, kind, 0, 0)
    if k[FREE] == 0:
        fault(net, TOO_MANY_LOCAL, kind, 1, 0)
    if size > len(net.local_list[0]):
        fault(net, TOO_LONG_LISTS, kind, size, len(net.local_list[0]))
    k[FREE] -= 1
    x = np.int64(net.free[k[FREE]])
    net.due[x][D_TIME], net.due[x][D_SEQ] = net.clock[NOW] + delay, k[SEQ]
    row = net.local[x - k[TIMERS]]
    row[E_NODE], row[E_SLOT], row[E_KIND], row[E_SIZE] = v, NONE, kind, size
    k[SEQ] += 1
    return x
