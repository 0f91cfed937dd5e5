"""Bias correction: on the calibration data no output channel is off on average."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest

from onnxlet.packing import pack
from onnxlet.packing.bias import mean_error
from onnxlet.packing.layers import survey
from onnxlet.packing.quantizers import Grid, round_to_nearest

from . import graphs

pytestmark = pytest.mark.filterwarnings("ignore:opset raised")


def run(model: onnx.ModelProto | bytes, feeds: dict[str, np.ndarray]) -> np.ndarray:
    data = model if isinstance(model, bytes) else model.SerializeToString()
    return np.asarray(onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, feeds)[0])


def depthwise() -> onnx.ModelProto:
    conv = graphs.node("Conv", ["x", "w"], "y", pads=[1, 1, 1, 1], strides=[2, 2], group=32)
    return graphs.model([conv], {"w": graphs.weights(64, 1, 5, 5)}, {"x": ["batch", 32, 9, 7]})


def with_add() -> onnx.ModelProto:
    nodes = [graphs.node("MatMul", ["x", "w"], "m"), graphs.node("Add", ["c", "m"], "y")]
    constants = {"w": graphs.weights(64, 48), "c": graphs.weights(48, seed=1)}
    return graphs.model(nodes, constants, {"x": ["batch", 64]})


def convolution() -> onnx.ModelProto:
    conv = graphs.node("Conv", ["x", "w", "b"], "y", pads=[1, 0, 2, 1])
    constants = {"w": graphs.weights(12, 8, 3, 3), "b": graphs.weights(12, seed=1)}
    return graphs.model([conv], constants, {"x": ["batch", 8, 9, 7]})


@pytest.mark.parametrize("make", [graphs.gemm, with_add, convolution, depthwise])
@pytest.mark.parametrize("scheme", ["int4:method=rtn", "int2:method=gptq"])
def test_no_channel_is_off_on_average(make: object, scheme: str) -> None:
    model: onnx.ModelProto = make()  # type: ignore[operator]
    shape = [24, *(d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim[1:])]
    x = {"x": graphs.weights(*shape, seed=4) + 1}
    before = run(model, x)
    channels = 1 if before.ndim == 4 else before.ndim - 1
    others = tuple(axis for axis in range(before.ndim) if axis != channels)
    config = {"seconds": 0, "collapse": 0}
    plain, corrected = (
        np.abs((run(pack(model, x, scheme=s, config=config).model or b"", x) - before).mean(others))
        for s in (scheme, f"{scheme},correct_bias=true")
    )
    assert plain.max() > 0.05
    assert corrected.max() < 1e-3 * np.abs(before).max() and corrected.max() < 0.02 * plain.max()


def test_the_error_by_hand() -> None:
    """Rounding makes 3.4 a 3 and -7 stays: with a mean input of 2 the outputs are 0.4 * 2 too small."""
    model = graphs.model(
        [graphs.node("MatMul", ["x", "w"], "y")], {"w": np.array([[-8], [3.4]], np.float32)}, {"x": [1, 2]}
    )
    (layer,) = survey(ir.from_proto(model)).layers
    codes = round_to_nearest(layer.rows(), Grid(4))
    assert mean_error(layer, codes, np.array([[5.0, 2.0]])) == pytest.approx([-0.8])


def test_a_matmul_without_a_bias_stays() -> None:
    x = {"x": graphs.weights(24, 64, seed=4) + 1}
    packed = [
        onnx.load_model_from_string(pack(graphs.matmul(), x, scheme=s, config={"seconds": 0}).model or b"")
        for s in ("int4", "int4:correct_bias=true")
    ]
    assert [[n.op_type for n in p.graph.node] for p in packed] == [["DequantizeLinear", "MatMul"]] * 2


def test_static_networks_are_corrected() -> None:
    images = {"image": graphs.images(24)["image"] + 1}
    before = run(graphs.cnn(), images)
    off = [
        np.abs(
            (run(pack(graphs.cnn(), images, scheme=s, config={"seconds": 0}).model or b"", images) - before).mean(0)
        ).mean()
        for s in ("int8-static:method=rtn", "int8-static:method=rtn,correct_bias=true")
    ]
    assert off[1] < off[0]
