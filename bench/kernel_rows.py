"""The rows of ./build.sh bench --kernels: models of one operator each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

from onnxlet import dtypes
from onnxlet.cli import work

OPSET = 21
MICROSOFT = "com.microsoft"
# A model repeats its node, so that one run takes long enough to be timed: this many bytes pass through the nodes.
BYTES_PER_RUN = 1 << 23
MOST_NODES = 64

Make = Callable[[np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Row:
    name: str
    op: str
    inputs: Sequence[Make | None]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int = 1
    flops: float = 0  # counted where arithmetic bounds the kernel; else bytes are
    domain: str = ""
    # The nodes follow one another, as layers do, each with its own weights: the first input is what the one before gives.
    # With `back` every second node has these for its other inputs, and leads back to the first one's shape.
    chain: bool = False
    back: Sequence[Make | None] = ()

    @property
    def of_peak(self) -> bool:
        """Its rate says something as a share of the peak of 32-bit multiply-adds."""
        return self.chain and bool(self.flops) and not self.op.startswith("QLinear")


@dataclass(frozen=True)
class KernelModel:
    bytes: bytes
    nodes: int
    work: float  # of one node
    unit: str  # GFLOP/s or GB/s
    feeds: Mapping[str, np.ndarray] = field(default_factory=dict)


def build(row: Row) -> KernelModel:
    """A model that runs the row's node several times. A chain has an input, for sessions that optimize as usual. Others
    work on constants and are meant for sessions that do not fold these. Outputs are small, so that little of the time
    goes into copying tensors between JavaScript and the engines."""
    return _build_chain(row) if row.chain else _build_on_constants(row)


def _build_chain(row: Row) -> KernelModel:
    generator = np.random.default_rng(0)
    first, *others = row.inputs
    assert first is not None
    x = first(generator)
    sets = [others, list(row.back)] if row.back else [others]
    weight = sum(make(generator).nbytes for make in others if make is not None)
    count = max(2, min(MOST_NODES, BYTES_PER_RUN // (2 * x.nbytes + weight))) & ~1
    nodes, constants = [], []
    for i in range(count):
        names = [f"h{i}"]
        for k, make in enumerate(sets[i % len(sets)]):
            names.append("" if make is None else f"w{i}_{k}")
            if make is not None:
                constants.append(numpy_helper.from_array(make(generator), names[-1]))
        nodes.append(helper.make_node(row.op, names, [f"h{i + 1}"], domain=row.domain, **row.attributes))
    nodes.append(helper.make_node("ReduceMax", [f"h{count}"], ["y"], keepdims=0))
    given = helper.make_tensor_value_info("h0", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
    result = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(x.dtype), [])
    model = _model(helper.make_graph(nodes, "kernel", [given], [result], constants))
    return KernelModel(model.SerializeToString(), count, row.flops, "GFLOP/s", {"h0": x})


def _build_on_constants(row: Row) -> KernelModel:
    generator = np.random.default_rng(0)
    arrays = [None if make is None else make(generator) for make in row.inputs]
    names = ["" if a is None else f"x{i}" for i, a in enumerate(arrays)]
    constants = [numpy_helper.from_array(a, n) for a, n in zip(arrays, names, strict=True) if a is not None]
    given = ["" if a is None else _text(a.dtype, a.shape) for a in arrays]
    moved = work.moved({"op_type": row.op, "inputs": given, "outputs": _outputs(row, names, constants)})
    count = max(1, min(MOST_NODES, BYTES_PER_RUN // max(moved, 1)))
    nodes, results = [], []
    for i in range(count):
        made = [f"y{i}_{k}" for k in range(row.outputs)]
        nodes.append(helper.make_node(row.op, names, made, domain=row.domain, **row.attributes))
        nodes.append(helper.make_node("Shape", [made[0]], [f"s{i}"]))
        results.append(helper.make_tensor_value_info(f"s{i}", TensorProto.INT64, [None]))
    model = _model(helper.make_graph(nodes, "kernel", [], results, constants))
    amount, unit = (row.flops, "GFLOP/s") if row.flops else (float(moved), "GB/s")
    return KernelModel(model.SerializeToString(), count, amount, unit)


def _model(graph: onnx.GraphProto) -> onnx.ModelProto:
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def _text(dtype: np.dtype, shape: Sequence[int]) -> str:
    """As in the engine's profile."""
    return f"{dtypes.BY_NUMPY[dtype.name].name}[{','.join(map(str, shape))}]"


def _outputs(row: Row, names: Sequence[str], constants: Sequence[onnx.TensorProto]) -> list[str]:
    """Types and shapes of the node's outputs, as far as they can be told without running it."""
    made = [f"y{k}" for k in range(row.outputs)]
    node = helper.make_node(row.op, names, made, domain=row.domain, **row.attributes)
    results = [onnx.ValueInfoProto(name=name) for name in made]
    inferred = shape_inference.infer_shapes(
        _model(helper.make_graph([node], "g", [], results, constants)), data_prop=True
    )
    tensors = [value.type.tensor_type for value in inferred.graph.output]
    return [
        _text(helper.tensor_dtype_to_np_dtype(tensor.elem_type), [d.dim_value for d in tensor.shape.dim])
        for tensor in tensors
        if tensor.elem_type
    ]


def f32(*shape: int) -> Make:
    return lambda g: g.standard_normal(shape, np.float32)


def weights(*shape: int) -> Make:
    """[outputs, inputs...]: sums keep the size of what they add up."""
    scale = np.float32(1 / np.sqrt(np.prod(shape[1:])))
    return lambda g: g.standard_normal(shape, np.float32) * scale


def i8(*shape: int) -> Make:
    return lambda g: g.integers(-128, 128, shape, np.int8)


def f16(*shape: int) -> Make:
    return lambda g: g.standard_normal(shape, np.float32).astype(np.float16)


def flags(*shape: int) -> Make:
    return lambda g: g.integers(0, 2, shape).astype(bool)


def below(limit: int, *shape: int) -> Make:
    return lambda g: g.integers(0, limit, shape)


def boxes(count: int) -> Make:
    def make(g: np.random.Generator) -> np.ndarray:
        corner, size = g.random((1, count, 2), np.float32), g.random((1, count, 2), np.float32) / 8
        return np.concatenate([corner, corner + size], axis=2)

    return make


def ints(*values: int) -> Make:
    return lambda _: np.array(values, np.int64)


def floats(*values: float) -> Make:
    return lambda _: np.array(values, np.float32)


def scalar(value: float) -> Make:
    return lambda _: np.array(value, np.float32)


IMAGE = (1, 64, 112, 112)
TOKENS = (1, 256, 768)


def _unary() -> list[Row]:
    x = f32(*TOKENS)
    plain = [
        "Relu",
        "Abs",
        "Neg",
        "Sqrt",
        "Exp",
        "Log",
        "Sin",
        "Tanh",
        "Erf",
        "Sigmoid",
        "HardSwish",
        "Softplus",
        "Floor",
    ]
    return [
        *(Row(op, op, [x]) for op in plain),
        Row("Gelu", "Gelu", [x]),
        Row("Gelu tanh", "Gelu", [x], {"approximate": "tanh"}),
        Row("LeakyRelu", "LeakyRelu", [x], {"alpha": 0.1}),
        Row("Clip", "Clip", [x, scalar(0), scalar(6)]),
        Row("HardSigmoid", "HardSigmoid", [x]),
        Row("Cast f32 to i32", "Cast", [x], {"to": TensorProto.INT32}),
        Row("Cast f16 to f32", "Cast", [f16(*TOKENS)], {"to": TensorProto.FLOAT}),
    ]


def _binary() -> list[Row]:
    x, image = f32(*TOKENS), f32(*IMAGE)
    return [
        Row("Add same shape", "Add", [x, x]),
        Row("Mul scalar", "Mul", [x, scalar(2)]),
        Row("Mul last axis", "Mul", [x, f32(768)]),
        Row("Mul channels", "Mul", [image, f32(1, 64, 1, 1)]),
        Row("Mul small planes", "Mul", [f32(1, 256, 7, 7), f32(1, 256, 1, 1)]),
        Row("Mul rows", "Mul", [x, f32(1, 256, 1)]),
        Row("Sub middle", "Sub", [f32(8, 64, 64), f32(8, 1, 64)]),
        Row("Add scalars", "Add", [scalar(1), scalar(2)]),
        Row("Add of 64", "Add", [f32(64), f32(64)]),
        Row("Div scalar", "Div", [x, scalar(3)]),
        Row("Max", "Max", [x, x]),
        Row("Pow 2", "Pow", [x, scalar(2)]),
        Row("PRelu channels", "PRelu", [image, f32(64, 1, 1)]),
        Row("Greater", "Greater", [x, x]),
        Row("Equal scalar", "Equal", [x, scalar(0)]),
        Row("Where", "Where", [flags(*TOKENS), x, x]),
        Row("Where scalar", "Where", [flags(*TOKENS), x, scalar(0)]),
    ]


def _normalize() -> list[Row]:
    x, image = f32(*TOKENS), f32(1, 64, 56, 56)
    vector = f32(768)
    channels = [f32(64), f32(64), f32(64), lambda g: g.random(64, np.float32)]
    return [
        Row("Softmax last axis", "Softmax", [f32(12, 128, 128)], {"axis": -1}),
        Row("Softmax long rows", "Softmax", [f32(16, 8192)], {"axis": -1}),
        Row("Softmax short rows", "Softmax", [f32(8192, 16)], {"axis": -1}),
        Row("Softmax inner axis", "Softmax", [f32(8, 64, 256)], {"axis": 1}),
        Row("LogSoftmax", "LogSoftmax", [f32(64, 1000)], {"axis": -1}),
        Row("LayerNormalization", "LayerNormalization", [x, vector, vector]),
        Row("SkipLayerNormalization", "SkipLayerNormalization", [x, x, vector, vector], domain=MICROSOFT),
        Row("InstanceNormalization", "InstanceNormalization", [image, *channels[:2]]),
        Row("GroupNormalization", "GroupNormalization", [image, *channels[:2]], {"num_groups": 8}),
        Row("BatchNormalization", "BatchNormalization", [image, *channels]),
        Row("LpNormalization", "LpNormalization", [f32(256, 768)]),
        Row("LRN", "LRN", [image], {"size": 5}),
    ]


def _reduce() -> list[Row]:
    x, image = f32(*TOKENS), f32(*IMAGE)
    return [
        Row("ReduceMean last axis", "ReduceMean", [x, ints(-1)]),
        Row("ReduceMean middle axis", "ReduceMean", [x, ints(1)]),
        Row("ReduceMean planes", "ReduceMean", [image, ints(2, 3)]),
        Row("ReduceMean channels", "ReduceMean", [image, ints(1)]),
        Row("ReduceSum all", "ReduceSum", [x]),
        Row("ReduceMax last axis", "ReduceMax", [x, ints(-1)]),
        Row("ReduceL2", "ReduceL2", [x, ints(-1)]),
        Row("ArgMax last axis", "ArgMax", [x], {"axis": -1}),
        Row("ArgMax channels", "ArgMax", [f32(1, 21, 128, 128)], {"axis": 1}),
        Row("CumSum", "CumSum", [x, ints(2)]),
        Row("CumSum inner axis", "CumSum", [x, ints(1)]),
        Row("TopK 10 of 1000", "TopK", [f32(64, 1000), ints(10)], outputs=2),
        Row("TopK all of 8400", "TopK", [f32(1, 8400), ints(8400)], outputs=2),
    ]


def _pool() -> list[Row]:
    image = f32(1, 64, 111, 111)
    three = {"kernel_shape": [3, 3], "strides": [2, 2]}
    two = {"kernel_shape": [2, 2], "strides": [2, 2]}
    same = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
    resize: dict[str, Any] = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
    linear: dict[str, Any] = {"mode": "linear"}
    small = f32(1, 64, 40, 40)
    return [
        Row("MaxPool 3x3 stride 2", "MaxPool", [image], three),
        Row("MaxPool 2x2 stride 2", "MaxPool", [image], two),
        Row("MaxPool 3x3 stride 1", "MaxPool", [small], same),
        Row("MaxPool 5x5 stride 1", "MaxPool", [f32(1, 128, 20, 20)], {"kernel_shape": [5, 5], "pads": [2, 2, 2, 2]}),
        Row("AveragePool 3x3 stride 1", "AveragePool", [small], same),
        Row("AveragePool 2x2 stride 2", "AveragePool", [image], two),
        Row("GlobalAveragePool", "GlobalAveragePool", [f32(1, 512, 14, 14)]),
        Row("GlobalMaxPool", "GlobalMaxPool", [f32(1, 512, 14, 14)]),
        Row("Resize nearest 2x", "Resize", [small, None, floats(1, 1, 2, 2)], resize),
        Row("Resize linear 2x", "Resize", [small, None, floats(1, 1, 2, 2)], linear),
        Row("Resize linear to 0.6", "Resize", [image, None, floats(1, 1, 0.6, 0.6)], linear),
        Row("Resize cubic 2x", "Resize", [f32(1, 16, 40, 40), None, floats(1, 1, 2, 2)], {"mode": "cubic"}),
    ]


def _move() -> list[Row]:
    heads, image = f32(1, 128, 12, 64), f32(1, 64, 56, 56)

    def transpose(name: str, x: Make, *perm: int) -> Row:
        return Row(f"Transpose {name}", "Transpose", [x], {"perm": list(perm)})

    return [
        transpose("matrix", f32(768, 768), 1, 0),
        transpose("matrix i8", i8(768, 768), 1, 0),
        transpose("matrix f16", f16(768, 768), 1, 0),
        transpose("heads 0213", heads, 0, 2, 1, 3),
        transpose("heads 0231", heads, 0, 2, 3, 1),
        transpose("to channels last", image, 0, 2, 3, 1),
        transpose("from channels last", f32(1, 56, 56, 64), 0, 3, 1, 2),
        transpose("3 channels last", f32(1, 3, 224, 224), 0, 2, 3, 1),
        transpose("0132", f32(12, 64, 128), 0, 2, 1),
        transpose("rank 5", f32(2, 2, 32, 28, 28), 0, 2, 1, 3, 4),
        transpose("reversed", f32(24, 24, 24, 24), 3, 2, 1, 0),
        Row("Concat channels", "Concat", [image, image], {"axis": 1}),
        Row("Concat last axis", "Concat", [f32(4096, 32), f32(4096, 16)], {"axis": 1}),
        Row("Split channels", "Split", [image], {"axis": 1, "num_outputs": 2}, outputs=2),
        Row("Split last axis", "Split", [f32(256, 768)], {"axis": 1, "num_outputs": 3}, outputs=3),
        Row("Slice rows", "Slice", [f32(768, 768), ints(10), ints(700), ints(0)]),
        Row("Slice columns", "Slice", [f32(768, 768), ints(10), ints(700), ints(1)]),
        Row("Slice step 2", "Slice", [image, ints(0), ints(1 << 30), ints(3), ints(2)]),
        Row("Pad", "Pad", [image, ints(0, 0, 1, 1, 0, 0, 1, 1)]),
        Row("Pad reflect", "Pad", [image, ints(0, 0, 1, 1, 0, 0, 1, 1)], {"mode": "reflect"}),
        Row("Gather rows", "Gather", [f32(8192, 384), below(8192, 256)]),
        Row("Gather columns", "Gather", [f32(768, 768), below(768, 256)], {"axis": 1}),
        Row("GatherElements", "GatherElements", [f32(256, 768), below(768, 256, 768)], {"axis": 1}),
        Row("Expand", "Expand", [f32(64, 1, 64), ints(64, 128, 64)]),
        Row("Tile", "Tile", [f32(64, 64, 16), ints(1, 4, 2)]),
        Row("DepthToSpace", "DepthToSpace", [f32(1, 64, 56, 56)], {"blocksize": 2}),
    ]


def _recurrent() -> list[Row]:
    hidden, steps = 128, 16
    lstm = [f32(steps, 1, hidden), f32(1, 4 * hidden, hidden), f32(1, 4 * hidden, hidden), f32(1, 8 * hidden)]
    gru = [f32(steps, 1, hidden), f32(1, 3 * hidden, hidden), f32(1, 3 * hidden, hidden), f32(1, 6 * hidden)]
    return [
        Row("LSTM 128", "LSTM", lstm, {"hidden_size": hidden}, 3, flops=2.0 * steps * 8 * hidden * hidden),
        Row("GRU 128", "GRU", gru, {"hidden_size": hidden}, 2, flops=2.0 * steps * 6 * hidden * hidden),
        Row(
            "MultiHeadAttention",
            "MultiHeadAttention",
            [f32(1, 128, 768), f32(1, 128, 768), f32(1, 128, 768)],
            {"num_heads": 12},
            flops=4.0 * 128 * 128 * 768,
            domain=MICROSOFT,
        ),
        Row(
            "NonMaxSuppression",
            "NonMaxSuppression",
            [boxes(1000), lambda g: g.random((1, 1, 1000), np.float32), ints(100), floats(0.5), floats(0.2)],
        ),
    ]


def u8(*shape: int) -> Make:
    return lambda g: g.integers(0, 256, shape, np.uint8)


def _integer() -> list[Row]:
    zero, size, channels = lambda _: np.array(128, np.uint8), 56, 64

    def product(m: int, n: int) -> Row:
        inputs = [u8(m, 768), i8(768, n), zero]
        return Row(f"MatMulInteger {m}x768x{n}", "MatMulInteger", inputs, flops=2.0 * m * 768 * n)

    def convolution(kernel: int, group: int = 1) -> Row:
        shape = (channels, channels // group, kernel, kernel)
        weights = [i8(*shape), floats(*[0.01] * channels), lambda _: np.zeros(channels, np.int8)]
        inputs = [u8(1, channels, size, size), scalar(0.1), zero, *weights, scalar(0.5), zero]
        work = 2.0 * (channels * kernel * size) ** 2 / group
        name = f"QLinearConv {kernel}x{kernel}" + " depthwise" * (group > 1)
        attributes = {"pads": [kernel // 2] * 4, "group": group}
        return Row(name, "QLinearConv", inputs, attributes, flops=work, chain=True)

    def few_bits(m: int, bits: int, level: int, block: int = 32) -> Row:
        k, n = 1024, 4096
        inputs = [f32(m, k), u8(n, k // block, block * bits // 8), lambda g: g.random(n * k // block, np.float32)]
        sizes = {"K": k, "N": n, "bits": bits, "block_size": block, "accuracy_level": level}
        name = f"MatMulNBits {bits} bits m={m} level {level}"
        return Row(name, "MatMulNBits", inputs, sizes, flops=2.0 * m * n * k, domain=MICROSOFT)

    return [
        *(product(m, 768) for m in (1, 32, 128)),
        product(128, 3072),
        Row("DynamicQuantizeLinear", "DynamicQuantizeLinear", [f32(*TOKENS)], outputs=3),
        *(convolution(kernel) for kernel in (1, 3)),
        convolution(3, channels),
        *(few_bits(m, 4, level) for level in (4, 0) for m in (1, 4, 64)),
        few_bits(1, 2, 4),
        few_bits(1, 8, 4),
    ]


def _products() -> list[Row]:
    def product(m: int, n: int) -> Row:
        inputs = [f32(m, n), weights(n, n)]
        return Row(f"MatMul {m}x{n}x{n}", "MatMul", inputs, flops=2.0 * m * n * n, chain=True)

    def convolution(name: str, kernel: int, size: int, inputs: int, outputs: int, group: int = 1) -> Row:
        into = weights(outputs, inputs // group, kernel, kernel)
        back = [] if inputs == outputs else [weights(inputs, outputs // group, kernel, kernel)]
        flops = 2.0 * size * size * outputs * inputs // group * kernel * kernel
        attributes = {"pads": [kernel // 2] * 4, "group": group}
        return Row(name, "Conv", [f32(1, inputs, size, size), into], attributes, flops=flops, chain=True, back=back)

    def transposed(kernel: int, size: int, inputs: int, outputs: int) -> Row:
        flops = 2.0 * size * size * inputs * outputs * kernel * kernel
        given = [f32(1, inputs, size, size), f32(inputs, outputs, kernel, kernel)]
        name = f"ConvTranspose {kernel}x{kernel} {inputs} to {outputs} at {size}"
        return Row(name, "ConvTranspose", given, {"strides": [kernel, kernel]}, flops=flops)

    def gemm(m: int, k: int, n: int) -> Row:
        given = [f32(m, k), f32(n, k), f32(n)]
        return Row(f"Gemm {m}x{k}x{n}", "Gemm", given, {"transB": 1}, flops=2.0 * m * k * n)

    return [
        *(product(m, n) for m, n in ((512, 512), (128, 768), (32, 384), (1, 768))),
        gemm(128, 768, 3072),
        convolution("Conv 3x3 64 at 56", 3, 56, 64, 64),
        convolution("Conv 3x3 256 at 14", 3, 14, 256, 256),
        convolution("Conv 1x1 256 and 512 at 28", 1, 28, 256, 512),
        convolution("Conv 1x1 16 and 96 at 56", 1, 56, 16, 96),
        convolution("Conv depthwise 3x3 144 at 56", 3, 56, 144, 144, 144),
        convolution("Conv depthwise 5x5 240 at 28", 5, 28, 240, 240, 240),
        transposed(2, 80, 16, 16),
    ]


def rows() -> dict[str, Row]:
    found = [
        *_products(),
        *_unary(),
        *_binary(),
        *_normalize(),
        *_reduce(),
        *_pool(),
        *_move(),
        *_integer(),
        *_recurrent(),
    ]
    return {row.name: row for row in found}
