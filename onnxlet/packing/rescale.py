"""Moving scales between operators: a value is divided channel by channel, and what reads it is multiplied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from .layers import int_attribute, is_constant, new_initializer, tensor_of
from .quantizers import Floats

_HOMOGENEOUS = ("Relu", "LeakyRelu", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "Identity")
"""f(x / s) = f(x) / s for positive s per channel."""

_NORMS = {
    "LayerNormalization": 1,
    "RMSNormalization": 1,
    "SimplifiedLayerNormalization": 1,
    "InstanceNormalization": 1,
    "SkipLayerNormalization": 2,
    "SkipSimplifiedLayerNormalization": 2,
}
"""Operators whose first result ends in a scale, perhaps a bias: the scale's index, before the bias's."""


@dataclass(frozen=True)
class Place:
    """A constant of a node, and the axis along which its channels lie."""

    node: ir.Node
    index: int
    axis: int

    @property
    def array(self) -> np.ndarray:
        value = self.node.inputs[self.index]
        assert value is not None
        return tensor_of(value).numpy()

    @property
    def channels(self) -> int:
        return int(self.array.shape[self.axis])

    def largest(self) -> Floats:
        """[channels]: the largest absolute value of each."""
        array = self.array
        kept = self.axis % array.ndim
        return np.asarray(np.abs(array).max(tuple(at for at in range(array.ndim) if at != kept)), np.float32)

    def multiply(self, factors: np.ndarray) -> None:
        """The node gets a constant of its own, in which each channel is multiplied with its factor."""
        value, array = self.node.inputs[self.index], self.array
        assert value is not None and self.node.graph is not None
        after = 0 if self.axis == -1 else array.ndim - 1 - self.axis
        scaled = (array * factors.reshape(-1, *[1] * after)).astype(array.dtype)
        self.node.replace_input_with(self.index, new_initializer(self.node.graph, f"{value.name}.balanced", scaled))


def _constant(node: ir.Node, index: int, alone: bool = False) -> bool:
    """Whether an input is a float32 constant; `alone`: that nothing else reads."""
    value = node.inputs[index] if index < len(node.inputs) else None
    if value is None or not is_constant(value) or tensor_of(value).dtype != ir.DataType.FLOAT:
        return False
    return not alone or (len(value.uses()) == 1 and not value.is_graph_output())


def reader(node: ir.Node) -> Place | None:
    """The weight that is multiplied with the channels of the node's first input, if it can be scaled along them."""
    if node.domain or not _constant(node, 1, alone=True):
        return None
    if node.op_type == "MatMul":
        return Place(node, 1, 0) if tensor_of(node.inputs[1]).shape.rank() == 2 else None  # type: ignore[arg-type]
    if node.op_type == "Gemm" and not int_attribute(node, "transA", 0):
        return Place(node, 1, int_attribute(node, "transB", 0))
    if node.op_type == "Conv":
        if int_attribute(node, "group", 1) == 1:
            return Place(node, 1, 1)
        return Place(node, 1, 0) if _depthwise(node) else None
    return None


def _depthwise(node: ir.Node) -> bool:
    shape = tensor_of(node.inputs[1]).shape.numpy()  # type: ignore[arg-type]
    return shape[0] == int_attribute(node, "group", 1) and shape[1] == 1


def writer(node: ir.Node) -> list[Place] | None:
    """The constants by which a product's output channels can be scaled, the weight first."""
    if node.domain or not _constant(node, 1, alone=True):
        return None
    if node.op_type == "MatMul" and tensor_of(node.inputs[1]).shape.rank() == 2:  # type: ignore[arg-type]
        return [Place(node, 1, -1)]
    if node.op_type not in ("Conv", "Gemm"):
        return None
    axis = 0 if node.op_type == "Conv" or int_attribute(node, "transB", 0) else 1
    places = [Place(node, 1, axis)]
    if len(node.inputs) > 2 and node.inputs[2] is not None:
        if not _constant(node, 2):
            return None
        places.append(Place(node, 2, -1))
    return places


def source(value: ir.Value, readers: list[Place], channel_axis: int) -> list[Place] | None:
    """The constants to divide so that the value is divided channel by channel; None where there are none, or where others
    than `readers` see the value. channel_axis: -1, or 1 for what convolutions make."""
    found = _source(value, {place.node for place in readers}, channel_axis)
    # A weight of one channel may be spread over all by an addition behind it.
    spread = found is not None and any(p.array.ndim > 1 and p.channels != readers[0].channels for p in found)
    return None if spread else found


def _source(value: ir.Value, readers: set[ir.Node], channel_axis: int) -> list[Place] | None:
    node = value.producer()
    if node is None or value.is_graph_output() or {user for user, _ in value.uses()} != readers:
        return None
    if node.op_type in _HOMOGENEOUS and channel_axis == (1 if "Pool" in node.op_type else channel_axis):
        first = node.inputs[0]
        return None if first is None else _source(first, {node}, channel_axis)
    if node.op_type in _NORMS and (channel_axis == 1) == (node.op_type == "InstanceNormalization"):
        at = _NORMS[node.op_type]
        indices = [at, at + 1] if len(node.inputs) > at + 1 and node.inputs[at + 1] is not None else [at]
        if value is not node.outputs[0] or not all(_constant(node, i) for i in indices):
            return None
        if int_attribute(node, "axis", -1) not in (-1, _rank(value) - 1):
            return None
        return [
            Place(node, i, -1) for i in indices[: 1 if "Simplified" in node.op_type or "RMS" in node.op_type else 2]
        ]
    if node.op_type in ("Add", "Mul") and channel_axis == -1 and not node.domain:
        return _of_elementwise(node)
    if (node.op_type == "Conv") == (channel_axis == 1):
        return writer(node)
    return None


def _of_elementwise(node: ir.Node) -> list[Place] | None:
    """Of x + constant, x * constant, or x * y, where one factor is enough."""
    for index in (0, 1):
        other = node.inputs[1 - index]
        if _constant(node, index) and tensor_of(node.inputs[index]).shape.rank() == 1:  # type: ignore[arg-type]
            here = [Place(node, index, -1)]
            if node.op_type == "Mul":
                return here
            rest = None if other is None else _source(other, {node}, -1)
            return None if rest is None else rest + here
    if node.op_type == "Mul":
        for value in reversed(node.inputs):
            found = None if value is None else _source(value, {node}, -1)
            if found is not None:
                return found
    return None


def _rank(value: ir.Value) -> int:
    return -1 if value.shape is None else value.shape.rank()
