"""What a comparison has to know about numpy's and ml_dtypes' element types."""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np

from .. import dtypes

_UNSIGNED_EXPONENT = "float8_e8m0fnu"  # has no sign


def type_name(dtype: np.dtype[Any]) -> str:
    """ONNX's name of the type, as in "tensor(float)"; numpy's where ONNX has none."""
    if dtype.kind in "OUST":
        return "string"
    found = dtypes.BY_NUMPY.get(dtype.name)
    return found.name if found else dtype.name


@functools.lru_cache(maxsize=256)
def family(dtype: np.dtype[Any]) -> Literal["float", "integer", "other"]:
    """float with complex, integer with bool; other for strings and what has no order."""
    name = type_name(dtype)
    if "float" in name or name in ("double", "complex64", "complex128"):
        return "float"
    return "integer" if "int" in name or name == "bool" else "other"


@functools.lru_cache(maxsize=256)
def epsilon(dtype: np.dtype[Any]) -> float:
    """Spacing of a float type's values just above 1; 0 for integers."""
    return float(_info(dtype).eps) if family(dtype) == "float" else 0.0


@functools.lru_cache(maxsize=256)
def as_bits(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], int] | None:
    """For real floats: the unsigned type of their size, and the sign's bit in it (0 where there is none)."""
    if family(dtype) != "float" or dtype.kind == "c":
        return None
    sign = 0 if dtype.name == _UNSIGNED_EXPONENT else 1 << (int(_info(dtype).bits) - 1)
    return np.dtype(f"u{dtype.itemsize}"), sign


def _info(dtype: np.dtype[Any]) -> Any:
    if issubclass(dtype.type, np.inexact):
        return np.finfo(dtype)
    import ml_dtypes

    finfo: Any = ml_dtypes.finfo  # has no types
    return finfo(dtype)
