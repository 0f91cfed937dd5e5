"""Small models, made with onnx.helper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 21


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    initializers: Sequence[onnx.TensorProto] = (),
    opset: int = OPSET,
    **keywords: Any,
) -> onnx.ModelProto:
    graph = helper.make_graph(list(nodes), "graph", list(inputs), list(outputs), list(initializers))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], **keywords)
    made.ir_version = 10 if opset <= 22 else 13
    return made


def tensor(name: str, dtype: int = TensorProto.FLOAT, shape: Any = ("N", 3)) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, shape)


def add() -> onnx.ModelProto:
    """z = x + y with float[N, 3]."""
    node = helper.make_node("Add", ["x", "y"], ["z"], name="sum")
    return model([node], [tensor("x"), tensor("y")], [tensor("z")], producer_name="tests", doc_string="adds")


def identity(dtype: int, shape: Any = None, opset: int = OPSET) -> onnx.ModelProto:
    """y = x for one element type, of any shape unless given."""
    node = helper.make_node("Identity", ["x"], ["y"])
    return model([node], [tensor("x", dtype, shape)], [tensor("y", dtype, shape)], opset=opset)


def identity_of(type_proto: onnx.TypeProto) -> onnx.ModelProto:
    """y = x for a sequence or an optional."""
    node = helper.make_node("Identity", ["x"], ["y"])
    return model([node], [helper.make_value_info("x", type_proto)], [helper.make_value_info("y", type_proto)])


def matmul(size: int = 64, seed: int = 0) -> onnx.ModelProto:
    """y = relu(x @ w) with w of [size, size]: large enough that threads share the work."""
    w = np.random.default_rng(seed).standard_normal((size, size)).astype(np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Relu", ["m"], ["y"])]
    return model(
        nodes,
        [tensor("x", shape=("N", size))],
        [tensor("y", shape=("N", size))],
        [numpy_helper.from_array(w, "w")],
    )


def weight_of(made: onnx.ModelProto, name: str = "w") -> np.ndarray:
    return next(numpy_helper.to_array(item) for item in made.graph.initializer if item.name == name)


def endless_loop() -> onnx.ModelProto:
    """y = x for go_on = false; else a Loop without an end, and without a node in its body."""
    ends = [tensor("go_on", TensorProto.BOOL, ()), tensor("x", shape=(1,))]
    body_ends = [tensor("i", TensorProto.INT64, ()), tensor("c", TensorProto.BOOL, ()), tensor("v", shape=(1,))]
    body = helper.make_graph([], "body", body_ends, body_ends[1:])
    return model(
        [helper.make_node("Loop", ["", "go_on", "x"], ["y"], name="loop", body=body)], ends, [tensor("y", shape=(1,))]
    )
