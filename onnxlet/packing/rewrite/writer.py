"""Adding nodes and constants to a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx_ir as ir

from ..layers import new_initializer

_PACKED = {
    (2, True): ir.DataType.INT2,
    (2, False): ir.DataType.UINT2,
    (4, True): ir.DataType.INT4,
    (4, False): ir.DataType.UINT4,
}


@dataclass(frozen=True)
class Place:
    """Where a node is inserted: before a node of the graph, or behind one."""

    node: ir.Node
    before: bool

    @staticmethod
    def before_node(node: ir.Node) -> Place:
        return Place(node, True)

    @staticmethod
    def behind(value: ir.Value, reader: ir.Node) -> Place:
        """As soon as the value is known; `reader` is a node that reads it."""
        producer = value.producer()
        if producer is not None:
            return Place(producer, False)
        graph = value.graph or reader.graph
        assert isinstance(graph, ir.Graph)
        return Place(graph[0], True)

    def insert(self, node: ir.Node) -> None:
        graph = self.node.graph
        assert graph is not None
        (graph.insert_before if self.before else graph.insert_after)(self.node, node)


class Writer:
    """Writes into one model, which has the opset version that the forms need."""

    def __init__(self, model: ir.Model) -> None:
        self.model = model
        self._names = {name for graph in model.graphs() for name in graph.initializers}
        self._dynamic: dict[ir.Value, tuple[ir.Value, ir.Value, ir.Value]] = {}

    def constant(self, name: str, array: np.ndarray | ir.TensorProtocol, at: Place | None = None) -> ir.Value:
        """An initializer of the graph of that place, or else of the main graph, where subgraphs see it too."""
        graph = self.model.graph if at is None else at.node.graph
        assert graph is not None
        free, count = name, 0
        while free in self._names:
            count += 1
            free = f"{name}.{count}"
        self._names.add(free)
        return new_initializer(graph, free, array)

    def codes(self, name: str, codes: np.ndarray, bits: int, signed: bool, at: Place | None = None) -> ir.Value:
        """An initializer of 2, 4 or 8 bits of int8 or uint8 [...], each holding one number."""
        if bits == 8:
            return self.constant(name, codes, at)
        return self.constant(
            name, ir.PackedTensor(pack_bits(codes.reshape(-1), bits), _PACKED[bits, signed], shape=codes.shape), at
        )

    def add(
        self,
        at: Place,
        op_type: str,
        inputs: Sequence[ir.Value | None],
        name: str,
        *,
        domain: str = "",
        outputs: int = 1,
        **attributes: Any,
    ) -> tuple[ir.Value, ...]:
        """Inserts a node and returns its outputs, which are named after it."""
        node = ir.node(op_type, inputs, attributes, domain=domain, num_outputs=outputs, name=name)
        at.insert(node)
        for number, value in enumerate(node.outputs):
            value.name = f"{name}.{number}" if outputs > 1 else name
        if domain:
            self.model.graph.opset_imports.setdefault(domain, 1)
        return tuple(node.outputs)

    def replace(self, node: ir.Node, result: ir.Value) -> None:
        """`result` takes the place and the name of the node's only output; the node goes."""
        old = node.outputs[0]
        name, graph = old.name, node.graph
        assert graph is not None
        result.type, result.shape = old.type, old.shape
        old.replace_all_uses_with(result, replace_graph_outputs=True)
        graph.remove(node, safe=True)
        result.name = name

    def dynamic(self, value: ir.Value, first_use: ir.Node) -> tuple[ir.Value, ir.Value, ir.Value]:
        """The value as uint8 of a range found when the model runs, its scale and its zero point; once per value."""
        if value not in self._dynamic:
            self._dynamic[value] = self.add(  # type: ignore[assignment]
                Place.behind(value, first_use), "DynamicQuantizeLinear", [value], f"{value.name}.quantized", outputs=3
            )
        return self._dynamic[value]


def pack_bits(codes: np.ndarray, bits: int) -> np.ndarray:
    """uint8 [ceil(n * bits / 8)] of int8 or uint8 [n]: the first number in the lowest bits, as ONNX packs them."""
    per_byte = 8 // bits
    padded = np.pad(codes.astype(np.uint8), (0, -len(codes) % per_byte)) & ((1 << bits) - 1)
    shifts = np.arange(per_byte, dtype=np.uint8) * np.uint8(bits)
    return np.asarray(np.bitwise_or.reduce(padded.reshape(-1, per_byte) << shifts, axis=1), np.uint8)
