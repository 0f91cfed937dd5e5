"""Builds ViT-tiny (patches of 16, 224 x 224; Dosovitskiy et al. 2020, sizes of Touvron et al. 2021) with random weights, as exporters write it."""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import TensorProto, helper

from tests.models.minilm import Builder

SIZE, PATCH, WIDTH, HEADS, DEPTH, CLASSES = 224, 16, 192, 3, 12, 1000
TOKENS = (SIZE // PATCH) ** 2 + 1


def build() -> onnx.ModelProto:
    """Input image [1, 3, 224, 224]; output logits [1, 1000]. float32, opset 17."""
    b = Builder(_weights())

    def weight(name: str) -> str:
        return b.constant(b.weights[name], name)

    patches = b.node("Conv", "image", weight("patch.weight"), weight("patch.bias"), strides=[PATCH, PATCH])
    rows = b.node("Reshape", patches, b.constant(np.array([1, WIDTH, TOKENS - 1])))
    x = b.node("Concat", weight("class"), b.node("Transpose", rows, perm=[0, 2, 1]), axis=1)
    x = b.node("Add", x, weight("position"))
    split = b.constant(np.array([1, TOKENS, 3, HEADS, WIDTH // HEADS]))
    merged = b.constant(np.array([1, TOKENS, WIDTH]))
    scale = b.constant(np.float32(1 / math.sqrt(WIDTH // HEADS)))
    for layer in range(DEPTH):
        inner = b.linear(b.norm(x, f"{layer}.norm1", 1e-6), f"{layer}.qkv")
        packed = b.node("Transpose", b.node("Reshape", inner, split), perm=[2, 0, 3, 1, 4])
        q, k, v = (b.node("Gather", packed, b.constant(np.int64(part)), axis=0) for part in range(3))
        scores = b.node("MatMul", b.node("Mul", q, scale), b.node("Transpose", k, perm=[0, 1, 3, 2]))
        context = b.node("Transpose", b.node("MatMul", b.node("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        x = b.node("Add", x, b.linear(b.node("Reshape", context, merged), f"{layer}.proj"))
        inner = b.gelu(b.linear(b.norm(x, f"{layer}.norm2", 1e-6), f"{layer}.fc1"))
        x = b.node("Add", x, b.linear(inner, f"{layer}.fc2"))
    first = b.node("Gather", b.norm(x, "norm", 1e-6), b.constant(np.int64(0)), axis=1)
    b.linear(first, "head")
    b.nodes[-1].output[0] = "logits"

    graph = helper.make_graph(
        b.nodes,
        "vit_tiny",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, SIZE, SIZE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, CLASSES])],
        list(b.initializers.values()),
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="onnxlet-tests"
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def _weights() -> dict[str, np.ndarray]:
    """Sums keep the size of what they add up; biases are small."""
    rng = np.random.default_rng(0)

    def normal(*shape: int, spread: float) -> np.ndarray:
        return (spread * rng.standard_normal(shape)).astype(np.float32)

    found = {
        "patch.weight": normal(WIDTH, 3, PATCH, PATCH, spread=1 / math.sqrt(3 * PATCH * PATCH)),
        "patch.bias": normal(WIDTH, spread=0.1),
        "class": normal(1, 1, WIDTH, spread=1),
        "position": normal(1, TOKENS, WIDTH, spread=0.5),
    }
    linear = {"head": (CLASSES, WIDTH)}
    for layer in range(DEPTH):
        shapes = {
            "qkv": (3 * WIDTH, WIDTH),
            "proj": (WIDTH, WIDTH),
            "fc1": (4 * WIDTH, WIDTH),
            "fc2": (WIDTH, 4 * WIDTH),
        }
        linear |= {f"{layer}.{name}": shape for name, shape in shapes.items()}
    for name, (outputs, inputs) in linear.items():
        found[f"{name}.weight"] = normal(outputs, inputs, spread=1 / math.sqrt(inputs))
        found[f"{name}.bias"] = normal(outputs, spread=0.1)
    for name in ("norm", *(f"{layer}.norm{k}" for layer in range(DEPTH) for k in (1, 2))):
        found[f"{name}.weight"] = 1 + normal(WIDTH, spread=0.1)
        found[f"{name}.bias"] = normal(WIDTH, spread=0.1)
    return found
