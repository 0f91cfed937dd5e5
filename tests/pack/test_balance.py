"""Scales that move between operators: the float model stays what it is, and less is lost when it is quantized."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest

import onnxlet
from onnxlet.errors import InvalidArgument
from onnxlet.packing import balance, cleanup, pack
from onnxlet.packing.data import Samples, read_samples
from onnxlet.packing.layers import tensor_of
from onnxlet.packing.quantizers import Grid
from onnxlet.packing.rescale import reader, writer

from . import graphs

UNEVEN = np.exp(graphs.weights(64, seed=9) * 1.5).astype(np.float32)
QUICK = {"seconds": 0}


def run(model: ir.Model | onnx.ModelProto, feeds: dict[str, np.ndarray]) -> np.ndarray:
    proto = ir.to_proto(model) if isinstance(model, ir.Model) else model
    onnx.checker.check_model(proto)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, feeds)[0])


def samples_of(data: Any, model: onnx.ModelProto) -> Samples:
    with onnxlet.InferenceSession(model.SerializeToString()) as session:
        return read_samples(data, session.get_inputs(), 0, seed=0)


def prepared(model: onnx.ModelProto) -> ir.Model:
    loaded = ir.from_proto(model)
    cleanup.name_nodes(loaded)
    cleanup.prepare(loaded)
    return loaded


def chain() -> onnx.ModelProto:
    """Conv, Relu, depthwise Conv, Relu, MaxPool, Conv, with channels of very different size between them."""
    uneven = UNEVEN.reshape(-1, 1, 1, 1)
    constants = {
        "w0": graphs.weights(64, 3, 3, 3) * uneven,
        "b0": graphs.weights(64, seed=1),
        "w1": graphs.weights(64, 1, 3, 3, seed=2) / uneven[::-1],
        "b1": graphs.weights(64, seed=3),
        "w2": graphs.weights(32, 64, 3, 3, seed=4),
    }
    nodes = [
        graphs.node("Conv", ["image", "w0", "b0"], "c0"),
        graphs.node("Relu", ["c0"], "r0"),
        graphs.node("Conv", ["r0", "w1", "b1"], "c1", group=64),
        graphs.node("Relu", ["c1"], "r1"),
        graphs.node("MaxPool", ["r1"], "m", kernel_shape=[2, 2]),
        graphs.node("Conv", ["m", "w2"], "y"),
    ]
    return graphs.model(nodes, constants, {"image": ["batch", 3, 12, 12]})


def transformer() -> onnx.ModelProto:
    """Pre-norm: LayerNormalization, two products, their elementwise product, another product, and a residual."""
    constants = {
        "scale": UNEVEN,
        "shift": graphs.weights(64, seed=1) * UNEVEN,
        "gate": graphs.weights(64, 96, seed=2),
        "up": graphs.weights(64, 96, seed=3) * np.exp(graphs.weights(96, seed=8)),
        "down": graphs.weights(96, 64, seed=4),
        "bias": graphs.weights(64, seed=5),
    }
    nodes = [
        graphs.node("LayerNormalization", ["x", "scale", "shift"], "n"),
        graphs.node("MatMul", ["n", "gate"], "g"),
        graphs.node("Sigmoid", ["g"], "s"),
        graphs.node("MatMul", ["n", "up"], "u"),
        graphs.node("Mul", ["s", "u"], "h"),
        graphs.node("MatMul", ["h", "down"], "d"),
        graphs.node("Add", ["d", "bias"], "b"),
        graphs.node("Add", ["x", "b"], "y"),
    ]
    return graphs.model(nodes, constants, {"x": ["batch", 64]})


def inputs(count: int = 64) -> dict[str, np.ndarray]:
    return {"x": graphs.weights(count, 64, seed=7)}


# ---- equalisation


def test_equalised_channels_have_equal_ranges_on_both_sides() -> None:
    model = prepared(chain())
    assert balance.equalise(model) == 2
    nodes = {node.name: node for node in model.graph}
    for first, second in (("c0", "c1"), ("c1", "y")):
        ahead, behind = writer(nodes[first]), reader(nodes[second])
        assert ahead is not None and behind is not None
        np.testing.assert_allclose(ahead[0].largest(), behind.largest(), rtol=5e-3)
    images = {"image": graphs.weights(3, 3, 12, 12, seed=6)}
    np.testing.assert_allclose(run(model, images), run(chain(), images), rtol=1e-3, atol=1e-3)


def test_two_channels_by_hand() -> None:
    """Ranges 8 and 2, 2 and 2: the factor of the first channel is sqrt(8 / 2) = 2, of the second 1."""
    constants = {
        "a": np.diag([8, 2]).astype(np.float32),
        "c": np.array([4, 4], np.float32),
        "b": np.full((2, 3), 2, np.float32),
    }
    nodes = [
        graphs.node("Gemm", ["x", "a", "c"], "p"),
        graphs.node("Relu", ["p"], "r"),
        graphs.node("MatMul", ["r", "b"], "y"),
    ]
    model = ir.from_proto(graphs.model(nodes, constants, {"x": ["batch", 2]}))
    assert balance.equalise(model) == 1
    gemm, _, product = model.graph
    found = [tensor_of(value).numpy().tolist() for value in (*gemm.inputs[1:], product.inputs[1])]  # type: ignore[arg-type]
    assert found == [[[4, 0], [0, 2]], [2, 4], [[4, 4, 4], [2, 2, 2]]]


@pytest.mark.parametrize("reason", ["clip", "residual", "output", "tied"])
def test_pairs_that_cannot_be_equalised(reason: str) -> None:
    constants = {"a": graphs.weights(8, 8), "b": graphs.weights(8, 8, seed=1), "six": np.array(6, np.float32)}
    nodes = [
        graphs.node("MatMul", ["x", "a"], "p"),
        graphs.node("Relu", ["p"], "r"),
        graphs.node("MatMul", ["r", "b"], "y"),
    ]
    if reason == "clip":
        nodes[1] = graphs.node("Clip", ["p", "", "six"], "r")
    elif reason == "residual":
        nodes[2:] = [graphs.node("MatMul", ["r", "b"], "q"), graphs.node("Add", ["q", "r"], "y")]
    elif reason == "tied":
        nodes[2] = graphs.node("MatMul", ["r", "a"], "y")
    model = graphs.model(nodes, constants, {"x": ["batch", 8]})
    if reason == "output":
        model.graph.output.append(onnx.helper.make_tensor_value_info("r", onnx.TensorProto.FLOAT, ["batch", 8]))
    before = model.SerializeToString()
    loaded = ir.from_proto(onnx.ModelProto.FromString(before))
    assert balance.equalise(loaded) == 0
    assert not any("balanced" in name for name in loaded.graph.initializers)


def test_equalising_makes_one_scale_for_all_weights_enough() -> None:
    images = {"image": graphs.weights(16, 3, 12, 12, seed=6)}
    plain, equal = (
        pack(chain(), images, scheme="int8-static", config={**QUICK, "balance": kind}).report["accuracy"]["snr_db"]
        for kind in ("none", "equalise")
    )
    assert equal > plain + 3


# ---- SmoothQuant and AWQ


def test_smoothing_shares_the_range_as_its_strength_says() -> None:
    """With strength 1 every channel of the activations reaches 1; with 0 the weights do."""
    x = inputs()
    for strength, kind in ((1.0, "activations"), (0.0, "weights")):
        model = ir.from_proto(transformer())
        assert balance.smooth(model, samples_of(x, transformer()), strength) == 2
        np.testing.assert_allclose(run(model, x), run(transformer(), x), rtol=1e-3, atol=1e-2)
        assert [node.op_type for node in model.graph].count("Mul") == 1  # all went into constants that were there
        names = {node.name: node for node in model.graph}
        if kind == "activations":
            value = names["g"].inputs[0]
            assert value is not None
            model.graph.outputs[:] = [value]
            value.type, value.shape = ir.TensorType(ir.DataType.FLOAT), ir.Shape(["batch", 64])
            largest = np.abs(run(model, x)).max(0)
        else:
            place = reader(names["d"])
            assert place is not None
            largest = place.largest()
        np.testing.assert_allclose(largest, np.ones(len(largest)), rtol=1e-4)


def test_a_value_that_others_read_gets_a_mul() -> None:
    constants = {"w": graphs.weights(64, 48), "v": graphs.weights(48, 64, seed=1)}
    nodes = [
        graphs.node("Sigmoid", ["x"], "s"),
        graphs.node("MatMul", ["s", "w"], "m"),
        graphs.node("MatMul", ["m", "v"], "o"),
        graphs.node("Add", ["s", "o"], "y"),
    ]
    made = graphs.model(nodes, constants, {"x": ["batch", 64]})
    model = ir.from_proto(made)
    assert balance.smooth(model, samples_of(inputs(), made), 0.5) == 2
    assert [node.op_type for node in model.graph] == ["Sigmoid", "Mul", "MatMul", "MatMul", "Add"]
    np.testing.assert_allclose(run(model, inputs()), run(made, inputs()), rtol=1e-4, atol=1e-4)


def test_one_channel_that_an_addition_spreads_gets_a_mul() -> None:
    constants = {"one": graphs.weights(64, 1), "c": graphs.weights(32, seed=1), "w": graphs.weights(32, 8, seed=2)}
    nodes = [
        graphs.node("MatMul", ["x", "one"], "m"),
        graphs.node("Add", ["m", "c"], "a"),
        graphs.node("MatMul", ["a", "w"], "y"),
    ]
    made = graphs.model(nodes, constants, {"x": ["batch", 64]})
    model = ir.from_proto(made)
    assert balance.equalise(model) == 0
    assert balance.smooth(model, samples_of(inputs(), made), 0.5) == 2
    assert [node.op_type for node in model.graph] == ["Mul", "MatMul", "Add", "Mul", "MatMul"]
    np.testing.assert_allclose(run(model, inputs()), run(made, inputs()), rtol=1e-4, atol=1e-4)


def test_activation_aware_scales_lose_less() -> None:
    made, x = transformer(), inputs()
    model = ir.from_proto(made)
    grids = {name: Grid(4, 32) for name in ("g", "u", "d")}
    assert balance.activation_aware(model, grids, samples_of(x, made)) >= 1
    np.testing.assert_allclose(run(model, x), run(made, x), rtol=1e-3, atol=1e-2)
    found = {
        kind: pack(made, x, scheme="int4:method=rtn", config={**QUICK, "balance": kind}).report["accuracy"]["snr_db"]
        for kind in ("none", "awq")
    }
    assert found["awq"] > found["none"] + 1


def test_only_products_with_a_grid_are_scaled() -> None:
    made = transformer()
    model = ir.from_proto(made)
    assert balance.activation_aware(model, {}, samples_of(inputs(), made)) == 0
    assert ir.to_proto(model).SerializeToString() == ir.to_proto(ir.from_proto(made)).SerializeToString()


def test_smoothing_helps_dynamic_int8() -> None:
    made = transformer()
    plain, smooth = (
        pack(made, inputs(), scheme="int8-dynamic", config={**QUICK, "balance": kind}).report["accuracy"]["snr_db"]
        for kind in ("none", "smooth")
    )
    assert smooth > plain + 1


@pytest.mark.filterwarnings("ignore:no data was given")
def test_errors_and_warnings() -> None:
    with pytest.raises(InvalidArgument, match=r'^balance = "smooth" needs data: it goes by the size of activations'):
        pack(transformer(), scheme="int4", config={"balance": "smooth"})
    with pytest.warns(UserWarning, match='balance = "equalise" changed nothing: the model has no pairs of layers'):
        pack(graphs.matmul(), {"x": graphs.weights(4, 64)}, scheme="int4", config={**QUICK, "balance": "equalise"})
    with pytest.raises(InvalidArgument, match="balance: Input should be 'none', 'equalise', 'smooth' or 'awq'"):
        pack(transformer(), inputs(), config={"balance": "best"})
