"""Constants that nodes make of constants."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnxlet.packing import pack

from . import graphs
from .graphs import cleaned, outputs


def operators(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


def gates(prefix: str, weight: str) -> list[onnx.NodeProto]:
    """A weight [96, 16] with its four gates in another order, under a first axis of 1: what exporters of LSTM write."""
    nodes = []
    for at, (begin, end) in enumerate(((0, 24), (72, 96), (24, 72))):
        bounds = [
            helper.make_node("Constant", [], [f"{prefix}{at}{n}"], name=f"{prefix}{at}{n}", value_ints=[v])
            for n, v in (("begin", begin), ("end", end), ("axis", 0))
        ]
        names = [bound.output[0] for bound in bounds]
        nodes += [*bounds, graphs.node("Slice", [weight, *names], f"{prefix}{at}")]
    nodes.append(helper.make_node("Constant", [], [f"{prefix}front"], name=f"{prefix}front", value_ints=[0]))
    nodes.append(graphs.node("Concat", [f"{prefix}{at}" for at in range(3)], f"{prefix}all", axis=0))
    return [*nodes, graphs.node("Unsqueeze", [f"{prefix}all", f"{prefix}front"], f"{prefix}w")]


def test_an_lstm_whose_weights_are_put_together_is_packed() -> None:
    lstm = helper.make_node("LSTM", ["x", "aw", "bw"], ["y"], name="y", hidden_size=24)
    constants = {"w": graphs.weights(96, 16), "r": graphs.weights(96, 24, seed=1)}
    model = graphs.model([*gates("a", "w"), *gates("b", "r"), lstm], constants, {"x": [5, "batch", 16]})
    after, gone = cleaned(model)
    assert operators(after) == ["LSTM"] and gone["aall"] == "its result is a constant"
    folded = [numpy_helper.to_array(tensor) for tensor in after.graph.initializer]
    w = constants["w"]
    assert (folded[0] == np.concatenate([w[:24], w[72:], w[24:72]])[None]).all()
    x = graphs.weights(5, 2, 16, seed=5)
    np.testing.assert_array_equal(outputs(after, {"x": x}), outputs(model, {"x": x}))
    packed = pack(model, [{"x": x}], scheme="int8", config={"seconds": 0})
    assert packed.bytes_after < 0.5 * packed.bytes_before


def test_equal_weights_of_two_branches_become_one() -> None:
    def branch(name: str) -> onnx.GraphProto:
        lstm = helper.make_node("LSTM", ["x", f"{name}aw", f"{name}bw"], [name], name=name, hidden_size=24)
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        return helper.make_graph([*gates(f"{name}a", "w"), *gates(f"{name}b", "r"), lstm], name, [], [output])

    constants = {"w": graphs.weights(96, 16), "r": graphs.weights(96, 24, seed=1)}
    choice = graphs.node("If", ["which"], "y", then_branch=branch("then"), else_branch=branch("else"))
    inputs = {"x": [5, "batch", 16], "which": []}
    model = graphs.model([choice], constants, inputs, kinds={"which": TensorProto.BOOL})  # type: ignore[arg-type]
    after, _ = cleaned(model)
    assert sorted(tuple(t.dims) for t in after.graph.initializer) == [(1, 96, 16), (1, 96, 24)]
    for which in (True, False):
        feeds = {"x": graphs.weights(5, 2, 16, seed=5), "which": np.array(which)}
        np.testing.assert_array_equal(outputs(after, feeds), outputs(model, feeds))


@pytest.mark.parametrize("op_type", ["Expand", "RandomNormalLike", "DequantizeLinear"])
def test_what_would_grow_or_change_stays(op_type: str) -> None:
    constants: dict[str, np.ndarray] = {"w": graphs.weights(64, 48), "one": np.ones(1, np.float32)}
    if op_type == "Expand":
        constants["shape"] = np.array([48, 48], np.int64)
        made = graphs.node("Expand", ["one", "shape"], "v")
    elif op_type == "DequantizeLinear":
        constants["q"] = np.ones((48, 48), np.int8)
        made = graphs.node("DequantizeLinear", ["q", "one"], "v")
        constants["one"] = np.array(1, np.float32)
    else:
        made = graphs.node("RandomNormalLike", ["one"], "v")
    nodes = [made, graphs.node("MatMul", ["x", "w"], "m"), graphs.node("Add", ["m", "v"], "y")]
    after, gone = cleaned(graphs.model(nodes, constants, {"x": [48, 64]}))
    assert op_type in operators(after) and "v" not in gone


def test_a_constant_that_others_read_is_not_stored_twice() -> None:
    """Half of the weight would be a new constant beside the whole one."""
    begin, end = np.zeros(1, np.int64), np.full(1, 32, np.int64)
    constants = {"w": graphs.weights(64, 48), "begin": begin, "end": end}
    nodes = [
        graphs.node("Slice", ["w", "begin", "end"], "half"),
        graphs.node("MatMul", ["x", "w"], "a"),
        graphs.node("MatMul", ["a", "turned"], "y"),
    ]
    nodes.insert(1, graphs.node("Transpose", ["half"], "turned", perm=[1, 0]))
    after, _ = cleaned(graphs.model(nodes, constants, {"x": ["batch", 64]}))
    assert "Slice" in operators(after)


def test_only_so_many_bytes_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small weight is negated in advance, the large one is beyond what is left."""
    monkeypatch.setattr("onnxlet.packing.fold._LARGEST", 20_000)
    constants = {"w": graphs.weights(64, 64), "v": graphs.weights(64, 48)}
    nodes = [
        graphs.node("Neg", ["w"], "a"),
        graphs.node("Neg", ["v"], "b"),
        graphs.node("MatMul", ["x", "a"], "m"),
        graphs.node("MatMul", ["m", "b"], "y"),
    ]
    model = graphs.model(nodes, constants, {"x": ["batch", 64]})
    after, gone = cleaned(model)
    assert gone == {"b": "its result is a constant"} and operators(after) == ["Neg", "MatMul", "MatMul"]
