"""com.microsoft's MatMulNBits and GatherBlockQuantized: weights of few bits that stay packed while the model runs.

Specification: onnxruntime's docs/ContribOperators.md.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from ..layers import MICROSOFT, Layer, Use, float_attribute, int_attribute
from ..quantizers import Codes
from . import qdq
from .writer import Place, Writer, pack_bits


def lacks(layer: Layer, block: int) -> str | None:
    """Why a layer has no such form; None where it has one."""
    if block < 16:
        return "com.microsoft's operators take blocks of 16 to 256 weights"
    for use in layer.uses:
        op_type = use.node.op_type
        if op_type == "Gemm":
            if int_attribute(use.node, "transA", 0) or float_attribute(use.node, "alpha", 1.0) != 1:
                return "MatMulNBits has neither transA nor alpha"
            if float_attribute(use.node, "beta", 1.0) != 1:
                return "MatMulNBits has no beta"
        elif op_type == "Gather" and layer.shape[1] % block:
            return f"GatherBlockQuantized needs rows of whole blocks; {layer.shape[1]} is no multiple of {block}"
        elif op_type not in ("MatMul", "Gather"):
            return f"{op_type} has no form in com.microsoft"
    return None


def write(writer: Writer, layer: Layer, codes: Codes, accuracy_level: int) -> None:
    """Every use becomes the operator for packed weights; layers without one get DequantizeLinear."""
    if lacks(layer, codes.grid.block) is not None:
        qdq.write(writer, layer, codes)
        return
    packed = _Packed(writer, layer, codes)
    for use in layer.uses:
        if use.node.op_type == "Gather":
            _gather(writer, use, packed)
        else:
            _product(writer, use, packed, accuracy_level)


class _Packed:
    """The initializers that the uses of a layer share."""

    def __init__(self, writer: Writer, layer: Layer, codes: Codes) -> None:
        grid = codes.grid
        self.bits, self.block = grid.bits, grid.block
        self.n, self.k = codes.codes.shape
        middle = 1 << (self.bits - 1)
        unsigned = (
            codes.codes if codes.zero_points is not None else (codes.codes.astype(np.int16) + middle).astype(np.uint8)
        )
        missing = -self.k % self.block
        unsigned = np.pad(unsigned, ((0, 0), (0, missing)))
        rows = pack_bits(unsigned.reshape(-1), self.bits).reshape(self.n, -1)
        name = layer.weight.name
        self._writer, self._name = writer, name
        self.scales = writer.constant(f"{name}.scales", codes.scales)
        self.zeros = None
        if codes.zero_points is not None:
            per_byte = 8 // self.bits
            padded = np.pad(codes.zero_points, ((0, 0), (0, -codes.zero_points.shape[1] % per_byte)))
            self.zeros = writer.constant(
                f"{name}.zero_points", pack_bits(padded.reshape(-1), self.bits).reshape(self.n, -1)
            )
        self._rows, self._of_products = rows, codes.scales.shape[1]
        self._table: ir.Value | None = None
        self._matrix: ir.Value | None = None

    def table(self) -> ir.Value:
        """uint8 [N, bytes of a row], as GatherBlockQuantized wants it."""
        if self._table is None:
            self._table = self._writer.constant(f"{self._name}.table", self._rows)
        return self._table

    def matrix(self, place: Place) -> ir.Value:
        """uint8 [N, blocks, bytes of a block], as MatMulNBits wants it; the bytes are the table's where there is one."""
        if self._matrix is None:
            shape = (self.n, self._of_products, -1)
            if self._table is None:
                self._matrix = self._writer.constant(f"{self._name}.blocks", self._rows.reshape(shape))
            else:
                target = self._writer.constant(f"{self._name}.shape", np.array(shape, np.int64))
                (self._matrix,) = self._writer.add(place, "Reshape", [self._table, target], f"{self._name}.blocks")
        return self._matrix


def _gather(writer: Writer, use: Use, packed: _Packed) -> None:
    node = use.node
    inputs = [packed.table(), node.inputs[1], packed.scales, packed.zeros]
    (result,) = writer.add(
        Place.before_node(node),
        "GatherBlockQuantized",
        inputs if packed.zeros is not None else inputs[:3],
        f"{node.name}.packed",
        domain=MICROSOFT,
        bits=packed.bits,
        block_size=packed.block,
        gather_axis=0,
        quantize_axis=1,
    )
    writer.replace(node, result)


def _product(writer: Writer, use: Use, packed: _Packed, accuracy_level: int) -> None:
    node = use.node
    place = Place.before_node(node)
    graph = packed.scales.graph
    assert isinstance(graph, ir.Graph)
    bias = node.inputs[2] if len(node.inputs) > 2 else None
    inputs = [node.inputs[0], packed.matrix(Place.before_node(graph[0])), packed.scales, packed.zeros]
    (result,) = writer.add(
        place,
        "MatMulNBits",
        inputs if packed.zeros is not None else inputs[:3],
        f"{node.name}.packed",
        domain=MICROSOFT,
        K=packed.k,
        N=packed.n,
        bits=packed.bits,
        block_size=packed.block,
        accuracy_level=accuracy_level,
    )
    if bias is not None:
        (result,) = writer.add(place, "Add", [result, bias], f"{node.name}.biased")
    writer.replace(node, result)
