"""Numbers to codes: pure functions on matrices of weights.

Every quantizer sees weights as rows: float32 [N, K], one row per output channel (or per row of an embedding), along
which the products are summed. `block` numbers of a row share a scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[Any]
"""int8 or uint8."""


@dataclass(frozen=True)
class Grid:
    """Which numbers codes can stand for.

    Symmetric codes are signed, without zero point: -127..127 at 8 bits, else the whole range such as -8..7, where the
    number of largest magnitude is the lowest code and the scale has the sign that this needs. Others are unsigned with
    an unsigned zero point per block.
    """

    bits: int
    block: int = 0  # 0: the whole row
    symmetric: bool = True

    @property
    def lowest(self) -> int:
        if not self.symmetric:
            return 0
        return -127 if self.bits == 8 else -(1 << (self.bits - 1))

    @property
    def highest(self) -> int:
        return (1 << (self.bits - 1)) - 1 if self.symmetric else (1 << self.bits) - 1

    def blocks(self, columns: int) -> int:
        """How many blocks a row of `columns` numbers has; the last may be shorter."""
        return -(-columns // self.block) if self.block else 1

    def width(self, columns: int) -> int:
        """Numbers of a whole block."""
        return self.block or columns


@dataclass(frozen=True)
class InputStatistics:
    """What calibration knows of the values that meet the columns of a layer's weights. All float64."""

    second_moment: NDArray[np.float64] | None = None  # [K, K]: the mean of x x^T over rows x of the input
    mean: NDArray[np.float64] | None = None  # [groups, K]: of each group of a convolution, else of one
    largest: NDArray[np.float64] | None = None  # [K]: the largest absolute value
    count: int = 0  # rows seen

    def importance(self) -> NDArray[np.float64] | None:
        """[K]: the mean square of each column's input."""
        return None if self.second_moment is None else np.diagonal(self.second_moment)


@dataclass(frozen=True)
class Codes:
    """Quantized rows: number = (code - zero point) * scale."""

    grid: Grid
    codes: Integers  # [N, K]; int8 where the grid is symmetric
    scales: Floats  # [N, blocks]
    zero_points: NDArray[np.uint8] | None = None  # [N, blocks]

    def __post_init__(self) -> None:
        n, k = self.codes.shape
        expected = (n, self.grid.blocks(k))
        assert self.codes.dtype == code_type(self.grid)
        assert self.scales.shape == expected and self.scales.dtype == np.float32
        assert (self.zero_points is None) == self.grid.symmetric
        assert self.zero_points is None or self.zero_points.shape == expected

    def dequantize(self) -> Floats:
        """float32 [N, K], as DequantizeLinear computes it."""
        columns = self.codes.shape[1]
        width = self.grid.width(columns)
        spread = np.repeat(np.arange(self.scales.shape[1]), width)[:columns]
        whole = self.codes.astype(np.float32)
        if self.zero_points is not None:
            whole -= self.zero_points[:, spread]
        whole *= self.scales[:, spread]
        return whole

    def unsigned(self) -> Codes:
        """The same numbers by unsigned codes: of 8 bits, around the zero point 128."""
        assert self.grid.symmetric and self.grid.bits == 8
        codes = (self.codes.astype(np.int16) + 128).astype(np.uint8)
        return Codes(replace(self.grid, symmetric=False), codes, self.scales, np.full(self.scales.shape, 128, np.uint8))


class Quantizer(Protocol):
    """A method: rows [N, K] to codes on a grid. `inputs` is what calibration knows, or None."""

    def __call__(self, rows: Floats, grid: Grid, inputs: InputStatistics | None = None) -> Codes: ...


_CHUNK = 1 << 21  # numbers worked on at a time: what bounds the memory
_SHRINKS = np.linspace(1.0, 0.5, 21, dtype=np.float32)


def round_to_nearest(rows: Floats, grid: Grid, inputs: InputStatistics | None = None) -> Codes:
    """Scales from the extreme numbers of each block, codes by rounding half to even."""
    return _by_chunks(rows, grid, None, _SHRINKS[:1])


def mse_clip(rows: Floats, grid: Grid, inputs: InputStatistics | None = None) -> Codes:
    """Of some ranges that clip the extremes, the one with the least squared error of each block.

    With `inputs` the error of a column counts by the mean square of its input. The search over clipping thresholds
    follows Banner et al. 2019, "Post-training 4-bit quantization of convolution networks", https://arxiv.org/abs/1810.05723,
    which solves it for known distributions; here the weights themselves are tried.
    """
    return _by_chunks(rows, grid, inputs.importance() if inputs else None, _SHRINKS)


def search_grid(rows: Floats, grid: Grid, importance: Floats) -> tuple[Floats, Floats]:
    """Scales and zero points [N] for rows [N, K] of one block, as `mse_clip` chooses them; importance: [K]."""
    _, scales, zeros = _quantize(rows[:, None], grid, importance[None, None], _SHRINKS)
    return scales[:, 0], zeros[:, 0].astype(np.float32)


def code_type(grid: Grid) -> type[np.int8 | np.uint8]:
    return np.int8 if grid.symmetric else np.uint8


def _by_chunks(rows: Floats, grid: Grid, importance: NDArray[np.float64] | None, shrinks: Floats) -> Codes:
    n, k = rows.shape
    width, blocks = grid.width(k), grid.blocks(k)
    codes = np.empty((n, k), code_type(grid))
    scales = np.empty((n, blocks), np.float32)
    zeros = None if grid.symmetric else np.empty((n, blocks), np.uint8)
    weight = _blocked(importance[None].astype(np.float32), width) if importance is not None else None
    for part in parts(n, k):
        found, scales[part], zero = _quantize(_blocked(rows[part], width), grid, weight, shrinks)
        codes[part] = found.reshape(len(found), -1)[:, :k]
        if zeros is not None:
            zeros[part] = zero
    return Codes(grid, codes, scales, zeros)


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows that are worked on at a time."""
    step = max(1, _CHUNK // max(columns, 1))
    return (slice(at, min(at + step, rows)) for at in range(0, rows, step))


def _blocked(rows: Floats, width: int) -> Floats:
    """[N, blocks, width], the last block filled up with zeros."""
    n, k = rows.shape
    missing = -k % width
    if missing:
        rows = np.pad(rows, ((0, 0), (0, missing)))
    return np.ascontiguousarray(rows, np.float32).reshape(n, -1, width)


def _quantize(
    blocks: Floats, grid: Grid, weight: Floats | None, shrinks: Floats
) -> tuple[Integers, Floats, NDArray[np.uint8]]:
    """Codes [N, blocks, width], scales and zero points [N, blocks]: the best of the shrunk ranges of each block."""
    best_error = np.full(blocks.shape[:2], np.inf, np.float32)
    best_scale = np.ones(blocks.shape[:2], np.float32)
    best_zero = np.zeros(blocks.shape[:2], np.float32)
    for scale, zero in _ranges(blocks, grid, shrinks):
        if len(shrinks) == 1:
            best_scale, best_zero = scale, zero
            break
        error = (_round(blocks, scale, zero, grid) - zero[..., None]) * scale[..., None] - blocks
        error *= error
        if weight is not None:
            error *= weight
        total = error.sum(-1)
        better = total < best_error
        best_error[better] = total[better]
        best_scale[better], best_zero[better] = scale[better], zero[better]
    codes = _round(blocks, best_scale, best_zero, grid)
    return codes.astype(code_type(grid)), best_scale.astype(np.float32), best_zero.astype(np.uint8)


def _ranges(blocks: Floats, grid: Grid, shrinks: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Scales and zero points [N, blocks] of each range that is tried."""
    least, most = blocks.min(-1), blocks.max(-1)
    if not grid.symmetric:
        least, most = np.minimum(least, 0), np.maximum(most, 0)  # the number 0 must be a code
    for shrink in shrinks:
        if grid.symmetric:
            signed = np.where(-least > most, least, most)
            if grid.bits == 8:
                yield _nonzero(np.abs(signed) * shrink / grid.highest), np.zeros_like(least)
                continue
            scale = _nonzero(signed * shrink / grid.lowest)
            yield scale, np.zeros_like(scale)
            if len(shrinks) > 1:  # the other way round, the extreme number is clipped to the highest code
                yield -scale, np.zeros_like(scale)
        else:
            scale = _nonzero((most - least) * shrink / grid.highest)
            yield scale, np.clip(np.rint(-least * shrink / scale), 0, grid.highest)


def _nonzero(scale: Floats) -> Floats:
    """Blocks of zeros have scale 1. So have those whose scale would be too small for a float32."""
    return np.where(np.abs(scale) < np.finfo(np.float32).tiny, np.float32(1), scale).astype(np.float32)


def _round(blocks: Floats, scale: Floats, zero: Floats, grid: Grid) -> Floats:
    codes: Floats = np.rint(blocks / scale[..., None])
    codes += zero[..., None]
    return codes.clip(grid.lowest, grid.highest, out=codes)


def signal_to_noise(original: Floats, quantized: Floats) -> float:
    """Decibels; infinite where nothing changed."""
    noise = float(np.square(original - quantized, dtype=np.float64).sum())
    signal = float(np.square(original, dtype=np.float64).sum())
    if noise == 0:
        return float("inf")
    return float(10 * np.log10(signal / noise)) if signal else float("-inf")
