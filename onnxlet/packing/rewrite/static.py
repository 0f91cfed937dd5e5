"""Integer networks: QuantizeLinear and DequantizeLinear around operators, with ranges that calibration found.

The engines turn what stands between DequantizeLinear and QuantizeLinear into operators on 8 bits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import onnx_ir as ir

from ..calibrate import Interval
from ..layers import Layer, is_constant, tensor_of
from ..quantizers import Codes
from . import qdq
from .writer import Place, Writer

# Operators that give numbers they were given, so that codes may pass with their scale.
_MOVES: Final = frozenset(
    {"MaxPool", "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Slice", "DepthToSpace", "SpaceToDepth"}
)
# Operators on 8 bits without weights: all their float inputs must be quantized.
_COMPUTES: Final = frozenset({"Add", "Mul", "Concat", "AveragePool", "GlobalAveragePool", "ReduceMean"})
# Functions of one value: tables of 256 bytes.
_TABLES: Final = frozenset(
    {
        "Relu",
        "Clip",
        "LeakyRelu",
        "Sigmoid",
        "HardSigmoid",
        "HardSwish",
        "Tanh",
        "Elu",
        "Gelu",
        "Erf",
        "Softplus",
        "Mish",
    }
)
_PRODUCTS: Final = frozenset({"Conv", "Gemm", "MatMul"})
_MOST = 1e6
"""Beyond this, a range says nothing: masks of attention reach -3e38."""


@dataclass
class Region:
    """The nodes that work on 8 bits, and the values between them."""

    nodes: dict[str, ir.Node] = field(default_factory=dict)  # by name
    values: list[ir.Value] = field(default_factory=list)  # to quantize, producers first
    same_as: dict[ir.Value, ir.Value] = field(default_factory=dict)  # has the scale of another


def region(model: ir.Model, layers: Collection[Layer]) -> Region:
    """What is quantized around the nodes of these layers, in the main graph."""
    found = Region()
    products = {use.node for layer in layers for use in layer.uses}
    inside: set[ir.Value] = set()

    def take(value: ir.Value) -> None:
        if value not in inside:
            inside.add(value)
            found.values.append(value)

    for node in model.graph:
        if node in products:
            source = node.inputs[0]
            assert source is not None
            take(source)
        elif not _joins(node, inside):
            continue
        found.nodes[node.name or ""] = node
        result = node.outputs[0]
        if node.op_type in _MOVES and node not in products and node.inputs[0] is not None:
            found.same_as[result] = node.inputs[0]
        if _bounded(result) is None:
            take(result)
        else:  # the Relu behind a product is part of it: what it gives is quantized
            inside.add(result)
    return found


def _joins(node: ir.Node, inside: set[ir.Value]) -> bool:
    """Whether a node without weights works on 8 bits, given the values that do."""
    if node.domain or len([o for o in node.outputs if o.uses() or o.is_graph_output()]) != 1:
        return False
    source = node.inputs[0] if node.inputs else None
    if node.op_type in _COMPUTES:
        axes_are_inputs = node.op_type == "ReduceMean"
        operands = [v for v in (node.inputs[:1] if axes_are_inputs else node.inputs) if v is not None]
        return bool(operands) and all(v in inside for v in operands)
    if node.op_type in _TABLES or node.op_type in _MOVES:
        others = [v for v in node.inputs[1:] if v is not None]
        return source in inside and all(is_constant(v) or node.op_type in _MOVES for v in others)
    return False


def _bounded(value: ir.Value) -> ir.Node | None:
    """The Relu or Clip that is all that reads the result of a product, a sum or a concatenation."""
    producer = value.producer()
    if producer is None or producer.op_type not in (*_PRODUCTS, "Add", "Mul", "Concat") or value.is_graph_output():
        return None
    readers = [node for node, _ in value.uses()]
    if len(readers) != 1 or readers[0].op_type not in ("Relu", "Clip") or readers[0].graph is not producer.graph:
        return None
    bounds = [v for v in readers[0].inputs[1:] if v is not None]
    return readers[0] if all(is_constant(v) for v in bounds) else None


@dataclass(frozen=True)
class Parameters:
    """Scale and zero point of a value, as they stand in the model."""

    scale: float
    zero: int
    kind: str  # uint8 or int8


def parameters(interval: Interval, kind: str) -> Parameters:
    """value = (code - zero) * scale for codes of 8 bits; 0 is a code exactly."""
    span = interval.most - interval.least
    scale = np.float32(span / 255) if span > 255 * np.finfo(np.float32).tiny else np.float32(1)
    zero = int(np.clip(np.rint(-interval.least / scale), 0, 255))
    return Parameters(float(scale), zero if kind == "uint8" else zero - 128, kind)


def unusable(interval: Interval) -> str | None:
    """Why a value with this interval cannot have 8 bits."""
    reach = max(-interval.least, interval.most)
    return None if np.isfinite(reach) and reach < _MOST else f"its values reach {reach:.3g}"


def write(
    writer: Writer, layers: Mapping[Layer, Codes], found: Region, intervals: Mapping[str, Interval], kind: str
) -> None:
    """Quantizes the region's values and the layers' weights. Values without an interval stay float."""
    chosen: dict[ir.Value, Parameters] = {}
    for value in found.values:
        origin = value
        while origin in found.same_as:
            origin = found.same_as[origin]
        interval = intervals.get(origin.name or "")
        if origin in chosen:
            chosen[value] = chosen[origin]
        elif interval is not None:
            chosen[value] = parameters(interval, kind)
    scales: dict[ir.Node, float] = {
        use.node: chosen[source].scale
        for layer in layers
        for use in layer.uses
        if (source := use.node.inputs[0]) is not None and source in chosen
    }
    for layer, codes in layers.items():
        for use in layer.uses:
            if use.node in scales:
                _bias(writer, use.node, scales[use.node], codes)
        qdq.write(writer, layer, codes.unsigned())
    for value, p in chosen.items():
        _quantize(writer, value, p)


def _quantize(writer: Writer, value: ir.Value, p: Parameters) -> None:
    """All readers of the value, and the output it may be, get what its codes stand for."""
    name = value.name or ""
    readers = [(node, index) for node, index in value.uses()]
    is_output = value.is_graph_output()
    place = Place.behind(value, readers[0][0] if readers else writer.model.graph[0])
    scale = writer.constant(f"{name}.scale", np.array(p.scale, np.float32))
    zero = writer.constant(f"{name}.zero_point", np.array(p.zero, p.kind))
    (codes,) = writer.add(place, "QuantizeLinear", [value, scale, zero], f"{name}.codes")
    (real,) = writer.add(
        Place.behind(codes, place.node), "DequantizeLinear", [codes, scale, zero], f"{name}.dequantized"
    )
    real.type, real.shape = value.type, value.shape
    for node, index in readers:
        node.replace_input_with(index, real)
    if is_output:
        graph = writer.model.graph
        graph.outputs[list(graph.outputs).index(value)] = real
        value.name = f"{name}.float"
        real.name = name


def _bias(writer: Writer, node: ir.Node, a_scale: float, codes: Codes) -> None:
    """A constant bias of one number per channel becomes int32 in units of the product, which kernels for integers add."""
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    if bias is None or not is_constant(bias) or tensor_of(bias).dtype != ir.DataType.FLOAT:
        return
    numbers = tensor_of(bias).numpy().reshape(-1).astype(np.float64)
    unit = np.float32(a_scale) * codes.scales[:, 0]
    if len(numbers) != len(unit) or np.abs(numbers / unit).max() >= 2**31 - 1:
        return
    whole = np.rint(numbers / unit).astype(np.int32)
    inputs = [
        writer.constant(f"{bias.name}.codes", whole),
        writer.constant(f"{bias.name}.scales", unit.astype(np.float32)),
    ]
    (real,) = writer.add(Place.before_node(node), "DequantizeLinear", inputs, f"{node.name}.bias", axis=0)
    node.replace_input_with(2, real)
