"""Python values to and from the engine's values: tensors, strings, sequences, maps, optionals."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from . import dtypes
from .dtypes import DType
from .errors import InvalidArgument
from .hosts.abi_gen import Kind
from .hosts.engine import Engine
from .optional import numpy_arrays
from .raw_tensor import RawTensor


def to_engine(engine: Engine, value: Any, type_name: str) -> int:
    """A new engine value for a feed whose declared type is `type_name`, such as "seq(tensor(float))".

    Arrays and RawTensors keep their own element type, and the engine refuses a wrong one; lists and Python scalars take
    the declared type. None is an empty optional. The caller frees the value.
    """
    if value is None:
        return engine.pointer(engine.abi.ol_optional_empty())
    declared = dtypes.inner_type(type_name, "optional") or type_name
    item_type = dtypes.inner_type(declared, "seq")
    if item_type is not None and isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _sequence(engine, value, item_type)
    if isinstance(value, Mapping):
        return _map(engine, value, declared)
    if isinstance(value, RawTensor):
        return _write(engine, dtypes.BY_NAME[value.dtype], value.shape, value.data)
    dtype = dtypes.element_type(declared)
    return _tensor_without_numpy(engine, value, dtype) if numpy_arrays() is None else _tensor(engine, value, dtype)


def from_engine(engine: Engine, handle: int) -> Any:
    """A Python copy of an engine value. The caller still owns the handle."""
    abi = engine.abi
    match abi.ol_value_kind(handle):
        case Kind.TENSOR:
            return _read_tensor(engine, handle)
        case Kind.SEQUENCE:
            return [_take(engine, abi.ol_sequence_item(handle, i)) for i in range(abi.ol_sequence_size(handle))]
        case Kind.MAP:
            keys = _take(engine, abi.ol_map_keys(handle))
            return dict(zip(_list(keys), _list(_take(engine, abi.ol_map_values(handle))), strict=True))
    return None


def taken(engine: Engine, handle: int, index: int = 0) -> Any:
    """As `from_engine`, and frees the value."""
    try:
        return from_engine(engine, handle)
    finally:
        if engine.failure is None:
            engine.abi.ol_value_free(handle)


def _take(engine: Engine, handle: int) -> Any:
    return taken(engine, engine.pointer(handle))


def _list(value: Any) -> list[Any]:
    items: list[Any] = value if isinstance(value, list) else value.tolist()
    return items


# ---- to the engine ----


def _new(engine: Engine, dtype: DType, shape: tuple[int, ...]) -> int:
    dims = engine.scratch_integers(shape)
    return engine.pointer(engine.abi.ol_tensor_new(dtype.number, len(shape), dims))


def _write(engine: Engine, dtype: DType, shape: tuple[int, ...], data: Any) -> int:
    handle = _new(engine, dtype, shape)
    address = engine.abi.ol_tensor_data(handle)
    if address:
        engine.write(address, data)
    return handle


def _strings(engine: Engine, items: list[str], shape: tuple[int, ...]) -> int:
    handle = _new(engine, dtypes.STRING, shape)
    try:
        for index, item in enumerate(items):
            text = item.encode("utf-8", "surrogateescape")
            address = engine.scratch(text)
            engine.number(engine.abi.ol_tensor_set_string(handle, index, address, len(text)))
    except BaseException:
        engine.abi.ol_value_free(handle)
        raise
    return handle


def _tensor(engine: Engine, value: Any, dtype: DType | None) -> int:
    from . import arrays

    array = arrays.as_array(value, dtype)
    if isinstance(array, RawTensor):
        return _write(engine, dtypes.BY_NAME[array.dtype], array.shape, array.data)
    kind = arrays.onnx_type(array.dtype)
    if kind is dtypes.STRING:
        return _strings(engine, arrays.strings_of(array), array.shape)
    return _write(engine, kind, array.shape, arrays.to_bytes(array, kind))


def _sequence(engine: Engine, items: Sequence[Any], item_type: str) -> int:
    handle = engine.pointer(engine.abi.ol_sequence_new())
    try:
        for item in items:
            element = to_engine(engine, item, item_type)
            try:
                engine.number(engine.abi.ol_sequence_push(handle, element))
            finally:
                engine.abi.ol_value_free(element)
    except BaseException:
        engine.abi.ol_value_free(handle)
        raise
    return handle


def _map(engine: Engine, items: Mapping[Any, Any], type_name: str) -> int:
    """A map(K, V): K is an element type, V a tensor of one element or a bare number or string."""
    inner = dtypes.inner_type(type_name, "map")
    if inner is None:
        raise InvalidArgument(f"a dict was given where the model takes {type_name}")
    key_name, _, value_type = inner.partition(",")
    key_type = dtypes.BY_NAME.get(key_name.strip())
    value_name = dtypes.element_type(value_type.strip()) or dtypes.BY_NAME.get(value_type.strip())
    if key_type is None or value_name is None:
        raise InvalidArgument(f"feeding {type_name} is not supported; maps from strings or integers to tensors are")
    keys = to_engine(engine, list(items.keys()), f"tensor({key_type.name})")
    values = 0
    try:
        values = to_engine(engine, list(items.values()), f"tensor({value_name.name})")
        return engine.pointer(engine.abi.ol_map_new(keys, values))
    finally:
        engine.abi.ol_value_free(keys)
        engine.abi.ol_value_free(values)


def _tensor_without_numpy(engine: Engine, value: Any, dtype: DType | None) -> int:
    """Anything with the buffer protocol, or nested lists and scalars of the declared type."""
    try:
        view = memoryview(value)
    except TypeError:
        return _nested(engine, value, dtype)
    kind = dtypes.BY_FORMAT.get(view.format)
    if kind is None:
        raise InvalidArgument(f"a buffer of format {view.format!r} has no ONNX element type; use onnxlet.RawTensor")
    return _write(engine, kind, view.shape or (), view.tobytes())


def _nested(engine: Engine, value: Any, dtype: DType | None) -> int:
    if dtype is None or hasattr(value, "__dlpack__"):
        needed = "; numpy is needed for DLPack" if hasattr(value, "__dlpack__") else ""
        raise InvalidArgument(f"{type(value).__name__} does not convert to a tensor{needed}")
    shape: list[int] = []
    items = [value]
    while items and isinstance(items[0], list | tuple):
        shape.append(len(items[0]))
        if any(not isinstance(item, list | tuple) or len(item) != shape[-1] for item in items):
            raise InvalidArgument("nested lists must have equal lengths to form a tensor")
        items = [element for item in items for element in item]
    if dtype is dtypes.STRING:
        return _strings(engine, [str(item) for item in items], tuple(shape))
    if dtype.format is None:
        raise InvalidArgument(f"lists do not convert to {dtype.name}; use onnxlet.RawTensor")
    try:
        data = struct.pack(f"<{len(items)}{dtype.format}", *items)
    except struct.error as error:
        raise InvalidArgument(f"a list does not convert to tensor({dtype.name}): {error}") from error
    return _write(engine, dtype, tuple(shape), data)


# ---- from the engine ----


def tensor_info(engine: Engine, handle: int) -> tuple[DType, tuple[int, ...]]:
    """Element type and shape of an engine value that is a tensor."""
    abi = engine.abi
    shape = engine.integers(abi.ol_tensor_dims(handle), abi.ol_tensor_rank(handle))
    return dtypes.BY_NUMBER[abi.ol_tensor_dtype(handle)], shape


def _read_tensor(engine: Engine, handle: int) -> Any:
    abi = engine.abi
    dtype, shape = tensor_info(engine, handle)
    arrays = numpy_arrays()
    if dtype is dtypes.STRING:
        items = [_string(engine, handle, index) for index in range(math.prod(shape))]
        return items if arrays is None else arrays.string_array(items, shape)
    address = abi.ol_tensor_data(handle)
    size = dtype.bytes_of(math.prod(shape)) if address else 0
    if arrays is not None:
        array = arrays.empty(dtype, shape)
        if array is not None:
            if size:
                engine.read_into(address, arrays.octets_of(array))
            return array
    data = engine.read(address, size) if size else bytearray()
    if arrays is None or arrays.numpy_type(dtype) is None:
        return RawTensor(dtype.name, shape, data)
    return arrays.from_raw(dtype, shape, data)


def _string(engine: Engine, handle: int, index: int) -> str:
    size = engine.abi.ol_tensor_string_length(handle, index)
    data = engine.read(engine.abi.ol_tensor_string(handle, index), size) if size else b""
    return data.decode("utf-8", "surrogateescape")
