"""Every scheme on every kind of layer: what is written gives, in both engines, what its codes stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import pytest

import onnxlet
from onnxlet.packing.build import Prepared, build, calibrate, decide, grid_of, prepare
from onnxlet.packing.config import Config, Int8Dynamic, Int8Static, WeightOnly, make_config
from onnxlet.packing.data import read_samples
from onnxlet.packing.methods import METHODS
from onnxlet.packing.store import weight_bytes

from . import graphs

MODELS: dict[str, Callable[[], onnx.ModelProto]] = {
    "matmul": graphs.matmul,
    "gemm": graphs.gemm,
    "gemm-not-transposed": lambda: graphs.gemm(trans_b=0),
    "conv": graphs.conv,
    "conv-transpose": graphs.conv_transpose,
    "lstm": graphs.lstm,
    "tied": graphs.tied,
    "tied-through-transpose": lambda: graphs.tied(through_transpose=True),
}
FEEDS: dict[str, dict[str, np.ndarray]] = {
    "matmul": {"x": graphs.weights(3, 64, seed=5)},
    "gemm": {"x": graphs.weights(3, 64, seed=5)},
    "gemm-not-transposed": {"x": graphs.weights(3, 64, seed=5)},
    "conv": {"x": graphs.weights(2, 8, 9, 7, seed=5)},
    "conv-transpose": {"x": graphs.weights(2, 8, 5, 5, seed=5)},
    "lstm": {"x": graphs.weights(5, 2, 16, seed=5)},
    "tied": {"ids": np.array([[3, 39, 0]])},
    "tied-through-transpose": {"ids": np.array([[3, 39, 0], [1, 1, 2]])},
}
WEIGHT_ONLY = ["int8", "int8:symmetric=false", "int4", "int4:block=16,symmetric=false", "int4:block=0", "int2:block=16"]
NBITS = [
    f"{scheme}{',' if ':' in scheme else ':'}form=nbits"
    for scheme in [*WEIGHT_ONLY[2:4], WEIGHT_ONLY[5], "int8:block=32"]
]


def packed(
    model: onnx.ModelProto, scheme: str, feeds: dict[str, np.ndarray] | None = None
) -> tuple[onnx.ModelProto, Prepared]:
    """The packed model, without the proof that `pack` adds."""
    config = make_config({"min_elements": 0}, scheme=scheme)
    prepared = prepare(ir.from_proto(model))
    decisions = {layer.name: decide(layer, config) for layer in prepared.survey.layers}
    samples = None
    if feeds is not None:
        with onnxlet.InferenceSession(model.SerializeToString()) as session:
            samples = read_samples([feeds], session.get_inputs(), 0, 0)
    observed = calibrate(prepared, {name: d.scheme for name, d in decisions.items()}, samples, None)
    written = ir.to_proto(build(prepared, decisions, observed, config).model)
    onnx.checker.check_model(written, full_check=True)
    return written, prepared


def with_rounded_weights(prepared: Prepared, config: Config) -> onnx.ModelProto:
    """The float model whose weights are what the codes stand for: the oracle of schemes that keep activations float."""
    for layer in prepared.survey.layers:
        scheme = decide(layer, config).scheme
        assert isinstance(scheme, WeightOnly | Int8Dynamic | Int8Static)
        codes = METHODS[scheme.method].quantize(layer.rows(), grid_of(scheme, layer.columns))
        layer.weight.const_value = ir.tensor(layer.from_rows(codes.dequantize()), name=layer.weight.name)
    return ir.to_proto(prepared.model)


def on_onnxruntime(model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    # Its optimizer rounds activations to 8 bits where weights have 4 or 8.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, dict(feeds))[0])


def on_onnxlet(model: onnx.ModelProto, feeds: Mapping[str, np.ndarray]) -> np.ndarray:
    with onnxlet.InferenceSession(model.SerializeToString()) as session:
        return np.asarray(session.run(None, dict(feeds))[0])


def operators(model: onnx.ModelProto) -> Counter[str]:
    return Counter(node.op_type for node in model.graph.node)


def stored(model: onnx.ModelProto) -> int:
    return weight_bytes(ir.from_proto(model))


@pytest.mark.parametrize("scheme", [*WEIGHT_ONLY, *NBITS])
@pytest.mark.parametrize("name", MODELS)
def test_weights_alone(name: str, scheme: str) -> None:
    written, prepared = packed(MODELS[name](), scheme)
    expected = on_onnxruntime(
        with_rounded_weights(prepared, make_config({"min_elements": 0}, scheme=scheme)), FEEDS[name]
    )
    scale = np.abs(expected).max()
    np.testing.assert_allclose(on_onnxlet(written, FEEDS[name]), expected, atol=2e-6 * scale, rtol=1e-5)
    np.testing.assert_allclose(on_onnxruntime(written, FEEDS[name]), expected, atol=2e-6 * scale, rtol=1e-5)


@pytest.mark.parametrize(
    ("scheme", "share"), [("int8", 0.36), ("int4", 0.29), ("int2", 0.23), ("int4:form=nbits", 0.29)]
)
@pytest.mark.parametrize("name", ["matmul", "tied", "tied-through-transpose"])
def test_sizes(name: str, scheme: str, share: float) -> None:
    """Codes and scales, once, also where the weight is tied."""
    model = MODELS[name]()
    written, _ = packed(model, scheme)
    codes = stored(model) * {"int8": 8, "int4": 4, "int2": 2}[scheme.partition(":")[0]] // 32
    assert codes <= stored(written) <= share * stored(model)


@pytest.mark.parametrize("name", ["matmul", "gemm", "gemm-not-transposed", "conv"])
def test_int8_dynamic(name: str) -> None:
    written, prepared = packed(MODELS[name](), "int8-dynamic")
    assert operators(written)["DynamicQuantizeLinear"] == 1
    assert operators(written)["ConvInteger" if name == "conv" else "MatMulInteger"] == 1
    rounded = on_onnxruntime(with_rounded_weights(prepared, Config(min_elements=0)), FEEDS[name])
    ours, theirs = on_onnxlet(written, FEEDS[name]), on_onnxruntime(written, FEEDS[name])
    np.testing.assert_allclose(ours, theirs, atol=2e-6 * np.abs(rounded).max(), rtol=1e-5)
    # What rounding the activations to 8 bits may do: half a step for each of the summed products.
    x = next(iter(FEEDS[name].values()))
    step = (max(x.max(), 0) - min(x.min(), 0)) / 255
    weight = prepared.survey.layers[0].rows()
    assert np.abs(ours - rounded).max() <= 0.55 * step * np.abs(weight).sum(1).max()


def test_activations_are_quantized_once_for_all_that_read_them() -> None:
    nodes = [graphs.node("MatMul", ["x", w], y) for w, y in (("q", "a"), ("k", "b"))]
    nodes.append(graphs.node("Add", ["a", "b"], "y"))
    constants = {"q": graphs.weights(64, 48), "k": graphs.weights(64, 48, seed=1)}
    written, _ = packed(graphs.model(nodes, constants, {"x": [3, 64]}), "int8-dynamic")
    assert operators(written)["DynamicQuantizeLinear"] == 1 and operators(written)["MatMulInteger"] == 2


@pytest.mark.parametrize("activations", ["uint8", "int8"])
def test_int8_static(activations: str) -> None:
    feeds = graphs.images()
    model = graphs.cnn()
    written, _ = packed(model, f"int8-static:activations={activations}", feeds)
    expected = on_onnxruntime(model, feeds)
    ours = on_onnxlet(written, feeds)
    # Every operator stands between 8-bit numbers.
    kinds = operators(written)
    assert kinds["QuantizeLinear"] == 7 and kinds["BatchNormalization"] == 0
    assert np.abs(ours - expected).max() < 0.03 * np.abs(expected).max()
    with onnxlet.InferenceSession(written.SerializeToString(), _options(profile=True)) as session:
        session.run(None, feeds)
        ran = {entry["op_type"] for entry in session.profile()}
    assert {"QLinearConv", "QGemm", "QLinearAdd", "QLinearGlobalAveragePool"} <= ran
    assert not {"Conv", "Gemm", "Add"} & ran


def _options(profile: bool) -> onnxlet.SessionOptions:
    options = onnxlet.SessionOptions()
    options.enable_profiling = profile
    return options


def test_fp16() -> None:
    model = graphs.gemm()
    written, _ = packed(model, "fp16")
    (half,) = [t for t in written.graph.initializer if t.data_type == onnx.TensorProto.FLOAT16]
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(half), graphs.weights(48, 64).astype(np.float16))
    feeds = FEEDS["gemm"]
    assert np.abs(on_onnxlet(written, feeds) - on_onnxruntime(model, feeds)).max() < 0.02


def test_fp16_overflow_is_named_and_the_weight_kept() -> None:
    large = graphs.weights(64, 48)
    large[3, 4] = 70000
    model = graphs.model([graphs.node("MatMul", ["x", "w"], "y")], {"w": large}, {"x": [3, 64]})
    prepared = prepare(ir.from_proto(model))
    decision = decide(prepared.survey.layers[0], make_config(None, scheme="fp16"))
    assert decision.scheme.kind == "keep"
    assert decision.reason == "its weights reach 70000, beyond float16's largest number 65504: it stays float32"


@pytest.mark.parametrize(
    ("name", "scheme"), [("lstm", "int8-dynamic"), ("conv-transpose", "int8-static"), ("tied", "int8-dynamic")]
)
def test_layers_without_a_form_fall_back(name: str, scheme: str) -> None:
    prepared = prepare(ir.from_proto(MODELS[name]()))
    for layer in prepared.survey.layers:
        decision = decide(layer, make_config({"min_elements": 0}, scheme=scheme))
        assert decision.scheme == WeightOnly(bits=8, block=0) and decision.reason


@pytest.mark.parametrize(
    ("scheme", "opset", "written_opset"),
    [
        ("int8-dynamic", 17, 17),
        ("int8", 11, 13),
        ("int4", 17, 21),
        ("int4:form=nbits", 17, 17),
        ("int2", 17, 25),
        ("fp16", 11, 11),
    ],
)
def test_opset_is_raised_only_where_the_form_needs_it(scheme: str, opset: int, written_opset: int) -> None:
    written, _ = packed(graphs.matmul(opset=opset), scheme)
    assert {i.domain: i.version for i in written.opset_import}[""] == written_opset


def test_weights_in_subgraphs() -> None:
    """A constant of a branch is packed where it stands, one of the outer graph once for both branches."""
    inner = graphs.model([graphs.node("MatMul", ["x", "w"], "t")], {}, {"x": [3, 64]}, "t").graph
    other = graphs.model(
        [graphs.node("MatMul", ["x", "v"], "e")], {"v": graphs.weights(64, 48, seed=1)}, {"x": [3, 64]}, "e"
    ).graph
    for graph in (inner, other):
        del graph.input[:]
    branch: Any = onnx.helper.make_node("If", ["c"], ["y"], name="if", then_branch=inner, else_branch=other)
    model = graphs.model(
        [branch], {"w": graphs.weights(64, 48)}, {"c": [], "x": [3, 64]}, kinds={"c": onnx.TensorProto.BOOL}
    )
    for scheme in ("int8", "int4", "int8-dynamic", "int4:form=nbits", "fp16"):
        written, prepared = packed(model, scheme)
        assert len(prepared.survey.layers) == 2
        assert stored(written) < 0.7 * stored(model)
        for condition in (True, False):
            feeds = {"c": np.array(condition), "x": graphs.weights(3, 64, seed=5)}
            expected = on_onnxruntime(model, feeds)
            for found in (on_onnxlet(written, feeds), on_onnxruntime(written, feeds)):
                assert np.abs(found - expected).max() < 0.15 * np.abs(expected).max()
