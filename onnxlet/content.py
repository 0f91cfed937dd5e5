"""Tensors in the program's own memory: a numpy array, or a RawTensor where numpy has no such type or is missing."""

from __future__ import annotations

import math
from typing import Any

from . import dtypes
from .dtypes import DType
from .errors import InvalidArgument
from .hosts.engine import Engine, octets
from .optional import numpy_arrays
from .raw_tensor import RawTensor


def by_number(number: int) -> DType:
    """The element type of a number of TensorProto.DataType. Raises InvalidArgument."""
    dtype = dtypes.BY_NUMBER.get(int(number))
    if dtype is None:
        raise InvalidArgument(f"{number} is not an element type of TensorProto.DataType")
    return dtype


def element_type(kind: Any) -> DType:
    """The element type of a numpy type, or of a number of TensorProto.DataType."""
    if isinstance(kind, int):
        return by_number(kind)
    import numpy as np

    from . import arrays

    return arrays.onnx_type(np.dtype(kind))


def zeros(dtype: DType, shape: tuple[int, ...]) -> Any:
    """A new tensor of zeros, or of empty strings."""
    arrays = numpy_arrays()
    if arrays is not None:
        kind = arrays.numpy_type(dtype)
        if dtype is dtypes.STRING:
            return arrays.string_array([""] * math.prod(shape), shape)
        if kind is not None:
            return arrays.zeros(shape, kind)
    if dtype is dtypes.STRING:
        raise InvalidArgument("a tensor of strings needs numpy")
    return RawTensor(dtype.name, shape, bytearray(dtype.bytes_of(math.prod(shape))))


def info(content: Any) -> tuple[DType, tuple[int, ...]]:
    """Element type and shape."""
    if isinstance(content, RawTensor):
        return dtypes.BY_NAME[content.dtype], content.shape
    from . import arrays

    return arrays.onnx_type(content.dtype), content.shape


def address(content: Any) -> int:
    """Where the elements are in this process."""
    if not isinstance(content, RawTensor):
        return int(content.ctypes.data)
    from .hosts.memory_view import address_of  # not in Pyodide

    return address_of(content.data)


def assign(content: Any, source: Any) -> None:
    """Overwrites the elements with those of a tensor of the same type and number of elements."""
    _need_writable(content)
    if isinstance(content, RawTensor):
        content.data[:] = octets(source.data if isinstance(source, RawTensor) else _packed(source))
        return
    array = source.numpy() if isinstance(source, RawTensor) else source
    content[...] = array.reshape(content.shape)


def receive(content: Any, engine: Engine, address: int, size: int) -> bool:
    """Overwrites the elements with bytes of the engine. False where they cannot be taken as they are."""
    _need_writable(content)
    if isinstance(content, RawTensor):
        engine.read_into(address, content.data)
        return True
    from . import arrays

    dtype = arrays.onnx_type(content.dtype)
    if dtype is dtypes.STRING or dtype.packed:
        return False
    if size:
        engine.read_into(address, arrays.octets_of(content))
    return True


def _packed(array: Any) -> Any:
    from . import arrays

    return arrays.to_bytes(array, arrays.onnx_type(array.dtype))


def _need_writable(content: Any) -> None:
    readonly = content.data.readonly if isinstance(content, RawTensor) else not content.flags.writeable
    if readonly:
        raise InvalidArgument("the memory of this value is read-only")
