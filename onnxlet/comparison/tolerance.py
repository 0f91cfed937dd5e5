"""How close is close enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_USUAL = 1e-3  # what float32 networks reach on engines that sum in other orders, and far from what a defect gives


@dataclass(frozen=True)
class Tolerance:
    """The largest difference of two numbers that still agree.

    Floats: `relative` times the largest finite value of the expected tensor. With `absolute` given, the rule is
    numpy.allclose's: `absolute + relative * |expected|`, element by element. Without `relative` it is 1e-3, or two steps
    of element types that are coarser than that. Integers differ by at most `steps`, the steps of a quantized value;
    booleans and strings are equal. NaN agrees with NaN, infinity with the same infinity.
    """

    relative: float | None = None
    absolute: float | None = None
    steps: int = 0

    def bound(self, expected: np.ndarray[Any, Any], largest: float, epsilon: float) -> Any:
        """The largest allowed |error|: a number, or one per element of `expected` (float64 or complex128).

        `largest`: largest finite |expected| of the whole tensor; `epsilon`: spacing of the element type at 1, 0 for
        integers.
        """
        if epsilon == 0:
            return self.steps
        relative = max(_USUAL, 2 * epsilon) if self.relative is None else self.relative
        if self.absolute is None:
            return relative * largest
        return self.absolute + relative * np.abs(expected)

    def __str__(self) -> str:
        relative = f"{_USUAL:g}, or two steps of coarser types," if self.relative is None else f"{self.relative:g}"
        if self.absolute is None:
            floats = f"floats: {relative} of the largest value"
        else:
            floats = f"floats: {self.absolute:g} + {relative} of the value"
        return f"{floats}; integers: {self.steps}"
