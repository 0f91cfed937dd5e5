"""GGUF's blocks of 32 numbers become the ones of com.microsoft's operators, bit for bit.

Format: https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h, block_q4_0, block_q4_1 and block_q8_0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .weights import Blocks, Read

_Q4_0 = np.dtype([("d", "<f2"), ("q", "u1", 16)])  # w = (q - 8) d
_Q4_1 = np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)])  # w = q d + m
_Q8_0 = np.dtype([("d", "<f2"), ("q", "i1", 32)])  # w = q d


def q4_0(rows: Read) -> Blocks:
    """Of uint8 [n, bytes of a row], as all here."""
    return Blocks(4, lambda: _neighbours(rows().view(_Q4_0)["q"]), lambda: _floats(rows().view(_Q4_0)["d"]))


def q4_1(rows: Read) -> Blocks:
    """The offset m + 8 d is exact in float32, and with it every number, unless |m| is beyond some 4,000 d."""

    def offsets() -> np.ndarray:
        blocks = rows().view(_Q4_1)
        return np.asarray(_floats(blocks["m"]) + 8 * _floats(blocks["d"]))

    return Blocks(4, lambda: _neighbours(rows().view(_Q4_1)["q"]), lambda: _floats(rows().view(_Q4_1)["d"]), offsets)


def q8_0(rows: Read) -> Blocks:
    return Blocks(
        8,
        lambda: np.bitwise_xor(rows().view(_Q8_0)["q"].view(np.uint8), np.uint8(128)),
        lambda: _floats(rows().view(_Q8_0)["d"]),
    )


CARRIED: dict[str, Callable[[Read], Blocks]] = {"Q4_0": q4_0, "Q4_1": q4_1, "Q8_0": q8_0}


def _floats(half: np.ndarray) -> np.ndarray:
    return np.asarray(half, np.float32)


def _neighbours(halves: np.ndarray) -> np.ndarray:
    """From number j beside number j + 16 in a byte to number 2 j beside number 2 j + 1."""
    low, high = halves & 15, halves >> 4
    first, second = np.concatenate([low, high], -1).reshape(*halves.shape[:-1], 16, 2).transpose(3, 0, 1, 2)
    return np.asarray(first | second << 4)
