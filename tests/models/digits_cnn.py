"""Trains a small depthwise-separable CNN on scikit-learn's handwritten digits with numpy alone, and writes it as ONNX.

The block is MobileNet's: depthwise 3x3, BatchNormalization, ReLU6, pointwise, BatchNormalization, ReLU6. The
normalisations keep the statistics of one batch taken before training, so that training sees what inference will see.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

EPSILON = 1e-5


@dataclass
class Layer:
    """Parameters with Adam's two moments; `backward` leaves gradients of the same shapes."""

    params: dict[str, np.ndarray] = field(default_factory=dict)
    grads: dict[str, np.ndarray] = field(default_factory=dict)
    moments: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def step(self, rate: float, t: int) -> None:
        for name, gradient in self.grads.items():
            m, v = self.moments.get(name, (np.zeros_like(gradient), np.zeros_like(gradient)))
            m, v = 0.9 * m + 0.1 * gradient, 0.99 * v + 0.01 * gradient**2
            self.moments[name] = m, v
            update = rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-8)
            self.params[name] = (self.params[name] - update).astype(np.float32)


class Conv3x3(Layer):
    """3x3, padding 1, dense or depthwise, NCHW."""

    def __init__(self, rng: np.random.Generator, cin: int, cout: int, stride: int, depthwise: bool) -> None:
        super().__init__()
        per_group = 1 if depthwise else cin
        self.stride, self.depthwise = stride, depthwise
        self.params["w"] = (rng.standard_normal((cout, per_group, 3, 3)) * np.sqrt(2 / (9 * per_group))).astype(
            np.float32
        )
        self.equation = (
            ("ncyxhw,chw->ncyx", "ncyx,ncyxhw->chw", "ncyx,chw->ncyxhw")
            if depthwise
            else ("ncyxhw,ochw->noyx", "noyx,ncyxhw->ochw", "noyx,ochw->ncyxhw")
        )

    def weights(self) -> np.ndarray:
        return self.params["w"][:, 0] if self.depthwise else self.params["w"]

    def forward(self, x: np.ndarray) -> np.ndarray:
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        self.shape = padded.shape
        self.windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[
            :, :, :: self.stride, :: self.stride
        ]
        return np.einsum(self.equation[0], self.windows, self.weights(), optimize=True)

    def backward(self, dy: np.ndarray) -> np.ndarray:
        self.grads["w"] = np.einsum(self.equation[1], dy, self.windows, optimize=True).reshape(self.params["w"].shape)
        dwindows = np.einsum(self.equation[2], dy, self.weights(), optimize=True)
        dx = np.zeros(self.shape, np.float32)
        s, (h, w) = self.stride, dy.shape[2:]
        for i in range(3):
            for j in range(3):
                dx[:, :, i : i + s * h : s, j : j + s * w : s] += dwindows[..., i, j]
        return dx[:, :, 1:-1, 1:-1]


class Pointwise(Layer):
    def __init__(self, rng: np.random.Generator, cin: int, cout: int) -> None:
        super().__init__()
        self.params["w"] = (rng.standard_normal((cout, cin, 1, 1)) * np.sqrt(2 / cin)).astype(np.float32)

    def forward(self, x: np.ndarray) -> np.ndarray:
        self.x = x
        return np.einsum("ncyx,oc->noyx", x, self.params["w"][:, :, 0, 0], optimize=True)

    def backward(self, dy: np.ndarray) -> np.ndarray:
        self.grads["w"] = np.einsum("noyx,ncyx->oc", dy, self.x, optimize=True)[:, :, None, None]
        return np.einsum("noyx,oc->ncyx", dy, self.params["w"][:, :, 0, 0], optimize=True)


class NormRelu6(Layer):
    """BatchNormalization with frozen statistics, then ReLU6."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.params = {"scale": np.ones(channels, np.float32), "bias": np.ones(channels, np.float32)}
        self.mean: np.ndarray | None = None

    def forward(self, x: np.ndarray) -> np.ndarray:
        if self.mean is None:
            self.mean, self.variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
        self.rate = 1 / np.sqrt(self.variance + EPSILON)
        self.normal = (x - self.mean[:, None, None]) * self.rate[:, None, None]
        y = self.normal * self.params["scale"][:, None, None] + self.params["bias"][:, None, None]
        self.open = (y > 0) & (y < 6)
        return np.clip(y, 0, 6)

    def backward(self, dy: np.ndarray) -> np.ndarray:
        dy = dy * self.open
        self.grads = {"scale": (dy * self.normal).sum((0, 2, 3)), "bias": dy.sum((0, 2, 3))}
        return dy * (self.params["scale"] * self.rate)[:, None, None]


class Head(Layer):
    """Mean over pixels, then one linear layer."""

    def __init__(self, rng: np.random.Generator, cin: int, classes: int) -> None:
        super().__init__()
        self.params = {
            "w": (rng.standard_normal((classes, cin)) * np.sqrt(1 / cin)).astype(np.float32),
            "b": np.zeros(classes, np.float32),
        }

    def forward(self, x: np.ndarray) -> np.ndarray:
        self.shape, self.pooled = x.shape, x.mean((2, 3))
        return self.pooled @ self.params["w"].T + self.params["b"]

    def backward(self, dy: np.ndarray) -> np.ndarray:
        self.grads = {"w": dy.T @ self.pooled, "b": dy.sum(0)}
        area = self.shape[2] * self.shape[3]
        return np.broadcast_to((dy @ self.params["w"])[:, :, None, None] / area, self.shape)


def train(images: np.ndarray, labels: np.ndarray, epochs: int = 12, batch: int = 64) -> list[Layer]:
    """images: float32 [n, 1, 8, 8] in 0 to 1."""
    rng = np.random.default_rng(0)
    layers: list[Layer] = [Conv3x3(rng, 1, 16, 1, False), NormRelu6(16)]
    for cin, cout, stride in ((16, 32, 2), (32, 32, 1), (32, 48, 2)):
        layers += [Conv3x3(rng, cin, cin, stride, True), NormRelu6(cin), Pointwise(rng, cin, cout), NormRelu6(cout)]
    layers.append(Head(rng, 48, 10))
    steps = epochs * (len(images) // batch)
    for step in range(steps):
        if step % (len(images) // batch) == 0:
            order, at = rng.permutation(len(images)), 0
        chosen = order[at : at + batch]
        at += batch
        x = images[chosen]
        for layer in layers:
            x = layer.forward(x)  # type: ignore[attr-defined]
        e = np.exp(x - x.max(1, keepdims=True))
        gradient = e / e.sum(1, keepdims=True)
        gradient[np.arange(len(chosen)), labels[chosen]] -= 1
        gradient = (gradient / len(chosen)).astype(np.float32)
        for layer in reversed(layers):
            gradient = layer.backward(gradient)  # type: ignore[attr-defined]
        for layer in layers:
            layer.step(5e-3 * min(1, 2 * (1 - step / steps)), step + 1)
    return layers


def to_onnx(layers: list[Layer]) -> onnx.ModelProto:
    """Input image [n, 1, 8, 8], output logits [n, 10]."""
    nodes: list[onnx.NodeProto] = []
    initializers: list[onnx.TensorProto] = []
    current = "image"

    def add(op_type: str, tensors: list[np.ndarray], **attributes: object) -> None:
        nonlocal current
        names = [f"{op_type.lower()}{len(nodes)}.{k}" for k in range(len(tensors))]
        initializers.extend(
            numpy_helper.from_array(np.asarray(t, np.float32), n) for t, n in zip(tensors, names, strict=True)
        )
        output = f"t{len(nodes)}"
        nodes.append(helper.make_node(op_type, [current, *names], [output], **attributes))
        current = output

    for layer in layers:
        if isinstance(layer, Conv3x3):
            w = layer.params["w"]
            add(
                "Conv",
                [w],
                kernel_shape=[3, 3],
                pads=[1, 1, 1, 1],
                strides=[layer.stride] * 2,
                group=len(w) if layer.depthwise else 1,
            )
        elif isinstance(layer, Pointwise):
            add("Conv", [layer.params["w"]], kernel_shape=[1, 1])
        elif isinstance(layer, NormRelu6):
            assert layer.mean is not None
            add(
                "BatchNormalization",
                [layer.params["scale"], layer.params["bias"], layer.mean, layer.variance],
                epsilon=EPSILON,
            )
            add("Clip", [np.float32(0), np.float32(6)])
        elif isinstance(layer, Head):
            add("GlobalAveragePool", [])
            add("Flatten", [])
            add("Gemm", [layer.params["w"], layer.params["b"]], transB=1)
    nodes[-1].output[0] = "logits"
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 1, 8, 8])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 10])
    model = helper.make_model(
        helper.make_graph(nodes, "digits_cnn", [image], [logits], initializers),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="onnxlet-tests",
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def load_digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training images and labels, then 360 held-out ones."""
    import sklearn.datasets

    digits = sklearn.datasets.load_digits()
    images = (digits.images[:, None] / 16).astype(np.float32)
    order = np.random.default_rng(1).permutation(len(images))
    held, rest = order[:360], order[360:]
    return images[rest], digits.target[rest], images[held], digits.target[held]


def build() -> onnx.ModelProto:
    images, labels, _, _ = load_digits()
    return to_onnx(train(images, labels))
