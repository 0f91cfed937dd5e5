"""Models for the packer in the page."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Weights = Mapping[str, NDArray[Any]]


def every_layer(scale: float = 1) -> onnx.ModelProto:
    """Everything that the page's packer has a form for, with awkward sizes, and what it must leave alone.

    Two tokens are looked up, multiplied in every way there is, and meet a convolution and a tied table at the end.
    """
    rng = np.random.default_rng(7)

    def random(*shape: int) -> NDArray[np.float32]:
        return (scale * rng.standard_normal(shape)).astype(np.float32)

    sparse = random(70, 33)
    sparse[:32, 3] = 0  # a block of zeros
    sparse[40:, 4] = np.abs(sparse[40:, 4])  # one of positive numbers alone, shorter than a block
    sparse[:, 5] *= np.float32(1e-39 / scale)  # scales too small for a float32
    weights = {
        "table": random(40, 64),
        "plain": random(64, 70),
        "odd": sparse,
        "rows": random(48, 33),
        "columns": random(48, 64),
        "bias": random(48),
        "turned": random(64, 64),
        "filter": random(16, 2, 3, 3),
        "upward": random(16, 5, 2, 2),
        "small": random(4, 20),
        "half": random(20, 20).astype(np.float16),
    }
    constant = numpy_helper.from_array(random(64, 64), "in the node")
    node = helper.make_node
    nodes = [
        node("Gather", ["table", "index"], ["tokens"], name="look up"),
        node("MatMul", ["tokens", "plain"], ["a"], name="first"),
        node("MatMul", ["a", "odd"], ["b"], name="awkward"),
        node("Reshape", ["b", "matrix"], ["c"], name="flat"),
        node("Gemm", ["c", "rows", "bias"], ["d"], name="gemm", transB=1),
        node("Gemm", ["d", "columns"], ["e"], name="gemm without bias"),
        node("Constant", [], ["written"], name="constant", value=constant),
        node("MatMul", ["e", "written"], ["f"], name="by constant"),
        node("Transpose", ["turned"], ["turned.t"], name="turn", perm=[1, 0]),
        node("MatMul", ["f", "turned.t"], ["g"], name="by transpose"),
        node("Transpose", ["table"], ["table.t"], name="turn table"),
        node("MatMul", ["g", "table.t"], ["logits"], name="head"),
        node("Reshape", ["g", "image"], ["h"], name="picture"),
        node("Conv", ["h", "filter"], ["i"], name="conv", pads=[1, 1, 1, 1]),
        node("ConvTranspose", ["i", "upward"], ["j"], name="up"),
        node("GlobalAveragePool", ["i"], ["k"], name="pool"),
        node("Flatten", ["k"], ["l"], name="flatten"),
        node("Slice", ["l", "zero", "four", "one"], ["m"], name="some"),
        node("MatMul", ["m", "small"], ["n"], name="small one"),
        node("Cast", ["half"], ["half.float"], name="cast", to=TensorProto.FLOAT),
        node("MatMul", ["n", "half.float"], ["scores"], name="half one"),
    ]
    shapes = {"matrix": [-1, 33], "image": [-1, 2, 8, 4], "zero": [0], "four": [4], "one": [1]}
    return model(
        nodes,
        {**weights, **{name: np.array(shape, np.int64) for name, shape in shapes.items()}},
        inputs=[helper.make_tensor_value_info("index", TensorProto.INT64, ["batch", 2])],
        outputs=[
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["tokens", 40]),
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["pictures", 20]),
            helper.make_tensor_value_info("j", TensorProto.FLOAT, ["pictures", 5, 9, 5]),
        ],
    )


def products(sizes: Sequence[int] = (64, 48), **options: Any) -> onnx.ModelProto:
    """x times one matrix after the other."""
    rng = np.random.default_rng(3)
    pairs = list(itertools.pairwise(sizes))
    nodes = [
        helper.make_node("MatMul", [f"h{n}", f"w{n}"], [f"h{n + 1}"], name=f"layer {n}") for n in range(len(pairs))
    ]
    return model(
        nodes,
        {f"w{n}": (rng.standard_normal(pair) / pair[0] ** 0.5).astype(np.float32) for n, pair in enumerate(pairs)},
        inputs=[helper.make_tensor_value_info("h0", TensorProto.FLOAT, ["rows", sizes[0]])],
        outputs=[helper.make_tensor_value_info(f"h{len(pairs)}", TensorProto.FLOAT, ["rows", sizes[-1]])],
        **options,
    )


def model(
    nodes: Sequence[onnx.NodeProto],
    weights: Weights,
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    *,
    opset: int = 17,
    ir_version: int = 8,
    weights_are_inputs: bool = False,
) -> onnx.ModelProto:
    """A model of these parts; before IR version 4 its weights are inputs too."""
    initializers = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    listed = [
        helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
        for tensor in initializers
        if ir_version < 4 or weights_are_inputs
    ]
    graph = helper.make_graph(nodes, "packable", [*inputs, *listed], outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)
