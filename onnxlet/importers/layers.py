"""Layers with weights, in the operators for the form that the file has them in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from .graph import FLOAT, MICROSOFT, UINT8, GraphBuilder
from .weights import BLOCK, Blocks, Weight


@dataclass
class Layers:
    """Writes layers into a graph. `accuracy_level` is MatMulNBits's."""

    graph: GraphBuilder
    accuracy_level: int

    def __post_init__(self) -> None:
        self._sums: dict[ir.Value, ir.Value] = {}

    def linear(self, x: ir.Value, weight: Weight, bias: Weight | None) -> ir.Value:
        """[..., n] = x [..., k] times the transposed weight [n, k], plus the bias."""
        graph, name = self.graph, _stem(weight)
        if weight.blocks is None:
            matrix = graph.weight(weight.name, FLOAT, weight.shape[::-1], lambda: weight.read().T)
            y = graph.node("MatMul", [x, matrix], name)
        else:
            y = self._packed(x, weight, weight.blocks, name)
        return y if bias is None else graph.node("Add", [y, self.vector(bias)], f"{name}.biased")

    def embedding(self, indices: ir.Value, table: Weight) -> ir.Value:
        """[..., hidden]: rows of the table; `indices` has one or two axes."""
        graph, name, blocks = self.graph, _stem(table), table.blocks
        if blocks is None or blocks.offsets is not None:  # GatherBlockQuantized has no offsets
            return graph.node("Gather", [self.vector(table), indices], name)
        rows, hidden = table.shape
        # The blocks are an axis of their own, as in MatMulNBits, so that a tied head has the same initializers.
        column = graph.constant(f"{name}.column", np.array([rows, hidden // BLOCK, 1]))
        scales = graph.node("Reshape", [self._scales(table, blocks), column], f"{name}.scales")
        parts = graph.node(
            "GatherBlockQuantized",
            [self._codes(table, blocks), indices, scales],
            f"{name}.blocks",
            domain=MICROSOFT,
            bits=blocks.bits,
            block_size=BLOCK,
            gather_axis=0,
            quantize_axis=2,
        )
        shape = graph.constant(f"{name}.shape", np.array([*[0] * _rank(indices), hidden]))
        return graph.node("Reshape", [parts, shape], name)

    def tied_head(self, x: ir.Value, table: Weight, batch: ir.Value) -> ir.Value:
        """[batch, length, rows of the table] = x [batch, length, hidden] times the table transposed, which is stored once.

        `batch`: int64 [2], batch and length.
        """
        graph, (rows, hidden) = self.graph, table.shape
        if table.blocks is not None and table.blocks.offsets is None:
            return self._packed(x, table, table.blocks, "head")
        flat = graph.node("Reshape", [x, graph.constant("head.flat_shape", np.array([-1, hidden]))], "head.flat")
        scores = graph.node("Gemm", [flat, self.vector(table)], "head", transB=1)
        width = graph.constant("head.width", np.array([rows]))
        return graph.node(
            "Reshape", [scores, graph.node("Concat", [batch, width], "head.shape", axis=0)], "head.reshaped"
        )

    def vector(self, weight: Weight) -> ir.Value:
        """The weight as it is: float32 of its shape."""
        return self.graph.weight(weight.name, FLOAT, weight.shape, weight.read)

    def norm(self, x: ir.Value, scale: Weight, bias: Weight, epsilon: float) -> ir.Value:
        """LayerNormalization over the last axis."""
        inputs = [x, self.vector(scale), self.vector(bias)]
        return self.graph.node("LayerNormalization", inputs, _stem(scale), axis=-1, epsilon=epsilon)

    def _codes(self, weight: Weight, blocks: Blocks) -> ir.Value:
        n, k = weight.shape
        return self.graph.weight(f"{weight.name}.codes", UINT8, (n, k // BLOCK, 4 * blocks.bits), blocks.codes)

    def _scales(self, weight: Weight, blocks: Blocks) -> ir.Value:
        n, k = weight.shape
        return self.graph.weight(f"{weight.name}.scales", FLOAT, (n, k // BLOCK), blocks.scales)

    def _packed(self, x: ir.Value, weight: Weight, blocks: Blocks, name: str) -> ir.Value:
        n, k = weight.shape
        y = self.graph.node(
            "MatMulNBits",
            [x, self._codes(weight, blocks), self._scales(weight, blocks)],
            name,
            domain=MICROSOFT,
            K=k,
            N=n,
            bits=blocks.bits,
            block_size=BLOCK,
            accuracy_level=self.accuracy_level,
        )
        offsets = blocks.offsets
        if offsets is None:
            return y
        matrix = self.graph.weight(f"{weight.name}.offsets", FLOAT, (k // BLOCK, n), lambda: offsets().T)
        shift = self.graph.node("MatMul", [self._block_sums(x, k), matrix], f"{name}.offset")
        return self.graph.node("Add", [y, shift], f"{name}.shifted")

    def _block_sums(self, x: ir.Value, k: int) -> ir.Value:
        """[..., k / BLOCK] of x [batch, length, k]: what an offset that a block has in common is multiplied with."""
        if x not in self._sums:
            graph = self.graph
            shape = graph.constant(f"blocks_of_{k}", np.array([0, 0, k // BLOCK, BLOCK]))
            parts = graph.node("Reshape", [x, shape], f"{x.name}.blocks")
            last = graph.constant("last_axis", np.array([-1]))
            self._sums[x] = graph.node("ReduceSum", [parts, last], f"{x.name}.sums", keepdims=0)
        return self._sums[x]


def _rank(indices: ir.Value) -> int:
    """1 for the positions that a graph counts, 2 for an input [batch, length]."""
    return 1 if indices.shape is None else len(indices.shape)


def _stem(weight: Weight) -> str:
    return weight.name.removesuffix(".weight")
