"""Arithmetic in float16, where the values that calibration saw fit into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
import onnx_ir as ir

from ..layers import is_constant, tensor_of
from .half import LARGEST
from .writer import Place, Writer

_UNDERFLOW = 2.0**-25  # smaller numbers become 0


def convert(writer: Writer, largest: Mapping[str, float]) -> list[str]:
    """Nodes of the main graph work on float16 where all they read and make fits; Cast stands at the borders.

    largest: the absolute value that each float32 tensor reaches on the data, by name. The graph's inputs and outputs keep
    their types; so do operators that have no float16 in their definition, and those of other domains. Returns the values
    that are too large.
    """
    graph = _HalfGraph(writer, largest)
    graph.narrow_inputs()
    graph.widen_outputs()
    return graph.too_large


class _HalfGraph:
    def __init__(self, writer: Writer, largest: Mapping[str, float]) -> None:
        self.writer, self.largest = writer, largest
        self.too_large = [name for name, size in largest.items() if not size <= LARGEST]
        self.inputs: dict[ir.Node, list[int]] = {}  # of nodes that work on float16: which inputs are
        self.made: dict[ir.Value, None] = {}  # what they make of it
        opset = writer.model.opset_imports.get("", 0)
        for node in writer.model.graph:
            self._take(node, opset)

    def _take(self, node: ir.Node, opset: int) -> None:
        graphs = (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS)
        if node.domain or not onnx.defs.has(node.op_type) or any(a.type in graphs for a in node.attributes.values()):
            return
        schema = onnx.defs.get_schema(node.op_type, opset, "")
        narrow = {c.type_param_str for c in schema.type_constraints if "tensor(float16)" in c.allowed_type_strs}
        inputs = [i for i in _of_types(schema.inputs, len(node.inputs), narrow) if node.inputs[i] is not None]
        narrow &= {_type(schema.inputs, i) for i in inputs}
        outputs = _of_types(schema.outputs, len(node.outputs), narrow)
        read = [node.inputs[i] for i in inputs]
        made = [node.outputs[i] for i in outputs if node.outputs[i].uses() or node.outputs[i].is_graph_output()]
        if read and all(self._fits(value) for value in (*read, *made) if value is not None):
            self.inputs[node] = inputs
            self.made |= dict.fromkeys(made)

    def _fits(self, value: ir.Value) -> bool:
        """Whether it is float32 and within float16."""
        if not is_constant(value):
            return self.largest.get(value.name or "", np.inf) <= LARGEST
        tensor = tensor_of(value)
        if tensor.dtype != ir.DataType.FLOAT or not tensor.size:
            return False
        size = float(np.abs(tensor.numpy()).max())
        return size == 0 or _UNDERFLOW < size <= LARGEST

    def narrow_inputs(self) -> None:
        narrowed: dict[ir.Value, ir.Value] = {}
        for node, inputs in self.inputs.items():
            for index in inputs:
                value = node.inputs[index]
                if value is None or value in self.made:
                    continue
                if value not in narrowed:
                    narrowed[value] = self._constant(value) if is_constant(value) else self._cast(value, node)
                node.replace_input_with(index, narrowed[value])

    def _constant(self, value: ir.Value) -> ir.Value:
        source = tensor_of(value)
        lazy = ir.LazyTensor(
            lambda: ir.tensor(source.numpy().astype(np.float16)),
            dtype=ir.DataType.FLOAT16,
            shape=source.shape,  # type: ignore[arg-type]
        )
        return self.writer.constant(f"{value.name}.half", lazy)

    def _cast(self, value: ir.Value, reader: ir.Node) -> ir.Value:
        at = Place.behind(value, reader)
        (half,) = self.writer.add(at, "Cast", [value], f"{value.name}.half", to=ir.DataType.FLOAT16)
        return half

    def widen_outputs(self) -> None:
        """What others read of the results of float16 is float32 again; so are the graph's outputs, under their names."""
        graph = self.writer.model.graph
        for value in self.made:
            others = [use for use in value.uses() if use.idx not in self.inputs.get(use.node, ())]
            is_output = value.is_graph_output()
            if others or is_output:
                node = value.producer()
                assert node is not None
                name = value.name
                (wide,) = self.writer.add(Place(node, False), "Cast", [value], f"{name}.float", to=ir.DataType.FLOAT)
                for use in others:
                    use.node.replace_input_with(use.idx, wide)
                wide.type, wide.shape = ir.TensorType(ir.DataType.FLOAT), value.shape
                if is_output:
                    graph.outputs[graph.outputs.index(value)] = wide
                    value.name, wide.name = f"{name}.half", name
            value.type = ir.TensorType(ir.DataType.FLOAT16)


def _type(formals: Sequence[onnx.defs.OpSchema.FormalParameter], index: int) -> str:
    return formals[min(index, len(formals) - 1)].type_str  # the last may take any number


def _of_types(formals: Sequence[onnx.defs.OpSchema.FormalParameter], count: int, types: set[str]) -> list[int]:
    return [i for i in range(count) if _type(formals, i) in types]
