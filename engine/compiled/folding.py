"""The digest in compiled code: BLAKE2b of eight bytes, chained as `engine.core.trace.chained` does it.

Source: Saarinen, Aumasson: The BLAKE2 Cryptographic Hash and Message Authentication Code (RFC 7693).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.compiled.machine import WORDS, called, inlined
from engine.core.trace import CHUNK

VALUE, STATE, BLOCK, NUMBERS = 0, 2, 10, 26
"""Places in `hashing`: the value so far, as the two words of its hexadecimal digits (0 at first), and room for work."""

_START = np.array(
    [
        0x6A09E667F3BCC908,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    np.uint64,
)
_ORDER = np.array(
    [
        [int(place, 16) for place in row]
        for row in (
            "0123456789abcdef",
            "ea489fd61c02b753",
            "b8c052fdae367194",
            "7931dcbe265a40f8",
            "905724afe1bc683d",
            "2c6a0b834d75fe19",
            "c51fed4a0763928b",
            "db7ec13950f4862a",
            "6fe9b308c2d714a5",
            "a2847615fb9e3cd0",
            "0123456789abcdef",
            "ea489fd61c02b753",
        )
    ],
    np.uint8,
)
_EIGHT_BYTES = np.uint64(0x01010008)
_32, _24, _16, _63, _40, _48, _1 = (np.uint64(x) for x in (32, 24, 16, 63, 40, 48, 1))
_0, _10, _15 = (np.uint64(x) for x in (0, 10, 15))
_DIGIT, _LETTER = np.uint64(ord("0")), np.uint64(ord("a") - 10)


@inlined
def _mixed(a: Any, b: Any, c: Any, d: Any, x: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    a += b + x
    d ^= a
    d = (d >> _32) | (d << _32)
    c += d
    b ^= c
    b = (b >> _24) | (b << _40)
    a += b + y
    d ^= a
    d = (d >> _16) | (d << _48)
    c += d
    b ^= c
    b = (b >> _63) | (b << _1)
    return a, b, c, d


@called
def _compress(net: Any, bytes_: Any, last: bool) -> None:
    """Work the block into the state; `bytes_`: how long the message is up to here."""
    h = net.hashing
    a0, a1, a2, a3 = h[STATE], h[STATE + 1], h[STATE + 2], h[STATE + 3]
    b0, b1, b2, b3 = h[STATE + 4], h[STATE + 5], h[STATE + 6], h[STATE + 7]
    c0, c1, c2, c3 = _START[0], _START[1], _START[2], _START[3]
    d0, d1, d2, d3 = _START[4] ^ bytes_, _START[5], _START[6], _START[7]
    if last:
        d2 = ~d2
    for r in range(12):
        s = _ORDER[r]
        a0, b0, c0, d0 = _mixed(a0, b0, c0, d0, h[BLOCK + s[0]], h[BLOCK + s[1]])
        a1, b1, c1, d1 = _mixed(a1, b1, c1, d1, h[BLOCK + s[2]], h[BLOCK + s[3]])
        a2, b2, c2, d2 = _mixed(a2, b2, c2, d2, h[BLOCK + s[4]], h[BLOCK + s[5]])
        a3, b3, c3, d3 = _mixed(a3, b3, c3, d3, h[BLOCK + s[6]], h[BLOCK + s[7]])
        a0, b1, c2, d3 = _mixed(a0, b1, c2, d3, h[BLOCK + s[8]], h[BLOCK + s[9]])
        a1, b2, c3, d0 = _mixed(a1, b2, c3, d0, h[BLOCK + s[10]], h[BLOCK + s[11]])
        a2, b3, c0, d1 = _mixed(a2, b3, c0, d1, h[BLOCK + s[12]], h[BLOCK + s[13]])
        a3, b0, c1, d2 = _mixed(a3, b0, c1, d2, h[BLOCK + s[14]], h[BLOCK + s[15]])
    h[STATE] ^= a0 ^ c0
    h[STATE + 1] ^= a1 ^ c1
    h[STATE + 2] ^= a2 ^ c2
    h[STATE + 3] ^= a3 ^ c3
    h[STATE + 4] ^= b0 ^ d0
    h[STATE + 5] ^= b1 ^ d1
    h[STATE + 6] ^= b2 ^ d2
    h[STATE + 7] ^= b3 ^ d3


@inlined
def _digits(four: Any) -> Any:
    """The low four bytes as eight hexadecimal digits, which are eight bytes again; first things lowest."""
    found = _0
    for k in range(8):
        nibble = (four >> np.uint64(4 * (k ^ 1))) & _15
        found |= (nibble + (_DIGIT if nibble < _10 else _LETTER)) << np.uint64(8 * k)
    return found


@called
def fold(net: Any) -> None:
    """Fold all full chunks of words into the value."""
    h, k = net.hashing, net.k
    done = 0
    while k[WORDS] - done >= CHUNK:
        for i in range(8):
            h[STATE + i] = _START[i]
        h[STATE] ^= _EIGHT_BYTES
        ahead = 2 if h[VALUE] != _0 else 0  # the value comes first
        count = ahead + CHUNK
        for begin in range(0, count, 16):
            for i in range(16):
                at = begin + i - ahead
                if at < 0:
                    h[BLOCK + i] = h[VALUE + begin + i]
                elif at < CHUNK:
                    h[BLOCK + i] = np.uint64(net.words[done + at])
                else:
                    h[BLOCK + i] = _0
            end = min(begin + 16, count)
            _compress(net, np.uint64(8 * end), end == count)
        h[VALUE], h[VALUE + 1] = _digits(h[STATE]), _digits(h[STATE] >> _32)
        done += CHUNK
    k[WORDS] -= done
    for i in range(k[WORDS]):
        net.words[i] = net.words[done + i]
