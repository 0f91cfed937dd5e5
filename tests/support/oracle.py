"""What onnxruntime, as the oracle of tests, computes exactly on this machine."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from onnx import TensorProto, helper

Array = np.ndarray[Any, Any]


@functools.cache
def adds_products_exactly() -> bool:
    """Whether sums of uint8 times int8 are exact: on x86 without VNNI onnxruntime adds pairs of them in 16 bits, which
    saturate."""
    import onnxruntime

    def value(name: str, kind: int, shape: list[int]) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    inputs = [value("a", TensorProto.UINT8, [1, 2]), value("b", TensorProto.INT8, [2, 1])]
    node = helper.make_node("MatMulInteger", ["a", "b"], ["y"])
    graph = helper.make_graph([node], "g", inputs, [value("y", TensorProto.INT32, [1, 1])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 10)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    feeds = {"a": np.full((1, 2), 255, np.uint8), "b": np.full((2, 1), 127, np.int8)}
    return bool(session.run(None, feeds)[0][0, 0] == 2 * 255 * 127)


def within_oracle(weights: Array) -> Array:
    """8-bit weights that onnxruntime multiplies exactly: int8 ones are halved where it would saturate."""
    return weights if weights.dtype != np.int8 or adds_products_exactly() else weights // 2
