"""Bad models and bad feeds, each with the code and the words of the error it must give on every host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

X = np.arange(6, dtype=np.float32).reshape(2, 3)
GOOD_FEEDS = {"x": X}


@dataclass(frozen=True)
class Bad:
    """`words`: regular expressions that must all be found in the message."""

    name: str
    code: str
    words: tuple[str, ...]
    model: Callable[[], bytes]
    feeds: Mapping[str, np.ndarray] = field(default_factory=lambda: GOOD_FEEDS)


def good_model() -> bytes:
    return _model([helper.make_node("Relu", ["x"], ["y"], name="first")])


def _model(
    nodes: list[onnx.NodeProto], *, inputs: Any = None, outputs: Any = None, weights: Any = (), opset: int = 17
) -> bytes:
    inputs = inputs or [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, "n"])]
    outputs = outputs or [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "bad", inputs, outputs, list(weights))
    return bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8).SerializeToString()
    )


def _one(op_type: str, inputs: list[str], **attributes: Any) -> Callable[[], bytes]:
    return lambda: _model([helper.make_node(op_type, inputs, ["y"], name="the_node", **attributes)])


def _with_weight() -> bytes:
    w = numpy_helper.from_array(np.ones((3, 400), np.float32), "w")
    return _model([helper.make_node("MatMul", ["x", "w"], ["y"])], weights=[w])


def _truncated() -> bytes:
    data = _with_weight()
    return data[: len(data) // 2]


def _overlong_field() -> bytes:
    data = bytearray(good_model())
    at = data.index(b"first") - 1  # the length of the node's name
    data[at] = 0x7E
    return bytes(data)


def _impossible_wire_type() -> bytes:
    data = bytearray(good_model())
    at = data.index(b"first") - 2  # the tag of the node's name
    data[at] |= 7
    return bytes(data)


def _short_weight() -> bytes:
    w = numpy_helper.from_array(np.ones((3, 4), np.float32), "w")
    w.dims[1] = 5
    return _model([helper.make_node("MatMul", ["x", "w"], ["y"], name="the_node")], weights=[w])


def _two_problems() -> bytes:
    nodes = [
        helper.make_node("Frobnicate", ["x"], ["a"], name="one"),
        helper.make_node("Relu", ["a"], ["y"], name="two", colour=1),
    ]
    return _model(nodes)


def _missing_value() -> bytes:
    return _model([helper.make_node("Add", ["x", "nowhere"], ["y"], name="the_node")])


def _cycle() -> bytes:
    return _model(
        [helper.make_node("Add", ["x", "y"], ["a"], name="one"), helper.make_node("Relu", ["a"], ["y"], name="two")]
    )


def _unknown_element_type() -> bytes:
    kind = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    kind.type.tensor_type.elem_type = 99
    return _model([helper.make_node("Relu", ["x"], ["y"])], inputs=[kind])


FLOATS_X = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
DOUBLE_WEIGHT = numpy_helper.from_array(np.ones(3), "w")


def _strings_to_relu() -> bytes:
    kind = helper.make_tensor_value_info("x", TensorProto.STRING, [2, 3])
    return _model(
        [helper.make_node("Relu", ["x"], ["y"], name="the_node")],
        inputs=[kind],
        outputs=[helper.make_tensor_value_info("y", TensorProto.STRING, None)],
    )


def _undeclared_to_relu() -> bytes:
    return _model(
        [helper.make_node("Relu", ["x"], ["y"], name="the_node")],
        inputs=[onnx.ValueInfoProto(name="x")],
        outputs=[onnx.ValueInfoProto(name="y")],
    )


def _two_types_of_one_variable() -> bytes:
    return _model([helper.make_node("Add", ["x", "w"], ["y"], name="the_node")], weights=[DOUBLE_WEIGHT])


def _type_through_several_nodes() -> bytes:
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Identity", ["s"], ["i"]),
        helper.make_node("Sqrt", ["i"], ["y"], name="the_node"),
    ]
    return _model(nodes, outputs=[onnx.ValueInfoProto(name="y")])


def _several_types() -> bytes:
    nodes = [
        helper.make_node("Cast", ["x"], ["a"], to=TensorProto.INT32),
        helper.make_node("Sqrt", ["a"], ["b"], name="one"),
        helper.make_node("Add", ["x", "w"], ["c"], name="two"),
        helper.make_node("Relu", ["c"], ["d"], name="three", colour=1),
        helper.make_node("And", ["x", "x"], ["y"], name="four"),
    ]
    return _model(nodes, outputs=[onnx.ValueInfoProto(name="y")], weights=[DOUBLE_WEIGHT])


def _type_captured_by_a_branch() -> bytes:
    def branch(op_type: str) -> onnx.GraphProto:
        return helper.make_graph(
            [helper.make_node(op_type, ["a"], ["b"], name="the_node")], op_type, [], [onnx.ValueInfoProto(name="b")]
        )

    nodes = [
        helper.make_node("Cast", ["x"], ["a"], to=TensorProto.INT64),
        helper.make_node("ReduceMax", ["x"], ["m"], keepdims=0),
        helper.make_node("Cast", ["m"], ["c"], to=TensorProto.BOOL),
        helper.make_node("If", ["c"], ["y"], name="if", then_branch=branch("Sqrt"), else_branch=branch("Abs")),
    ]
    return _model(nodes, outputs=[onnx.ValueInfoProto(name="y")])


def _type_in_a_loop() -> bytes:
    body = helper.make_graph(
        [
            helper.make_node("Add", ["v", "i"], ["w"], name="the_node"),
            helper.make_node("Identity", ["c"], ["d"]),
        ],
        "body",
        [onnx.ValueInfoProto(name=name) for name in "icv"],
        [onnx.ValueInfoProto(name=name) for name in "dw"],
    )
    nodes = [
        helper.make_node("Constant", [], ["n"], value_int=2),
        helper.make_node("Loop", ["n", "", "x"], ["y"], name="loop", body=body),
    ]
    return _model(nodes)


def _type_in_a_function() -> bytes:
    function = helper.make_function(
        "here",
        "F",
        ["a"],
        ["b"],
        [helper.make_node("Sqrt", ["a"], ["b"], name="the_node")],
        [helper.make_opsetid("", 17)],
    )
    nodes = [
        helper.make_node("F", ["x"], ["z"], name="good", domain="here"),
        helper.make_node("Shape", ["z"], ["s"]),
        helper.make_node("F", ["s"], ["y"], name="call", domain="here"),
    ]
    graph = helper.make_graph(nodes, "bad", [FLOATS_X], [onnx.ValueInfoProto(name="y")])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("here", 1)]
    return bytes(
        helper.make_model(graph, functions=[function], opset_imports=imports, ir_version=8).SerializeToString()
    )


def _type_without_kernel() -> bytes:
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.STRING, None),
        helper.make_tensor_value_info("image", TensorProto.INT64, None),
        helper.make_tensor_value_info("block", TensorProto.INT64, None),
    ]
    node = helper.make_node("Col2Im", ["x", "image", "block"], ["y"], name="the_node")
    return _model([node], inputs=inputs, outputs=[onnx.ValueInfoProto(name="y")], opset=18)


def _sequence_for_a_tensor() -> bytes:
    nodes = [
        helper.make_node("SequenceConstruct", ["x"], ["s"]),
        helper.make_node("Relu", ["s"], ["y"], name="the_node"),
    ]
    return _model(nodes)


def _output_declared_otherwise() -> bytes:
    return _model(
        [helper.make_node("Relu", ["x"], ["y"])], outputs=[helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)]
    )


def _huge_result() -> bytes:
    shape = numpy_helper.from_array(np.array([1 << 20, 1 << 20], np.int64), "shape")
    nodes = [
        helper.make_node("Expand", ["first", "shape"], ["y"], name="the_node"),
        helper.make_node("ReduceMax", ["x"], ["first"], keepdims=0),
    ]
    return _model(nodes[::-1], weights=[shape])


def _huge_shape_product() -> bytes:
    shape = numpy_helper.from_array(np.array([1 << 40, 1 << 40], np.int64), "shape")
    return _model([helper.make_node("Expand", ["x", "shape"], ["y"], name="the_node")], weights=[shape])


def _future_opset() -> bytes:
    return _model([helper.make_node("Relu", ["x"], ["y"])], opset=999)


BAD_MODELS = (
    Bad("empty", "INVALID_PROTOBUF", ("empty",), lambda: b""),
    Bad(
        "web-page",
        "INVALID_PROTOBUF",
        ("HTML", "look at its address"),
        lambda: b"<!doctype html><html><body>404 not found</body></html>",
    ),
    Bad("truncated", "INVALID_PROTOBUF", (r"byte \d+",), _truncated),
    Bad("overlong-field", "INVALID_PROTOBUF", (r"byte \d+",), _overlong_field),
    Bad("impossible-wire-type", "INVALID_PROTOBUF", (r"byte \d+", "wire type"), _impossible_wire_type),
    Bad("no-graph", "INVALID_PROTOBUF", ("graph",), lambda: b"\x08\x08"),
    Bad("short-weight", "INVALID_GRAPH", ("'w'", "60", "48"), _short_weight),
    Bad("unknown-operator", "NOT_IMPLEMENTED", ("Frobnicate", "the_node"), _one("Frobnicate", ["x"])),
    Bad("operator-of-a-later-version", "INVALID_GRAPH", ("Gelu", "17", "20"), _one("Gelu", ["x"])),
    Bad(
        "operator-with-several-later-versions",
        "INVALID_GRAPH",
        ("it came with version 12$",),
        lambda: _model([helper.make_node("Einsum", ["x"], ["y"], equation="ij->ji")], opset=11),
    ),
    Bad("unknown-attribute", "INVALID_GRAPH", ("colour", "the_node", "Relu"), _one("Relu", ["x"], colour=1)),
    Bad("attribute-of-wrong-type", "INVALID_GRAPH", ("alpha", "the_node", "float"), _one("LeakyRelu", ["x"], alpha=1)),
    Bad("required-attribute-missing", "INVALID_GRAPH", ("to", "the_node"), _one("Cast", ["x"])),
    Bad("too-many-inputs", "INVALID_GRAPH", ("the_node", "2 inputs", "1"), _one("Relu", ["x", "x"])),
    Bad("too-few-inputs", "INVALID_GRAPH", ("the_node", "1 inputs?", "2"), _one("Add", ["x"])),
    Bad("all-problems-at-once", "NOT_IMPLEMENTED", ("2 problems", "Frobnicate", "colour"), _two_problems),
    Bad("value-that-nothing-makes", "INVALID_GRAPH", ("nowhere",), _missing_value),
    Bad("cycle", "INVALID_GRAPH", ("cycle|before|not produced|nothing",), _cycle),
    Bad("unknown-element-type", "INVALID_GRAPH", ("99",), _unknown_element_type),
    Bad("opset-of-the-future", "NOT_IMPLEMENTED", ("999",), _future_opset),
    Bad(
        "type-the-operator-lacks",
        "INVALID_GRAPH",
        (
            r"^node 'the_node' \(Relu-14\): input 0 \('X'\) is a tensor\(string\)",
            "this version takes float, .*bfloat16$",
        ),
        _strings_to_relu,
    ),
    Bad(
        "two-types-of-one-variable",
        "INVALID_GRAPH",
        (
            r"^node 'the_node' \(Add-14\): input 1 \('B'\) is a tensor\(double\)",
            r"input 0, of the same type 'T', is a tensor\(float\)$",
        ),
        _two_types_of_one_variable,
    ),
    Bad("type-through-several-nodes", "INVALID_GRAPH", ("'the_node'", r"tensor\(int64\)"), _type_through_several_nodes),
    Bad(
        "several-types-at-once",
        "INVALID_GRAPH",
        (
            "5 problems",
            "colour",
            r"- node 'one' \(Sqrt-13\): input 0 \('X'\) is a tensor\(int32\)",
            r"- node 'two' \(Add-14\): input 1 \('B'\) is a tensor\(double\)",
            r"- node 'four' \(And-7\): input 0 \('A'\) is a tensor\(float\); this version takes bool",
            r"- node 'four' \(And-7\): input 1 \('B'\) is a tensor\(float\); this version takes bool",
        ),
        _several_types,
    ),
    Bad(
        "type-captured-by-a-branch",
        "INVALID_GRAPH",
        (r"^node 'if/then_branch/the_node' \(Sqrt-13\): input 0 \('X'\) is a tensor\(int64\)",),
        _type_captured_by_a_branch,
    ),
    Bad(
        "type-in-a-loop",
        "INVALID_GRAPH",
        (r"^node 'loop/body/the_node' \(Add-14\): input 1 \('B'\) is a tensor\(int64\)", r"is a tensor\(float\)$"),
        _type_in_a_loop,
    ),
    Bad(
        "type-in-a-function",
        "INVALID_GRAPH",
        (r"^node 'call/the_node' \(Sqrt-13\): input 0 \('X'\) is a tensor\(int64\)",),
        _type_in_a_function,
    ),
    Bad(
        "type-without-kernel",
        "NOT_IMPLEMENTED",
        (r"^node 'the_node' \(Col2Im-18\): input 0 \('input'\) is a tensor\(string\)", "no kernel"),
        _type_without_kernel,
    ),
    Bad(
        "sequence-for-a-tensor",
        "INVALID_GRAPH",
        (r"'the_node' \(Relu-14\): input 0 \('X'\) is a seq\(tensor\(float\)\)",),
        _sequence_for_a_tensor,
    ),
    Bad(
        "output-declared-otherwise",
        "INVALID_GRAPH",
        (r"^the output 'y' is a tensor\(float\); the model declares tensor\(double\)$",),
        _output_declared_otherwise,
    ),
)

BAD_RUNS = (
    Bad(
        "type-that-only-the-run-shows",
        "INVALID_ARGUMENT",
        (r"'the_node' \(Relu-14\)", r"input 0 \('X'\) is a tensor\(string\); this version takes float, "),
        _undeclared_to_relu,
        {"x": np.full((2, 3), "a", dtype=object)},
    ),
    Bad("missing-input", "INVALID_ARGUMENT", ("'?x'?",), good_model, {}),
    Bad("extra-input", "INVALID_ARGUMENT", ("zz", "x"), good_model, {"x": X, "zz": X}),
    Bad("wrong-dtype", "INVALID_ARGUMENT", ("'x'", "double|float64", "float"), good_model, {"x": X.astype(np.float64)}),
    Bad("wrong-shape", "INVALID_ARGUMENT", ("'x'", r"\[3,\s?2\]", r"\[2,\s?n\]"), good_model, {"x": X.T.copy()}),
    Bad("wrong-rank", "INVALID_ARGUMENT", ("'x'", r"\[2\]", r"\[2,\s?n\]"), good_model, {"x": X[:, 0].copy()}),
    Bad(
        "rule-broken-by-data",
        "RUN_FAILED",
        ("MatMul", r"\[2,\s?2\]", r"\[3,\s?400\]"),
        _with_weight,
        {"x": X[:, :2].copy()},
    ),
    Bad("too-large-for-memory", "OUT_OF_MEMORY", ("the_node", "Expand", "bytes|GiB|GB|MB|MiB"), _huge_result),
    Bad("size-beyond-64-bits", "RUN_FAILED", ("the_node", "Expand"), _huge_shape_product),
)
