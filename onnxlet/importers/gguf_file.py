"""Reads GGUF files: metadata by key, tensors that stay in the file until they are used.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import errors
from ..errors import InvalidArgument, InvalidProtobuf
from .gguf_blocks import CARRIED
from .weights import Read, Weight

MAGIC = b"GGUF"

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_LONGEST_DEPTH = 4  # of arrays in arrays


@dataclass(frozen=True)
class Kind:
    """A type of tensors: so many numbers share so many bytes."""

    name: str
    numbers: int
    size: int


# enum ggml_type. Those without a row are of files older than version 2, or are not weights.
KINDS = {
    0: Kind("F32", 1, 4),
    1: Kind("F16", 1, 2),
    2: Kind("Q4_0", 32, 18),
    3: Kind("Q4_1", 32, 20),
    6: Kind("Q5_0", 32, 22),
    7: Kind("Q5_1", 32, 24),
    8: Kind("Q8_0", 32, 34),
    10: Kind("Q2_K", 256, 84),
    11: Kind("Q3_K", 256, 110),
    12: Kind("Q4_K", 256, 144),
    13: Kind("Q5_K", 256, 176),
    14: Kind("Q6_K", 256, 210),
    16: Kind("IQ2_XXS", 256, 66),
    17: Kind("IQ2_XS", 256, 74),
    18: Kind("IQ3_XXS", 256, 98),
    19: Kind("IQ1_S", 256, 50),
    20: Kind("IQ4_NL", 32, 18),
    21: Kind("IQ3_S", 256, 110),
    22: Kind("IQ2_S", 256, 82),
    23: Kind("IQ4_XS", 256, 136),
    28: Kind("F64", 1, 8),
    29: Kind("IQ1_M", 256, 56),
    30: Kind("BF16", 1, 2),
}
_FLOATS = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}


class GgufFile:
    """`metadata` by key, `weights` by name."""

    def __init__(self, path: Path) -> None:
        """The file begins with MAGIC. Raises InvalidProtobuf where it is damaged, NotImplemented for types of tensors that nobody can read."""
        self.path = path
        self._data = np.memmap(path, np.uint8, mode="r")
        cursor = _Cursor(self._data.data, str(path))
        cursor.at = len(MAGIC)
        version = cursor.number("I")
        if version not in (2, 3):
            raise errors.NotImplemented(
                f"{path} is GGUF of version {version}; versions 2 and 3, little-endian, are understood"
            )
        tensors, entries = cursor.number("Q"), cursor.number("Q")
        self.metadata: dict[str, Any] = {}
        for _ in range(entries):
            key = cursor.text()
            self.metadata[key] = cursor.value(cursor.number("I"))
        table = [cursor.tensor() for _ in range(tensors)]
        alignment = self.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
            raise InvalidProtobuf(f"{path}: general.alignment must be a power of two; it is {alignment!r}")
        begin = -(-cursor.at // alignment) * alignment
        self.weights: dict[str, Weight] = {}
        for name, shape, kind, offset in table:
            if name in self.weights:
                raise InvalidProtobuf(f"{path} has two tensors {name!r}")
            self.weights[name] = self._weight(name, shape, kind, begin + offset)

    def _weight(self, name: str, shape: tuple[int, ...], number: int, begin: int) -> Weight:
        kind = KINDS.get(number)
        if kind is None:
            raise errors.NotImplemented(f"{self.path}: tensor {name!r} has the unknown type {number}")
        row = shape[-1] if shape else 1
        if row % kind.numbers:
            raise InvalidProtobuf(
                f"{self.path}: a row of tensor {name!r} has {row} numbers, no multiple of {kind.name}'s {kind.numbers}"
            )
        size = math.prod(shape) // kind.numbers * kind.size
        if begin + size > len(self._data):
            raise InvalidProtobuf(
                f"{self.path} ends at byte {len(self._data)}, but tensor {name!r} reaches to byte {begin + size}: "
                "the file is truncated"
            )

        def rows() -> np.ndarray:
            return np.asarray(self._data[begin : begin + size]).reshape(*shape[:-1], row // kind.numbers * kind.size)

        if kind.name in CARRIED and len(shape) == 2:
            blocks = CARRIED[kind.name](rows)
            return Weight(name, shape, blocks.floats, blocks)
        return Weight(name, shape, _floats(kind.name, rows, shape))


def _floats(kind: str, rows: Read, shape: tuple[int, ...]) -> Read:
    """float32 of the shape. Raises InvalidArgument where reading the type takes a package that is missing."""
    if kind in _FLOATS:
        return lambda: rows().view(_FLOATS[kind]).astype(np.float32).reshape(shape)
    if kind == "BF16":
        return lambda: (rows().view("<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
    try:
        from gguf import GGMLQuantizationType, dequantize
    except ImportError as error:
        raise InvalidArgument(
            f"weights of type {kind} are read by the package {error.name}; install onnxlet[import]"
        ) from error
    return lambda: np.asarray(dequantize(rows(), GGMLQuantizationType[kind]), np.float32).reshape(shape)


class _Cursor:
    """Reads one value after the other, never beyond the end."""

    def __init__(self, data: memoryview, source: str) -> None:
        self._data, self._source, self.at = data, source, 0

    def _take(self, size: int) -> bytes:
        begin, self.at = self.at, self.at + size
        if self.at > len(self._data):
            raise InvalidProtobuf(
                f"{self._source} is damaged or truncated: a value at byte {begin} has {size} bytes, the file ends at byte "
                f"{len(self._data)}"
            )
        return self._data[begin : self.at].tobytes()

    def number(self, kind: str) -> Any:
        (value,) = struct.unpack(f"<{kind}", self._take(struct.calcsize(f"<{kind}")))
        return value

    def text(self) -> str:
        begin = self.at
        try:
            return self._take(self.number("Q")).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidProtobuf(f"{self._source} is damaged: the text at byte {begin} is not UTF-8") from error

    def value(self, kind: int, depth: int = 0) -> Any:
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY and depth < _LONGEST_DEPTH:
            return self._array(depth)
        if kind not in _SCALARS:
            raise InvalidProtobuf(f"{self._source} is damaged: there is no type {kind} of metadata, at byte {self.at}")
        return self.number(_SCALARS[kind])

    def _array(self, depth: int) -> list[Any]:
        item, count = self.number("I"), self.number("Q")
        if item in _SCALARS:
            numbers = struct.iter_unpack(f"<{_SCALARS[item]}", self._take(struct.calcsize(_SCALARS[item]) * count))
            return _flat(numbers)
        return [self.value(item, depth + 1) for _ in range(count)]

    def tensor(self) -> tuple[str, tuple[int, ...], int, int]:
        """Name, shape with the fastest axis last, type, and offset in the data."""
        name, rank = self.text(), self.number("I")
        if rank > 4:
            raise InvalidProtobuf(f"{self._source} is damaged: tensor {name!r} has {rank} axes")
        shape = tuple(self.number("Q") for _ in range(rank))[::-1]
        return name, shape, self.number("I"), self.number("Q")


def _flat(rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    return [value for (value,) in rows]
