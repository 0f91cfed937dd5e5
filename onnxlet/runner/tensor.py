"""Tensors without numpy."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from .. import dtypes
from ..dtypes import DType
from .program import Failure

Element = int | float | bool | str

_WORDS: Final = {"true": True, "True": True, "TRUE": True, "1": True} | dict.fromkeys(
    ("false", "False", "FALSE", "0"), False
)
_SPECIAL: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_FLOAT_DIGITS: Final = {"float": range(6, 10), "float16": range(3, 6)}
"""Digits that may be enough to restore a float; the last always are."""


class Tensor(NamedTuple):
    """Elements row by row: little-endian bytes, or texts."""

    dtype: DType
    shape: tuple[int, ...]
    data: bytes | list[str]

    def elements(self) -> Sequence[Element]:
        """Python's numbers and texts. Raises Failure for types that it has not."""
        if isinstance(self.data, list):
            return self.data
        if self.dtype.format is None:
            raise Failure(f"this program cannot show elements of type {self.dtype.name}")
        return struct.unpack(f"<{math.prod(self.shape)}{self.dtype.format}", self.data)


def dtype_named(name: str) -> DType:
    """The type that numpy calls so; "string" for texts."""
    return dtypes.STRING if name == "string" else dtypes.BY_NUMPY[name]


def name_of(dtype: DType) -> str:
    """As numpy calls it; "string" for texts."""
    return "string" if dtype is dtypes.STRING else dtype.numpy or dtype.name


def make(dtype: DType, shape: tuple[int, ...], elements: Sequence[Any], what: str) -> Tensor:
    """Raises Failure for elements that the type does not hold; `what` begins the message."""
    if dtype is dtypes.STRING:
        wrong: Any = next((item for item in elements if not isinstance(item, str)), None)
        if wrong is not None:
            raise Failure(f"{what} has an element that is no text: {wrong!r}")
        return Tensor(dtype, shape, list(elements))
    if dtype.format is None:
        raise Failure(f"{what}: elements of type {dtype.name} are given as .npy files only")
    numbers = [_number(item, dtype, what) for item in elements]
    try:
        return Tensor(dtype, shape, struct.pack(f"<{len(numbers)}{dtype.format}", *numbers))
    except (struct.error, OverflowError):
        raise Failure(f"{what} has an element that is no {name_of(dtype)}") from None


def _number(item: Any, dtype: DType, what: str) -> Element:
    is_float = dtype.format in "efd" if dtype.format else False
    if dtype.format == "?":
        fits = isinstance(item, bool)
    elif is_float:
        item = _SPECIAL.get(item, item) if isinstance(item, str) else item
        fits = isinstance(item, int | float) and not isinstance(item, bool)
    else:
        fits = isinstance(item, int) and not isinstance(item, bool)
    if not fits:
        raise Failure(f"{what} has an element that is no {name_of(dtype)}: {json.dumps(item)}")
    return item  # type: ignore[no-any-return]


def parse_field(text: str, dtype: DType, what: str) -> Element:
    """An element of a table; an empty one is NaN, where the type has it. Raises Failure."""
    if dtype is dtypes.STRING:
        return text
    try:
        if dtype.format == "?":
            return _WORDS[text.strip()]
        if dtype.format in ("e", "f", "d"):
            return float(text) if text.strip() else math.nan
        return int(text)
    except (KeyError, ValueError):
        raise Failure(f"{what}: {text!r} is no {name_of(dtype)}") from None


def shortest(element: Element, dtype: DType) -> str:
    """The fewest digits that restore a number exactly; NaN, Infinity, true, false by JSON's names."""
    if isinstance(element, bool):
        return "true" if element else "false"
    if not isinstance(element, float):
        return str(element)
    if not math.isfinite(element):
        return "NaN" if math.isnan(element) else "Infinity" if element > 0 else "-Infinity"
    if element == 0:
        return "-0.0" if math.copysign(1, element) < 0 else "0"  # as an integer it would lose its sign
    for digits in _FLOAT_DIGITS.get(dtype.name, ()):
        text = f"{element:.{digits}g}"
        try:
            if struct.unpack(f"<{dtype.format}", struct.pack(f"<{dtype.format}", float(text)))[0] == element:
                return text
        except OverflowError:  # rounded up beyond the largest
            continue
    return repr(element)
