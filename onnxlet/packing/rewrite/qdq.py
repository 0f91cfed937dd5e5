"""Weights behind DequantizeLinear of ai.onnx: per output channel, or in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
from numpy.typing import NDArray

from ..layers import RECURRENT, Layer
from ..quantizers import Codes, Integers
from .writer import Place, Writer

_OPSETS = {2: 25, 4: 21, 8: 13}  # by bits; blocks need 21


def write(writer: Writer, layer: Layer, codes: Codes) -> None:
    """All uses of the layer's weight read the output of one DequantizeLinear.

    An embedding of 8 bits with a scale per row is looked up in its codes, and only the rows found become floats.
    """
    looked_up = [use for use in layer.uses if use.node.op_type == "Gather"]
    grid = codes.grid
    rowwise = grid.bits == 8 and codes.scales.shape[1] == 1
    if looked_up and rowwise:
        _write_rows(writer, layer, codes)
        return
    weight = _weight(writer, layer, codes)
    layer.weight.replace_all_uses_with(weight)


def _weight(writer: Writer, layer: Layer, codes: Codes) -> ir.Value:
    """The weight as floats of its own shape."""
    name = layer.weight.name
    place = Place.before_node(_first_node(layer))
    numbers = layer.from_rows(codes.codes)
    if codes.scales.shape[1] == 1 and numbers.shape[layer.axis] == len(codes.codes):
        return _dequantize(writer, place, codes, numbers, layer.axis, f"{name}.dequantized", name)
    if numbers.ndim == 2:
        return _dequantize(writer, place, codes, numbers, 1 - layer.axis, f"{name}.dequantized", name)
    return _reshaped(writer, layer, codes, place)


def _dequantize(
    writer: Writer, place: Place, codes: Codes, numbers: Integers, axis: int, output: str, name: str | None
) -> ir.Value:
    """`numbers` as floats: with one scale per index of `axis`, or with blocks along it."""
    bits, signed = codes.grid.bits, codes.grid.symmetric
    attributes: dict[str, Any] = {"axis": axis}
    parameters: list[NDArray[Any]] = [codes.scales, *([] if codes.zero_points is None else [codes.zero_points])]
    if codes.scales.shape[1] == 1:
        parameters = [p[:, 0] for p in parameters]
    else:
        attributes["block_size"] = codes.grid.block
        parameters = [p if axis == 1 else np.ascontiguousarray(p.T) for p in parameters]
    inputs = [
        writer.codes(f"{name}.codes", numbers, bits, signed, place),
        writer.constant(f"{name}.scales", parameters[0], place),
    ]
    inputs += [writer.codes(f"{name}.zero_points", p, bits, signed, place) for p in parameters[1:]]
    return writer.add(place, "DequantizeLinear", inputs, output, **attributes)[0]


def _reshaped(writer: Writer, layer: Layer, codes: Codes, place: Place) -> ir.Value:
    """Weights of more than two axes: the rows are dequantized, then brought into the weight's shape."""
    name = layer.weight.name
    rows = _dequantize(writer, place, codes, codes.codes, 0 if codes.scales.shape[1] == 1 else 1, f"{name}.rows", name)
    axis = 0 if layer.op_type in RECURRENT else layer.axis
    shape = (layer.shape[axis], *(size for at, size in enumerate(layer.shape) if at != axis))
    target = writer.constant(f"{name}.shape", np.array(shape, np.int64), place)
    (whole,) = writer.add(place, "Reshape", [rows, target], f"{name}.reshaped")
    if axis == 0:
        return whole
    order = [*range(1, axis + 1), 0, *range(axis + 1, len(shape))]
    return writer.add(place, "Transpose", [whole], f"{name}.dequantized", perm=order)[0]


def _write_rows(writer: Writer, layer: Layer, codes: Codes) -> None:
    """Gather picks codes and scales; other uses of a tied weight dequantize the same codes."""
    name = layer.weight.name
    table = writer.constant(f"{name}.codes", codes.codes)
    scales = writer.constant(f"{name}.scales", codes.scales[:, 0])
    zeros = None if codes.zero_points is None else writer.constant(f"{name}.zero_points", codes.zero_points[:, 0])
    last = writer.constant(f"{name}.last_axis", np.array([-1], np.int64))
    for use in layer.uses:
        node = use.node
        if node.op_type != "Gather":
            continue
        place, indices = Place.before_node(node), node.inputs[1]
        base = node.name or name

        def pick(
            source: ir.Value, what: str, *, at: Place = place, of: ir.Value | None = indices, base: str | None = base
        ) -> ir.Value:
            return writer.add(at, "Gather", [source, of], f"{base}.{what}", axis=0)[0]

        (numbers,) = writer.add(place, "Cast", [pick(table, "codes")], f"{base}.numbers", to=ir.DataType.FLOAT)
        if zeros is not None:
            (zero,) = writer.add(place, "Cast", [pick(zeros, "zero_points")], f"{base}.zeros", to=ir.DataType.FLOAT)
            (zero,) = writer.add(place, "Unsqueeze", [zero, last], f"{base}.zeros_per_row")
            (numbers,) = writer.add(place, "Sub", [numbers, zero], f"{base}.centred")
        (scale,) = writer.add(place, "Unsqueeze", [pick(scales, "scales"), last], f"{base}.scale_per_row")
        (result,) = writer.add(place, "Mul", [numbers, scale], f"{base}.dequantized")
        writer.replace(node, result)
    if layer.weight.uses():
        place = Place.before_node(_first_node(layer))
        inputs = [table, scales, *([] if zeros is None else [zeros])]
        (weight,) = writer.add(place, "DequantizeLinear", inputs, f"{name}.dequantized", axis=0)
        layer.weight.replace_all_uses_with(weight)


def _first_node(layer: Layer) -> ir.Node:
    """The node before which the weight must be ready: the first of the graph that holds it."""
    graph = layer.weight.graph
    assert isinstance(graph, ir.Graph)
    return graph[0]


def opset(bits: int, per_channel: bool) -> tuple[int, str]:
    """The least opset version for codes of so many bits, and the form's name."""
    least = _OPSETS[bits] if per_channel else max(_OPSETS[bits], 21)
    return least, f"DequantizeLinear of {bits} bits {'per channel' if per_channel else 'in blocks'}"
