"""numpy arrays to and from ONNX's bytes. The only module that needs numpy; import it only where numpy is present."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import dtypes
from .dtypes import DType
from .errors import InvalidArgument
from .raw_tensor import RawTensor

Array = np.ndarray[Any, Any]


def numpy_type(dtype: DType) -> np.dtype[Any] | None:
    """The numpy type for an element type; None when it takes ml_dtypes and that is not installed."""
    if dtype.extension:
        try:
            import ml_dtypes
        except ImportError:
            return None
        found = getattr(ml_dtypes, dtype.numpy or "", None)
        return None if found is None else np.dtype(found)
    return np.dtype(dtype.numpy)


@functools.lru_cache(maxsize=256)
def onnx_type(kind: np.dtype[Any]) -> DType:
    """The ONNX type for a numpy type. Raises InvalidArgument for types ONNX lacks, such as datetime64."""
    if kind.kind in "OUST":
        return dtypes.STRING
    dtype = dtypes.BY_NUMPY.get(kind.name)
    if dtype is None:
        raise InvalidArgument(f"arrays of numpy type {kind} have no ONNX element type; convert the array first")
    return dtype


@functools.lru_cache(maxsize=256)
def _is_plain(kind: np.dtype[Any]) -> bool:
    """Whether memoryview takes arrays of this type, and their bytes are ONNX's."""
    return kind.isbuiltin == 1 and kind.isnative and kind.kind in "fiub"


def to_bytes(array: Array, dtype: DType) -> Array:
    """The elements in ONNX's packing, contiguous: the array itself where it is that, else as uint8. Not for strings."""
    if _is_plain(array.dtype) and array.flags.c_contiguous:
        return array
    flat = np.ascontiguousarray(array)
    if flat.dtype.byteorder == ">" or (flat.dtype.byteorder == "=" and np.little_endian is False):
        flat = flat.astype(flat.dtype.newbyteorder("<"))
    octets = flat.reshape(-1).view(np.uint8)
    return _pack(octets, dtype.bits) if dtype.packed else octets


def _pack(codes: Array, bits: int) -> Array:
    planes = np.unpackbits(codes, bitorder="little").reshape(-1, 8)[:, :bits]
    return np.packbits(planes.reshape(-1), bitorder="little")


def _unpack(packed: Array, dtype: DType, count: int) -> Array:
    planes = np.unpackbits(packed, bitorder="little")[: count * dtype.bits].reshape(count, dtype.bits)
    codes = np.packbits(planes, axis=1, bitorder="little").reshape(-1)
    if dtype.name in dtypes.SIGNED_PACKED:
        sign = 1 << (dtype.bits - 1)
        return ((codes.astype(np.int8) ^ sign) - sign).astype(np.int8).view(np.uint8)
    return codes


def from_raw(dtype: DType, shape: tuple[int, ...], data: memoryview | bytearray, *, codes: bool = False) -> Array:
    """An array over `data` (no copy unless elements are packed), or over the codes where no numpy type exists."""
    octets = np.frombuffer(data, dtype=np.uint8)
    if dtype.packed:
        count = int(np.prod(shape, dtype=np.int64))
        octets = _unpack(octets, dtype, count)
    kind = numpy_type(dtype)
    if kind is None:
        if not codes:
            raise InvalidArgument(f"numpy has no {dtype.name} type; install ml_dtypes")
        kind = np.dtype(np.uint16 if dtype.bits == 16 else np.uint8)
    return octets.view(kind).reshape(shape)


def empty(dtype: DType, shape: tuple[int, ...]) -> Array | None:
    """A new array whose bytes the engine's bytes can be copied into as they are; None where that is not so."""
    kind = numpy_type(dtype)
    return None if kind is None or dtype.packed else np.empty(shape, kind)


def zeros(shape: tuple[int, ...], kind: np.dtype[Any]) -> Array:
    """A new array of zeros."""
    return np.zeros(shape, kind)


def octets_of(array: Array) -> Array:
    """The bytes of a contiguous array, as something that memoryview takes."""
    return array if _is_plain(array.dtype) else array.reshape(-1).view(np.uint8)


def as_array(value: Any, dtype: DType | None) -> Array | RawTensor:
    """What a feed means as an array: arrays keep their type, lists and Python scalars take the declared one."""
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        from . import dlpack

        return dlpack.imported(value)
    if dtype is None or hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    kind = numpy_type(dtype)
    try:
        return np.asarray(value) if kind is None else np.array(value, dtype=kind)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(f"{type(value).__name__} does not convert to a tensor({dtype.name}): {error}") from error


def shareable(value: Any) -> Array:
    """The array itself where the engine could be fed from its memory, else a contiguous copy in native byte order."""
    if not isinstance(value, np.ndarray | np.generic):
        raise InvalidArgument(f"an OrtValue is made from a numpy array; {type(value).__name__} given")
    array = np.asarray(value, order="C")
    if onnx_type(array.dtype) is dtypes.STRING:
        return array if array.dtype == object else string_array(strings_of(array), array.shape)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def reinterpreted(value: Any, dtype: DType) -> Array | RawTensor:
    """The elements of an array as another type of the same width, over the same memory."""
    array = shareable(value)
    if array.dtype.hasobject or array.dtype.itemsize * 8 != dtype.bits:
        raise InvalidArgument(f"elements of numpy type {array.dtype} cannot be read as {dtype.name}: the width differs")
    kind = numpy_type(dtype)
    return RawTensor(dtype.name, array.shape, octets_of(array)) if kind is None else array.view(kind)


def strings_of(array: Array) -> list[str]:
    """The elements of a string array, row by row. Bytes are read as UTF-8."""
    items = []
    for item in array.reshape(-1).tolist():
        if isinstance(item, bytes):
            items.append(item.decode("utf-8", "surrogateescape"))
        elif isinstance(item, str):
            items.append(item)
        else:
            raise InvalidArgument(f"a string tensor holds str or bytes; {type(item).__name__} found")
    return items


def string_array(items: list[str], shape: tuple[int, ...]) -> Array:
    """An object array of str."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)
