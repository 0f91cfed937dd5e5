"""Gives the onnx package's light models random weights, so that every layer carries signal.

The light models make all weights with ConstantOfShape(0.02), for which most of them answer the same probability for every class.
Here they become initializers of sensible size, and the values before Softmax become an output of their own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Of BatchNormalization's inputs scale, bias, mean and variance: centre and spread.
NORMALIZATION = {1: (1.0, 0.1), 2: (0.0, 0.1), 3: (0.0, 0.1), 4: (1.0, 0.1)}


def fill(path: Path) -> onnx.ModelProto:
    model = onnx.load(path)
    graph = model.graph
    roles = {name: (node.op_type, index) for node in graph.node for index, name in enumerate(node.input)}
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    rng = np.random.default_rng(0)
    nodes, used = [], set()
    for node in graph.node:
        if node.op_type == "ConstantOfShape" and node.input[0] in shapes:
            shape = tuple(int(size) for size in shapes[node.input[0]])
            values = random_weights(rng, shape, *roles.get(node.output[0], ("", 0)))
            graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
            used.add(node.input[0])
        else:
            nodes.append(node)
    kept = [tensor for tensor in graph.initializer if tensor.name not in used]
    softmax = next((node for node in nodes if node.op_type == "Softmax"), None)
    if softmax is not None:
        graph.output.append(helper.make_tensor_value_info(softmax.input[0], TensorProto.FLOAT, None))
    inputs = [value for value in graph.input if value.name not in used]
    for field, content in ((graph.node, nodes), (graph.initializer, kept), (graph.input, inputs)):
        copies = [type(item).FromString(item.SerializeToString()) for item in content]
        del field[:]
        field.extend(copies)
    return model


def random_weights(rng: np.random.Generator, shape: tuple[int, ...], op_type: str, index: int) -> np.ndarray:
    """float32: weights keep the spread of what they multiply (He et al. 2015), the rest stays near its neutral value."""
    if op_type == "BatchNormalization" and index in NORMALIZATION:
        centre, spread = NORMALIZATION[index]
    elif len(shape) > 1:
        centre, spread = 0.0, float(np.sqrt(2 / np.prod(shape[1:])))
    else:
        centre, spread = 0.0, 0.1
    values = centre + spread * rng.standard_normal(shape)
    return (np.abs(values) if index == 4 else values).astype(np.float32)
