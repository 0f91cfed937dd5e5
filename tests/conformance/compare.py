"""Compares what an engine gave with what a case expects."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.tolerances import bound, choose


class Mismatch(AssertionError):
    """`kind` is a short class of difference for reports: count, type, shape, dtype or values."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def assert_outputs(
    actual: list[Any], expected: list[Any], *, operator: str, backend: str, rtol: float, atol: float
) -> None:
    """Raises Mismatch at the first output that differs by more than its tolerance class allows."""
    if len(actual) != len(expected):
        raise Mismatch("count", f"{len(actual)} outputs, expected {len(expected)}")
    for index, (got, want) in enumerate(zip(actual, expected, strict=True)):
        _compare(got, want, f"output {index}", operator, backend, rtol, atol)


def _compare(got: Any, want: Any, where: str, operator: str, backend: str, rtol: float, atol: float) -> None:
    if want is None or got is None:
        if want is not got:
            raise Mismatch("type", f"{where}: {_kind(got)}, expected {_kind(want)}")
        return
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)):
            raise Mismatch("type", f"{where}: {_kind(got)}, expected a sequence")
        if len(got) != len(want):
            raise Mismatch("count", f"{where}: {len(got)} items, expected {len(want)}")
        for index, (g, w) in enumerate(zip(got, want, strict=True)):
            _compare(g, w, f"{where}[{index}]", operator, backend, rtol, atol)
        return
    if isinstance(want, dict):
        if not isinstance(got, dict) or set(got) != set(want):
            raise Mismatch("values", f"{where}: keys {got}, expected {want}")
        for key in want:
            _compare(np.asarray(got[key]), np.asarray(want[key]), f"{where}[{key!r}]", operator, backend, rtol, atol)
        return
    _compare_arrays(np.asarray(got), np.asarray(want), where, operator, backend, rtol, atol)


def _compare_arrays(
    got: np.ndarray, want: np.ndarray, where: str, operator: str, backend: str, rtol: float, atol: float
) -> None:
    if want.dtype.kind in "US":
        want = want.astype(object)
    if got.dtype != want.dtype:
        raise Mismatch("dtype", f"{where}: {got.dtype}, expected {want.dtype}")
    if got.shape != want.shape:
        raise Mismatch("shape", f"{where}: shape {list(got.shape)}, expected {list(want.shape)}")
    tolerance = choose(operator, want.dtype.name, backend)
    if tolerance.kind == "random":
        if not set(np.unique(got).tolist()) <= {0, 1}:
            raise Mismatch("values", f"{where}: values {np.unique(got)[:5]}, expected only 0 and 1")
        return
    if want.dtype == object or (want.dtype.kind in "biu" and tolerance.kind == "exact"):
        wrong = np.asarray(got != want)
    else:
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        g, w = got.astype(wide), want.astype(wide)
        with np.errstate(invalid="ignore"):
            close = np.abs(g - w) <= bound(tolerance, w, want.dtype, rtol, atol)
        wrong = ~(close | (g == w) | (np.isnan(g) & np.isnan(w)))
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        at = list(index) if index else "[]"
        raise Mismatch(
            "values",
            f"{where}: {int(wrong.sum())} of {wrong.size} values beyond {tolerance}, at {at}: {got[index]!s}, expected {want[index]!s}",
        )


def _kind(value: Any) -> str:
    if value is None:
        return "an empty optional"
    return "a sequence" if isinstance(value, (list, tuple)) else f"a tensor of {np.asarray(value).dtype}"
