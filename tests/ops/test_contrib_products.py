"""Products of com.microsoft against onnxruntime: fused ones, those of 8-bit integers, and weights of few bits."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.test_contrib_attention import Draws
from tests.ops.test_moe import pack
from tests.support.oracle import within_oracle

Array = np.ndarray
DOMAIN: dict[str, Any] = {"domain": "com.microsoft", "rtol": 1e-4, "atol": 1e-4}
MS: dict[str, Any] = {**DOMAIN, "oracle": "onnxruntime"}
EXAMPLES = settings(max_examples=20)
ACTIVATIONS: dict[str, dict[str, float]] = {
    "Relu": {},
    "Tanh": {},
    "Sigmoid": {},
    "LeakyRelu": {"activation_alpha": 0.2},
    "HardSigmoid": {"activation_alpha": 0.3, "activation_beta": 0.4},
}


def activated(name: str, x: Array) -> Array:
    return np.asarray(
        {
            "Relu": np.maximum(x, 0),
            "Tanh": np.tanh(x),
            "Sigmoid": 1 / (1 + np.exp(-x)),
            "LeakyRelu": np.where(x < 0, 0.2 * x, x),
            "HardSigmoid": np.clip(0.3 * x + 0.4, 0, 1),
        }[name]
    )


def turned(x: Array, transposed: int, batch: int) -> Array:
    """What an operator with these attributes sees as x."""
    if transposed:
        x = x.swapaxes(-1, -2)
    return np.ascontiguousarray(np.moveaxis(x, -2, 0) if batch else x)


@given(data=st.data())
@EXAMPLES
def test_fused_matmul(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    m, n, k = d.one_of(1, 3, 7), d.one_of(1, 4, 9), d.one_of(1, 5, 8)
    batch = d.one_of((), (2,), (2, 3))
    a, b = d.normal(*batch, m, k), d.normal(*d.one_of((), batch), k, n)
    names = ["transA", "transB"]
    how: dict[str, Any] = {name: d.one_of(0, 1) for name in names}
    how["alpha"] = d.one_of(None, 0.5, -2.0)
    inputs = [turned(a, how["transA"], 0), turned(b, how["transB"], 0)]
    dtype = d.one_of(np.float32, np.float32, np.float64)
    inputs = [x.astype(dtype) for x in inputs]
    (want,) = check(backend, "FusedMatMul", inputs, outputs=[dtype], **how, **MS)
    # onnxruntime has kernels of its own for few types of the other two.
    check(backend, "TransposeMatMul", inputs, outputs=[dtype], oracle=[want], **how, **DOMAIN)
    name = d.one_of(*ACTIVATIONS)
    more = {**how, **ACTIVATIONS[name], "activation": name}
    check(backend, "FusedMatMulActivation", inputs, outputs=[dtype], oracle=[activated(name, want)], **more, **DOMAIN)


@given(data=st.data())
@EXAMPLES
def test_fused_matmul_with_transposed_batch(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    m, n, k = d.one_of(1, 3, 7), d.one_of(1, 4, 9), d.one_of(1, 5, 8)
    batch = d.one_of((2,), (2, 3))
    how: dict[str, Any] = {name: d.one_of(0, 1) for name in ("transA", "transB", "transBatchA", "transBatchB")}
    a = turned(d.normal(*batch, m, k), how["transA"], how["transBatchA"])
    b = turned(d.normal(*batch, k, n), how["transB"], how["transBatchB"])
    check(backend, "FusedMatMul", [a, b], **how, **MS)


@given(data=st.data(), activation=st.sampled_from(sorted(ACTIVATIONS)))
@EXAMPLES
def test_fused_gemm(backend: Prepare, data: st.DataObject, activation: str) -> None:
    d = Draws(data)
    m, n, k = d.one_of(1, 3, 7), d.one_of(1, 4, 9), d.one_of(1, 5, 8)
    how: dict[str, Any] = {"transA": d.one_of(0, 1), "transB": d.one_of(0, 1)}
    a, b = d.normal(m, k), d.normal(k, n)
    c = d.one_of(None, d.normal(n), d.normal(m, n), d.normal(m, 1), d.normal())
    inputs = [turned(a, how["transA"], 0), turned(b, how["transB"], 0), c]
    how |= {"alpha": d.one_of(None, 0.5), "beta": d.one_of(None, 2.0), "activation": activation}
    constants = [1] if data.draw(st.booleans()) else []
    (want,) = check(backend, "FusedGemm", inputs, constants=constants, **how, **ACTIVATIONS[activation], **MS)
    # onnxruntime's kernel takes float only.
    wide = [None if x is None else x.astype(np.float64) for x in inputs]
    more: dict[str, Any] = {**how, **ACTIVATIONS[activation], **DOMAIN}
    check(backend, "FusedGemm", wide, outputs=[np.float64], oracle=[want.astype(np.float64)], **more)


def draw_int8(d: Draws, *shape: int, signed: bool | None = None) -> Array:
    dtype = d.one_of(np.int8, np.uint8) if signed is None else np.int8 if signed else np.uint8
    info = np.iinfo(dtype)
    return d.rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def scales(d: Draws, n: int, per_column: bool) -> Array:
    return d.rng.uniform(0.005, 0.03, n if per_column else ()).astype(np.float32)


def zeros(d: Draws, like: Array, n: int, per_column: bool) -> Array:
    info = np.iinfo(like.dtype)
    return np.asarray(d.rng.integers(info.min, info.max, n if per_column else (), like.dtype, endpoint=True))


@given(data=st.data())
@EXAMPLES
def test_matmul_integer_to_float(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    m, n, k = d.one_of(1, 3, 17), d.one_of(1, 4, 33), d.one_of(1, 5, 31, 64)
    per_column = d.one_of(False, True)
    a, b = draw_int8(d, *d.one_of((), (2,)), m, k, signed=False), within_oracle(draw_int8(d, k, n))
    inputs = [
        a,
        b,
        scales(d, 1, False),
        scales(d, n, per_column),
        d.maybe(zeros(d, a, 1, False)),
        d.maybe(zeros(d, b, n, per_column)),
        d.maybe(d.normal(n)),
    ]
    constants = [1] if data.draw(st.booleans()) else []
    check(backend, "MatMulIntegerToFloat", inputs, outputs=[np.float32], constants=constants, **MS)


@given(data=st.data())
@EXAMPLES
def test_dynamic_quantize_matmul(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    m, n, k = d.one_of(1, 3, 17), d.one_of(1, 4, 33), d.one_of(1, 5, 31, 64)
    per_column = d.one_of(False, True)
    b = within_oracle(draw_int8(d, k, n))
    inputs = [
        d.normal(*d.one_of((), (2,)), m, k),
        b,
        scales(d, n, per_column),
        d.maybe(zeros(d, b, n, per_column)),
        d.maybe(d.normal(n)),
    ]
    constants = [1] if data.draw(st.booleans()) else []
    check(backend, "DynamicQuantizeMatMul", inputs, outputs=[np.float32], constants=constants, **MS)


@given(data=st.data(), to_float=st.booleans())
@EXAMPLES
def test_qgemm(backend: Prepare, data: st.DataObject, to_float: bool) -> None:
    d = Draws(data)
    m, n, k = d.one_of(1, 3, 17), d.one_of(1, 4, 33), d.one_of(1, 5, 31, 64)
    how: dict[str, Any] = {"transA": d.one_of(0, 1), "transB": d.one_of(0, 1), "alpha": d.one_of(None, 0.7)}
    per_column = d.one_of(False, True)
    signed = d.one_of(False, True)
    a = draw_int8(d, m, k, signed=signed)
    b = within_oracle(draw_int8(d, k, n, signed=signed or d.one_of(False, True)))
    inputs = [
        turned(a, how["transA"], 0),
        scales(d, 1, False),
        zeros(d, a, 1, False),
        turned(b, how["transB"], 0),
        scales(d, n, per_column),
        zeros(d, b, n, per_column),
        d.maybe(d.rng.integers(-5000, 5000, d.one_of((n,), (m, n), (1, n)), np.int32)),
    ]
    dtype: Any = np.float32
    if not to_float:
        dtype = a.dtype
        inputs += [np.array(0.5, np.float32), zeros(d, a, 1, False)]
    constants = [3] if data.draw(st.booleans()) else []
    check(backend, "QGemm", inputs, outputs=[dtype], constants=constants, **how, **MS)


@given(data=st.data())
@EXAMPLES
def test_qlinear_matmul(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    m, n, k = d.one_of(1, 3, 17), d.one_of(1, 4, 33), d.one_of(1, 5, 31, 64)
    signed = d.one_of(False, True)
    a, b = draw_int8(d, *d.one_of((), (2,)), m, k, signed=signed), draw_int8(d, k, n, signed=signed)
    parameters = [scales(d, 1, False), zeros(d, a, 1, False)]
    inputs = [a, *parameters, b, scales(d, 1, False), zeros(d, b, 1, False), np.array(0.5, np.float32), parameters[1]]
    # In onnxruntime the operator has a schema in com.microsoft and its kernel in ai.onnx.
    want = check(backend, "QLinearMatMul", inputs, outputs=[a.dtype], oracle="onnxruntime", opset=10)
    check(backend, "QLinearMatMul", inputs, outputs=[a.dtype], oracle=want, domain="com.microsoft")


@pytest.mark.parametrize("kind", ["int4", "uint4", "bytes"])
@given(data=st.data())
@EXAMPLES
def test_gather_block_quantized(backend: Prepare, kind: str, data: st.DataObject) -> None:
    d = Draws(data)
    block, rank = d.one_of(16, 32), d.one_of(2, 3)
    bits = d.one_of(2, 4, 8) if kind == "bytes" else 4
    quantize_axis = rank - 1 if kind == "bytes" else d.one_of(*range(rank))
    gather_axis = 0 if kind == "bytes" else d.one_of(*range(rank))
    shape = [d.one_of(2, 5) for _ in range(rank)]
    if gather_axis == quantize_axis:
        quantize_axis = (gather_axis + 1) % rank
    shape[quantize_axis] = d.one_of(block, 3 * block, block + 8)
    blocks = shape.copy()
    blocks[quantize_axis] = -(-shape[quantize_axis] // block)
    float_type = d.one_of(np.float32, np.float16)
    if kind == "bytes":
        values = pack(d.rng.integers(0, 1 << bits, shape), bits)
        zero = pack(d.rng.integers(0, 1 << bits, blocks), bits)
    else:
        low, dtype = (-8, ml_dtypes.int4) if kind == "int4" else (0, ml_dtypes.uint4)
        values, zero = (d.rng.integers(low, low + 16, s).astype(dtype) for s in (shape, blocks))
    n = shape[gather_axis]
    inputs = [
        values,
        d.rng.integers(-n, n, d.one_of((), (3,), (2, 2)), d.one_of(np.int32, np.int64)),
        d.rng.uniform(0.1, 1, blocks).astype(float_type),
        d.maybe(zero),
    ]
    how: dict[str, Any] = {"block_size": block, "gather_axis": gather_axis - d.one_of(0, rank)}
    how |= {"quantize_axis": quantize_axis - d.one_of(0, rank), "bits": bits}
    constants = [0] if inputs[3] is None else [0, 3]
    check(backend, "GatherBlockQuantized", inputs, outputs=[float_type], constants=constants, **how, **MS)


@given(data=st.data(), direction=st.sampled_from(["forward", "reverse", "bidirectional"]))
@settings(max_examples=25)
def test_dynamic_quantize_lstm(backend: Prepare, data: st.DataObject, direction: str) -> None:
    d = Draws(data)
    count = 2 if direction == "bidirectional" else 1
    seq, batch, size, hidden = d.one_of(1, 4), d.one_of(1, 3), d.one_of(3, 8), d.one_of(2, 8)
    per_column, signed = d.one_of(False, True), d.one_of(False, True)
    spread = (count, 4 * hidden) if per_column else (count,)

    def weights(rows: int) -> list[Array]:
        w = within_oracle(draw_int8(d, count, rows, 4 * hidden, signed=signed))
        # onnxruntime wants zero points that are the same for every column.
        zero = np.full(spread, 0 if signed else 128, w.dtype)
        return [w, d.rng.uniform(0.001, 0.004, spread).astype(np.float32), zero]

    w, r = weights(size), weights(hidden)
    inputs = [
        d.normal(seq, batch, size),
        w[0],
        r[0],
        d.maybe(d.normal(count, 8 * hidden)),
        d.maybe(d.rng.integers(1, seq, batch, np.int32, endpoint=True)),
        d.maybe(d.normal(count, batch, hidden)),
        d.maybe(d.normal(count, batch, hidden)),
        d.maybe(d.normal(count, 3 * hidden)),
        *w[1:],
        *r[1:],
    ]
    how: dict[str, Any] = {"direction": direction, "hidden_size": hidden}
    loose = {**MS, "rtol": 1e-3, "atol": 5e-3}  # a state between two steps of 8 bits may round either way
    fixed = [1, 2, 8, 9, 10, 11]
    check(backend, "DynamicQuantizeLSTM", inputs, outputs=[np.float32] * 3, constants=fixed, **how, **loose)


@given(data=st.data(), quant_type=st.sampled_from([0, 1]))
@EXAMPLES
def test_matmul_bnb4(backend: Prepare, data: st.DataObject, quant_type: int) -> None:
    d = Draws(data)
    block, k, n = d.one_of(16, 64), d.one_of(16, 48, 64), d.one_of(1, 7, 16)
    inputs = [
        d.normal(*d.one_of((), (2,)), d.one_of(1, 3, 9), k),
        d.rng.integers(0, 256, (k * n + 1) // 2, np.uint8),
        d.rng.uniform(0.1, 1, -(-k * n // block)).astype(np.float32),
    ]
    how = {"K": k, "N": n, "block_size": block, "quant_type": quant_type}
    check(backend, "MatMulBnb4", inputs, outputs=[np.float32], **how, **MS)


@given(data=st.data())
@EXAMPLES
def test_inverse(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    n = d.one_of(1, 2, 3, 5, 9)
    dtype = d.one_of(np.float32, np.float64)
    x = (d.normal(*d.one_of((), (2,), (2, 3)), n, n) + 3 * np.eye(n)).astype(dtype)
    check(backend, "Inverse", [x], outputs=[dtype], **{**MS, "rtol": 1e-3, "atol": 1e-3})


def test_refusals(backend: Prepare) -> None:
    a = np.zeros((2, 3), np.float32)
    for op, inputs, how, text in [
        ("FusedMatMulActivation", [a, a.T], {"activation": "Sin"}, "fused activation 'Sin' is not known"),
        (
            "FusedGemm",
            [a.astype(np.int32)] * 2,
            {"activation": "Relu", "transB": 1},
            "activation for element type int32",
        ),
        ("Inverse", [a], {}, r"\[2,3\]"),
    ]:
        model = make_model(op, inputs, domain="com.microsoft", outputs=[inputs[0].dtype], **how)
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, model, inputs)
