"""ONNX element types: their numbers, names and widths, and what numpy and ml_dtypes call them."""

from __future__ import annotations

import functools
from typing import NamedTuple


class DType(NamedTuple):
    """One element type of TensorProto.DataType."""

    number: int
    name: str  # as in "tensor(float)"
    bits: int  # in ONNX's packing; 0 for strings
    numpy: str | None  # name of the numpy (or ml_dtypes) type
    extension: bool = False  # needs ml_dtypes
    format: str | None = None  # of the struct module, for use without numpy

    @property
    def packed(self) -> bool:
        """Several elements share a byte."""
        return 0 < self.bits < 8

    def bytes_of(self, count: int) -> int:
        """Bytes of `count` elements in ONNX's packing."""
        return (count * self.bits + 7) // 8


_TABLE = (
    DType(1, "float", 32, "float32", format="f"),
    DType(2, "uint8", 8, "uint8", format="B"),
    DType(3, "int8", 8, "int8", format="b"),
    DType(4, "uint16", 16, "uint16", format="H"),
    DType(5, "int16", 16, "int16", format="h"),
    DType(6, "int32", 32, "int32", format="i"),
    DType(7, "int64", 64, "int64", format="q"),
    DType(8, "string", 0, "object"),
    DType(9, "bool", 8, "bool", format="?"),
    DType(10, "float16", 16, "float16", format="e"),
    DType(11, "double", 64, "float64", format="d"),
    DType(12, "uint32", 32, "uint32", format="I"),
    DType(13, "uint64", 64, "uint64", format="Q"),
    DType(14, "complex64", 64, "complex64"),
    DType(15, "complex128", 128, "complex128"),
    DType(16, "bfloat16", 16, "bfloat16", extension=True),
    DType(17, "float8e4m3fn", 8, "float8_e4m3fn", extension=True),
    DType(18, "float8e4m3fnuz", 8, "float8_e4m3fnuz", extension=True),
    DType(19, "float8e5m2", 8, "float8_e5m2", extension=True),
    DType(20, "float8e5m2fnuz", 8, "float8_e5m2fnuz", extension=True),
    DType(21, "uint4", 4, "uint4", extension=True),
    DType(22, "int4", 4, "int4", extension=True),
    DType(23, "float4e2m1", 4, "float4_e2m1fn", extension=True),
    DType(24, "float8e8m0", 8, "float8_e8m0fnu", extension=True),
    DType(25, "uint2", 2, "uint2", extension=True),
    DType(26, "int2", 2, "int2", extension=True),
    DType(27, "float6e2m3", 6, "float6_e2m3fn", extension=True),
    DType(28, "float6e3m2", 6, "float6_e3m2fn", extension=True),
)

BY_NUMBER = {dtype.number: dtype for dtype in _TABLE}
BY_NAME = {dtype.name: dtype for dtype in _TABLE}
BY_NUMPY = {dtype.numpy: dtype for dtype in _TABLE if dtype.numpy}
BY_FORMAT = {dtype.format: dtype for dtype in _TABLE if dtype.format} | {"l": BY_NAME["int64"], "L": BY_NAME["uint64"]}
STRING = BY_NAME["string"]
SIGNED_PACKED = frozenset({"int4", "int2"})


@functools.lru_cache(maxsize=256)
def element_type(type_name: str) -> DType | None:
    """The element type of "tensor(float)" or "optional(tensor(float))"; None for sequences, maps and unknown types."""
    inner = inner_type(type_name, "optional") or type_name
    return BY_NAME.get(inner_type(inner, "tensor") or "")


@functools.lru_cache(maxsize=256)
def inner_type(type_name: str, wrapper: str) -> str | None:
    """The type in the brackets: ("seq(tensor(float))", "seq") gives "tensor(float)", another wrapper None."""
    if type_name.startswith(wrapper + "(") and type_name.endswith(")"):
        return type_name[len(wrapper) + 1 : -1]
    return None
