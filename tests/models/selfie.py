"""Converts MediaPipe's selfie_segmentation.tflite (NHWC, float16 weights) to ONNX in float32.

Activations become NCHW between one Transpose at each end, which is what converters of TensorFlow models write.
Field numbers and enum values are those of TensorFlow Lite's schema.fbs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from flatbuffers import encode, packer
from flatbuffers.table import Table
from onnx import TensorProto, helper, numpy_helper

ADD, AVERAGE_POOL_2D, CONV_2D, DEPTHWISE_CONV_2D, DEQUANTIZE = 0, 1, 3, 4, 6
LOGISTIC, MUL, RELU, RESIZE_BILINEAR, CUSTOM, HARD_SWISH = 14, 18, 19, 23, 32, 117
ELEMENT_TYPES = {0: np.dtype(np.float32), 1: np.dtype(np.float16), 2: np.dtype(np.int32)}
SAME_PADDING = 0
ACTIVATION_RELU, ACTIVATION_RELU6 = 1, 3


class Record:
    """A flatbuffers table; fields are read by their number in the schema."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def _offset(self, field: int) -> int:
        return int(self.table.Offset(4 + 2 * field))

    def integer(self, field: int, default: int = 0, size: int = 4) -> int:
        at = self._offset(field)
        return (
            int(encode.Get(packer.int8 if size == 1 else packer.int32, self.table.Bytes, self.table.Pos + at))
            if at
            else default
        )

    def vector(self, field: int, dtype: Any) -> np.ndarray:
        at = self._offset(field)
        if not at:
            return np.zeros(0, dtype)
        start, count = self.table.Vector(at), self.table.VectorLen(at)
        return np.frombuffer(self.table.Bytes, dtype, count, start)

    def record(self, field: int) -> Record:
        return Record(Table(self.table.Bytes, self.table.Indirect(self.table.Pos + self._offset(field))))

    def records(self, field: int) -> list[Record]:
        at = self._offset(field)
        start, count = (self.table.Vector(at), self.table.VectorLen(at)) if at else (0, 0)
        return [Record(Table(self.table.Bytes, self.table.Indirect(start + 4 * index))) for index in range(count)]


class Converter:
    """Walks the operators of the only subgraph and collects ONNX nodes."""

    def __init__(self, data: bytes) -> None:
        buffer = bytearray(data)
        model = Record(Table(buffer, encode.Get(packer.uoffset, buffer, 0)))
        graph = model.records(2)[0]
        self.codes = [max(code.integer(0, size=1), code.integer(3)) for code in model.records(1)]
        self.tensors = graph.records(0)
        self.buffers = model.records(4)
        self.operators = graph.records(3)
        self.input, self.output = (int(graph.vector(field, np.int32)[0]) for field in (1, 2))
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.constants = {i: c for i in range(len(self.tensors)) if (c := self._constant(i)) is not None}

    def convert(self) -> onnx.ModelProto:
        self._node("Transpose", ["input"], _name(self.input), perm=[0, 3, 1, 2])
        for operator in self.operators:
            self._operator(operator)
        self._node("Transpose", [_name(self.output)], "mask", perm=[0, 2, 3, 1])
        graph = helper.make_graph(
            self.nodes,
            "selfie_segmentation",
            [helper.make_tensor_value_info("input", TensorProto.FLOAT, self._shape(self.input))],
            [helper.make_tensor_value_info("mask", TensorProto.FLOAT, self._shape(self.output))],
            self.initializers,
        )
        result = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="onnxlet-tests"
        )
        onnx.checker.check_model(result, full_check=True)
        return result

    def _operator(self, operator: Record) -> None:
        code = self.codes[operator.integer(0)]
        inputs, out = [int(i) for i in operator.vector(1, np.int32)], int(operator.vector(2, np.int32)[0])
        x, y = _name(inputs[0]), _name(out)
        if code == DEQUANTIZE:
            self.constants[out] = self.constants[inputs[0]].astype(np.float32)
        elif code in (CONV_2D, DEPTHWISE_CONV_2D):
            self._convolution(operator.record(4), inputs, out, depthwise=code == DEPTHWISE_CONV_2D)
        elif code in (ADD, MUL):
            self._activated(
                "Add" if code == ADD else "Mul",
                [self._operand(i) for i in inputs],
                y,
                operator.record(4).integer(0, size=1),
            )
        elif code == AVERAGE_POOL_2D:
            options = operator.record(4)
            assert [options.integer(4), options.integer(3)] == self._shape(inputs[0])[1:3], "only global pooling occurs"
            self._node("GlobalAveragePool", [x], y)
        elif code == RESIZE_BILINEAR:
            options = operator.record(4)
            mode = (
                "align_corners"
                if options.integer(2, size=1)
                else "half_pixel"
                if options.integer(3, size=1)
                else "asymmetric"
            )
            scales = np.array([1, 1, *np.divide(self._shape(out)[1:3], self._shape(inputs[0])[1:3])], np.float32)
            self._node(
                "Resize", [x, "", self._initializer(scales)], y, mode="linear", coordinate_transformation_mode=mode
            )
        elif code in (RELU, HARD_SWISH, LOGISTIC):
            self._node({RELU: "Relu", HARD_SWISH: "HardSwish", LOGISTIC: "Sigmoid"}[code], [x], y)
        elif code == CUSTOM:  # Convolution2DTransposeBias, weights [out, height, width, in]
            weights = self._initializer(self.constants[inputs[1]].transpose(3, 0, 1, 2))
            strides = [o // i for o, i in zip(self._shape(out)[1:3], self._shape(inputs[0])[1:3], strict=True)]
            self._node("ConvTranspose", [x, weights, self._initializer(self.constants[inputs[2]])], y, strides=strides)
        else:
            raise NotImplementedError(f"TensorFlow Lite operator {code}")

    def _convolution(self, options: Record, inputs: Sequence[int], out: int, *, depthwise: bool) -> None:
        weights = self.constants[inputs[1]].transpose((3, 0, 1, 2) if depthwise else (0, 3, 1, 2))
        strides = [options.integer(2), options.integer(1)]
        _, height, width, channels = self._shape(inputs[0])
        kernel = list(weights.shape[2:])
        pads = [0, 0, 0, 0]
        if options.integer(0, size=1) == SAME_PADDING:
            total = [
                max((-(-size // s) - 1) * s + k - size, 0)
                for size, s, k in zip((height, width), strides, kernel, strict=True)
            ]
            pads = [t // 2 for t in total] + [t - t // 2 for t in total]
        dilations = (
            [options.integer(6, 1), options.integer(5, 1)]
            if depthwise
            else [options.integer(5, 1), options.integer(4, 1)]
        )
        names = [_name(inputs[0]), self._initializer(weights), self._initializer(self.constants[inputs[2]])]
        attributes = {
            "kernel_shape": kernel,
            "strides": strides,
            "pads": pads,
            "dilations": dilations,
            "group": channels if depthwise else 1,
        }
        self._activated("Conv", names, _name(out), options.integer(4 if depthwise else 3, size=1), **attributes)

    def _activated(self, op_type: str, inputs: list[str], output: str, activation: int, **attributes: Any) -> None:
        before = output if activation == 0 else f"{output}_linear"
        self._node(op_type, inputs, before, **attributes)
        if activation == ACTIVATION_RELU:
            self._node("Relu", [before], output)
        elif activation == ACTIVATION_RELU6:
            self._node("Clip", [before, self._initializer(np.float32(0)), self._initializer(np.float32(6))], output)
        elif activation != 0:
            raise NotImplementedError(f"fused activation {activation}")

    def _operand(self, index: int) -> str:
        constant = self.constants.get(index)
        if constant is None:
            return _name(index)
        return self._initializer(
            constant.transpose(0, 3, 1, 2) if constant.ndim == 4 else constant.reshape(1, -1, 1, 1)
        )

    def _constant(self, index: int) -> np.ndarray | None:
        tensor = self.tensors[index]
        dtype = ELEMENT_TYPES[tensor.integer(1, size=1)]
        data = self.buffers[tensor.integer(2)].vector(0, np.uint8)
        if not data.size:
            return None
        array = data.view(dtype).reshape(self._shape(index))
        return array if dtype.kind == "i" else array.astype(np.float32)

    def _shape(self, index: int) -> list[int]:
        return [int(size) for size in self.tensors[index].vector(0, np.int32)]

    def _initializer(self, array: Any) -> str:
        name = f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(np.shape(array)), name))
        return name

    def _node(self, op_type: str, inputs: list[str], output: str, **attributes: Any) -> None:
        self.nodes.append(helper.make_node(op_type, inputs, [output], name=output, **attributes))


def _name(index: int) -> str:
    return f"t{index}"


def convert(tflite: Path) -> onnx.ModelProto:
    return Converter(tflite.read_bytes()).convert()
