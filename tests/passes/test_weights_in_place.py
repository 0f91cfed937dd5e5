"""Weights that were rewritten at load lie where the file had them, unless somebody else reads the file's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import onnxlet
from tests.conformance.backends import BACKENDS
from tests.passes.graphs import Builder, make

rng = np.random.default_rng(23)


def normal(*shape: int) -> np.ndarray[Any, Any]:
    return rng.normal(0, 0.1, shape).astype(np.float32)


X = normal(3, 64)
PICTURE = normal(1, 16, 9, 9)
W = normal(64, 512)
FILTERS = normal(64, 16, 5, 5)
CHANNELS = (normal(64), normal(64), normal(64), np.abs(normal(64)) + 0.5)


def batch_norm(g: Builder, x: Any, weights: Any) -> Any:
    return g.BatchNormalization(g.Conv(x, weights), *CHANNELS)


def few_bits(g: Builder, x: Any, level: int) -> Any:
    numbers = rng.integers(0, 256, (512, 2, 16)).astype(np.uint8)
    scales = np.abs(normal(512 * 2))
    attributes = {"K": 64, "N": 512, "bits": 4, "block_size": 32, "accuracy_level": level}
    return g.MatMulNBits(x, numbers, scales, domain="com.microsoft", **attributes)


def whole(*shape: int) -> np.ndarray[Any, Any]:
    return rng.integers(-64, 64, shape, np.int8)


def whole_product(g: Builder, x: Any) -> Any:
    numbers, scale, zero = g.DynamicQuantizeLinear(x, outputs=3)
    return g.Mul(g.Cast(g.MatMulInteger(numbers, whole(64, 512), zero), to=1), g.Mul(scale, 0.01))


def whole_convolution(g: Builder, x: Any, out: int, into: int, size: int) -> Any:
    """Between DequantizeLinear and QuantizeLinear."""
    scale, zero = np.array(0.02, np.float32), np.array(128, np.uint8)
    numbers = g.DequantizeLinear(g.QuantizeLinear(x, scale, zero), scale, zero)
    weights = g.DequantizeLinear(whole(out, into, size, size), np.full(out, 0.01, np.float32), axis=0)
    return g.DequantizeLinear(g.QuantizeLinear(g.Conv(numbers, weights), scale, zero), scale, zero)


ALONE: dict[str, tuple[Callable[..., Any], np.ndarray[Any, Any]]] = {
    "MatMul": (lambda g, x: g.MatMul(x, W), X),
    "Gemm, transposed": (lambda g, x: g.Gemm(x, W.T.copy(), transB=1), X),
    "MatMul with folded transpose": (lambda g, x: g.MatMul(x, g.Transpose(W.T.copy(), perm=[1, 0])), X),
    "Conv": (lambda g, x: g.Conv(x, FILTERS), PICTURE),
    "MatMulNBits": (lambda g, x: few_bits(g, x, 0), X),
    "MatMulNBits, rounding": (lambda g, x: few_bits(g, x, 4), X),
    "MatMulInteger, rounding": (whole_product, X),
    "Conv of 8 bits, rounding": (lambda g, x: whole_convolution(g, x, 64, 16, 5), PICTURE),
    "pointwise Conv of 8 bits, rounding": (lambda g, x: whole_convolution(g, x, 256, 128, 1), normal(1, 128, 2, 2)),
    "Conv with folded BatchNormalization": (lambda g, x: batch_norm(g, x, FILTERS), PICTURE),
}


def session_of(model: bytes, engine: str) -> onnxlet.InferenceSession:
    return onnxlet.InferenceSession(model, _engine=engine)


ROUNDS = 2e-2  # activations of 8 bits


def agree(session: onnxlet.InferenceSession, model: bytes, feed: np.ndarray[Any, Any], atol: float = 1e-4) -> None:
    for got, want in zip(session.run(None, {"x0": feed}), BACKENDS["onnxruntime"]()(model).run([feed]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=atol)


@pytest.mark.parametrize("name", ALONE)
def test_packed_weights_take_no_memory_of_their_own(engine: str, name: str) -> None:
    expression, feed = ALONE[name]
    model = make(expression, [feed])
    session = session_of(model, engine)
    if engine != "native":  # which copies what the file has misaligned
        assert session.memory["in_use"] < len(model) / 4
    agree(session, model, feed, ROUNDS if "rounding" in name else 1e-4)
    session.close()


def named(g: Builder, array: np.ndarray[Any, Any]) -> str:
    """One initializer for several readers."""
    return g._name(array)


def read_twice(g: Builder, x: Any) -> Any:
    w = named(g, W)
    return g.MatMul(x, w), g.MatMul(g.Relu(x), w)


def read_otherwise(g: Builder, x: Any) -> Any:
    w = named(g, W)
    return g.MatMul(x, w), g.ReduceSum(w, keepdims=0)


def an_output(g: Builder, x: Any) -> Any:
    w = named(g, W)
    return g.MatMul(x, w), w


def reshaped(g: Builder, x: Any) -> Any:
    """Folded, the Reshape shows the same bytes under another name."""
    w = named(g, W)
    return g.MatMul(x, w), g.ReduceMax(g.Reshape(w, [512, 64]), axes=[1])


def scaled_once_of_two(g: Builder, x: Any) -> Any:
    w = named(g, FILTERS)
    return batch_norm(g, x, w), g.Conv(x, w)


def captured(g: Builder, x: Any) -> Any:
    w = named(g, W)
    branch = onnx.parser.parse_graph(f"b () => (float[64, 512] y) {{ y = Neg({w}) }}")
    other = onnx.parser.parse_graph(f"c () => (float[64, 512] z) {{ z = Abs({w}) }}")
    chosen = g.If(g.Greater(g.ReduceSum(x, keepdims=0), -1e9), then_branch=branch, else_branch=other)
    return g.MatMul(x, w), g.ReduceSum(chosen)


SHARED = [read_twice, read_otherwise, an_output, reshaped, scaled_once_of_two, captured]


@pytest.mark.parametrize("expression", SHARED, ids=lambda e: e.__name__)
def test_weights_that_others_read_stay_as_they_are(engine: str, expression: Callable[..., Any]) -> None:
    feed = PICTURE if expression is scaled_once_of_two else X
    model = make(expression, [feed])
    session = session_of(model, engine)
    for _ in range(2):
        agree(session, model, feed)
    session.close()


def test_overlapping_external_weights_stay_as_they_are(engine: str, tmp_path: Path) -> None:
    """Two tensors of one range, and a third that begins inside it."""
    model = onnx.load_from_string(make(lambda g, x: (g.MatMul(x, W), g.MatMul(x, W), g.Add(g.MatMul(x, W), 0.5)), [X]))
    begins = iter([0, 0, 4096])
    data = normal(64 * 512 + 1024)
    for tensor in model.graph.initializer:
        if len(tensor.dims) == 2:
            onnx.external_data_helper.set_external_data(tensor, "w.bin", next(begins), W.nbytes)
            tensor.ClearField("raw_data")
    (tmp_path / "w.bin").write_bytes(data.tobytes())
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    session = onnxlet.InferenceSession(tmp_path / "m.onnx", _engine=engine)
    first, second, third = session.run(None, {"x0": X})
    whole, inner = data[: W.size].reshape(W.shape), data[1024 : 1024 + W.size].reshape(W.shape)
    np.testing.assert_allclose(first, X @ whole, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(third, X @ inner + 0.5, rtol=1e-4, atol=1e-4)
    session.close()
