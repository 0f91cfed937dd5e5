"""Tensors from and to other libraries through DLPack, by way of numpy.

numpy's DLPack knows neither bfloat16 nor the 8-bit floats. These pass as unsigned integers of their width: the type in
the capsule's header is changed on the way, as laid out in dlpack.h (DLManagedTensor of version 0, DLDataType).
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

from . import arrays, dtypes
from .dtypes import DType
from .errors import InvalidArgument
from .raw_tensor import RawTensor

_CPU: Final = 1
_CODE_OFFSET: Final = 20  # of DLDataType.code: after the data pointer, the device and ndim
_UNSIGNED: Final = 1
# DLDataTypeCode of the types that numpy lacks.
_CODES: Final = {
    "bfloat16": 4,
    "float8e4m3fn": 10,
    "float8e4m3fnuz": 11,
    "float8e5m2": 12,
    "float8e5m2fnuz": 13,
    "float8e8m0": 14,
}
_NAMES: Final = {code: name for name, code in _CODES.items()}
_pointer_of: Any = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = (ctypes.py_object, ctypes.c_char_p)


def imported(source: Any) -> arrays.Array | RawTensor:
    """A tensor over the memory of an object with `__dlpack__`: an array, or a RawTensor without ml_dtypes.

    Elements that are not contiguous are copied. Raises InvalidArgument for other devices and types.
    """
    kind = type(source).__name__
    if kind == "PyCapsule":
        source = _Capsule(source)
    if not hasattr(source, "__dlpack__"):
        raise InvalidArgument(f"an object with __dlpack__ is taken; {kind} given")
    device = tuple(source.__dlpack_device__())
    if device[0] != _CPU:
        raise InvalidArgument(f"{kind} is on another device (DLPack type {device[0]}); copy it to the CPU first")
    try:
        array = np.from_dlpack(source)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        return _imported_code(source, kind, error)
    return arrays.shareable(array)


def _imported_code(source: Any, kind: str, reason: Exception) -> arrays.Array | RawTensor:
    """For what numpy refuses: the same through integers where the type is one of ours."""
    try:
        capsule = source.__dlpack__()
        code, bits = _type_code(capsule)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InvalidArgument(f"{kind} does not give its memory away: {error}") from error
    if code.value not in _NAMES:
        raise InvalidArgument(f"{kind} is not taken through DLPack: {reason}") from reason
    dtype = dtypes.BY_NAME[_NAMES[code.value]]
    if bits.value != dtype.bits:
        raise InvalidArgument(f"{kind} has {bits.value} bits an element; {dtype.name} has {dtype.bits}")
    code.value = _UNSIGNED
    return arrays.reinterpreted(np.from_dlpack(_Capsule(capsule)), dtype)


def exported(array: Any, dtype: DType, **options: Any) -> Any:
    """A capsule over an array's memory. `options` are those of `__dlpack__`; types that numpy lacks ignore them.

    Raises InvalidArgument for strings and for types whose elements share bytes.
    """
    if not dtype.extension:
        if dtype is dtypes.STRING:
            raise InvalidArgument("strings do not pass through DLPack")
        return array.__dlpack__(**options)
    if dtype.name not in _CODES:
        raise InvalidArgument(f"{dtype.name} does not pass through DLPack; use numpy()")
    capsule = array.view(np.uint16 if dtype.bits == 16 else np.uint8).__dlpack__()
    _type_code(capsule)[0].value = _CODES[dtype.name]
    return capsule


def _type_code(capsule: Any) -> tuple[ctypes.c_uint8, ctypes.c_uint8]:
    """The fields code and bits of the element type in a capsule's header."""
    address = _pointer_of(capsule, b"dltensor")
    return ctypes.c_uint8.from_address(address + _CODE_OFFSET), ctypes.c_uint8.from_address(address + _CODE_OFFSET + 1)


class _Capsule:
    """A capsule as numpy takes it."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CPU, 0)
