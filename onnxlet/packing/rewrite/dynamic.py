"""Integer products whose activations are quantized while the model runs: DynamicQuantizeLinear, then MatMulInteger or
ConvInteger, Cast and Mul. Engines join these nodes into one."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ..layers import Layer
from ..quantizers import Codes
from .writer import Place, Writer

_MIDDLE = 128
"""The zero point of the weights, which are uint8: onnxruntime's products of uint8 and int8 saturate on processors without
VNNI, and its ConvInteger has no int8 weights."""


def write(writer: Writer, layer: Layer, codes: Codes) -> None:
    """Replaces every use, which are MatMul, Gemm or Conv. `codes` have one scale per output channel."""
    name = layer.weight.name
    unsigned = (codes.codes.astype(np.int16) + _MIDDLE).astype(np.uint8)
    convolution = layer.op_type == "Conv"
    stored = layer.from_rows(unsigned) if convolution or layer.axis == 1 else np.ascontiguousarray(unsigned.T)
    per_channel = (1, -1, *([1] * (stored.ndim - 2))) if convolution else (-1,)
    weight = writer.constant(f"{name}.codes", stored)
    scales = writer.constant(f"{name}.scales", codes.scales[:, 0].reshape(per_channel))
    middle = writer.constant(f"{name}.zero_point", np.array(_MIDDLE, np.uint8))
    for use in layer.uses:
        _product(writer, use.node, [weight, middle], scales, per_channel)


def _product(
    writer: Writer, node: ir.Node, weight: list[ir.Value], scales: ir.Value, per_channel: tuple[int, ...]
) -> None:
    place, name = Place.before_node(node), node.name
    a, a_scale, a_zero = writer.dynamic(_activation(node), node)
    attributes = {k: v.value for k, v in node.attributes.items()} if node.op_type == "Conv" else {}
    op_type = "ConvInteger" if node.op_type == "Conv" else "MatMulInteger"
    (whole,) = writer.add(place, op_type, [a, weight[0], a_zero, weight[1]], f"{name}.integer", **attributes)
    (real,) = writer.add(place, "Cast", [whole], f"{name}.float", to=ir.DataType.FLOAT)
    (scale,) = writer.add(place, "Mul", [a_scale, scales], f"{name}.scale")
    (result,) = writer.add(place, "Mul", [real, scale], f"{name}.scaled")
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    if bias is not None and len(per_channel) > 1:
        shape = writer.constant(f"{name}.bias_shape", np.array(per_channel, np.int64))
        (bias,) = writer.add(place, "Reshape", [bias, shape], f"{name}.bias")
    if bias is not None:
        (result,) = writer.add(place, "Add", [result, bias], f"{name}.biased")
    writer.replace(node, result)


def _activation(node: ir.Node) -> ir.Value:
    value = node.inputs[0]
    assert value is not None
    return value
