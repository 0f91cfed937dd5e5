"""Small float models for the packer's tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from onnxlet.packing import cleanup


def outputs(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> np.ndarray:
    """onnxruntime's first output."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, feeds)[0])


def cleaned(model: onnx.ModelProto) -> tuple[onnx.ModelProto, dict[str, str]]:
    """The model after the packer's clean-up, and what became of nodes that are gone."""
    loaded = ir.from_proto(model)
    cleanup.name_nodes(loaded)
    gone = cleanup.prepare(loaded)
    cleanup.finish(loaded)
    return ir.to_proto(loaded), gone


def weights(*shape: int, seed: int = 0) -> np.ndarray:
    """float32, normal."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def model(
    nodes: Sequence[onnx.NodeProto],
    constants: dict[str, np.ndarray],
    inputs: dict[str, Sequence[int | str]],
    output: str = "y",
    opset: int = 21,
    kinds: dict[str, int] | None = None,
    **imports: int,
) -> onnx.ModelProto:
    """Inputs are float unless `kinds` says otherwise; the output is float."""
    kinds = kinds or {}
    graph = helper.make_graph(
        list(nodes),
        "g",
        [helper.make_tensor_value_info(n, kinds.get(n, TensorProto.FLOAT), s) for n, s in inputs.items()],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    sets = [helper.make_opsetid("", opset), *(helper.make_opsetid(k, v) for k, v in imports.items())]
    made = helper.make_model(graph, opset_imports=sets, ir_version=10)
    return onnx.shape_inference.infer_shapes(made)  # the checker wants the output's shape


def node(op_type: str, inputs: Sequence[str], output: str, **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op_type, list(inputs), [output], name=output, **attributes)


def matmul(k: int = 64, n: int = 48, opset: int = 21) -> onnx.ModelProto:
    """y [batch, n] = x [batch, k] w."""
    return model([node("MatMul", ["x", "w"], "y")], {"w": weights(k, n)}, {"x": ["batch", k]}, opset=opset)


def gemm(trans_b: int = 1, opset: int = 21) -> onnx.ModelProto:
    """y [batch, 48] = x [batch, 64] w + c, with w transposed or not."""
    w = weights(48, 64) if trans_b else weights(64, 48)
    constants = {"w": w, "c": weights(48, seed=1)}
    return model([node("Gemm", ["x", "w", "c"], "y", transB=trans_b)], constants, {"x": ["batch", 64]}, opset=opset)


def conv(opset: int = 21) -> onnx.ModelProto:
    """3x3, 8 to 12 channels, with a bias and a Relu."""
    constants = {"w": weights(12, 8, 3, 3), "b": weights(12, seed=1)}
    nodes = [node("Conv", ["x", "w", "b"], "c", pads=[1, 1, 1, 1]), node("Relu", ["c"], "y")]
    return model(nodes, constants, {"x": ["batch", 8, 9, 7]}, opset=opset)


def conv_transpose() -> onnx.ModelProto:
    constants = {"w": weights(8, 12, 3, 3)}
    return model([node("ConvTranspose", ["x", "w"], "y", strides=[2, 2])], constants, {"x": ["batch", 8, 5, 5]})


def lstm() -> onnx.ModelProto:
    """Input 16, hidden 24, both directions."""
    constants = {"w": weights(2, 96, 16), "r": weights(2, 96, 24, seed=1)}
    made = helper.make_node("LSTM", ["x", "w", "r"], ["y"], name="y", hidden_size=24, direction="bidirectional")
    return model([made], constants, {"x": [5, "batch", 16]})


def tied(through_transpose: bool = False) -> onnx.ModelProto:
    """An embedding [40, 32] that is the output projection too, as in language models."""
    nodes = [node("Gather", ["table", "ids"], "e")]
    if through_transpose:
        nodes += [node("Transpose", ["table"], "head", perm=[1, 0]), node("MatMul", ["e", "head"], "y")]
    else:
        nodes += [node("Flatten", ["e"], "f", axis=2), node("Gemm", ["f", "table"], "y", transB=1)]
    shape = ["batch", "length"] if through_transpose else [1, "length"]
    return model(nodes, {"table": weights(40, 32)}, {"ids": shape}, kinds={"ids": TensorProto.INT64})


def cnn() -> onnx.ModelProto:
    """Conv, BatchNormalization, Relu, depthwise Conv, Clip, residual Add, pooling and a classifier."""
    constants = {
        "w0": weights(64, 3, 3, 3) * 0.3,
        "scale": np.abs(weights(64, seed=1)) + 0.5,
        "shift": weights(64, seed=2),
        "mean": weights(64, seed=3),
        "variance": np.abs(weights(64, seed=4)) + 0.5,
        "w1": weights(64, 1, 3, 3, seed=5) * 0.3,
        "b1": weights(64, seed=6),
        "low": np.array(0, np.float32),
        "high": np.array(6, np.float32),
        "w2": weights(10, 64, seed=7),
        "b2": weights(10, seed=8),
    }
    nodes = [
        node("Conv", ["image", "w0"], "c0", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c0", "scale", "shift", "mean", "variance"], "n0"),
        node("Relu", ["n0"], "r0"),
        node("Conv", ["r0", "w1", "b1"], "c1", pads=[1, 1, 1, 1], group=64),
        node("Clip", ["c1", "low", "high"], "r1"),
        node("Add", ["r0", "r1"], "a"),
        node("GlobalAveragePool", ["a"], "p"),
        node("Flatten", ["p"], "f"),
        node("Gemm", ["f", "w2", "b2"], "y", transB=1),
    ]
    return model(nodes, constants, {"image": ["batch", 3, 12, 12]}, opset=17)


def images(count: int = 16) -> dict[str, np.ndarray]:
    return {"image": weights(count, 3, 12, 12, seed=11)}
