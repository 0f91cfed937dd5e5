"""A minimal host over the C ABI (core/abi/onnxlet.h) for the natively built engine."""

from __future__ import annotations

import ctypes as c
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from tests.support.paths import ROOT

TENSOR, SEQUENCE, MAP, OPTIONAL = 1, 2, 3, 4
STRING = int(onnx.TensorProto.STRING)

_POINTERS = {
    "ol_alloc": [c.c_size_t],
    "ol_model_open": [c.c_void_p, c.c_size_t],
    "ol_session_create": [c.c_void_p, c.c_char_p, c.c_size_t],
    "ol_run_new": [c.c_void_p],
    "ol_run_output": [c.c_void_p, c.c_int32],
    "ol_tensor_new": [c.c_int32, c.c_int32, c.POINTER(c.c_int64)],
    "ol_tensor_data": [c.c_void_p],
    "ol_tensor_string": [c.c_void_p, c.c_size_t],
    "ol_sequence_new": [],
    "ol_sequence_item": [c.c_void_p, c.c_int32],
    "ol_map_keys": [c.c_void_p],
    "ol_map_values": [c.c_void_p],
    "ol_optional_empty": [],
}
_INTEGERS = {
    "ol_last_code": [],
    "ol_run_feed": [c.c_void_p, c.c_char_p, c.c_size_t, c.c_void_p],
    "ol_run_step": [c.c_void_p],
    "ol_run_output_count": [c.c_void_p],
    "ol_value_kind": [c.c_void_p],
    "ol_tensor_dtype": [c.c_void_p],
    "ol_tensor_rank": [c.c_void_p],
    "ol_tensor_set_string": [c.c_void_p, c.c_size_t, c.c_char_p, c.c_size_t],
    "ol_sequence_push": [c.c_void_p, c.c_void_p],
    "ol_sequence_size": [c.c_void_p],
}
_SIZES = {"ol_tensor_bytes": [c.c_void_p], "ol_tensor_string_length": [c.c_void_p, c.c_size_t]}
_STRINGS = {
    "ol_build_info": [],
    "ol_last_message": [],
    "ol_code_name": [c.c_int32],
    "ol_model_describe": [c.c_void_p],
    "ol_session_describe": [c.c_void_p],
}
_NOTHING = {
    "ol_free": [c.c_void_p],
    "ol_model_free": [c.c_void_p],
    "ol_session_free": [c.c_void_p],
    "ol_run_free": [c.c_void_p],
    "ol_value_free": [c.c_void_p],
}


class EngineError(Exception):
    """A Status of the engine: `code` is the name of an ol_code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def find_library() -> Path:
    """The shared library named by $ONNXLET_NATIVE, else the newest one under build/."""
    chosen = os.environ.get("ONNXLET_NATIVE")
    if chosen:
        return Path(chosen)
    found = sorted(ROOT.glob("build/**/libonnxlet*.so"), key=lambda path: path.stat().st_mtime)
    if not found:
        raise FileNotFoundError("no libonnxlet*.so under build/; build the native library or set ONNXLET_NATIVE")
    return found[-1]


class Engine:
    """The loaded library with its functions typed."""

    def __init__(self, path: Path | None = None) -> None:
        self.lib = c.CDLL(str(path or find_library()))
        for table, result in ((_POINTERS, c.c_void_p), (_INTEGERS, c.c_int32), (_SIZES, c.c_size_t), (_STRINGS, c.c_char_p), (_NOTHING, None)):
            for name, arguments in table.items():
                function = getattr(self.lib, name)
                function.restype, function.argtypes = result, arguments
        self.lib.ol_tensor_dims.restype, self.lib.ol_tensor_dims.argtypes = c.POINTER(c.c_int64), [c.c_void_p]

    def fail(self) -> EngineError:
        code = self.lib.ol_code_name(self.lib.ol_last_code())
        return EngineError(code.decode(), self.lib.ol_last_message().decode())

    def check(self, result: Any) -> Any:
        """Raises for NULL and for negative numbers."""
        if result is None or (isinstance(result, int) and result < 0):
            raise self.fail()
        return result


class Session:
    """A model ready to run; inputs and outputs are by position."""

    def __init__(self, engine: Engine, model: bytes, options: dict[str, Any] | None = None) -> None:
        self.engine, lib = engine, engine.lib
        block = engine.check(lib.ol_alloc(max(len(model), 1)))
        c.memmove(block, model, len(model))
        opened = engine.check(lib.ol_model_open(block, len(model)))
        text = json.dumps(options).encode() if options else None
        self.handle = engine.check(lib.ol_session_create(opened, text, len(text) if text else 0))
        self.inputs = [value["name"] for value in json.loads(lib.ol_session_describe(self.handle))["inputs"]]

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """Inputs in the graph's order, as numpy arrays, lists (sequences) or None (an empty optional)."""
        lib = self.engine.lib
        run = self.engine.check(lib.ol_run_new(self.handle))
        try:
            for name, item in zip(self.inputs, inputs, strict=False):
                value = self._to_value(item)
                encoded = name.encode()
                answer = lib.ol_run_feed(run, encoded, len(encoded), value)
                lib.ol_value_free(value)
                self.engine.check(answer)
            self.engine.check(lib.ol_run_step(run))
            outputs = []
            for index in range(lib.ol_run_output_count(run)):
                value = self.engine.check(lib.ol_run_output(run, index))
                outputs.append(self._from_value(value))
                lib.ol_value_free(value)
            return outputs
        finally:
            lib.ol_run_free(run)

    def close(self) -> None:
        self.engine.lib.ol_session_free(self.handle)

    def _to_value(self, item: Any) -> int:
        lib, check = self.engine.lib, self.engine.check
        if item is None:
            return int(check(lib.ol_optional_empty()))
        if isinstance(item, (list, tuple)):
            sequence = check(lib.ol_sequence_new())
            for element in item:
                value = self._to_value(element)
                check(lib.ol_sequence_push(sequence, value))
                lib.ol_value_free(value)
            return int(sequence)
        array = np.asarray(item)
        if array.dtype.kind in "OUS":
            tensor = self._new_tensor(STRING, array.shape)
            for index, text in enumerate(array.ravel()):
                encoded = text if isinstance(text, bytes) else str(text).encode()
                check(lib.ol_tensor_set_string(tensor, index, encoded, len(encoded)))
            return tensor
        proto = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape))
        tensor = self._new_tensor(proto.data_type, array.shape)
        if proto.raw_data:
            c.memmove(lib.ol_tensor_data(tensor), proto.raw_data, len(proto.raw_data))
        return tensor

    def _new_tensor(self, dtype: int, shape: tuple[int, ...]) -> int:
        return int(self.engine.check(self.engine.lib.ol_tensor_new(dtype, len(shape), (c.c_int64 * max(len(shape), 1))(*shape))))

    def _from_value(self, value: int) -> Any:
        lib = self.engine.lib
        kind = lib.ol_value_kind(value)
        if kind == OPTIONAL or kind == 0:
            return None
        if kind == SEQUENCE:
            items = []
            for index in range(lib.ol_sequence_size(value)):
                item = self.engine.check(lib.ol_sequence_item(value, index))
                items.append(self._from_value(item))
                lib.ol_value_free(item)
            return items
        if kind == MAP:
            keys, values = (self.engine.check(half(value)) for half in (lib.ol_map_keys, lib.ol_map_values))
            return dict(zip(self._from_value(keys).tolist(), self._from_value(values).tolist(), strict=True))
        dims = lib.ol_tensor_dims(value)
        shape = tuple(dims[axis] for axis in range(lib.ol_tensor_rank(value)))
        dtype = lib.ol_tensor_dtype(value)
        if dtype == STRING:
            count = int(np.prod(shape, dtype=np.int64))
            texts = [c.string_at(lib.ol_tensor_string(value, i), lib.ol_tensor_string_length(value, i)).decode() for i in range(count)]
            array = np.empty(count, dtype=object)
            array[:] = texts
            return array.reshape(shape)
        size = lib.ol_tensor_bytes(value)
        raw = c.string_at(lib.ol_tensor_data(value), size) if size else b""
        return numpy_helper.to_array(onnx.TensorProto(data_type=dtype, dims=shape, raw_data=raw))
