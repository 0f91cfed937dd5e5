"""Which layers are found, what they look like to quantizers, and the reason for every node that has none."""

from __future__ import annotations

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from onnxlet.packing.build import prepare
from onnxlet.packing.layers import Layer, survey

from . import graphs


def layers_of(model: onnx.ModelProto) -> list[Layer]:
    return prepare(ir.from_proto(model)).survey.layers


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (graphs.matmul(), (48, 64)),
        (graphs.gemm(), (48, 64)),
        (graphs.gemm(trans_b=0), (48, 64)),
        (graphs.conv(), (12, 72)),
        (graphs.conv_transpose(), (12, 72)),
        (graphs.tied(), (40, 32)),
        (graphs.tied(through_transpose=True), (40, 32)),
    ],
)
def test_rows(model: onnx.ModelProto, rows: tuple[int, int]) -> None:
    (layer,) = layers_of(model)
    found = layer.rows()
    assert found.shape == rows and layer.columns == rows[1]
    np.testing.assert_array_equal(layer.from_rows(found), layer.weight.const_value.numpy())  # type: ignore[union-attr]


def test_rows_of_recurrent_weights_are_those_of_both_directions() -> None:
    w, r = layers_of(graphs.lstm())
    assert (w.name, r.name) == ("y.w", "y.r")
    assert w.rows().shape == (192, 16) and r.rows().shape == (192, 24)
    np.testing.assert_array_equal(r.from_rows(r.rows()), graphs.weights(2, 96, 24, seed=1))


def test_a_row_is_what_makes_one_output_channel() -> None:
    (layer,) = layers_of(graphs.conv_transpose())
    w = graphs.weights(8, 12, 3, 3)
    np.testing.assert_array_equal(layer.rows()[5], w[:, 5].reshape(-1))


def test_tied_weights_are_one_layer() -> None:
    (layer,) = layers_of(graphs.tied(through_transpose=True))
    assert [(u.node.op_type, u.index, u.transposed) for u in layer.uses] == [("Gather", 0, False), ("MatMul", 1, True)]
    assert layer.node_names == ("e", "y") and layer.name == "e"
    assert layer.multiplied is not None and layer.multiplied.name == "y"


def test_a_transpose_of_a_weight_of_its_own_is_carried_out() -> None:
    nodes = [graphs.node("Transpose", ["w"], "t", perm=[1, 0]), graphs.node("MatMul", ["x", "t"], "y")]
    prepared = prepare(ir.from_proto(graphs.model(nodes, {"w": graphs.weights(48, 64)}, {"x": [3, 64]})))
    assert prepared.gone == {"t": "its constant is stored transposed"}
    assert prepared.survey.layers[0].shape == (64, 48)


REASONS = {
    "left": "its constant is the left operand, for which there is no form",
    "cube": "MatMul with a weight of rank 3 or on this axis has no form",
    "small": "its weights are stored small already",
    "made": "MatMul gets its weights while the model runs; they are no constants",
    "add": "Add has a constant of 4096 numbers, but the packer has no rule for it",
    "y": "Add has no weights",
    "odd": "its weight 'odd.w' has numbers that are not finite",
    "shared": "its weight 's' is also used by 'scaled' (Mul), for which there is no rule",
}


def test_every_node_has_a_reason() -> None:
    odd = graphs.weights(64, 64)
    odd[3, 3] = np.inf
    constants = {
        "w": graphs.weights(64, 64), "odd.w": odd, "cube.w": graphs.weights(2, 64, 64), "s": graphs.weights(64, 64),
        "half": graphs.weights(64, 64).astype(np.float16), "bias": graphs.weights(64, 64, seed=9),
    }  # fmt: skip
    nodes = [
        graphs.node("MatMul", ["bias", "x"], "left"),
        graphs.node("MatMul", ["x", "cube.w"], "cube"),
        graphs.node("Cast", ["half"], "cast", to=onnx.TensorProto.FLOAT),
        graphs.node("MatMul", ["x", "cast"], "small"),
        graphs.node("MatMul", ["x", "left"], "made"),
        graphs.node("MatMul", ["x", "odd.w"], "odd"),
        graphs.node("Add", ["x", "bias"], "add"),
        graphs.node("MatMul", ["x", "s"], "shared"),
        graphs.node("Mul", ["s", "x"], "scaled"),
        graphs.node("MatMul", ["x", "w"], "good"),
    ]
    sums = ["left", "small", "made", "odd", "add", "shared", "scaled", "good"]
    total = "cube"
    for name in sums[:-1]:
        nodes.append(graphs.node("Add", [total, name], f"{name}+"))
        total = f"{name}+"
    nodes.append(graphs.node("Add", [total, "good"], "y"))
    found = survey(ir.from_proto(graphs.model(nodes, constants, {"x": [64, 64]})))
    assert [layer.name for layer in found.layers] == ["good"]
    assert {name: found.skipped.get(name) for name in REASONS} == REASONS
    assert set(found.skipped) | {"good"} == {node.name for node in nodes}


def test_initializers_that_are_inputs_are_no_constants() -> None:
    model = graphs.matmul()
    model.graph.input.append(onnx.helper.make_tensor_value_info("w", onnx.TensorProto.FLOAT, [64, 48]))
    found = survey(ir.from_proto(model))
    assert not found.layers and "they are no constants" in found.skipped["y"]
    model.ir_version = 3
    assert [layer.name for layer in layers_of(model)] == ["y"]
