"""Writing an ONNX graph node by node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

MICROSOFT = "com.microsoft"
OPSET = 21
_IR_VERSION = 10

FLOAT, INT64, INT32, UINT8 = ir.DataType.FLOAT, ir.DataType.INT64, ir.DataType.INT32, ir.DataType.UINT8


class GraphBuilder:
    """Collects nodes and initializers. Numbers of an initializer are read when the model is written, and not kept."""

    def __init__(self, name: str) -> None:
        self._graph = ir.Graph([], [], nodes=[], opset_imports={"": OPSET, MICROSOFT: 1}, name=name)
        self._constants: dict[str, ir.Value] = {}
        self._names: set[str] = set()

    def input(self, name: str, kind: ir.DataType, shape: Sequence[int | str]) -> ir.Value:
        value = ir.Value(name=name, shape=ir.Shape(shape), type=ir.TensorType(kind))
        self._graph.inputs.append(value)
        return value

    def output(self, value: ir.Value, kind: ir.DataType, shape: Sequence[int | str], name: str = "") -> None:
        """`name` renames the value."""
        value.name = name or value.name
        value.shape, value.type = ir.Shape(shape), ir.TensorType(kind)
        self._graph.outputs.append(value)

    def constant(self, name: str, numbers: np.ndarray) -> ir.Value:
        """One of a name."""
        if name not in self._constants:
            self._add(name, ir.tensor(np.asarray(numbers, order="C"), name=name))
        return self._constants[name]

    def weight(self, name: str, kind: ir.DataType, shape: Sequence[int], read: Callable[[], np.ndarray]) -> ir.Value:
        """One of a name; `read` gives its numbers, as often as it is asked."""
        if name not in self._constants:
            tensor = ir.LazyTensor(
                lambda: ir.tensor(np.asarray(read(), order="C"), name=name), kind, ir.Shape(shape), name=name
            )
            self._add(name, tensor)
        return self._constants[name]

    def node(
        self, op_type: str, inputs: Sequence[ir.Value | None], name: str, *, domain: str = "", **attributes: Any
    ) -> ir.Value:
        """A node with one output, which has its name."""
        return self.nodes(op_type, inputs, name, [name], domain=domain, **attributes)[0]

    def nodes(
        self,
        op_type: str,
        inputs: Sequence[ir.Value | None],
        name: str,
        outputs: Sequence[str],
        *,
        domain: str = "",
        **attributes: Any,
    ) -> tuple[ir.Value, ...]:
        """A node with several outputs; those with an empty name are left out."""
        if name in self._names:
            raise ValueError(f"two nodes are named {name}")
        self._names.add(name)
        values = [ir.Value(name=output) for output in outputs]
        node = ir.node(op_type, inputs, attributes, domain=domain, outputs=values, name=name)
        self._graph.append(node)
        return tuple(values)

    def model(self, metadata: dict[str, str]) -> ir.Model:
        model = ir.Model(self._graph, ir_version=_IR_VERSION, producer_name="onnxlet")
        model.metadata_props.update(metadata)
        if not any(node.domain == MICROSOFT for node in self._graph):
            del self._graph.opset_imports[MICROSOFT]
        return model

    def _add(self, name: str, tensor: ir.TensorProtocol) -> None:
        value = ir.Value(
            name=name, shape=ir.Shape(tensor.shape.numpy()), type=ir.TensorType(tensor.dtype), const_value=tensor
        )
        self._graph.register_initializer(value)
        self._constants[name] = value
