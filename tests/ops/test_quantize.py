"""QuantizeLinear and its kin: per tensor, per axis, in blocks, to every type; com.microsoft's 8-bit arithmetic."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run

INTEGERS = [
    np.dtype(t)
    for t in (np.uint8, np.int8, np.uint16, np.int16, ml_dtypes.uint4, ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.int2)
]
SMALL = [np.dtype(t) for t in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float4_e2m1fn)]
SHAPES = [(2, 3, 5), (3, 33), (7,), (1, 4, 2, 9), (0, 3), (300, 3), (2, 9000)]


def number(dtype: Any) -> int:
    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def parameters(
    shape: tuple[int, ...], dtype: np.dtype[Any], scale_dtype: Any = np.float32
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    scale = rng.uniform(0.02, 0.5, shape).astype(scale_dtype)
    info: Any = ml_dtypes.iinfo(dtype) if dtype in INTEGERS else None  # type: ignore[no-untyped-call]
    low, high = (int(info.min), int(info.max)) if info else (0, 0)
    return scale, rng.integers(low, high, shape, endpoint=True).astype(dtype)


def granularities(shape: tuple[int, ...]) -> list[tuple[tuple[int, ...], int, int]]:
    """(shape of the scale, axis, block_size)"""
    out: list[tuple[tuple[int, ...], int, int]] = [((), 1, 0), ((1,), 0, 0)]
    for axis in range(len(shape)):
        out += [((shape[axis],), axis, 0), ((shape[axis],), axis - len(shape), 0)]
        for block in (2, 3, 64):
            blocks = -(-shape[axis] // block)
            out.append(((*shape[:axis], blocks, *shape[axis + 1 :]), axis, block))
    return out


@pytest.mark.parametrize("dtype", INTEGERS + SMALL, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_round_trip(backend: Prepare, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    x = np.random.default_rng(1).normal(0, 3, shape).astype(np.float32)
    for scale_shape, axis, block in granularities(shape):
        if dtype in SMALL and 0 in scale_shape:
            continue  # the reference fails
        scale, zero = parameters(scale_shape, dtype)
        how: dict[str, Any] = {"opset": 25, "axis": axis, "block_size": block}
        (q,) = check(backend, "QuantizeLinear", [x, scale, zero], outputs=[dtype], **how)
        check(backend, "DequantizeLinear", [q, scale, zero], outputs=[np.float32], **how)
        check(backend, "DequantizeLinear", [q, scale], outputs=[np.float32], **how)


@pytest.mark.parametrize("dtype", INTEGERS + SMALL, ids=str)
def test_output_dtype_without_zero_point(backend: Prepare, dtype: np.dtype[Any]) -> None:
    x = np.linspace(-9, 9, 41).astype(np.float32)
    check(backend, "QuantizeLinear", [x, np.float32(0.7)], opset=25, output_dtype=number(dtype), outputs=[dtype])


@pytest.mark.parametrize("x_dtype", [np.float16, ml_dtypes.bfloat16], ids=str)
def test_half_precision_quotient(backend: Prepare, x_dtype: Any) -> None:
    x = np.random.default_rng(2).normal(0, 5, (4, 37)).astype(x_dtype)
    scale, zero = parameters((4,), np.dtype(np.int8), x_dtype)
    how: dict[str, Any] = {"opset": 23, "axis": 0}
    (q,) = check(backend, "QuantizeLinear", [x, scale, zero], outputs=[np.int8], **how)
    check(backend, "QuantizeLinear", [x, scale, zero], outputs=[np.int8], precision=TensorProto.FLOAT, **how)
    want = ((q.astype(np.float32) - zero.astype(np.float32)[:, None]) * scale.astype(np.float32)[:, None]).astype(
        x_dtype
    )
    (got,) = run(backend, make_model("DequantizeLinear", [q, scale, zero], outputs=[x_dtype], **how), [q, scale, zero])
    np.testing.assert_array_equal(got.astype(np.float32), want.astype(np.float32))


def test_limits(backend: Prepare) -> None:
    x = np.array([-np.inf, -1e30, -2.5, -1.5, 0.5, 1.5, 2.5, 1e30, np.inf], np.float32)
    want = np.array([0, 0, 126, 126, 128, 130, 130, 255, 255], np.uint8)
    check(backend, "QuantizeLinear", [x, np.float32(1), np.uint8(128)], opset=10, oracle=[want])
    check(
        backend,
        "QuantizeLinear",
        [np.array([-400, 5, 400], np.int32), np.float32(2), np.int8(1)],
        opset=13,
        oracle=[np.array([-128, 3, 127], np.int8)],
    )
    check(
        backend,
        "DequantizeLinear",
        [np.array([-400, 2**30], np.int32), np.float32(0.5)],
        opset=10,
        oracle=[np.array([-200, 2**29], np.float32)],
    )


def test_refusals(backend: Prepare) -> None:
    x = np.zeros((2, 5), np.float32)
    cases: list[tuple[Any, dict[str, Any], str]] = [
        (np.ones(3, np.float32), {"axis": 1}, "needs 5 elements; it has 3"),
        (np.ones((2, 2), np.float32), {"axis": 1, "block_size": 2}, r"need a scale of shape \[2,3\]; it is \[2,2\]"),
        (np.ones(5, np.float32), {"axis": 2}, "axis"),
    ]
    for scale, how, text in cases:
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, make_model("QuantizeLinear", [x, scale], opset=21, outputs=[np.uint8], **how), [x, scale])


@pytest.mark.parametrize("x", [[-3, 0, 7.5], [2, 5], [-8, -1], [0, 0], [0.1] * 70001, []], ids=lambda v: str(v[:3]))
def test_dynamic_quantize_linear(backend: Prepare, x: list[float]) -> None:
    values = np.array(x, np.float32)
    oracle: Any = "onnxruntime" if values.size else [np.zeros(0, np.uint8), np.float32(1), np.uint8(0)]
    check(backend, "DynamicQuantizeLinear", [values], outputs=3, opset=11, oracle=oracle)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize(
    ("left", "right"), [((2, 3, 5), (2, 3, 5)), ((4, 33), (33,)), ((6,), ()), ((3, 1), (1, 4)), ((0, 2), (2,))], ids=str
)
@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_qlinear_arithmetic(
    backend: Prepare, op: str, left: tuple[int, ...], right: tuple[int, ...], dtype: Any
) -> None:
    info = np.iinfo(dtype)
    rng = np.random.default_rng(3)
    a, b = (rng.integers(info.min, info.max, shape, endpoint=True).astype(dtype) for shape in (left, right))
    zeros = [dtype(v) for v in (5, 9, 3)]
    scales = [np.float32(v) for v in (0.1, 0.07, 0.3)]
    inputs = [a, scales[0], zeros[0], b, scales[1], zeros[1], scales[2], zeros[2]]
    (got,) = run(backend, make_model(op, inputs, domain="com.microsoft", outputs=[dtype]), inputs)
    real = [(v.astype(np.float64) - int(z)) * s for v, z, s in zip((a, b), zeros, scales, strict=False)]
    exact = (real[0] + real[1] if op == "QLinearAdd" else real[0] * real[1]) / scales[2] + int(zeros[2])
    want = np.clip(exact, info.min, info.max)
    assert got.shape == want.shape
    assert np.all(np.abs(got - want) <= 0.5001)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("op", ["QLinearLeakyRelu", "QLinearSigmoid"])
def test_qlinear_activation(backend: Prepare, op: str, dtype: Any) -> None:
    info = np.iinfo(dtype)
    x = np.arange(info.min, info.max + 1).astype(dtype).reshape(2, 128)
    for zero_in, zero_out in itertools.product((0, 11), (0, 3)):
        inputs = [x, np.float32(0.05), dtype(zero_in), np.float32(0.02), dtype(zero_out)]
        how: dict[str, Any] = {"alpha": 0.2} if op == "QLinearLeakyRelu" else {}
        (got,) = run(backend, make_model(op, inputs, domain="com.microsoft", outputs=[dtype], **how), inputs)
        real = (x.astype(np.float64) - zero_in) * 0.05
        real = np.where(real < 0, 0.2 * real, real) if op == "QLinearLeakyRelu" else 1 / (1 + np.exp(-real))
        want = np.clip(real / 0.02 + zero_out, info.min, info.max)
        assert np.all(np.abs(got - want) <= 0.5001)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16])
def test_contrib_domain(backend: Prepare, dtype: Any) -> None:
    x = np.linspace(-9, 9, 42).reshape(6, 7).astype(np.float32)
    scale, zero = parameters((7,), np.dtype(dtype))
    how: dict[str, Any] = {"domain": "com.microsoft", "axis": 1, "oracle": "onnxruntime"}
    (q,) = check(backend, "QuantizeLinear", [x, scale, zero], outputs=[dtype], **how)
    check(backend, "DequantizeLinear", [q, scale, zero], outputs=[np.float32], **how)
