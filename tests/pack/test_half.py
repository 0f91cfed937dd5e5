"""Models that compute in float16."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto

from onnxlet.errors import InvalidArgument
from onnxlet.packing import pack

from . import graphs

SCHEME = "fp16:arithmetic=true"
QUICK = {"seconds": 0}


def packed(model: onnx.ModelProto, data: dict[str, np.ndarray]) -> tuple[onnx.ModelProto, list[str]]:
    result = pack(model, data, scheme=SCHEME, config=QUICK)
    assert result.report["onnxruntime"]["runs"]
    return onnx.load_model_from_string(result.model or b""), result.report["notes"]


def operators(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


def run(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> np.ndarray:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, feeds)[0])


def large() -> onnx.ModelProto:
    """The squares in the middle reach millions; what comes after is small again."""
    constants = {"w": graphs.weights(64, 64), "v": graphs.weights(64, 48, seed=1), "tiny": np.array(1e-7, np.float32)}
    nodes = [
        graphs.node("MatMul", ["x", "w"], "m"),
        graphs.node("Mul", ["m", "m"], "squares"),
        graphs.node("Mul", ["squares", "tiny"], "small"),
        graphs.node("MatMul", ["small", "v"], "y"),
    ]
    return graphs.model(nodes, constants, {"x": ["batch", 64]})


def test_all_of_a_network_computes_in_float16() -> None:
    made, notes = packed(graphs.cnn(), graphs.images())
    assert operators(made) == [
        "Cast",
        "Conv",
        "Relu",
        "Conv",
        "Clip",
        "Add",
        "GlobalAveragePool",
        "Flatten",
        "Gemm",
        "Cast",
    ]
    assert {t.data_type for t in made.graph.initializer} == {TensorProto.FLOAT16} and notes == []
    for value in (made.graph.input[0], made.graph.output[0]):
        assert value.type.tensor_type.elem_type == TensorProto.FLOAT
    assert [v.name for v in (*made.graph.input, *made.graph.output)] == ["image", "y"]
    images = graphs.images(4)
    expected = run(graphs.cnn(), images)
    assert np.abs(run(made, images) - expected).max() < 0.01 * np.abs(expected).max()


@pytest.mark.filterwarnings("ignore:1 values pass 65504")
def test_values_beyond_float16_stay_float32() -> None:
    data = {"x": graphs.weights(8, 64, seed=2) * 100}
    made, notes = packed(large(), data)
    assert operators(made) == ["Cast", "MatMul", "Cast", "Mul", "Mul", "Cast", "MatMul", "Cast"]
    assert notes == ["1 values pass 65504, float16's largest number, and stay float32: 'squares'"]
    expected = run(large(), {"x": data["x"][:1]})
    assert np.abs(run(made, {"x": data["x"][:1]}) - expected).max() < 0.01 * np.abs(expected).max()
    # With small inputs nothing is in the way, but for a constant that float16 has as a denormal number.
    assert operators(packed(large(), {"x": data["x"] / 1000})[0]) == ["Cast", "MatMul", "Mul", "Mul", "MatMul", "Cast"]


@pytest.mark.filterwarnings("ignore:1 values pass 65504")
def test_a_weight_of_a_node_that_stays_float32_is_stored_small_all_the_same() -> None:
    made, notes = packed(graphs.matmul(), {"x": graphs.weights(8, 64, seed=2) * 1e5})
    assert operators(made) == ["Cast", "MatMul"]
    assert made.graph.initializer[0].data_type == TensorProto.FLOAT16
    assert "'x'" in notes[0] or "'y'" in notes[0]


def test_constants_that_float16_lacks_stay() -> None:
    for number in (1e-9, -1e9):
        constants = {"w": graphs.weights(64, 48), "c": np.array(number, np.float32)}
        nodes = [graphs.node("MatMul", ["x", "w"], "m"), graphs.node("Max", ["m", "c"], "y")]
        made, _ = packed(graphs.model(nodes, constants, {"x": ["batch", 64]}), {"x": graphs.weights(4, 64, seed=2)})
        assert operators(made) == ["Cast", "MatMul", "Cast", "Max"]


def test_other_types_and_subgraphs_stay() -> None:
    then, other = (
        onnx.helper.make_graph(
            [graphs.node(op_type, ["m"], name)],
            name,
            [],
            [onnx.helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
        )
        for op_type, name in (("Relu", "then"), ("Neg", "other"))
    )
    nodes = [
        graphs.node("MatMul", ["x", "w"], "m"),
        graphs.node("If", ["which"], "i", then_branch=then, else_branch=other),
        graphs.node("ArgMax", ["m"], "largest", axis=1),
        graphs.node("Cast", ["largest"], "f", to=TensorProto.FLOAT),
        graphs.node("Add", ["i", "f"], "y"),
    ]
    kinds = {"which": TensorProto.BOOL}
    model = graphs.model(nodes, {"w": graphs.weights(64, 48)}, {"x": ["batch", 64], "which": [1]}, kinds=kinds)
    data = {"x": graphs.weights(4, 64, seed=2), "which": np.array([[True], [False], [True], [False]])}
    result = pack(
        model, [{"x": data["x"][i : i + 1], "which": data["which"][i]} for i in range(4)], scheme=SCHEME, config=QUICK
    )
    made = onnx.load_model_from_string(result.model or b"")
    assert operators(made)[:3] == ["Cast", "MatMul", "Cast"] and "If" in operators(made)
    assert result.report["accuracy"]["cosine"] > 0.99999


def test_tied_weights_stay_one() -> None:
    ids = np.random.default_rng(0).integers(0, 40, (4, 6))
    made, _ = packed(graphs.tied(through_transpose=True), {"ids": ids})
    assert [(t.data_type, tuple(t.dims)) for t in made.graph.initializer] == [(TensorProto.FLOAT16, (40, 32))]
    assert sorted(operators(made)) == ["Cast", "Gather", "MatMul", "Transpose"]


@pytest.mark.filterwarnings("ignore:no data was given")
def test_it_needs_data() -> None:
    with pytest.raises(
        InvalidArgument, match=r"^fp16 with arithmetic=true needs data: it shows which values pass 65504"
    ):
        pack(graphs.matmul(), scheme=SCHEME)
