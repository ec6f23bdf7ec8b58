"""Trace records: the engine's only output. Everything shown, measured or exported is a projection of them.

Records are plain tuples, the code first (times in virtual seconds, nodes as indices):

    (SEND, t, seq, cause, v, to, kind, message)    to: node, or -1 for a broadcast; cause: seq of the event being handled
    (RECV, t, seq, w, v, kind)                     w heard what v sent as seq
    (DROP, t, seq, w, v, kind, reason)
    (DELIVER, t, cause, v, channel, publication)   the application at v got it
    (COMMAND, t, index)                            event `index` of the document took effect
    (AIRBORNE, t, seq, until, v, to, kind, message)   only under a real radio or an unfair scheduler, where being sent is
                                                   not yet being on the air; not part of the digest

The digest is a hash over all of them, watched or not, in order: each record adds a few whole numbers, and every `CHUNK`
of these is folded into the running BLAKE2b value, so that its state is plain data and costs little to keep.
"""

from __future__ import annotations

import sys
from array import array
from hashlib import blake2b
from typing import Any, TypeAlias

Record: TypeAlias = tuple[Any, ...]

SEND, RECV, DROP, DELIVER, COMMAND, AIRBORNE = range(6)
LOSS, DEAD_LINK, DEAD_NODE, FILTERED, FADING, COLLISION, BUSY = range(7)
REASONS = ("loss", "dead-link", "dead-node", "filtered", "fading", "collision", "busy")

CHUNK = 8192


class Digest:
    """A running hash over whole numbers; `words` are those not yet folded in."""

    __slots__ = ("value", "words")

    def __init__(self, value: str = "", words: list[int] | None = None) -> None:
        self.value = value
        self.words: list[int] = [] if words is None else words

    def settle(self) -> None:
        """Fold in all full chunks."""
        words = self.words
        full = len(words) - len(words) % CHUNK
        for start in range(0, full, CHUNK):
            self.value = chained(self.value, words[start : start + CHUNK])
        del words[:full]

    def hex(self) -> str:
        """The digest of everything so far, 16 hexadecimal digits."""
        self.settle()
        return chained(self.value, self.words)


def chained(value: str, words: list[int]) -> str:
    """The hash after these words, each as eight bytes, little-endian."""
    packed = array("q", words)
    if sys.byteorder == "big":
        packed.byteswap()
    return blake2b(value.encode() + packed.tobytes(), digest_size=8).hexdigest()


def as_json(record: Record, ids: list[str], names: list[str]) -> dict[str, Any]:
    """One record as a line of a JSONL trace: nodes by id, message kinds by name."""
    code = record[0]
    t = round(record[1], 9)
    if code == SEND:
        _, _, seq, cause, v, to, kind, m = record
        sent = {"from": ids[v], "to": ids[to] if to >= 0 else None, "message": names[kind]}
        return {"t": t, "do": "send", "seq": seq, "cause": cause, **sent, "fields": plain_fields(m)}
    if code == RECV:
        _, _, seq, w, v, kind = record
        return {"t": t, "do": "receive", "seq": seq, "node": ids[w], "from": ids[v], "message": names[kind]}
    if code == DROP:
        _, _, seq, w, v, kind, reason = record
        lost = {"node": ids[w], "from": ids[v], "message": names[kind], "reason": REASONS[reason]}
        return {"t": t, "do": "drop", "seq": seq, **lost}
    if code == DELIVER:
        _, _, cause, v, channel, publication = record
        return {
            "t": t,
            "do": "deliver",
            "cause": cause,
            "node": ids[v],
            "channel": channel,
            "publication": publication,
        }
    if code == AIRBORNE:
        _, _, seq, until, v, to, kind, _ = record
        sent = {"from": ids[v], "to": ids[to] if to >= 0 else None, "message": names[kind]}
        return {"t": t, "do": "on-air", "seq": seq, "until": round(until, 9), **sent}
    return {"t": t, "do": "command", "index": record[2]}


def plain_fields(m: Any) -> dict[str, Any]:
    """A message's fields, lists as lists."""
    return {
        name: list(x) if isinstance(x, (list, tuple)) else x for name, x in zip(m._fields, m, strict=True)
    }
