"""Writing nodes around a model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import onnx_ir as ir

CONTRIB: Final = "ai.onnx.contrib"
ML: Final = "ai.onnx.ml"
FLOAT, INT64, STRING, UINT8, BOOL = (
    ir.DataType.FLOAT,
    ir.DataType.INT64,
    ir.DataType.STRING,
    ir.DataType.UINT8,
    ir.DataType.BOOL,
)
Dims = Sequence[int | str | None]


def typed(value: ir.Value, dtype: ir.DataType, shape: Dims) -> ir.Value:
    """The value itself, which now says what it is."""
    value.type, value.shape = ir.TensorType(dtype), ir.Shape(shape)
    return value


class Writer:
    """Collects nodes, one after the other, and their constants. Called with an operator's name and inputs it gives the
    output. What differs between versions of ai.onnx has a method."""

    def __init__(self, opset: int, outer: Writer | None = None) -> None:
        self.opset = opset
        self.nodes: list[ir.Node] = []
        self.constants: dict[tuple[Any, ...], ir.Value] = outer.constants if outer else {}
        """Of this graph and those in it."""
        self.domains: set[str] = outer.domains if outer else set()
        self._count: Iterator[int] = outer._count if outer else itertools.count()

    def __call__(self, op_type: str, *inputs: ir.Value | None, domain: str = "", **attributes: Any) -> ir.Value:
        """The output of a new node."""
        return self.several(op_type, 1, *inputs, domain=domain, **attributes)[0]

    def several(
        self, op_type: str, outputs: int, *inputs: ir.Value | None, domain: str = "", **attributes: Any
    ) -> tuple[ir.Value, ...]:
        """The outputs of a new node."""
        name = self.name(op_type)
        values = [ir.Value(name=f"{name}_{at}" if at else name) for at in range(outputs)]
        self.nodes.append(ir.node(op_type, inputs, attributes, domain=domain, outputs=values, name=name))
        self.domains.add(domain)
        return tuple(values)

    def name(self, what: str) -> str:
        """One that no other value of this writer and its bodies has."""
        return f"pipeline/{what}_{next(self._count)}"

    def value(self, what: str, dtype: ir.DataType, dims: Dims) -> ir.Value:
        """An input of a body."""
        return typed(ir.Value(name=self.name(what)), dtype, dims)

    def constant(self, numbers: Any, dtype: Any = None) -> ir.Value:
        """An initializer; equal ones are one. Texts become strings."""
        array = np.asarray(numbers, dtype)
        if array.dtype.kind in "UO":
            key: tuple[Any, ...] = ("", array.shape, *array.ravel().tolist())
            tensor: ir.TensorProtocol = ir.StringTensor(
                [text.encode() for text in array.ravel().tolist()], shape=ir.Shape(array.shape)
            )
        else:
            key = (array.dtype, array.shape, array.tobytes())
            tensor = ir.tensor(array)
        if key not in self.constants:
            value = ir.Value(
                name=self.name("constant"),
                const_value=tensor,
                shape=ir.Shape(array.shape),
                type=ir.TensorType(tensor.dtype),
            )
            tensor.name = value.name
            self.constants[key] = value
        return self.constants[key]

    def integers(self, *numbers: int) -> ir.Value:
        """int64 [n]."""
        return self.constant(numbers, np.int64)

    def number(self, value: float) -> ir.Value:
        """float32 []."""
        return self.constant(value, np.float32)

    def cast(self, x: ir.Value, dtype: ir.DataType) -> ir.Value:
        return self("Cast", x, to=int(dtype))

    def reshape(self, x: ir.Value, *sizes: int) -> ir.Value:
        return self("Reshape", x, self.integers(*sizes))

    def size(self, x: ir.Value, axis: int) -> ir.Value:
        """int64 [1]: how much of a dimension there is."""
        return self("Gather", self("Shape", x), self.integers(axis), axis=0)

    def slice(self, x: ir.Value, start: ir.Value | int, end: ir.Value | int, axis: int) -> ir.Value:
        """Bounds are numbers or int64 [1]."""
        bounds = [self.integers(bound) if isinstance(bound, int) else bound for bound in (start, end)]
        return self("Slice", x, *bounds, self.integers(axis))

    def reduce(self, op_type: str, x: ir.Value, axis: int, keepdims: bool = True) -> ir.Value:
        """ReduceMax, ReduceMean and the like: axes are an input from version 18 on, of ReduceSum from 13 on."""
        if self.opset >= (13 if op_type == "ReduceSum" else 18):
            return self(op_type, x, self.integers(axis), keepdims=int(keepdims))
        return self(op_type, x, axes=[axis], keepdims=int(keepdims))

    def activation(self, x: ir.Value, name: str, axis: int = -1) -> ir.Value:
        if name == "softmax":
            return self("Softmax", x, axis=axis)
        return self("Sigmoid", x) if name == "sigmoid" else x

    def compress(self, x: ir.Value, kept: ir.Value) -> ir.Value:
        """Along the first axis."""
        return self("Compress", x, kept, axis=0)

    def pad_end(self, x: ir.Value, more: ir.Value) -> ir.Value:
        """Zeros after float [N]; `more` is int64 [1]."""
        return self("Pad", x, self("Concat", self.integers(0), more, axis=0), self.number(0))

    def body(self, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value], name: str) -> ir.Graph:
        """What was written, as the body of a Loop or Scan. Constants belong to the graph around it."""
        return ir.Graph(inputs, outputs, nodes=self.nodes, name=name)
