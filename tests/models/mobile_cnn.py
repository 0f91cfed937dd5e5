"""Builds MobileNetV2 and EfficientNet-Lite0 with random weights, in float and quantized to 8 bits.

Each convolution is scaled as batch normalization with its statistics would leave it, so that every layer carries signal.
Sources: Sandler et al. 2018, https://arxiv.org/abs/1801.04381, table 2; the EfficientNet-Lite0 of Tan and Le 2019,
https://arxiv.org/abs/1905.11946, table 1, without squeeze and excitation and with Relu6.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
CLASSES = 1000


@dataclass(frozen=True)
class Stage:
    kernel: int
    expansion: int
    channels: int
    repeats: int
    stride: int


@dataclass(frozen=True)
class Network:
    stem: int
    stages: tuple[Stage, ...]
    head: int


MOBILENET_V2 = Network(
    32,
    (
        Stage(3, 1, 16, 1, 1),
        Stage(3, 6, 24, 2, 2),
        Stage(3, 6, 32, 3, 2),
        Stage(3, 6, 64, 4, 2),
        Stage(3, 6, 96, 3, 1),
        Stage(3, 6, 160, 3, 2),
        Stage(3, 6, 320, 1, 1),
    ),
    1280,
)
EFFICIENTNET_LITE0 = Network(
    32,
    (
        Stage(3, 1, 16, 1, 1),
        Stage(3, 6, 24, 2, 2),
        Stage(5, 6, 40, 2, 2),
        Stage(3, 6, 80, 3, 2),
        Stage(5, 6, 112, 3, 1),
        Stage(5, 6, 192, 4, 2),
        Stage(3, 6, 320, 1, 1),
    ),
    1280,
)


class Builder:
    """Adds nodes and computes them at once for one image, which tells how large the next weights should be."""

    def __init__(self, image: np.ndarray) -> None:
        self.rng = np.random.default_rng(0)
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.values: dict[str, np.ndarray] = {"image": image}

    def constant(self, name: str, values: np.ndarray) -> str:
        self.initializers.append(numpy_helper.from_array(values.astype(np.float32), name))
        self.values[name] = values.astype(np.float32)
        return name

    def add(self, op_type: str, inputs: list[str], **attributes: object) -> str:
        import onnxruntime

        output = f"{op_type.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, inputs, [output], name=output, **attributes))
        types = [helper.make_tensor_value_info(n, TensorProto.FLOAT, self.values[n].shape) for n in inputs]
        results = [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)]
        model = as_model(helper.make_graph([self.nodes[-1]], "node", types, results))
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        self.values[output] = session.run(None, {n: self.values[n] for n in inputs})[0]
        return output

    def conv(self, x: str, out: int, kernel: int, stride: int, depthwise: bool = False, relu: bool = True) -> str:
        channels = self.values[x].shape[1]
        weights = self.rng.standard_normal((out, 1 if depthwise else channels, kernel, kernel)).astype(np.float32)
        attributes = {
            "kernel_shape": [kernel] * 2,
            "strides": [stride] * 2,
            "pads": [kernel // 2] * 4,
            "group": channels if depthwise else 1,
        }
        name = f"w{len(self.nodes)}"
        self.values[name] = weights
        before = self.values[self.add("Conv", [x, name], **attributes)]
        self.nodes.pop()
        spread, centre = before.std((0, 2, 3)) + 1e-3, before.mean((0, 2, 3))
        scale = self.rng.uniform(0.7, 1.3, out) / spread
        self.constant(name, weights * scale[:, None, None, None])
        bias = self.constant(name + "_bias", self.rng.normal(0.5, 0.3, out) - centre * scale)
        y = self.add("Conv", [x, name, bias], **attributes)
        return self.add("Clip", [y, "zero", "six"]) if relu else y

    def block(self, x: str, stage: Stage, stride: int) -> str:
        channels = self.values[x].shape[1]
        y = self.conv(x, channels * stage.expansion, 1, 1) if stage.expansion > 1 else x
        y = self.conv(y, channels * stage.expansion, stage.kernel, stride, depthwise=True)
        y = self.conv(y, stage.channels, 1, 1, relu=False)
        return self.add("Add", [y, x]) if stride == 1 and channels == stage.channels else y


def as_model(graph: onnx.GraphProto) -> onnx.ModelProto:
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def build(network: Network, image: np.ndarray) -> onnx.ModelProto:
    """image: float32 [1, 3, height, width], what the weights are scaled with."""
    b = Builder(image)
    b.constant("zero", np.array(0))
    b.constant("six", np.array(6))
    x = b.conv("image", network.stem, 3, 2)
    for stage in network.stages:
        for i in range(stage.repeats):
            x = b.block(x, stage, stage.stride if i == 0 else 1)
    x = b.conv(x, network.head, 1, 1)
    x = b.add("Flatten", [b.add("GlobalAveragePool", [x])])
    weights = b.constant("classes", b.rng.normal(0, network.head**-0.5, (CLASSES, network.head)))
    x = b.add("Gemm", [x, weights, b.constant("classes_bias", b.rng.normal(0, 0.1, CLASSES))], transB=1)
    inputs = [helper.make_tensor_value_info("image", TensorProto.FLOAT, image.shape)]
    outputs = [helper.make_tensor_value_info(x, TensorProto.FLOAT, [image.shape[0], CLASSES])]
    return as_model(helper.make_graph(b.nodes, "network", inputs, outputs, b.initializers))


def build_quantized(network: Network, image: np.ndarray) -> onnx.ModelProto:
    """As onnxruntime's static quantizer writes it: QuantizeLinear and DequantizeLinear around every operator, weights int8
    per channel, activations uint8."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Images(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.images = iter([image, image[..., ::-1], image * 0.7])

        def get_next(self) -> dict[str, np.ndarray] | None:
            found = next(self.images, None)
            return None if found is None else {"image": np.ascontiguousarray(found)}

    with tempfile.TemporaryDirectory() as scratch:
        source, target = Path(scratch) / "float.onnx", Path(scratch) / "int8.onnx"
        onnx.save(build(network, image), source)
        quantize_static(
            source,
            target,
            Images(),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
        return onnx.load(target)
