"""Models that the tests drop on the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def digits(channels: int = 4, classes: int = 3, scale: float = 1) -> bytes:
    """A picture of one channel to scores, which `scale` multiplies: Conv, Relu, pooling, MatMul. Weights are fixed."""
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.standard_normal((channels, 1, 3, 3)).astype(np.float32),
        "b": np.zeros(channels, np.float32),
        "dense": scale * rng.standard_normal((channels, classes)).astype(np.float32),
    }
    nodes = [
        helper.make_node("Conv", ["image", "w", "b"], ["features"], name="first", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["features"], ["positive"], name="second"),
        helper.make_node("GlobalAveragePool", ["positive"], ["mean"], name="third"),
        helper.make_node("Flatten", ["mean"], ["flat"], name="fourth"),
        helper.make_node("MatMul", ["flat", "dense"], ["scores"], name="fifth"),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 28, 28])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", classes])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return _model(graph, metadata={"labels": '["cat", "dog", "bird"]'})


def table(rows: int = 0) -> bytes:
    """y = x * 2 over a table of three columns; `rows` 0 leaves their number open."""
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "two"], ["y"])],
        "table",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows or None, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows or None, 3])],
        [numpy_helper.from_array(np.array(2, np.float32), "two")],
    )
    return _model(graph)


def picture() -> bytes:
    """A picture of one channel, 14 by 14, as it is."""
    shape = [1, 1, 14, 14]
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])],
        "picture",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
    )
    return _model(graph)


def branches() -> bytes:
    """An If with a graph in each branch."""
    value = helper.make_tensor_value_info("z", TensorProto.FLOAT, None)
    then = helper.make_graph([helper.make_node("Neg", ["x"], ["z"], name="inner")], "then", [], [value])
    other = helper.make_graph([helper.make_node("Abs", ["x"], ["z"])], "else", [], [value])
    graph = helper.make_graph(
        [helper.make_node("If", ["c"], ["y"], name="choice", then_branch=then, else_branch=other)],
        "branches",
        [
            helper.make_tensor_value_info("c", TensorProto.BOOL, []),
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    )
    return _model(graph)


def unsupported() -> bytes:
    graph = helper.make_graph(
        [helper.make_node("Frobnicate", ["x"], ["y"], domain="com.example")],
        "unsupported",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    )
    return _model(graph, domains=["com.example"])


def enormous() -> bytes:
    """Asks for more memory than WebAssembly has."""
    size = numpy_helper.from_array(np.array([1 << 20, 1 << 13], np.int64), "size")
    graph = helper.make_graph(
        [helper.make_node("Expand", ["x", "size"], ["big"]), helper.make_node("ReduceSum", ["big"], ["y"])],
        "enormous",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [size],
    )
    return _model(graph)


def heavy(size: int = 2237) -> bytes:
    """About 20 MB of weights: products with a square matrix of that many rows."""
    rng = np.random.default_rng(1)
    square = (rng.standard_normal((size, size)) / size**0.5).astype(np.float32)
    nodes = [helper.make_node("MatMul", [f"h{n}", "w"], [f"h{n + 1}"]) for n in range(24)]
    graph = helper.make_graph(
        nodes,
        "heavy",
        [helper.make_tensor_value_info("h0", TensorProto.FLOAT, ["rows", size])],
        [helper.make_tensor_value_info("h24", TensorProto.FLOAT, ["rows", size])],
        [numpy_helper.from_array(square, "w")],
    )
    return _model(graph)


def sound(length: int) -> bytes:
    """A sound of fixed length, twice as loud."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["audio", "audio"], ["doubled"])],
        "sound",
        [helper.make_tensor_value_info("audio", TensorProto.FLOAT, [1, length])],
        [helper.make_tensor_value_info("doubled", TensorProto.FLOAT, [1, length])],
    )
    return _model(graph)


def embedder(table: np.ndarray, *, batch: int | None = None, length: int | None = None) -> bytes:
    """Tokens to the rows of a table, and what else comes in to a sum."""
    inputs = {"input_ids": TensorProto.INT64, "attention_mask": TensorProto.INT64, "token_type_ids": TensorProto.INT32}
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["vectors"]),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.INT64),
        helper.make_node("Sub", ["attention_mask", "types"], ["counted"]),
    ]
    shape = [batch or "batch", length or "length"]
    graph = helper.make_graph(
        nodes,
        "embedder",
        [helper.make_tensor_value_info(name, kind, shape) for name, kind in inputs.items()],
        [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [*shape, table.shape[1]]),
            helper.make_tensor_value_info("counted", TensorProto.INT64, shape),
        ],
        [numpy_helper.from_array(table, "table")],
    )
    return _model(graph)


def detector(outputs: dict[str, np.ndarray], height: int = 40, width: int = 80) -> bytes:
    """Finds the same in every picture."""
    initializers = [numpy_helper.from_array(value, f"{name}_constant") for name, value in outputs.items()]
    nodes = [helper.make_node("Identity", [f"{name}_constant"], [name]) for name in outputs]
    infos = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in outputs.items()
    ]
    picture = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, height, width])
    return _model(helper.make_graph(nodes, "detector", [picture], infos, initializers))


def line_reader(characters: Sequence[str], classes: int, height: int | None = 48) -> bytes:
    """A picture of a line of text; reads nothing in it."""
    steps = np.zeros((1, 4, classes), np.float32)
    picture = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, height, None])
    graph = helper.make_graph(
        [helper.make_node("Identity", ["steps_constant"], ["steps"])],
        "line_reader",
        [picture],
        [helper.make_tensor_value_info("steps", TensorProto.FLOAT, steps.shape)],
        [numpy_helper.from_array(steps, "steps_constant")],
    )
    return _model(graph, metadata={"character": "\n".join(characters)})


def _model(graph: onnx.GraphProto, *, metadata: dict[str, str] | None = None, domains: Sequence[str] = ()) -> bytes:
    opsets = [helper.make_opsetid("", 17), *(helper.make_opsetid(domain, 1) for domain in domains)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="tests")
    helper.set_model_props(model, metadata or {})
    content: bytes = model.SerializeToString()
    return content
