"""MoE and QMoE of com.microsoft: against onnxruntime where its CPU kernels take the attributes, else against the
formulas of its document."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run

CLOSE: dict[str, Any] = {"domain": "com.microsoft", "rtol": 1e-3, "atol": 1e-4}
EXAMPLES = settings(max_examples=8)
Array = np.ndarray


@dataclass
class Experts:
    """Sizes, and float weights and biases of the three products (the third may be absent)."""

    tokens: int
    hidden: int
    inner: int
    count: int
    weights: list[Array | None]
    biases: list[Array | None]
    x: Array
    scores: Array


def draw_experts(data: st.DataObject, parts: int, third: bool, multiple: int = 1) -> Experts:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    tokens, count = data.draw(st.sampled_from([1, 2, 5, 9])), data.draw(st.integers(2, 6))
    hidden, inner = (multiple * data.draw(st.integers(1, 3)) for _ in range(2))
    rows = [(parts * inner, hidden), (hidden, inner), *([(inner, hidden)] if third else [])]
    bias = data.draw(st.booleans())

    def normal(*shape: int) -> Array:
        return rng.normal(size=shape).astype(np.float32)

    weights: list[Array | None] = [normal(count, n, k) / np.float32(math.sqrt(k)) for n, k in rows]
    biases: list[Array | None] = [normal(count, n) if bias else None for n, _ in rows]
    if not third:
        weights.append(None)
        biases.append(None)
    return Experts(tokens, hidden, inner, count, weights, biases, normal(tokens, hidden), normal(tokens, count))


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def activate(h: Array, up: Array | None, how: dict[str, Any]) -> Array:
    kind, fusion = how.get("activation_type", "relu"), how.get("swiglu_fusion", 0)
    limit, beta = how.get("swiglu_limit", np.inf), how.get("activation_beta", 0.0)
    if fusion == 1:
        h, up = h[..., ::2], h[..., 1::2]
    elif fusion == 2:
        h, up = np.split(h, 2, axis=-1)
    if kind == "swiglu":
        assert up is not None
        after = how.get("swiglu_limit_after_activation", 0)
        gate = h if after else np.minimum(h, limit)
        gate = gate * sigmoid(how.get("activation_alpha", 1.0) * gate)
        return (np.minimum(gate, limit) if after else gate) * (np.clip(up, -limit, limit) + beta)
    tanh_gelu = 0.5 * h * (1 + np.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
    acted = {
        "relu": np.maximum(h, 0),
        "relu2": np.maximum(h, 0) ** 2,
        "gelu": tanh_gelu,
        "geglu": tanh_gelu,
        "silu": h * sigmoid(h),
        "identity": h,
    }[kind]
    return acted if up is None else acted * up


def formula(e: Experts, weights: list[Array | None], how: dict[str, Any], mixing: Array | None = None) -> Array:
    def product(x: Array, i: int, expert: int) -> Array:
        w, b = weights[i], e.biases[i]
        assert w is not None
        return x @ w[expert].T.astype(np.float64) + (0 if b is None else b[expert])

    y = np.zeros((e.tokens, e.hidden))
    probabilities = np.exp(e.scores - e.scores.max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    for t in range(e.tokens):
        chosen = np.argsort(-e.scores[t])[: how.get("k", 1)]
        share = (probabilities if mixing is None else mixing)[t, chosen]
        if how.get("normalize_routing_weights", 0):
            share = share / share.sum()
        for s, expert in zip(share, chosen, strict=True):
            up = None if weights[2] is None else product(e.x[t], 2, expert)
            y[t] += s * product(activate(product(e.x[t], 0, expert), up, how), 1, expert)
    return y.astype(np.float32)


def common(data: st.DataObject) -> dict[str, Any]:
    return {"k": data.draw(st.integers(1, 2)), "normalize_routing_weights": data.draw(st.integers(0, 1))}


def shaped(e: Experts, data: st.DataObject) -> Array:
    """The input as [tokens, hidden] or [1, tokens, hidden]."""
    return e.x[None] if data.draw(st.booleans()) else e.x


@pytest.mark.parametrize("kind", ["relu", "gelu", "silu", "identity", "swiglu"])
@given(data=st.data())
@EXAMPLES
def test_moe(backend: Prepare, kind: str, data: st.DataObject) -> None:
    how = {**common(data), "activation_type": kind}
    if kind == "swiglu":
        how |= {"swiglu_fusion": 1, "activation_alpha": 1.7, "activation_beta": 1.0, "swiglu_limit": 0.5}
    e = draw_experts(data, 2 if kind == "swiglu" else 1, False)
    inputs = [shaped(e, data), e.scores, e.weights[0], e.biases[0], e.weights[1], e.biases[1]]
    check(backend, "MoE", inputs, oracle="onnxruntime", **CLOSE, **how)


# What onnxruntime's CPU kernel refuses.
@pytest.mark.parametrize(
    ("how", "third"),
    [
        ({"activation_type": "silu"}, True),
        ({"activation_type": "relu2"}, False),
        ({"activation_type": "geglu", "swiglu_fusion": 1}, False),
        ({"activation_type": "geglu", "swiglu_fusion": 2}, False),
        ({"activation_type": "swiglu"}, True),
        ({"activation_type": "swiglu", "swiglu_fusion": 2, "swiglu_limit": 0.5}, False),
        (
            {
                "activation_type": "swiglu",
                "swiglu_fusion": 1,
                "swiglu_limit": 0.3,
                "swiglu_limit_after_activation": 1,
                "activation_beta": 1.0,
            },
            False,
        ),
    ],
    ids=str,
)
@given(data=st.data())
@EXAMPLES
def test_moe_by_formula(backend: Prepare, how: dict[str, Any], third: bool, data: st.DataObject) -> None:
    how = {**how, **common(data)}
    e = draw_experts(data, 2 if how.get("swiglu_fusion") else 1, third)
    inputs = [e.x, e.scores, *(v for pair in zip(e.weights, e.biases, strict=True) for v in pair)]
    check(backend, "MoE", inputs, oracle=[formula(e, e.weights, how)], outputs=[np.float32], **CLOSE, **how)


def test_moe_in_half_precision(backend: Prepare) -> None:
    rng = np.random.default_rng(0)
    x, scores, w1, w2 = (rng.normal(size=s).astype(np.float16) for s in ((5, 8), (5, 3), (3, 16, 8), (3, 8, 16)))
    e = Experts(5, 8, 16, 3, [w1, w2, None], [None] * 3, x.astype(np.float32), scores.astype(np.float32))
    want = formula(e, e.weights, {"k": 2}).astype(np.float16)
    how: dict[str, Any] = {"domain": "com.microsoft", "outputs": [np.float16], "k": 2}
    check(backend, "MoE", [x, scores, w1, None, w2], oracle=[want], rtol=5e-3, atol=5e-3, **how)


def pack(values: Array, bits: int) -> Array:
    """Along the last axis, lowest bits of a byte first."""
    each = values[..., None].astype(np.int64) >> np.arange(bits) & 1
    return np.packbits(each.reshape(*values.shape[:-1], -1).astype(np.uint8), axis=-1, bitorder="little")


def quantized(
    weights: Array, bits: int, block: int, zero_points: bool, seed: int
) -> tuple[Array, Array, Array | None, Array]:
    """Packed numbers, scales, packed zero points and what they stand for; block 0: one scale per row."""
    rng = np.random.default_rng(seed)
    experts, n, k = weights.shape
    blocks = k // block if block else 1
    q = rng.integers(0, 1 << bits, (experts, n, blocks, k // blocks))
    scales = rng.uniform(0.5, 1.5, (experts, n, blocks)).astype(np.float32) / np.float32((1 << bits) * math.sqrt(k))
    zeros = rng.integers(0, 1 << bits, (experts, n, blocks)) if zero_points else None
    real = (q - (1 << (bits - 1) if zeros is None else zeros[..., None])) * scales[..., None]
    packed_zeros = None
    if zeros is not None:
        packed_zeros = pack(zeros, bits) if block else pack(zeros[..., 0], bits)
    return (
        pack(q.reshape(experts, n, k), bits),
        scales if block else scales[..., 0],
        packed_zeros,
        real.reshape(experts, n, k),
    )


def qmoe_inputs(
    e: Experts, bits: list[int], block: int, zero_points: bool, mixing: Array | None = None
) -> tuple[list[Any], list[Array | None]]:
    """The operator's inputs, and the experts' weights as numbers."""
    inputs: list[Any] = [e.x, e.scores]
    zeros: list[Array | None] = []
    real: list[Array | None] = []
    for i, (w, bias) in enumerate(zip(e.weights, e.biases, strict=True)):
        data, scales, zero, values = (None,) * 4 if w is None else quantized(w, bits[i], block, zero_points, i)
        inputs += [data, scales, bias]
        zeros.append(zero)
        real.append(values)
    return [*inputs, *zeros, mixing], real


def softmax_of_chosen(how: dict[str, Any], mixing: Array | None) -> dict[str, Any]:
    """QMoE always normalizes its own shares, and router_weights only when told to."""
    return how if mixing is not None else {**how, "normalize_routing_weights": 1}


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("zero_points", [False, True])
@pytest.mark.parametrize("kind", ["silu", "swiglu"])
@given(data=st.data())
@settings(max_examples=6)
def test_qmoe(backend: Prepare, bits: int, zero_points: bool, kind: str, data: st.DataObject) -> None:
    block = data.draw(st.sampled_from([0, 16, 32]))
    how = {**common(data), "activation_type": kind, "expert_weight_bits": bits, "block_size": block or None}
    if kind == "swiglu":
        how |= {"swiglu_fusion": 1, "activation_alpha": 1.7, "activation_beta": 1.0, "swiglu_limit": 0.5}
    e = draw_experts(data, 2 if kind == "swiglu" else 1, False, multiple=32)
    mixing = abs(e.scores[::-1]) + np.float32(0.1) if data.draw(st.booleans()) else None
    inputs, real = qmoe_inputs(e, [bits] * 3, block, zero_points, mixing)
    want = formula(e, real, softmax_of_chosen(how, mixing), mixing)
    check(backend, "QMoE", inputs, oracle=[want], outputs=[np.float32], **CLOSE, **how)
    # onnxruntime computes some products of blocks in 8 bits.
    loose = {**CLOSE, "atol": 5e-3}
    check(backend, "QMoE", inputs, oracle="onnxruntime", outputs=[np.float32], **loose, **how)


@pytest.mark.parametrize("fusion", [0, 2])
@given(data=st.data())
@EXAMPLES
def test_qmoe_by_formula(backend: Prepare, fusion: int, data: st.DataObject) -> None:
    bits = [data.draw(st.sampled_from([2, 3, 4, 8])) for _ in range(3)]
    how: dict[str, Any] = {**common(data), "activation_type": "swiglu", "swiglu_fusion": fusion}
    block = data.draw(st.sampled_from([0, 16]))
    e = draw_experts(data, 2 if fusion else 1, fusion == 0, multiple=16 if block else 24)
    inputs, real = qmoe_inputs(e, bits, block, data.draw(st.booleans()))
    how["block_size"] = block or None
    widths = {f"fc{i + 1}_expert_weight_bits": b for i, b in enumerate(bits)}
    want = formula(e, real, softmax_of_chosen(how, None))
    check(backend, "QMoE", inputs, oracle=[want], outputs=[np.float32], **CLOSE, **how, **widths)


def test_refusals(backend: Prepare) -> None:
    rng = np.random.default_rng(0)
    x, scores, w1, w2 = (rng.normal(size=s).astype(np.float32) for s in ((5, 8), (5, 3), (3, 16, 8), (3, 8, 16)))
    q1, q2, s1, s2 = np.zeros((3, 16, 4), np.uint8), np.zeros((3, 8, 8), np.uint8), w1[..., 0], w2[..., 0]
    packed = [x, scores, q1, s1, None, q2, s2]
    cases: list[tuple[str, list[Any], dict[str, Any], str]] = [
        ("MoE", [x, scores, w1, None, w2], {"k": 4}, r"do not fit 3 experts of 8 values, 4 of them chosen"),
        ("MoE", [x, scores[:4], w1, None, w2], {}, r"router_probs of shape \[4,3\]"),
        ("MoE", [x, scores, w1, None, w1], {}, r"do not fit together; their shapes are \[3,16,8\], \[3,16,8\]"),
        ("MoE", [x, scores, w1, s1[:2], w2], {}, r"bias has shape \[2,16\]; \[3,16\] is expected"),
        ("MoE", [x, scores, w1[0], None, w2], {}, "must have rank 3"),
        ("MoE", [x, scores, w1, None, w2], {"activation_type": "swiglu"}, "needs fc3_experts_weights"),
        ("MoE", [x, scores, w1, None, w2], {"activation_type": "tanh"}, "it is 'tanh'"),
        ("MoE", [x, scores, w1, None, w2], {"activation_type": "geglu"}, "swiglu_fusion must be 1 or 2"),
        ("MoE", [x, scores, w1, None, w2], {"use_sparse_mixer": 1, "k": 2}, "use_sparse_mixer"),
        ("MoE", [x, scores, w1, None, w2], {"k": 0}, "k must be positive"),
        ("QMoE", packed, {"fc2_expert_weight_bits": 9}, "experts have 2 to 8 bits; got 9"),
        ("QMoE", packed, {"quant_type": "fp4"}, "quant_type 'fp4'"),
        ("QMoE", packed, {"block_size": 24}, "power of 2 from 16 on; it is 24"),
        ("QMoE", packed, {"block_size": 16}, "block_size 16 does not divide rows of 8 weights"),
        ("QMoE", [*packed[:3], s1[:2], None, q2, s2], {}, r"fc1_scales must have 48 elements; its shape is \[2,16\]"),
        ("QMoE", [*packed[:3], None, None, q2, s2], {}, "fc1_scales must have 48 elements"),
        ("QMoE", [*packed, *[None] * 4, q1], {}, r"fc1_zero_points has shape \[3,16,4\]; \[3,8\] is expected"),
        ("QMoE", [*packed, *[None] * 7, scores[:4]], {}, r"router_weights has shape \[4,3\]; \[5,3\] is expected"),
    ]
    for op, inputs, how, text in cases:
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, make_model(op, inputs, domain="com.microsoft", outputs=[np.float32], **how), inputs)
