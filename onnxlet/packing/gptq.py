"""GPTQ: columns are quantized one after another, and those that follow make up for the error so far.

Frantar et al. 2022, "GPTQ: Accurate post-training quantization for generative pre-trained transformers",
https://arxiv.org/abs/2210.17323.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .quantizers import Codes, Floats, Grid, InputStatistics, Integers, code_type, mse_clip, parts, search_grid

_DAMPING = 0.01  # of the mean square of all inputs, added to each: the paper's
_TOGETHER = 128  # columns whose effect on the later ones is applied at once: a multiple or divisor of every block


def gptq(rows: Floats, grid: Grid, inputs: InputStatistics | None = None) -> Codes:
    """Keeps the products with the calibration's inputs rather than the weights; columns in their own order.

    Each block's grid is searched (see `mse_clip`) when its first column is reached. Without second moments of the inputs
    this is `mse_clip`.
    """
    return _gptq(rows, grid, inputs, ordered=False)


def gptq_ordered(rows: Floats, grid: Grid, inputs: InputStatistics | None = None) -> Codes:
    """The same with columns in falling order of their inputs' mean square, on grids searched beforehand."""
    return _gptq(rows, grid, inputs, ordered=True)


def _gptq(rows: Floats, grid: Grid, inputs: InputStatistics | None, ordered: bool) -> Codes:
    moment = inputs.second_moment if inputs else None
    if moment is None or not np.diagonal(moment).any():
        return mse_clip(rows, grid)
    n, k = rows.shape
    order = np.argsort(-np.diagonal(moment), kind="stable") if ordered else np.arange(k)
    factor = inverse_factor(moment[np.ix_(order, order)]).astype(np.float32)
    importance = np.diagonal(moment).astype(np.float32)
    codes = np.empty((n, k), code_type(grid))
    scales = np.empty((n, grid.blocks(k)), np.float32)
    zeros = np.zeros(scales.shape, np.uint8)
    for part in parts(n, k):
        columns = _Columns(rows[part], grid, importance, order, ordered)
        columns.quantize(factor)
        codes[part], scales[part], zeros[part] = columns.codes.T, columns.scales.T, columns.zeros.T
    return Codes(grid, codes, scales, None if grid.symmetric else zeros)


def inverse_factor(moment: NDArray[np.float64]) -> NDArray[np.float64]:
    """The upper triangular U with U^T U = (moment + damping)^-1. float64 [K, K].

    With the axes reversed, Cholesky's lower factor of the matrix is an upper one, and U is its inverse.
    """
    damped = moment + np.eye(len(moment)) * (_DAMPING * np.diagonal(moment).mean())
    upper = np.linalg.cholesky(damped[::-1, ::-1])[::-1, ::-1]
    return np.triu(np.linalg.inv(upper))


class _Columns:
    """Some rows while they are quantized, transposed: what is left of the weights [K, N], codes, scales [blocks, N]."""

    def __init__(self, rows: Floats, grid: Grid, importance: Floats, order: NDArray[np.intp], ordered: bool) -> None:
        n, k = rows.shape
        self.grid, self.importance, self.order = grid, importance, order
        self.width = grid.width(k)
        self.left: Floats = np.ascontiguousarray(rows.T[order], np.float32)
        self.codes: Integers = np.empty((k, n), code_type(grid))
        self.scales: Floats = np.empty((grid.blocks(k), n), np.float32)
        self.zeros: NDArray[np.float32] = np.zeros((grid.blocks(k), n), np.float32)
        self.searched = ordered
        if ordered:
            for block in range(len(self.scales)):
                self._search(block, rows[:, block * self.width : (block + 1) * self.width])

    def _search(self, block: int, rows: Floats) -> None:
        begin = block * self.width
        importance = self.importance[begin : begin + rows.shape[1]]
        scale, zero = search_grid(rows, self.grid, importance)
        self.scales[block], self.zeros[block] = scale, zero

    def quantize(self, factor: Floats) -> None:
        k, n = self.left.shape
        for begin in range(0, k, _TOGETHER):
            end = min(begin + _TOGETHER, k)
            errors = np.empty((end - begin, n), np.float32)
            for i in range(begin, end):
                block, at = divmod(int(self.order[i]), self.width)
                if not self.searched and at == 0:
                    self._search(block, np.ascontiguousarray(self.left[i : i + self.width].T))
                error = self._round(i, block)
                error /= factor[i, i]
                self.left[i + 1 : end] -= factor[i, i + 1 : end, None] * error
                errors[i - begin] = error
            self.left[end:] -= factor[begin:end, end:].T @ errors

    def _round(self, i: int, block: int) -> Floats:
        """Codes of the i-th column; returns what they miss."""
        scale, zero = self.scales[block], self.zeros[block]
        code = np.clip(np.rint(self.left[i] / scale) + zero, self.grid.lowest, self.grid.highest)
        self.codes[self.order[i]] = code
        missed: Floats = self.left[i] - (code - zero) * scale
        return missed
