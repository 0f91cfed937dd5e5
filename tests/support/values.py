"""Values inside job lists: VALUE and OUTPUT of tests/support/jobs.mjs with their bytes in them.

Element types and packing are those of the onnx package's TensorProto, so that neither side of a comparison is ours.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from onnx import TensorProto, TypeProto, helper, numpy_helper

_UNLIKE = {"FLOAT": "float32", "DOUBLE": "float64"}
NAME_OF = {code: _UNLIKE.get(name, name.lower()) for name, code in TensorProto.DataType.items() if code}
CODE_OF = {name: code for code, name in NAME_OF.items()}


def encode(value: Any) -> dict[str, Any]:
    """An array, None for an empty optional, a list for a sequence, a dict for a map."""
    if value is None:
        return {"none": True}
    if isinstance(value, (list, tuple)):
        return {"sequence": [encode(item) for item in value]}
    if isinstance(value, dict):
        return {"map": {"keys": [_plain(k) for k in value], "values": [_plain(v) for v in value.values()]}}
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        return {"dtype": "string", "dims": list(array.shape), "data": [str(text) for text in array.ravel()]}
    tensor = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape))
    data = base64.b64encode(tensor.raw_data).decode()
    return {"dtype": NAME_OF[tensor.data_type], "dims": list(array.shape), "base64": data}


def decode(output: dict[str, Any], declared: TypeProto) -> Any:
    """What `encode` was given. The output's type in the model tells a map's types, which JavaScript does not show."""
    while declared.WhichOneof("value") == "optional_type":
        declared = declared.optional_type.elem_type
    if output.get("none"):
        return None
    if "sequence" in output:
        return [decode(item, declared.sequence_type.elem_type) for item in output["sequence"]]
    if "map" in output:
        value_type = helper.tensor_dtype_to_np_dtype(declared.map_type.value_type.tensor_type.elem_type)
        keys = [int(key["int64"]) if isinstance(key, dict) else key for key in output["map"]["keys"]]
        values = [int(v["int64"]) if isinstance(v, dict) else v for v in output["map"]["values"]]
        return {key: np.asarray(value, value_type) for key, value in zip(keys, values, strict=True)}
    if output["dtype"] == "string":
        return np.array(output["data"], dtype=object).reshape(output["dims"])
    raw = base64.b64decode(output["base64"])
    return numpy_helper.to_array(TensorProto(data_type=CODE_OF[output["dtype"]], dims=output["dims"], raw_data=raw))


def _plain(item: Any) -> Any:
    item = np.asarray(item)[()]
    if isinstance(item, (int, np.integer)):
        return {"int64": str(item)}
    return item.item() if isinstance(item, np.generic) else item
