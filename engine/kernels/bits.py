"""Sets of small numbers as rows of 64-bit words, in compiled code: number i is bit i mod 64 of word i // 64."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.compiled.machine import inlined

NO_BITS, ONE, ALL_BITS = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)
_FLAG = ir.IntType(1)


def words(size: int) -> int:
    """How many words hold the numbers below `size`."""
    return max(1, -(-size // 64))


@inlined
def put(row: Any, i: int) -> None:
    """Add i to the set."""
    row[i >> 6] |= ONE << np.uint64(i & 63)


@inlined
def has(row: Any, i: int) -> bool:
    """Whether i is in the set."""
    return bool((row[i >> 6] >> np.uint64(i & 63)) & ONE != NO_BITS)


@intrinsic
def lowest(typing: Any, word: Any) -> Any:
    """The place of the lowest bit that is set; some must be."""
    return types.int64(types.uint64), lambda context, builder, sig, args: builder.cttz(args[0], _FLAG(1))


@intrinsic
def highest(typing: Any, word: Any) -> Any:
    """The place of the highest bit that is set; some must be."""

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        zeros = builder.ctlz(args[0], _FLAG(1))
        return builder.sub(zeros.type(63), zeros)

    return types.int64(types.uint64), build


@intrinsic
def count(typing: Any, word: Any) -> Any:
    """How many bits are set."""
    return types.int64(types.uint64), lambda context, builder, sig, args: builder.ctpop(args[0])
